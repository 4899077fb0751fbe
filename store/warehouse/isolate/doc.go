// Package isolate runs each call of a connector in a process of its own, which executes this program.
//
// Some drivers allocate memory for as many columns or rows as a server announces, or panic on goroutines of their own. In this way, a
// malicious server could end the whole process. Here it only ends the process of one call.
//
// The package owns these processes: their arguments and environment, their limits, their end, and the error of a call whose process ends
// without an answer. It contains no driver: the caller passes the kinds. Frames, rows and errors are those of package wire.
package isolate
