package store_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"service/store"
	"service/store/storetest"
)

// TestCrowdsAreCounted: of thousands of simultaneous uses no more than the limit are allowed. Uses that waited for each other in the
// database were out of time, and so were allowed.
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
			if ok, _ := s.Rates.Allow(t.Context(), rate, "one address"); ok {
				allowed.Add(1)
			}
		})
	}
	close(begin)
	wg.Wait()
	if n := allowed.Load(); n > int64(rate.Ceiling) || n < int64(rate.Ceiling)/2 {
		t.Errorf("%d of %d uses were allowed, %d not counted for want of time", n, rate.Ceiling, failed.Load())
	}
	for range rate.Ceiling { // uses after the crowd
		s.Rates.Allow(t.Context(), rate, "one address")
	}
	if ok, left := s.Rates.Allow(t.Context(), rate, "one address"); ok || left != 0 {
		t.Error("the limit is not reached")
	}
}

// TestCrowdsThatWaitTooLongAreRefused: a use that waits for its turn behind others of its key until it is out of time is not a failure of
// the database, which counts those before it.
func TestCrowdsThatWaitTooLongAreRefused(t *testing.T) {
	t.Parallel()
	var failed, allowed atomic.Int64
	s, pool := storetest.New(t, func(o *store.Options) { o.LimiterFailed = func() { failed.Add(1) } })
	if _, err := pool.Exec(t.Context(), `
		CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$;
		CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON rate_counter FOR EACH ROW EXECUTE FUNCTION slow()`); err != nil {
		t.Fatal(err)
	}
	const crowd = 600 // about a hundred are counted within 2 s
	rate := store.Rate{Surface: "crowd", Ceiling: 1200}
	var wg sync.WaitGroup
	for range crowd {
		wg.Go(func() {
			if ok, _ := s.Rates.Allow(t.Context(), rate, "one address"); ok {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	var counted int64
	if err := pool.QueryRow(t.Context(), `SELECT used FROM rate_counter`).Scan(&counted); err != nil {
		t.Fatal(err)
	}
	// On a busy machine, a count may take more than 250 ms: there is time for 16 of these.
	if a, f := allowed.Load(), failed.Load(); a > counted+f || f > crowd/10 || counted == 0 {
		t.Errorf("%d of %d were allowed, %d counted, %d failures of the limiter", a, crowd, counted, f)
	}
}

// TestCrowdsPassWithoutDatabase: while the database cannot count, uses that wait for their turn are allowed like those that had it.
func TestCrowdsPassWithoutDatabase(t *testing.T) {
	t.Parallel()
	var failed, allowed atomic.Int64
	s, pool := storetest.New(t, func(o *store.Options) { o.LimiterFailed = func() { failed.Add(1) } })
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), `LOCK TABLE rate_counter`); err != nil {
		t.Fatal(err)
	}
	const crowd = 100 // there is time for 16 of them, two at once
	rate := store.Rate{Surface: "crowd", Ceiling: 1200}
	var wg sync.WaitGroup
	for range crowd {
		wg.Go(func() {
			if ok, _ := s.Rates.Allow(t.Context(), rate, "one address"); ok {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if a, f := allowed.Load(), failed.Load(); a != crowd || f != crowd {
		t.Errorf("%d of %d were allowed, %d failures of the limiter", a, crowd, f)
	}
}

// TestCallersThatLeaveAreNoFailure: a caller that has left does not count as a failure of the limiter.
func TestCallersThatLeaveAreNoFailure(t *testing.T) {
	t.Parallel()
	failed := 0
	s, _ := storetest.New(t, func(o *store.Options) { o.LimiterFailed = func() { failed++ } })
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 20 { // some have a turn, others not
		s.Rates.Allow(gone, store.RatePublish, "ada")
	}
	if failed != 0 {
		t.Errorf("%d failures of the limiter", failed)
	}
}
