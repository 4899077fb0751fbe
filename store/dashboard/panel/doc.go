// Package panel computes the panels of a dashboard, and draws their figures on a canvas.
//
// An [Env] is made of an [Input], which has the spec, the rows and the parameters of the address. [Env.Panel] computes a panel: its title,
// its notes, a summary of one sentence, the numbers as a [Grid], and its [Content], which draws itself. Each type of panel has an entry in
// the table [Figures], of type [Figure], in a file of its own. Figures group rows by package encode, and most of them are charts of package
// chart. [Env.Examine] describes the panels to their author.
//
// The package uses neither a database nor a clock, and writes no markup. It reads the parameters of an address (see [ParamsOf]), because
// panels link to the page with other filters; package page draws the page around the panels, and package export writes grids to files.
package panel
