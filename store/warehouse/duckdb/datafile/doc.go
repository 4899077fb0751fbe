// Package datafile reads the data files that people have: CSV, TSV, JSON,
// NDJSON and XLSX. It finds the table, its columns, and the type that a person
// would choose for each.
//
// The rules: a column is typed only when every value fits; otherwise it stays
// text. Words for "no value" such as NA among numbers, dates and booleans become
// NULL and are counted in the report. What is not obvious is noted: amounts of
// one currency and percentages that become numbers, yes and no that become true
// and false, the order of day and month. Identifiers stay text: leading zeros,
// more digits than a number keeps, the length of card numbers, names such as zip
// and phone.
//
// Each row of the file is in the table or named in the report: blank lines,
// titles, remarks, a last row that is proved to be the total of the others. A
// row that cannot be read fails the file, by its number.
//
// The files are hostile until proven otherwise: package worker runs this code in
// a process that may be lost. Parquet, which the query engine reads itself, is
// recognized here but read there.
package datafile
