//go:build !linux

package worker

// harden does nothing on other systems, which are for development only.
func harden() {}

// seal does nothing there: see [database.lock].
func seal() error { return nil }

func confine() error { return nil }
