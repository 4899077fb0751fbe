// Package chart draws charts: a [Chart] is a plot with axes, composed of layers of marks. Scales, gridlines and their names, labels under
// the plot, reference lines, events, and the values that are written at marks are computed here once, for all layers of a chart. The
// package works on numbers, places and texts. It does not depend on columns or on the language of the page: values are written by functions
// in fields. A place is a fraction of the plot, from the left and from the top, and a length is in pixels unless its comment names another
// unit.
package chart
