// Package suggest finds the names that are most similar to a misspelled word: columns and tables, keys of a spec, arguments of tools,
// settings.
package suggest
