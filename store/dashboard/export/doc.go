// Package export writes the numbers of panels to files: as CSV, and as workbooks.
//
// A file has all rows of a panel's grid, which package panel works out. Texts of a file may be hostile: no cell is a formula.
package export
