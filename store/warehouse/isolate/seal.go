package isolate

import "service/store/seccomp"

// seal restricts the process to the system calls that a driver needs: TCP, the resolution of names, and reading files. It does nothing if
// the machine does not support that; check_readiness reports it, since query workers need the same.
func seal() { _ = seccomp.Apply(seccomp.Network) }
