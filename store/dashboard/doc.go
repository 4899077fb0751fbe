// Package dashboard holds the rules for how a dashboard is named: slugs, paths
// and filenames (specification, "Resources and their fields" and "Path and
// input validation messages").
//
// What a dashboard shows is the business of the packages below: spec (what was
// asked for), cube (the rows) and page (what a person sees). Where it is kept
// is the business of package store.
package dashboard
