// Package geo provides countries and US states: their names, to find the area that a value means, and their outlines in a projection, to
// draw a map. Package panel and the painters draw the maps; this package does not depend on dashboards.
//
// Outlines of countries are from Natural Earth 4.1 at 1:50 million (those of Gibraltar and Tuvalu at 1:10 million), in the public domain;
// those of states are from the Census Bureau, of 2017. Names are from the Unicode Common Locale Data Repository; other spellings are in
// alias.go. generate.go fetches all of this data.
//
// Borders are those of Natural Earth, which shows de facto control. Northern Cyprus and Somaliland have no code in ISO 3166. They are drawn
// with the country to which ISO assigns them, unless they have their own value. The same applies to parts of a country that have their own
// code, such as Réunion. The code of Kosovo is XK.
package geo
