// Package seccomp makes the kernel refuse system calls in a process that reads untrusted data. Such a process needs no calls for other
// programs and processes, tracing, namespaces, mounts, accounts and the machine's settings. By its [Policy] it also needs no network, or
// does not write files.
//
// It owns the list of calls, which query workers and the processes of warehouse calls share. Other restrictions of a process (files,
// memory) are set by the packages that start it.
package seccomp

// A Policy is the set of calls that stay allowed.
type Policy int

const (
	// Alone is for a process that works on files which it was given, without network.
	Alone Policy = iota
	// Network is for a process that connects to others by TCP and UDP, and opens files only to read them.
	Network
)
