package isolate

import (
	"os"

	"golang.org/x/sys/unix"
)

// bound limits the memory of the process, makes it the first to be killed when the machine's memory is exhausted, and forbids core dumps,
// which would contain a password. It ignores limits that the machine does not support.
func bound() {
	if !detectsRaces { // the detector has already mapped more than the limit
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxMemory, Max: maxMemory})
	}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}
