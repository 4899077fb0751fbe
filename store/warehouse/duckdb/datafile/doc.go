// Package datafile reads common data files: CSV, TSV, JSON, NDJSON and XLSX. It finds the table, its columns, and the type that a person
// would choose for each.
//
// The rules: a column is typed only when every value fits; otherwise it stays text. Words for "no value" such as NA among numbers, dates
// and booleans become NULL and are counted in the report. The report also lists the decisions that are not obvious:
//
//   - Amounts of one currency ($ € £ ¥ USD EUR GBP JPY) and percentages become numbers. Numbers with any other text stay text.
//   - A text has one decimal sign: a decimal comma in one column makes dots the
//     separators of thousands in all.
//   - The pairs true and false, yes and no, y and n, t and f become booleans. The
//     words of other languages stay text.
//   - Dates have one order of day and month in a column. Where both fit, a person's setting decides, or else the other columns.
//   - Codes stay text: digits after leading zeros, more digits than a number keeps,
//     version numbers. Other digits are whole numbers, and no digit of theirs is
//     lost: phone and card numbers are not looked for.
//
// Each row of the file is in the table or named in the report: blank lines,
// titles, remarks, and a last row without a name, or with a word for a total, that
// is proved to be the sum of the others. A row that cannot be read fails the file, by its
// number.
//
// Files may be hostile: package worker runs this code in a process that may be killed, and the time
// for a file grows no faster than its size. Parquet is recognized here, and read by the query engine.
package datafile
