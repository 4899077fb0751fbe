// Package locale writes dates and numbers, and orders texts, as a reader's language
// does. It knows no dashboard: package page asks it.
//
// Names of months and weekdays, patterns of dates, and the forms of numbers come
// from the Unicode Common Locale Data Repository, by generate.go into cldr/; order
// comes from golang.org/x/text.
package locale
