package worker

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_AARCH64

// deniedHere are those of the calls to deny that not every architecture has.
var deniedHere = []uint32{unix.SYS_RENAMEAT, unix.SYS_KEXEC_FILE_LOAD}
