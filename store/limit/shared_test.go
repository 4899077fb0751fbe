package limit

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestShared: a thousand callers that come during a run share the next one, none gets a result that is older than its call, other keys do
// not wait, and callers that leave do not end the run of others.
func TestShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Shared[string, time.Time]
		runs := map[string]int{}
		begun := func(key string) func() (time.Time, error) {
			return func() (time.Time, error) {
				runs[key]++
				at := time.Now()
				time.Sleep(time.Second)
				return at, nil
			}
		}
		var callers sync.WaitGroup
		call := func(key string, within, want time.Duration, wantErr error) {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), within)
				defer cancel()
				came := time.Now()
				at, err := s.Do(ctx, key, begun(key))
				if !errors.Is(err, wantErr) || err == nil && at.Before(came) || time.Since(came) != want {
					t.Errorf("a caller of %s that came at %v got a result of %v after %v, %v", key, came, at, time.Since(came), err)
				}
			})
			synctest.Wait()
		}
		const left = 100 * time.Millisecond
		call("a", left, left, context.DeadlineExceeded)
		time.Sleep(time.Second / 2)
		call("a", left, left, context.DeadlineExceeded) // its function is that of the second run
		for range 1000 {
			call("a", time.Minute, 3*time.Second/2, nil)
		}
		call("b", time.Minute, time.Second, nil)
		if n := s.Users("a"); n != 1001 {
			t.Errorf("%d users, want 1001", n)
		}
		time.Sleep(time.Second)
		call("a", time.Minute, 3*time.Second/2, nil)
		callers.Wait()
		synctest.Wait()
		if runs["a"] != 3 || runs["b"] != 1 || len(s.all) != 0 || s.Users("a") != 0 {
			t.Errorf("%v runs, and %d keys are left", runs, len(s.all))
		}
		_, err := s.Do(t.Context(), "a", func() (time.Time, error) { panic("oh") })
		if err == nil || !strings.HasPrefix(err.Error(), "panic: oh\n") {
			t.Errorf("a panic: %v", err)
		}
		if _, err := s.Do(t.Context(), "a", begun("a")); err != nil {
			t.Errorf("after a panic: %v", err)
		}
	})
}
