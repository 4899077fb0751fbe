package store_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"service/store"
	"service/store/storetest"
)

// TestCrowdsAreCounted: thousands of uses at once are no more than the limit. Those that waited for each other in the
// database were out of time, and allowed.
func TestCrowdsAreCounted(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	s, pool := storetest.New(t, func(o *store.Options) { o.LimiterFailed = func() { failed.Add(1) } })
	if _, err := pool.Exec(t.Context(), `
		CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.001); RETURN NEW; END $$;
		CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON rate_counter FOR EACH ROW EXECUTE FUNCTION slow()`); err != nil { // as a disk is
		t.Fatal(err)
	}
	rate := store.Rate{Surface: "crowd", Ceiling: 30}
	var allowed atomic.Int64
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for range 3000 {
		wg.Go(func() {
			<-begin
			if ok, _ := s.Allow(t.Context(), rate, "one address"); ok {
				allowed.Add(1)
			}
		})
	}
	close(begin)
	wg.Wait()
	if n := allowed.Load(); n > int64(rate.Ceiling) || n < int64(rate.Ceiling)/2 {
		t.Errorf("%d of %d uses were allowed, %d not counted for want of time", n, rate.Ceiling, failed.Load())
	}
	for range rate.Ceiling { // those that came after the crowd
		s.Allow(t.Context(), rate, "one address")
	}
	if ok, left := s.Allow(t.Context(), rate, "one address"); ok || left != 0 {
		t.Error("the limit is not reached")
	}
}
