package limit

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Shared runs a function once for all callers of a key that wait at the same time. While it runs, further callers wait for the next run,
// which they share: a caller never gets the result of a run that began before the caller came. The zero value is ready to use. It keeps
// nothing of keys without callers.
type Shared[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]*runs[V] // keys of which a run is under way
}

// runs are the runs of one key.
type runs[V any] struct {
	next  *run[V] // that has not begun; nil: no caller waits for it
	users int
}

type run[V any] struct {
	f     func() (V, error)
	done  chan struct{} // closed when value and err are set
	value V
	err   error
}

// Do returns the result of a run of f, or of the function that another caller of key gave for the same run. The run has its own goroutine,
// and continues if the caller leaves: if ctx ends before it, Do returns the error of ctx. A panic of f is an error.
func (s *Shared[K, V]) Do(ctx context.Context, key K, f func() (V, error)) (V, error) {
	s.mu.Lock()
	k := s.all[key]
	var r *run[V]
	switch {
	case k == nil:
		if s.all == nil {
			s.all = map[K]*runs[V]{}
		}
		k, r = &runs[V]{}, newRun(f)
		s.all[key] = k
		go s.run(key, k, r)
	case k.next == nil:
		r = newRun(f)
		k.next = r
	default:
		r = k.next
	}
	k.users++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		k.users--
		s.mu.Unlock()
	}()
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// Users returns how many callers of key wait for a result.
func (s *Shared[K, V]) Users(key K) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.all[key]; k != nil {
		return k.users
	}
	return 0
}

func newRun[V any](f func() (V, error)) *run[V] { return &run[V]{f: f, done: make(chan struct{})} }

// run runs r, and then the next run of key, until no caller waits for one.
func (s *Shared[K, V]) run(key K, k *runs[V], r *run[V]) {
	for ; r != nil; r = s.following(key, k) {
		r.value, r.err = r.safely()
		close(r.done)
	}
}

// following takes the next run of key, or forgets the key.
func (s *Shared[K, V]) following(key K, k *runs[V]) *run[V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := k.next
	if k.next = nil; r == nil {
		delete(s.all, key)
	}
	return r
}

func (r *run[V]) safely() (value V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return r.f()
}
