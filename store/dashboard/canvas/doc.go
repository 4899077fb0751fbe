// Package canvas defines the elements that figures draw: blocks, pictures, and the marks in pictures. Elements name their meaning (a colour
// of the palette, the style of a text, the kind of a list), so they do not depend on an output format.
//
// [Canvas] is the interface between figures and painters. Three painters implement it, in packages of their own below this one: html writes
// pages, picture lays out scenes for pictures and documents, and text draws in characters. A [Recorder] keeps what was drawn, for tests.
// The package also has the margins and the measures of labels that figures and painters share.
//
// It imports no package of the spec, of rows or of a format.
package canvas
