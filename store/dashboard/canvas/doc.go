// Package canvas describes what a dashboard's figures draw: blocks, pictures and the marks in them, in tokens of meaning (a colour of the
// palette, a look of a text, a kind of a list) and not of a format.
//
// [Canvas] is the interface between figures and painters. Three painters implement it, in packages of their own below this one: html writes
// pages, picture lays out scenes for images and documents, and text draws in characters. A [Recorder] keeps what was drawn, for tests. The
// package also has the margins and the measures of labels that figures and painters share.
//
// It imports no package of the spec, of rows or of a format.
package canvas
