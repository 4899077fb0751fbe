//go:build !linux

package worker

// harden does nothing on systems that serve development only.
func harden() {}

// seal relies on the engine's own lock on such systems.
func seal() error { return nil }

func confine() error { return nil }
