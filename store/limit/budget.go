package limit

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Errors of a [Budget].
var (
	ErrNoMemory = errors.New("limit: not enough memory is free")
	ErrEvicted  = errors.New("limit: the memory is another caller's by now")
)

// Usage counts bytes of memory. It has no limit. The zero value is ready to use.
type Usage[K comparable] struct {
	Total int64
	Of    map[K]int64 // by account, without accounts that use nothing
}

// Add adds n bytes, which may be negative, to those of an account.
func (u *Usage[K]) Add(account K, n int64) {
	if u.Of == nil {
		u.Of = map[K]int64{}
	}
	u.Total += n
	if u.Of[account] += n; u.Of[account] == 0 {
		delete(u.Of, account)
	}
}

// A Budget divides memory among transfers that arrive at different speeds. Callers never wait for memory, and a caller that announces a
// transfer without sending it does not keep others out.
type Budget[K comparable] struct {
	Total   int64         // bytes of all transfers
	Account int64         // of the transfers of one account
	Grace   time.Duration // before a transfer counts as slow

	mu      sync.Mutex
	usage   Usage[K]
	pending map[*Reservation[K]]struct{} // transfers that are not complete
}

// A Reservation is the memory of one transfer.
type Reservation[K comparable] struct {
	budget  *Budget[K]
	account K
	began   time.Time
	rate    float64
	evict   func()

	// Guarded by the mutex of the budget.
	size    int64 // of a complete transfer, the bytes that have arrived
	arrived int64
	evicted bool
}

// Acquire reserves size bytes for a transfer that is slow if less than rate bytes a second arrive. If too few are free, other transfers are
// evicted, the slowest first: slow ones, and those of an account that has more even without them. Evicting a transfer calls its function
// evict, which must not call the budget. If that does not free enough, or the account has too much itself, nothing is evicted and the error
// is [ErrNoMemory].
func (b *Budget[K]) Acquire(account K, size int64, rate float64, evict func()) (*Reservation[K], error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &Reservation[K]{budget: b, account: account, began: time.Now(), rate: rate, evict: evict, size: size}
	if b.usage.Of[account]+size > b.Account {
		return nil, ErrNoMemory
	}
	victims, ok := b.victims(r)
	if !ok {
		return nil, ErrNoMemory
	}
	for _, other := range victims {
		b.resize(other, 0)
		other.evicted = true
		other.evict()
	}
	if b.pending == nil {
		b.pending = map[*Reservation[K]]struct{}{}
	}
	b.pending[r] = struct{}{}
	b.usage.Add(account, size)
	return r, nil
}

// Usage returns the number of reserved bytes, and of the accounts that hold them.
func (b *Budget[K]) Usage() (bytes int64, accounts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage.Total, len(b.usage.Of)
}

// victims returns the transfers to evict for r, and whether that frees enough. The caller holds b.mu.
func (b *Budget[K]) victims(r *Reservation[K]) (victims []*Reservation[K], ok bool) {
	free := b.Total - b.usage.Total
	if free >= r.size {
		return nil, true
	}
	now := time.Now()
	have := maps.Clone(b.usage.Of)
	for _, other := range slices.SortedFunc(maps.Keys(b.pending), func(x, y *Reservation[K]) int {
		return cmp.Compare(x.speed(now), y.speed(now))
	}) {
		slow := now.Sub(other.began) >= b.Grace && other.speed(now) < 1
		if !slow && have[other.account]-other.size < have[r.account]+r.size {
			continue
		}
		have[other.account] -= other.size
		victims = append(victims, other)
		if free += other.size; free >= r.size {
			return victims, true
		}
	}
	return nil, false
}

// resize sets the size of a transfer that has ended. The caller holds b.mu.
func (b *Budget[K]) resize(r *Reservation[K], size int64) {
	delete(b.pending, r)
	b.usage.Add(r.account, size-r.size)
	r.size = size
}

// speed returns the speed of a transfer as a multiple of its rate. The caller holds the mutex of the budget.
func (r *Reservation[K]) speed(now time.Time) float64 {
	return float64(r.arrived) / r.rate / max(now.Sub(r.began), time.Millisecond).Seconds()
}

// Arrived counts n bytes that have arrived. The error is [ErrEvicted] if they may not be kept. After the last ones, or when as many have
// arrived as were reserved, the transfer is complete: it holds no more than has arrived, and is not evicted.
func (r *Reservation[K]) Arrived(n int64, last bool) error {
	r.budget.mu.Lock()
	defer r.budget.mu.Unlock()
	r.arrived += n
	if r.evicted {
		return ErrEvicted
	}
	if last || r.arrived >= r.size {
		r.budget.resize(r, min(r.arrived, r.size))
	}
	return nil
}

// Release frees the memory. It may be called more than once.
func (r *Reservation[K]) Release() {
	r.budget.mu.Lock()
	defer r.budget.mu.Unlock()
	r.budget.resize(r, 0)
}
