package seccomp

import "golang.org/x/sys/unix"

const machine = unix.AUDIT_ARCH_X86_64

// deniedHere are the calls to deny that only this architecture has.
var deniedHere = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK,
	unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT, unix.SYS_INOTIFY_INIT,
	unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_MKNOD, unix.SYS_UNLINK, unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT,
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_KEXEC_FILE_LOAD,
}

// openedHere are the older calls that open files.
func openedHere(load func(uint32) unix.SockFilter, unless func(uint16, uint32, uint8) unix.SockFilter, answer func(uint32) unix.SockFilter,
) []unix.SockFilter {
	return []unix.SockFilter{
		unless(unix.BPF_JEQ, unix.SYS_CREAT, 1),
		answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)),
		unless(unix.BPF_JEQ, unix.SYS_OPEN, 4),
		load(callArg1),
		unless(unix.BPF_JSET, writing, 1),
		answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)),
		answer(unix.SECCOMP_RET_ALLOW),
	}
}
