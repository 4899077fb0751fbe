// Package scene represents a laid-out page: shapes and texts with their positions, in CSS pixels from the upper left corner. It writes a
// scene as a picture (PNG) and as a document (PDF).
//
// Texts are measured with the same fonts in which they are drawn, so a text that fits on a scene fits in the picture and the document. The
// program contains fonts for Latin, Greek and Cyrillic; for other scripts a [Typesetter] uses the fonts of the system, and reports
// characters that no font has.
//
// Package page decides the contents and the layout of a page. This package does not depend on dashboards.
package scene
