// Package dashboard defines the names of dashboards (slugs, paths, filenames, labels) and their contents (the spec, version 1). The names
// follow the specification, sections "Resources and their fields" and "Path and input validation messages". An AI client writes the spec,
// and the service stores it.
//
// It parses a spec, reports all mistakes at once with their fixes, and resolves the meaning of the columns of a dataset. Package cube
// stores the rows, package panel draws panels, package page the page around them, and package store stores dashboards.
package dashboard
