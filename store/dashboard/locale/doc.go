// Package locale writes dates, numbers and fixed texts as a reader's language has
// them. It knows no dashboard: package page asks it, and the web app.
//
// Names of months and weekdays, patterns of dates, and the forms of numbers come
// from the Unicode Common Locale Data Repository, by generate.go into cldr/; order
// and plurals come from golang.org/x/text. Texts are in texts/, one file a
// language, under the English text as the key: a text that is missing is English.
package locale
