// Package scene is a page that is laid out: shapes and texts, each at its place, in CSS pixels
// from the upper left corner. It writes a scene as a picture (PNG) and as a document (PDF).
//
// It has the fonts that texts are measured with and drawn in: what fits on a scene fits in what is
// written of it. Latin, Greek and Cyrillic are in fonts that are part of the program; for other
// scripts a [Typesetter] looks among the fonts of the system, and reports what none of them has.
//
// What a page says and where it stands is package page's. Nothing here knows of dashboards.
package scene
