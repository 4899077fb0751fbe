package seccomp

import "golang.org/x/sys/unix"

const machine = unix.AUDIT_ARCH_AARCH64

// deniedHere are the calls to deny that not every architecture has.
var deniedHere = []uint32{unix.SYS_RENAMEAT, unix.SYS_KEXEC_FILE_LOAD}

// openedHere does nothing: this architecture lacks the older calls that open files.
func openedHere(func(uint32) unix.SockFilter, func(uint16, uint32, uint8) unix.SockFilter, func(uint32) unix.SockFilter) []unix.SockFilter {
	return nil
}
