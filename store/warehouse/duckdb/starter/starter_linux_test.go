package starter_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"service/store/warehouse/duckdb/starter"
)

// TestWorkersYield shows that whatever wants the processor need not wait until a worker has had its turn. A kernel that does not
// heed slices says nothing of one.
func TestWorkersYield(t *testing.T) {
	t.Parallel()
	w := start(t, newStarter(t, `read word`))
	got, err := unix.SchedGetAttr(w.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got.Policy != unix.SCHED_BATCH || got.Nice != starter.Niceness || got.Runtime != 0 && got.Runtime != uint64(starter.Slice) {
		t.Errorf("a worker is scheduled with %+v", got)
	}
}
