//go:build !linux

package worker

import "service/store/warehouse/duckdb/wire"

// seal does nothing on systems that serve development only.
func seal() []string { return wire.Layers }

// sealFiles relies on the engine's own lock on such systems.
func sealFiles(int) error { return nil }

// sealWrites relies on it too.
func sealWrites() error { return nil }
