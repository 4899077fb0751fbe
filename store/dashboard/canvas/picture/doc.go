// Package picture paints figures as a scene, which package scene writes as PNG and PDF.
//
// Browsers lay out a page by its style. [Painter] does the same in Go: it has the lengths of page.css and reads the light colours from it.
// It wraps lines, and computes the widths of columns and the heights of panels.
package picture
