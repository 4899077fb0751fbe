package limit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Errors of a [Fair].
var (
	ErrFull = errors.New("limit: too many callers wait")
	ErrLate = errors.New("limit: no slot was free")
)

// Ranks is how many ranks a [Request] may have. Requests of rank 0 are served first.
const Ranks = 3

// Config has the limits of a [Fair]: how many callers it admits, and how many may wait. Slots is required. Any other limit that is zero
// does not apply.
type Config struct {
	Slots  int // callers that hold a slot at once
	Alone  int // of one account, while no other account has requests
	Beside int // of one account, while another account has requests, or had one within the last second
	Group  int // of one group, in all accounts

	Queue   int // callers that wait
	QueueOf int // of one account in one rank, and of one group

	// While another account has requests, callers of the last rank may reuse a slot of their account only after it has been free for Rest
	// times as long as it was held, and at most MaxRest.
	Rest    int
	MaxRest time.Duration
}

// Fair is a queue for a number of slots whose accounts take turns: an account with a free share and a waiting caller is appended to the
// turns, and each turn is one slot. Callers of an account are served in order of rank, then its groups take turns, then first come, first
// served.
type Fair[K comparable] struct {
	config Config

	mu       sync.Mutex
	held     int
	waiting  int
	refused  uint64
	served   uint64            // slots so far
	accounts map[K]*account[K] // accounts that hold, wait or rest
	groups   map[K]*group      // of these, if Config.Group limits them
	turns    []*account[K]     // accounts that wait with a free share: the first is next
	last     [2]asked[K]       // the two accounts with the latest requests
}

// NewFair returns an empty queue.
func NewFair[K comparable](c Config) *Fair[K] {
	return &Fair[K]{config: c, accounts: map[K]*account[K]{}, groups: map[K]*group{}}
}

// A Request is a request of a caller to a [Fair].
type Request[K comparable] struct {
	Account K
	Group   K             // within the account; it may be another account's too
	Rank    int           // from 0 to Ranks - 1
	Within  time.Duration // the longest wait of the caller; 0: until its context ends
	Fits    func() bool   // reports whether the caller may have its slot now, see [Fair.Recheck]; it must not call the queue; nil: always
}

// Stats are counts of a [Fair], some current and some since its start.
type Stats struct {
	Held, Waiting int    // callers
	Accounts      int    // that hold, wait or rest
	Refused       uint64 // callers that got ErrFull or ErrLate
}

type account[K comparable] struct {
	key     K
	held    int
	resting int // slots that callers of the last rank may not have yet
	waiting [Ranks][]*caller[K]
	inTurn  bool
	served  uint64       // the number of its last slot
	groups  map[K]uint64 // the same of each group
}

type group struct{ held, waiting int }

type asked[K comparable] struct {
	account K
	at      time.Time
}

// caller is a request that waits, and then its slot.
type caller[K comparable] struct {
	Request[K]
	queue    *Fair[K]
	account  *account[K]
	since    time.Time     // when it got its slot
	ready    chan struct{} // closed when it gets its slot; nil if it did not have to wait
	admitted bool
	released bool
}

// Acquire waits for a slot. A caller that does not get one has the error of ctx, [ErrLate] after r.Within, or, without waiting, [ErrFull].
// A free slot is acquired even if ctx has ended.
func (f *Fair[K]) Acquire(ctx context.Context, r Request[K]) (release func(), err error) {
	w, err := f.ask(r)
	if err == nil && w.ready != nil {
		err = f.wait(ctx, w)
	}
	if err != nil {
		return nil, err
	}
	w.since = time.Now()
	return w.release, nil
}

// Stats counts callers.
func (f *Fair[K]) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Stats{Held: f.held, Waiting: f.waiting, Accounts: len(f.accounts), Refused: f.refused}
}

// Recheck calls the Fits functions of waiting callers again, after a change.
func (f *Fair[K]) Recheck() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.enqueueAll()
	f.serve()
}

// ask appends a caller to the queue.
func (f *Fair[K]) ask(r Request[K]) (*caller[K], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last[0].account != r.Account {
		f.last[1] = f.last[0]
	}
	f.last[0] = asked[K]{r.Account, time.Now()}
	a := f.accounts[r.Account]
	if a == nil {
		a = &account[K]{key: r.Account}
		f.accounts[r.Account] = a
	}
	w := &caller[K]{Request: r, queue: f, account: a}
	a.waiting[r.Rank] = append(a.waiting[r.Rank], w)
	f.count(w, 0, 1)
	f.enqueue(a)
	f.serve()
	switch {
	case w.admitted:
		return w, nil
	case f.full(w):
		f.refused++
		f.remove(w)
		return nil, ErrFull
	}
	w.ready = make(chan struct{})
	return w, nil
}

// full reports whether too many callers wait, including w.
func (f *Fair[K]) full(w *caller[K]) bool {
	over := func(n, limit int) bool { return limit > 0 && n > limit }
	return over(f.waiting, f.config.Queue) || over(len(w.account.waiting[w.Rank]), f.config.QueueOf) ||
		f.config.Group > 0 && over(f.groups[w.Group].waiting, f.config.QueueOf)
}

// wait waits until w is admitted.
func (f *Fair[K]) wait(ctx context.Context, w *caller[K]) (err error) {
	var late <-chan time.Time
	if w.Within > 0 {
		timer := time.NewTimer(w.Within)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late:
		err = fmt.Errorf("%w within %v", ErrLate, w.Within)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.admitted { // at the same time
		f.free(w)
		return err
	}
	if errors.Is(err, ErrLate) {
		f.refused++
	}
	f.remove(w)
	f.next(w.account) // the next caller of the account may have a free share, or fit, unlike w
	return err
}

// release frees the slot of w. The next caller of the same account may have to rest before it gets the slot, and others may get it
// meanwhile.
func (w *caller[K]) release() {
	f, a := w.queue, w.account
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.released {
		return
	}
	w.released = true
	rest := min(time.Duration(f.config.Rest)*time.Since(w.since), f.config.MaxRest)
	if rest > 0 && w.Rank == Ranks-1 && len(a.waiting[w.Rank]) > 0 && f.beside(a) {
		a.resting++
		time.AfterFunc(rest, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			a.resting--
			f.next(a)
		})
	}
	f.free(w)
}

// The methods below need f.mu held.

// free frees the slot of w at once.
func (f *Fair[K]) free(w *caller[K]) {
	f.count(w, -1, 0)
	f.next(w.account)
}

// remove removes w, which no longer waits.
func (f *Fair[K]) remove(w *caller[K]) {
	a := w.account
	i := slices.Index(a.waiting[w.Rank], w)
	a.waiting[w.Rank] = slices.Delete(a.waiting[w.Rank], i, i+1)
	f.count(w, 0, -1)
	f.forget(a)
}

// count adds to the numbers of callers of w's account and group that hold a slot and that wait.
func (f *Fair[K]) count(w *caller[K], held, waiting int) {
	f.held += held
	f.waiting += waiting
	w.account.held += held
	if f.config.Group == 0 {
		return
	}
	g := f.groups[w.Group]
	if g == nil {
		g = &group{}
		f.groups[w.Group] = g
	}
	g.held += held
	if g.waiting += waiting; *g == (group{}) {
		delete(f.groups, w.Group)
	}
}

// next admits callers after a change of a.
func (f *Fair[K]) next(a *account[K]) {
	if f.config.Group > 0 {
		f.enqueueAll()
	} else {
		f.enqueue(a)
	}
	f.serve()
	f.forget(a)
}

// enqueueAll appends a turn for each account that can use one and has none, in order of the time since it was last served, longest first.
func (f *Fair[K]) enqueueAll() {
	for _, a := range slices.SortedFunc(maps.Values(f.accounts), func(a, b *account[K]) int { return cmp.Compare(a.served, b.served) }) {
		f.enqueue(a)
	}
}

// enqueue appends a turn for a, if a can use one.
func (f *Fair[K]) enqueue(a *account[K]) {
	if !a.inTurn && f.first(a) != nil {
		a.inTurn = true
		f.turns = append(f.turns, a)
	}
}

// serve admits callers while slots are free, one a turn. An account whose first caller does not fit loses its turn until [Fair.Recheck].
func (f *Fair[K]) serve() {
	for f.held < f.config.Slots && len(f.turns) > 0 {
		a := f.turns[0]
		f.turns = slices.Delete(f.turns, 0, 1)
		a.inTurn = false
		w := f.first(a)
		if w == nil {
			f.forget(a) // its caller has left, or other accounts have requests
			continue
		}
		if w.Fits != nil && !w.Fits() {
			continue
		}
		w.admitted = true
		f.count(w, 1, 0)
		f.remove(w)
		f.served++
		a.served = f.served
		if f.config.Group > 0 {
			if a.groups == nil {
				a.groups = map[K]uint64{}
			}
			a.groups[w.Group] = f.served
		}
		if w.ready != nil {
			close(w.ready)
		}
		f.enqueue(a)
	}
}

// first returns the caller of a that gets the next slot, or nil.
func (f *Fair[K]) first(a *account[K]) (first *caller[K]) {
	rank := slices.IndexFunc(a.waiting[:], func(all []*caller[K]) bool { return len(all) > 0 })
	if rank < 0 {
		return nil
	}
	used, share := a.held, f.config.Alone
	if rank == Ranks-1 {
		used += a.resting
	}
	if f.beside(a) {
		share = f.config.Beside
	}
	if share > 0 && used >= share {
		return nil
	}
	if f.config.Group == 0 {
		return a.waiting[rank][0]
	}
	for _, w := range a.waiting[rank] {
		if f.groups[w.Group].held < f.config.Group && (first == nil || a.groups[w.Group] < a.groups[first.Group]) {
			first = w
		}
	}
	return first
}

// beside reports whether any account other than a has requests, or had one within the last second.
func (f *Fair[K]) beside(a *account[K]) bool {
	other := f.last[0]
	if other.account == a.key {
		other = f.last[1]
	}
	return !other.at.IsZero() && time.Since(other.at) <= time.Second
}

// forget removes an account that neither holds slots nor waits.
func (f *Fair[K]) forget(a *account[K]) {
	waits := slices.ContainsFunc(a.waiting[:], func(all []*caller[K]) bool { return len(all) > 0 })
	if a.held+a.resting == 0 && !waits && !a.inTurn {
		delete(f.accounts, a.key)
	}
}
