// Package page draws dashboards: from a checked spec and the stored rows of its
// datasets, the whole HTML document, complete without JavaScript.
//
// It uses neither a database nor a clock. A page depends only on its [View], so it can be cached
// while its View is the same. Relative date ranges ("last 30 days") depend on the day of View.Now
// in the spec's zone, and the line of a timeline on the quarter of an hour.
//
// Each type of panel has a figure: an entry in the table figures, in a file of its own. The work
// has three steps. Package cube filters, groups and aggregates a panel's rows. From these the
// figure computes values, notes, a summary of one sentence, and the numbers as a table. Then the
// panel is drawn on a canvas, sketched in text or written as CSV, or only its summary is used.
//
// Figures do not know the format: they draw on a canvas, and the painters are packages below package canvas. This package
// writes the rest of a page (its head, cards, the form of the filters) as HTML too, and a test checks that no
// other file writes markup. It lays out the cards of pictures and documents: see [PNG] and [PDF].
//
// Texts come from people or from a warehouse and may be hostile, so all are escaped: see [html.Doc].
// Pages have no inline script, style attribute or remote resource; [CSP] is their policy.
package page
