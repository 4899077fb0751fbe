//go:build !linux

package apart

// bound has nothing to do: a process is bounded on Linux only.
func bound() {}
