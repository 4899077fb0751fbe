// Package geo provides countries and US states: their names, to find the area that a value means, and their outlines in a projection, to
// draw a map. Package page draws them; this package does not depend on dashboards.
//
// Outlines of countries are from Natural Earth 4.1 at 1:50 million (those of Gibraltar and Tuvalu at 1:10 million), in the public domain;
// those of states are from the Census Bureau, of 2017. Names are from the Unicode Common Locale Data Repository; other spellings are in
// alias.go. generate.go fetches all of this data.
//
// Borders are those of Natural Earth, which shows de facto control. Areas without a code in ISO 3166, Northern Cyprus and Somaliland, are
// drawn with the country to which ISO assigns them, unless they have a value of their own; so are parts of a country with a code of their
// own, such as Réunion. Kosovo is XK.
package geo
