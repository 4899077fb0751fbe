// Package page draws dashboards: from a checked spec and the stored rows of its
// datasets, the whole HTML document, complete without JavaScript.
//
// It asks no database and no clock: what it draws depends on the [View] alone,
// so a drawn page can be kept for as long as its View is equal. Relative date
// ranges ("last 30 days") depend on the day of View.Now in the spec's zone.
//
// The work is in three steps. A panel's rows are filtered, grouped and
// aggregated by package cube; that gives a figure: values, notes, one sentence
// of summary and the same numbers as a table. The figure is then drawn, as HTML
// with SVG, or written as CSV, or only its summary is used.
//
// Every text comes from people or from a warehouse and is hostile until it is
// escaped: see [doc]. There is no inline script, no style attribute and no
// remote resource; [CSP] holds for all that this package draws.
package page
