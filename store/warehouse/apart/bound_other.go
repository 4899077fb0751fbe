//go:build !linux

package apart

// bound does nothing: processes are bounded on Linux only.
func bound() {}
