package forkserver_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"service/store/warehouse/warehousetest"
)

// TestLeft: a worker whose caller has stopped waiting is killed once it has started, and other workers still start.
func TestLeft(t *testing.T) {
	t.Parallel()
	s := newStarter(t, `echo here; while read word; do :; done`)
	start(t, s).says(t, "here")
	goOn := warehousetest.Stop(t, s.Pid())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	in, out, err := os.Pipe() // it never ends, so the worker would read for ever
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	p, err := s.Start(ctx, in, out)
	if !errors.Is(err, context.DeadlineExceeded) || p == nil {
		t.Errorf("%v, %v", p, err)
	}
	goOn()
	worker{Process: p}.ended(t)
	start(t, s).says(t, "here")
}
