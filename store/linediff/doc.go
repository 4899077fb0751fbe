// Package linediff compares two contents line by line, in bounded time and memory: specs and reports in JSON, and other text. Package tools
// and the web app show the result; this package does not depend on versions.
package linediff
