// Package locale writes dates, numbers and fixed texts, and orders texts, in a reader's language. It does not depend on dashboards.
//
// Names of months and weekdays, patterns of dates, and the forms of numbers are from the Unicode Common Locale Data Repository, which
// generate.go copies into cldr/; order and plurals are from golang.org/x/text.
//
// A fixed text is written in English where it is used: l.Text("Skip to content"),
// l.Count(n, "%d row", "%d rows"). Its translations are in texts/, one file for each language, with
// the English text as the key. A text without a translation is shown in English, and a test names
// it. In the locale en-XA all fixed texts are in brackets.
package locale
