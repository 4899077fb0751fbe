// Package stat computes the layouts of charts from numbers alone: it does not depend on datasets, texts or drawing. Lengths and places are
// in the unit of the caller, such as pixels, and results share no memory with arguments. The caller decides which values a chart has, and
// draws them at the places that this package returns.
package stat
