// Package sqltext cuts SQL into words, names, strings and symbols, for the
// connectors whose servers cannot be told to run one SELECT statement alone.
//
// It reads as little as can be judged safely: whatever two programs could read
// in two ways (an unfinished comment, a nested one, a comment that is executed,
// dollar quotes, control characters) is refused.
package sqltext
