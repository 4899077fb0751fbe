// Package datafile reads common data files: CSV, TSV, JSON, NDJSON and XLSX. It finds the table, its columns, and the type that a person
// would choose for each.
//
// The rules: a column is typed only when every value fits; otherwise it stays text. Words for "no value" such as NA among numbers, dates
// and booleans become NULL and are counted in the report. The report also lists the decisions that are not obvious:
//
//   - Amounts of one currency ($ € £ ¥ USD EUR GBP JPY) and percentages become numbers. Numbers with any other text stay text.
//   - A file has one decimal sign. If one column has a decimal comma, dots are the separators of thousands in all columns.
//   - The pairs true and false, yes and no, y and n, t and f become booleans. The
//     words of other languages stay text.
//   - Dates have one order of day and month in a column. Where both fit, a person's setting decides, or else the other columns.
//   - Codes stay text: digits after leading zeros, more digits than a number keeps,
//     version numbers. Other digits are whole numbers that keep every digit. Phone and card numbers are not recognized as such.
//
// Each row of the file is either in the table or in the report. The report lists blank lines, titles, remarks, and a row of totals: a last
// row without a name, or with a word such as "total", if its values are the sums of the other rows. If a row cannot be read, the file is
// refused, and the error contains the number of the row.
//
// Files may be hostile: package worker runs this code in a process that may be killed, and the time for a file of size n grows no faster
// than n log n. Parquet is recognized here, and read by the query engine.
package datafile
