// Package spec is the dashboard spec, version 1: what an AI client writes and
// the service keeps. It parses a spec, checks all of it at once in words that
// name the fix, and says what the columns of a dataset mean.
//
// It runs no SQL and draws nothing.
package spec
