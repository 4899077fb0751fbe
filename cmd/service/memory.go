package main

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// gcPercent uses more memory to save time: requests are small and short, and frequent
	// collections would cost more than the requests.
	gcPercent = 800
	// memoryLimit is the soft limit if no cgroup sets one.
	memoryLimit = 1 << 30
	// heapSample is the sampling rate of the heap profile in bytes. With Go's default of half a megabyte, every second call
	// would record a stack, because a call allocates eight buffers of the SDK. It is set once, before anything else, because
	// readers of a profile assume a constant rate.
	heapSample = 4 << 20
)

// tuneMemory sets the garbage collector for a server, unless the environment
// does. It returns the soft memory limit in bytes.
func tuneMemory(getenv func(string) string) int64 {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if getenv("GOMEMLIMIT") != "" {
		return debug.SetMemoryLimit(-1)
	}
	limit := softLimit(cgroupLimit("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"))
	debug.SetMemoryLimit(limit)
	return limit
}

// softLimit returns 70 % of the cgroup's limit, because query workers and an embedded database run
// in the same cgroup. It returns 0 for no limit.
func softLimit(cgroup int64) int64 {
	if cgroup == 0 {
		return memoryLimit
	}
	return cgroup / 10 * 7
}

// cgroupLimit reads the limit from the first of files that has one: version 2 writes
// "max" for no limit, version 1 a number near the largest.
func cgroupLimit(files ...string) int64 {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && n > 0 && n < math.MaxInt64/2 {
			return n
		}
	}
	return 0
}
