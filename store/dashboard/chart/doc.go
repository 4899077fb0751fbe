// Package chart draws charts: a [Chart] is a plot with axes, put together of layers of marks. Scales, gridlines and their names, labels
// under the plot, reference lines, events, and the values that are written at marks are computed here, once for all of them. The package
// knows numbers, places and texts. It does not know the columns that they are of, nor the language of the page: functions that write a
// value reach it as fields. A place is a fraction of the plot, from the left and from the top, and a length is in pixels unless its
// comment names another unit.
package chart
