package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/limit"
)

// TestSharesOfCores: with any number of cores, an account among others has a share, which is at most that of an account
// alone, and even that leaves slots free.
func TestSharesOfCores(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]func(cores int) limit.Config{"quick": quickLimits, "slow": slowLimits} {
		for _, cores := range []int{1, 2, 8, 16, 64} {
			if c := limits(cores); c.Beside < 1 || c.Beside > c.Alone || c.Alone >= c.Slots || c.QueueOf != maxWaiting {
				t.Errorf("%s, %d cores: %+v", name, cores, c)
			}
		}
	}
}

// one returns a queue of one slot.
func one() *Queue { return newQueue(limit.Config{Slots: 1, Alone: 1, Beside: 1, QueueOf: maxWaiting}) }

// TestRefusedIsOverloaded: a call that gets no slot in time is refused as overloaded, a call whose
// caller has disconnected is not.
func TestRefusedIsOverloaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, account := one(), uuid.New()
		release, err := q.acquire(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.acquire(gone, account, Calls); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrOverloaded) {
			t.Errorf("a caller that left: %v", err)
		}
		start := time.Now()
		if _, err := q.acquire(t.Context(), account, Calls); !errors.Is(err, store.ErrOverloaded) || !errors.Is(err, store.ErrUnavailable) ||
			time.Since(start) != waitLimit {
			t.Errorf("without a slot in time: %v after %v", err, time.Since(start))
		}
	})
}

// TestDelayedCallsHoldNoSlot: a call over its rate is refused after a delay, during which another call can have its
// slot.
func TestDelayedCallsHoldNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, account := one(), uuid.New()
		release, err := q.acquire(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		start, told := time.Now(), make(chan time.Duration)
		go func() {
			Delay(context.WithValue(t.Context(), callKey{}, &call{release: release}))
			told <- time.Since(start)
		}()
		synctest.Wait()
		other, err := q.acquire(t.Context(), account, Calls)
		if err != nil || time.Since(start) != 0 {
			t.Errorf("the next call has its slot after %v: %v", time.Since(start), err)
		} else {
			other()
		}
		if late := <-told; late != refuseDelay {
			t.Errorf("refused after %v, want %v", late, refuseDelay)
		}
		release() // as its caller does when it ends
		if n := q.fair.Stats().Held; n != 0 {
			t.Errorf("%d slots are left", n)
		}
	})
}

// TestCallsOfOthersPass: an account whose calls hold all its slots does not make another
// account wait, gets a refusal with Retry-After, and can still ping. In a batch, the
// refusal is the answer of the member.
func TestCallsOfOthersPass(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) {
		c.Slow, c.Queue = nil, newQueue(limit.Config{Slots: 2, Alone: 1, Beside: 1})
		c.RequestTimeout, c.Grace = 200*time.Millisecond, time.Minute
	})
	go func() { // holds its slot until the test ends, because it ignores its deadline
		req, err := http.NewRequest(http.MethodPost, f.URL+"/mcp", strings.NewReader(act("1", "stay")))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Authorization", "Bearer acme")
		if res, err := f.Client().Do(req); err == nil {
			res.Body.Close()
		}
	}()
	<-f.started
	same(t, f.post(t, act("2", "caller"), "Authorization", "Bearer other"), 200, result("2", textOf("other")))
	same(t, f.post(t, request("3", "ping", "")), 200, result("3", "{}"))
	const busy = "Internal error: the service has too much to do, or its database does not answer. Try again in a moment (request req-1)"
	r := f.post(t, act("4", "caller"))
	same(t, r, 503, fails("4", -32000, busy))
	if r.header.Get("Retry-After") == "" {
		t.Error("there is no Retry-After")
	}
	same(t, f.post(t, "["+act("5", "caller")+"]"), 200, "["+fails("5", -32000, busy)+"]")
}

// TestFullQueue: a call is refused after a delay if too many calls of its account wait already, so that thousands of callers that retry
// at once leave time for others.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, account := one(), uuid.New()
		release, err := q.acquire(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		for range maxWaiting {
			go q.acquire(t.Context(), account, Calls) //nolint:errcheck // it gives up
		}
		synctest.Wait()
		start := time.Now()
		if _, err := q.acquire(t.Context(), account, Calls); !errors.Is(err, store.ErrUnavailable) || time.Since(start) != fullDelay {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		release()
	})
}

// TestBatchesAreRefusedOnce: if the queue is full, only the first calls of a batch are refused after a delay, the others at
// once.
func TestBatchesAreRefusedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, account := one(), uuid.New()
		release, err := q.acquire(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range maxWaiting {
			go func() {
				for { // waiting calls are refused after ten seconds, and call again
					if _, err := q.acquire(ctx, account, Calls); ctx.Err() != nil {
						return
					} else if err == nil {
						t.Error("there is a slot")
					}
				}
			}()
		}
		synctest.Wait()
		batch := context.WithValue(t.Context(), batchKey{}, new(atomic.Bool))
		start := time.Now()
		var wg sync.WaitGroup
		for range parallel {
			wg.Go(func() {
				if _, err := q.acquire(batch, account, Calls); !errors.Is(err, store.ErrOverloaded) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for range parallel {
			if _, err := q.acquire(batch, account, Calls); !errors.Is(err, store.ErrOverloaded) {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != fullDelay {
			t.Errorf("all are refused after %v", took)
		}
		cancel()
		release()
	})
}
