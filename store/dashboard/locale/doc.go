// Package locale writes dates, numbers and fixed texts, and orders texts, in a reader's language.
// Package page and the web app use it; it knows nothing of dashboards.
//
// Names of months and weekdays, patterns of dates, and the forms of numbers come
// from the Unicode Common Locale Data Repository, by generate.go into cldr/; order
// and plurals come from golang.org/x/text.
//
// A fixed text is written in English where it is used: l.Text("Skip to content"),
// l.Count(n, "%d row", "%d rows"). Its translations are in texts/, one file for each language, with
// the English text as the key. A text without a translation is shown in English, and a test names
// it. In the locale en-XA all fixed texts are in brackets.
package locale
