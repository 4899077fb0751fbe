package resttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/warehousetest"
)

// read is the number of bytes that [One] reads.
const read = 160_000

// Bytes checks that a query is reserved before it runs with the estimate of its bytes, or -1; that a reservation that is refused keeps it
// from running; that its outcome has the bytes that it has read; and that a limit of bytes below the estimate names both.
func Bytes[C any](t *testing.T, start Starter[C], estimate int64) {
	t.Parallel()
	s := start(t)
	ask := func(l warehouse.Limits) (warehouse.Stats, error) {
		return s.At("").Query(t.Context(), One, nil, l, &warehousetest.Table{})
	}
	limits := warehousetest.Wide
	var reserved []int64
	limits.Reserve = func(_ context.Context, bytes int64) (int64, error) {
		reserved = append(reserved, bytes)
		return 500_000, nil
	}
	if stats, err := ask(limits); err != nil || stats.Read != read || len(reserved) != 1 || reserved[0] != estimate {
		t.Errorf("%v: it has read %d bytes, reserved %d", err, stats.Read, reserved)
	}
	no := warehouse.Errorf(warehouse.TooLarge, "No more this month.")
	limits.Reserve = func(context.Context, int64) (int64, error) { return 0, no }
	started := len(s.Runs())
	_, _, err := warehouse.Estimate(t.Context(), s.At(""), One, nil)
	described := len(s.Runs()) - started
	if err != nil {
		t.Error(err)
	}
	if stats, err := ask(limits); !errors.Is(err, no) || stats.Read != 0 || len(s.Runs()) != started+2*described {
		t.Errorf("a refused query: %v, %d runs, %d bytes", err, len(s.Runs())-started, stats.Read)
	}
	if _, bytes, err := warehouse.Estimate(t.Context(), s.At(""), One, nil); err != nil || bytes != estimate {
		t.Errorf("the estimate is %d: %v", bytes, err)
	}
	if estimate < 0 {
		return
	}
	at := s.TargetAt("")
	at.MaxBytes = 150_000
	c, err := s.Connect(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	const want = "A run of the query reads about 160 kB, and this connection allows 150 kB. Read fewer columns or a shorter period, " +
		"or have the connection's owner raise its limit."
	if _, bad := Ask(t, c, One, time.Minute); bad == nil || bad.Class != warehouse.TooLarge || bad.Message != want {
		t.Errorf("over the limit: %v", bad)
	}
}
