// Package encode makes the table behind a panel: it groups and measures the rows of a dataset, and keeps, orders and merges the values of
// each column that it groups by.
//
// A panel describes the table by a [Query]; [Dataset.Run] makes it. Values that are not kept cause an [Issue] of the table: a note to
// readers and a warning to the author at once. An [Env] is the part of the page's env with which data are read: the language, the time
// zone, the day on which weeks begin, and the spec.
//
// The package does not depend on panels or drawing.
package encode
