// Package export writes the numbers of panels to files: as CSV, and as workbooks.
//
// A file has all rows of a panel's grid, which package panel computes. Texts may be hostile, so no cell of a file is a formula.
package export
