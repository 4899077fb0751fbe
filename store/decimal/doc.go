// Package decimal rounds numbers that are written in decimal digits, such as -1234.5, and shifts
// their decimal point. Halves are rounded away from zero, as Postgres does with numeric. A
// float64 becomes its shortest decimal first ([Of]), so that 2.675 rounds to 2.68 although the
// binary fraction is slightly below it.
//
// It is independent of locales: package locale adds separators, and package cube stores numbers.
package decimal
