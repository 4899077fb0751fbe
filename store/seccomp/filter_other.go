//go:build !linux

package seccomp

import "errors"

// Apply fails: systems other than Linux serve development only.
func Apply(Policy) error { return errors.ErrUnsupported }
