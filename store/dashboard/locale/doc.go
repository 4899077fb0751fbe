// Package locale writes dates, numbers and fixed texts, and orders texts, as a
// reader's language does. It knows no dashboard: package page asks it, and the web app.
//
// Names of months and weekdays, patterns of dates, and the forms of numbers come
// from the Unicode Common Locale Data Repository, by generate.go into cldr/; order
// and plurals come from golang.org/x/text.
//
// A fixed text is written in English where it is said: l.Text("Skip to content"),
// l.Count(n, "%d row", "%d rows"). Its translations are in texts/, one file a
// language, under the English text as the key; one that is missing is English, and a
// test names it. In the locale en-XA all of them stand in brackets.
package locale
