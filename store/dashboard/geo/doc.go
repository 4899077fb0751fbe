// Package geo knows countries and US states: their names, to find the one that a value
// means, and their outlines in a projection, to draw a map. Package page draws them;
// this one knows nothing of dashboards.
//
// Outlines of countries are those of Natural Earth 4.1 at 1:50 million (of Gibraltar and
// Tuvalu at 1:10 million), in the public domain; those of states the Census Bureau's of
// 2017. Names come from the Unicode Common Locale Data Repository; other spellings are in
// alias.go. generate.go brings all of it.
//
// Borders are drawn as Natural Earth has them, which is who holds a place. What ISO 3166
// has no code for is drawn with the country that ISO counts it to, Northern Cyprus and
// Somaliland, unless it has a value of its own; so are parts of a country that have a
// code, as Réunion. Kosovo is XK.
package geo
