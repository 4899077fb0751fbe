// Package page draws dashboards: from a checked spec and the stored rows of its
// datasets, the whole HTML document, complete without JavaScript.
//
// It asks no database and no clock: what it draws depends on the [View] alone,
// so a drawn page can be kept for as long as its View is equal. Relative date
// ranges ("last 30 days") depend on the day of View.Now in the spec's zone.
//
// Each type of panel has a figure: an entry of the table figures, in a file of
// its own. The work is in three steps. A panel's rows are filtered, grouped and
// aggregated by package cube; of these its figure works out values, notes, one
// sentence of summary and the numbers as a table. Then the panel is drawn on a
// canvas, sketched in text or written as CSV, or only its summary is used.
//
// Figures know no format. The painter behind the canvas writes HTML with SVG;
// what stands around figures (the page's head, cards, the form of the filters)
// is HTML too. No other file writes markup, which a test checks.
//
// Every text comes from people or from a warehouse and is hostile until it is
// escaped: see [doc]. There is no inline script, no style attribute and no
// remote resource; [CSP] holds for all that this package draws.
package page
