// Package page draws dashboards. It makes an HTML document from a checked spec and the stored rows of its datasets; the document works
// without JavaScript.
//
// It uses neither a database nor a clock. A page depends only on its [View], so it can be cached while its View is the same. Relative date
// ranges ("last 30 days") depend on the day of View.Now in the spec's zone, and the line at the current time in a timeline depends on the
// quarter of an hour of View.Now.
//
// Package panel applies the filters and computes the panels, which draw their figures on a canvas, and package export writes their numbers
// to files. This package arranges the panels and writes the rest of a page (its head, cards, the form of the filters) as HTML; a test
// checks that no other file writes markup. It also lays out the cards of pictures and documents (see [PNG] and [PDF]), and makes the text
// of a page for mail (see [Digested]).
//
// Texts are written by people or read from a warehouse and may be hostile, so all of them are escaped: see [html.Doc]. Pages have no inline
// script, style attribute or remote resource; [CSP] is their policy.
package page
