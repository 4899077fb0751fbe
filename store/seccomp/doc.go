// Package seccomp has the kernel refuse what a process that reads strangers' data has no use for: other programs and
// processes, tracing, namespaces, mounts, accounts, the machine's settings, and network or the writing of files.
//
// It owns the list of calls, which query workers and the processes of warehouse calls share. What else a process gives up
// (files, memory) is for the packages that start it.
package seccomp

// A Policy is what a process keeps.
type Policy int

const (
	// Alone is for a process that works on files which it was given, and calls nobody.
	Alone Policy = iota
	// Network is for a process that calls others by TCP and UDP, and opens files only to read them.
	Network
)
