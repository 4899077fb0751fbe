package apart

import (
	"os"

	"golang.org/x/sys/unix"
)

// bound limits the memory of the process, makes it the first to be ended when the machine has none left, and forbids a dump of it,
// which would hold a password. What the machine does not allow is left out.
func bound() {
	if !detectsRaces { // the detector has mapped more than the limit before
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxMemory, Max: maxMemory})
	}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}
