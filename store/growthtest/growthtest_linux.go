package growthtest

import (
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// factor is how much larger the second input is than the first. n log n grows
	// about 21 times as far as inputs go here, and a square 256 times.
	factor = 16
	// limit is how many times as long the second input may take.
	limit = 50
)

// Check fails the test when the time of a run grows faster than n log n up to an input of most bytes. prepare makes an input of about n
// bytes and returns a run. Only the run is measured, without its work on other threads.
//
// Check compares the processor time of this thread between two sizes, so that a busy machine matters little. Disturbances only make a run
// longer, so the least time of several runs counts; the larger input is run several times only if it is over the limit.
func Check(t *testing.T, most int, floor time.Duration, prepare func(n int) (run func())) {
	t.Helper()
	prepare(most)() // the first run of a size pays for memory that the kernel has yet to clear
	small, large := growth(most, floor, func(n int) time.Duration { return uncollected(t, prepare(n)) })
	t.Logf("%v for %d bytes, %.1f times as long for %d times as many", small, most/factor, float64(large)/float64(small), factor)
	if large > limit*small {
		t.Errorf("%v for %d bytes, %v for %d times as many", small, most/factor, large, factor)
	}
}

// usual is the processor time of [calibrate] on the machine for which limits are set, while nothing else runs.
const usual = 20 * time.Millisecond

// Within fails the test when a run takes more than most, as [Check] measures it. It is for code that grows faster, but has a bounded input.
//
// Threads that share a core, or a slow machine, make the processor time of the same work longer. Within measures known work before and
// after each run, and divides the time of the run by how many times as long as usual that work takes.
func Within(t *testing.T, most time.Duration, run func()) {
	t.Helper()
	took := usually(t, most, run)
	t.Logf("%v of %v", took, most)
	if took > most {
		t.Errorf("%v, over %v", took, most)
	}
}

// usually returns the processor time of a run on the usual machine: the least of several runs, or of those up to the first within most.
func usually(t *testing.T, most time.Duration, run func()) time.Duration {
	t.Helper()
	took := time.Duration(math.MaxInt64)
	for range 4 {
		before := calibrate(t)
		one := processorTime(t, run)
		slow := max(1, float64(min(before, calibrate(t)))/float64(usual))
		if took = min(took, time.Duration(float64(one)/slow)); took <= most {
			break
		}
	}
	return took
}

// calibrate returns the processor time of known work: reading JSON, which computes and allocates.
func calibrate(t *testing.T) time.Duration {
	t.Helper()
	text := []byte("[" + strings.Repeat(`{"type":"kpi","value":12.5,"label":"Revenue"},`, 20_000) + "{}]")
	return processorTime(t, func() {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
	})
}

// growth returns the times for the smaller and for the larger input.
func growth(most int, floor time.Duration, measure func(n int) time.Duration) (small, large time.Duration) {
	small, large = measure(most/factor), measure(most)
	for range 2 {
		small = min(small, measure(most/factor))
	}
	small = max(small, floor)
	for range 3 {
		if large > limit*small {
			large = min(large, measure(most))
		}
	}
	return small, large
}

// uncollected returns the processor time of a run, without that of the garbage collector: the thread that allocates does a part of the
// collector's work, which grows with the memory of all tests. The garbage of earlier runs is collected before, so that the run gets memory
// that the kernel has already cleared.
func uncollected(t *testing.T, run func()) time.Duration {
	t.Helper()
	measuring.Lock()
	defer measuring.Unlock()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return processorTime(t, run)
}

// measuring is held while the collector is off. Of two runs at once, the later one would restore "off".
var measuring sync.Mutex

// processorTime returns the processor time of a run on its thread.
func processorTime(t *testing.T, run func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var clock unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &clock); err != nil {
			t.Fatal(err)
		}
		return time.Duration(clock.Nano())
	}
	start := now()
	run()
	return now() - start
}
