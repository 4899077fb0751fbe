// Package html paints figures as HTML with SVG, and has the style of pages.
//
// [Painter] is the canvas of a page. It writes into a [Doc], which escapes each string: only constants are an [H], which is written as it
// is. The [Styles] are the parts of page.css; a page has those that its spec needs.
package html
