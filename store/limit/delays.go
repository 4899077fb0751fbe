package limit

import (
	"sync"
	"time"
)

// Delays spaces out callers that found no slot and will retry: thousands that wait for one slot must not retry at once.
type Delays[K comparable] struct {
	Min  time.Duration // of any delay
	Step time.Duration // between two callers of one key

	mu   sync.Mutex
	next map[K]time.Time // the time of the next retry, if it is after Min
}

// Delay schedules retries of n more callers of key, and returns the delay of the first. Each further caller must retry one Step after the
// one before it.
func (d *Delays[K]) Delay(key K, n int) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	for other, at := range d.next {
		if at.Before(now) {
			delete(d.next, other)
		}
	}
	first := now.Add(d.Min)
	if at := d.next[key]; at.After(first) {
		first = at
	}
	if d.next == nil {
		d.next = map[K]time.Time{}
	}
	d.next[key] = first.Add(time.Duration(n) * d.Step)
	return first.Sub(now)
}
