// Package datafile reads the data files that people have: CSV, TSV, JSON,
// NDJSON and XLSX. It finds columns and gives each the type that a person would
// choose.
//
// The rules: a column is typed only when every value fits; otherwise it stays
// text. Numbers that look like identifiers (leading zeros, more than 18 digits)
// stay text. Words for "no value" such as NA in a column of numbers or dates
// become NULL and are counted in the report. A row that cannot be read fails the
// file, by its number; nothing is dropped in silence.
//
// The files are hostile until proven otherwise: package worker runs this code in
// a process that may be lost. Parquet, which the query engine reads itself, is
// recognized here but read there.
package datafile
