package seccomp

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Apply makes the kernel refuse the calls that p forbids with "operation not permitted", in all threads and for the rest of the process's
// life. It also sets no_new_privs. Its errors are those of the kernel.
func Apply(p Policy) error {
	program := newFilter(p, unix.Getpid())
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// The thread needs no_new_privs, which it passes on to the others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog)))
	switch {
	case errno != 0:
		return errno
	case thread != 0:
		return fmt.Errorf("thread %d cannot be bound", thread) // seccomp(2): no errno, and no filter anywhere
	}
	return nil
}

// Offsets in struct seccomp_data (linux/seccomp.h), on little-endian machines.
const (
	callNumber = 0
	callArch   = 4
	callArg0   = 16 // the lower half of each
	callArg1   = 24
	callArg2   = 32
)

// newFilter returns the filter for the process pid.
func newFilter(policy Policy, pid int) []unix.SockFilter {
	const (
		allow = unix.SECCOMP_RET_ALLOW
		deny  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		none  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	)
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	// unless skips the next n instructions if the comparison does not hold.
	unless := func(op uint16, k uint32, n uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jf: n, K: k}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

	p := []unix.SockFilter{
		load(callArch),
		unless(unix.BPF_JEQ, machine, 1),
		{Code: unix.BPF_JMP | unix.BPF_JA, K: 1},
		answer(unix.SECCOMP_RET_KILL_PROCESS), // calls of another architecture have other numbers
		load(callNumber),
		unless(unix.BPF_JGT, newest, 1), // among these, the calls of x32
		answer(none),
		// Its arguments are in memory, which a filter cannot read. Threads are then started by clone.
		unless(unix.BPF_JEQ, unix.SYS_CLONE3, 1),
		answer(none),
		// Threads may be started, processes may not.
		unless(unix.BPF_JEQ, unix.SYS_CLONE, 4),
		load(callArg0),
		unless(unix.BPF_JSET, unix.CLONE_THREAD, 1),
		answer(allow),
		answer(deny),
		// Go interrupts its own threads.
		unless(unix.BPF_JEQ, unix.SYS_TGKILL, 4),
		load(callArg0),
		unless(unix.BPF_JEQ, uint32(pid), 1),
		answer(allow),
		answer(deny),
		// Limits of itself.
		unless(unix.BPF_JEQ, unix.SYS_PRLIMIT64, 4),
		load(callArg0),
		unless(unix.BPF_JEQ, 0, 1),
		answer(allow),
		answer(deny),
	}
	// The commands by which a file notifies another process by any signal, including SIGKILL.
	p = append(p,
		unless(unix.BPF_JEQ, unix.SYS_FCNTL, 8),
		load(callArg1),
		unless(unix.BPF_JEQ, unix.F_SETOWN, 1),
		answer(deny),
		unless(unix.BPF_JEQ, unix.F_SETOWN_EX, 1),
		answer(deny),
		unless(unix.BPF_JEQ, unix.F_SETSIG, 1),
		answer(deny),
		answer(allow),
	)
	lists := [][]uint32{denied, deniedHere}
	if policy == Network {
		// Sockets of TCP and UDP, which the resolution of names needs too. Unix, netlink and raw sockets are refused.
		p = append(p,
			unless(unix.BPF_JEQ, unix.SYS_SOCKET, 10),
			load(callArg0),
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AF_INET, Jt: 1},
			unless(unix.BPF_JEQ, unix.AF_INET6, 6),
			load(callArg1),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: socketType},
			unless(unix.BPF_JEQ, unix.SOCK_STREAM, 1),
			answer(allow),
			unless(unix.BPF_JEQ, unix.SOCK_DGRAM, 1),
			answer(allow),
			answer(deny),
		)
		// Files may only be opened for reading.
		p = append(p,
			unless(unix.BPF_JEQ, unix.SYS_OPENAT2, 1),
			answer(none),
			unless(unix.BPF_JEQ, unix.SYS_OPENAT, 4),
			load(callArg2),
			unless(unix.BPF_JSET, writing, 1),
			answer(deny),
			answer(allow),
		)
		p = append(p, openedHere(load, unless, answer)...)
	} else {
		lists = append(lists, network)
	}
	for _, calls := range lists {
		for _, number := range calls {
			p = append(p, unless(unix.BPF_JEQ, number, 1), answer(deny))
		}
	}
	return append(p, answer(allow))
}

// newest is the last known call. A later one fails as on a kernel without it.
const newest = unix.SYS_MSEAL

// network are the calls of a process that connects to others.
var network = []uint32{
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_RECVMMSG,
}

// socketType is the mask of the type in the second argument of socket(2).
const socketType = 0xf

// writing are the flags for opening a file for writing, creating or truncating it.
const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// denied are the calls that a worker does not need and that affect more than itself, whether or not this account has the right to them. Its
// open files may be read and written; opening others is restricted by Landlock and the limit of open files.
var denied = []uint32{
	// accepting connections, from the network or from programs of this machine
	unix.SYS_SOCKETPAIR, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	// other programs and processes
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_KCMP, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_SETPRIORITY,
	unix.SYS_SETPGID, unix.SYS_SETSID, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_IOPRIO_SET,
	unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETAFFINITY,
	// memory that is not counted as the process's
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	// calls that make other calls
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP,
	// calls on files that Landlock does not restrict
	unix.SYS_CHDIR, unix.SYS_FCHDIR, unix.SYS_CHROOT, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2,
	unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_INOTIFY_INIT1, unix.SYS_FANOTIFY_INIT,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	// and those that it restricts, for machines without Landlock
	unix.SYS_MKDIRAT, unix.SYS_MKNODAT, unix.SYS_UNLINKAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_RENAMEAT2, unix.SYS_TRUNCATE,
	// accounts, namespaces, mounts
	unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID,
	unix.SYS_SETFSUID, unix.SYS_SETFSGID, unix.SYS_SETGROUPS, unix.SYS_CAPSET, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN,
	unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	// the machine and its kernel
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_PERSONALITY,
}
