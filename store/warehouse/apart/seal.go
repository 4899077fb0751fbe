package apart

import "service/store/seccomp"

// seal leaves the process what a driver needs: TCP, the resolution of names, and files to read. What the machine does not have
// is left out; check_readiness tells of it, for query workers need the same.
func seal() { _ = seccomp.Apply(seccomp.Network) }
