package limit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestKeyed: each key has its own slots, which are given in order, and nothing is left of callers that ended, panicked or left.
func TestKeyed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l Keyed[string]
		var mu sync.Mutex
		var order []int
		most, now := 0, 0
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			now += n
			most = max(most, now)
		}
		for i := range 6 {
			go func() {
				defer func() {
					if p := recover(); p != nil && i != 3 {
						t.Error(p)
					}
				}()
				release, err := l.Acquire(t.Context(), "a", 2)
				if err != nil {
					t.Error(err)
					return
				}
				defer release()
				count(1)
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second)
				count(-1)
				if i == 3 {
					panic("a caller")
				}
				release()
			}()
			time.Sleep(time.Millisecond)
		}
		if n := l.Users("a"); n != 6 {
			t.Errorf("%d users", n)
		}
		start := time.Now()
		release, err := l.Acquire(t.Context(), "b", 1)
		if err != nil || time.Since(start) != 0 {
			t.Errorf("another key: %v", err)
		}
		late, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := l.Acquire(late, "a", 2); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second/2 {
			t.Errorf("without a slot: %v", err)
		}
		if _, err := l.Acquire(late, "c", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("out of time: %v", err)
		}
		time.Sleep(time.Minute)
		release()
		if most != 2 || len(l.all) != 0 || l.Users("a") != 0 {
			t.Errorf("%d at once, %v are left", most, l.all)
		}
		if !slices.IsSorted(order) {
			t.Errorf("served in the order %v", order)
		}
	})
}

// TestKeyedManyAtOnce: the number of admitted callers never exceeds the limit while callers arrive and leave at random.
func TestKeyedManyAtOnce(t *testing.T) {
	t.Parallel()
	var l Keyed[int]
	var mu sync.Mutex
	held := map[int]int{}
	count := func(key, n int) {
		mu.Lock()
		defer mu.Unlock()
		if held[key] += n; held[key] > 2 {
			t.Errorf("%d hold key %d", held[key], key)
		}
	}
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			key := i % 3
			var release func()
			if i%4 == 0 {
				var ok bool
				if release, _, ok = l.TryAcquire(Slot[int]{key, 2, 0}, Slot[int]{3, 100, 0}); !ok {
					return
				}
			} else {
				if i%4 == 1 {
					go cancel()
				}
				var err error
				if release, err = l.Acquire(ctx, key, 2); err != nil {
					return
				}
			}
			count(key, 1)
			count(key, -1)
			release()
			release()
		})
	}
	wg.Wait()
	if len(l.all) != 0 {
		t.Errorf("%d keys are left", len(l.all))
	}
}

// TestTryAcquire: it acquires all or nothing, leaves slots to others, and names the full key.
func TestTryAcquire(t *testing.T) {
	t.Parallel()
	var l Keyed[string]
	post := []Slot[string]{{"workspace", 3, 1}, {"channel", 2, 0}}
	mail := []Slot[string]{{"workspace", 3, 0}}
	var all []func()
	try := func(slots []Slot[string], wantFull string) {
		t.Helper()
		release, full, ok := l.TryAcquire(slots...)
		if ok != (wantFull == "") || full != wantFull {
			t.Errorf("%v, %q is full; want %q", ok, full, wantFull)
		}
		if ok {
			all = append(all, release)
		}
	}
	try(post, "")
	try(mail, "")
	try(post, "workspace")
	all[1]()
	try(post, "")
	try([]Slot[string]{{"other", 1, 0}, {"channel", 2, 0}}, "channel")
	try([]Slot[string]{{"other", 1, 0}}, "")
	try(mail, "")
	try(mail, "workspace")
	for _, release := range all {
		release()
		release()
	}
	if len(l.all) != 0 {
		t.Errorf("%v are left", l.all)
	}
}

// TestDelays: callers of one key retry a step after each other, and not before the least delay.
func TestDelays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := Delays[string]{Min: time.Second, Step: 100 * time.Millisecond}
		for i, tt := range []struct {
			after time.Duration
			key   string
			n     int
			want  time.Duration
		}{
			{0, "a", 1, time.Second},
			{0, "a", 10, 1100 * time.Millisecond},
			{0, "b", 1, time.Second},
			{time.Second, "a", 1, 1100 * time.Millisecond},
			{time.Minute, "a", 1, time.Second},
		} {
			time.Sleep(tt.after)
			if got := d.Delay(tt.key, tt.n); got != tt.want {
				t.Errorf("%d: %v, want %v", i, got, tt.want)
			}
		}
		if len(d.next) != 1 {
			t.Errorf("%v are kept", d.next)
		}
	})
}
