// Package apart does the calls of a connector in processes of their own, one for each call: this program again.
//
// Some drivers make room for as many columns or rows as a server says it has, or panic on goroutines of their own. A server that
// lies then ends the process, which nothing can recover from. Here it ends a process that has nothing but this one call.
//
// The package owns these processes: what they are started with, what they may use, when they are ended, and what is said when one
// ends without an answer. It knows no driver: whoever uses it names the kinds. Frames, rows and errors are those of package wire.
package apart
