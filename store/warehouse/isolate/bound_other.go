//go:build !linux

package isolate

// bound does nothing: processes are bounded on Linux only.
func bound() {}
