package limit

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Keyed limits how many callers hold a slot of the same key. It removes keys without holders and waiters. The zero value is ready to use.
// All calls for a key have the same limit.
type Keyed[K comparable] struct {
	mu  sync.Mutex
	all map[K]*slots
}

// slots are the slots of one key.
type slots struct {
	*semaphore.Weighted
	users int // that hold a slot or wait for one
}

// A Slot describes the slot of one key that [Keyed.TryAcquire] acquires.
type Slot[K comparable] struct {
	Key   K
	Limit int // callers that hold a slot of Key at once
	Spare int // slots that stay free for other callers
}

// Acquire waits for a slot of key, first come, first served. If ctx ends before, it returns the error of ctx.
func (l *Keyed[K]) Acquire(ctx context.Context, key K, limit int) (release func(), err error) {
	l.mu.Lock()
	s := l.join(key, limit)
	l.mu.Unlock()
	if err := s.Acquire(ctx, 1); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.leave(key)
		return nil, err
	}
	return l.releaser(Slot[K]{Key: key}), nil
}

// TryAcquire acquires all slots or none, without waiting. If it acquires none, full is the first key without a free slot.
func (l *Keyed[K]) TryAcquire(all ...Slot[K]) (release func(), full K, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, one := range all {
		s := l.join(one.Key, one.Limit)
		if !s.TryAcquire(int64(1 + one.Spare)) {
			l.leave(one.Key)
			l.release(all[:i])
			return nil, one.Key, false
		}
		s.Release(int64(one.Spare))
	}
	return l.releaser(all...), full, true
}

// Users returns how many callers hold a slot of key or wait for one.
func (l *Keyed[K]) Users(key K) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.all[key]; s != nil {
		return s.users
	}
	return 0
}

// join adds a user of key. The caller holds l.mu.
func (l *Keyed[K]) join(key K, limit int) *slots {
	s := l.all[key]
	if s == nil {
		s = &slots{Weighted: semaphore.NewWeighted(int64(limit))}
		if l.all == nil {
			l.all = map[K]*slots{}
		}
		l.all[key] = s
	}
	s.users++
	return s
}

// leave removes a user of key. The caller holds l.mu.
func (l *Keyed[K]) leave(key K) {
	s := l.all[key]
	if s.users--; s.users == 0 {
		delete(l.all, key)
	}
}

// release releases slots. The caller holds l.mu.
func (l *Keyed[K]) release(all []Slot[K]) {
	for _, one := range all {
		l.all[one.Key].Release(1)
		l.leave(one.Key)
	}
}

func (l *Keyed[K]) releaser(all ...Slot[K]) func() {
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.release(all)
	})
}
