// Package stat computes the layouts of charts from numbers alone: it knows no dataset, no text and no drawing. Lengths and places are in
// the unit of the caller, such as pixels, and nothing returned shares memory with an argument. Its caller decides which values a chart
// has and draws them where this package places them.
package stat
