// Package html paints figures as HTML with SVG, and has the style of pages.
//
// [Painter] is the canvas of a page. It writes into a [Doc], which escapes each string. Only values of type [H] are not escaped, and only
// constants can have that type. The [Styles] are the parts of page.css; a page has those that its spec needs.
package html
