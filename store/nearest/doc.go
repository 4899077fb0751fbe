// Package nearest finds the names that a misspelled word was probably meant to be:
// columns and tables, keys of a spec, arguments of tools, settings.
package nearest
