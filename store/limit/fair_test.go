package limit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// empty fails the test if anything is left of callers that are gone.
func (f *Fair[K]) empty(t *testing.T) {
	t.Helper()
	if s := f.Stats(); s.Held+s.Waiting+s.Accounts+len(f.groups)+len(f.turns) != 0 {
		t.Errorf("left are %+v, %d groups and %d turns", s, len(f.groups), len(f.turns))
	}
}

// waits acquires a slot, and returns how long that took.
func (f *Fair[K]) waits(t *testing.T, r Request[K]) (release func(), waited time.Duration) {
	start := time.Now()
	release, err := f.Acquire(t.Context(), r)
	if err != nil {
		t.Error(err)
		return func() {}, 0
	}
	return release, time.Since(start)
}

// A list has the names of callers in the order of their slots.
type list struct {
	mu    sync.Mutex
	names []string
}

func (l *list) add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names = append(l.names, name)
}

func (l *list) is(t *testing.T, want string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if got := strings.Join(l.names, " "); got != want {
		t.Errorf("served %s, want %s", got, want)
	}
}

// TestFairness runs random callers of accounts with more or fewer requests, in shared and separate groups. The number of admitted callers
// never exceeds the limit, no slot is free while a caller waits for it, and between two slots of an account that could have used one, each
// other account gets at most one.
func TestFairness(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		{Slots: 1},
		{Slots: 4, Alone: 2, Beside: 2},
		{Slots: 5, Alone: 3, Beside: 3, QueueOf: 20},
		{Slots: 7, Queue: 30},
		{Slots: 4, Alone: 2, Beside: 2, Group: 2, Queue: 64, QueueOf: 6},
		{Slots: 6, Alone: 3, Beside: 3, Group: 1},
	} {
		for seed := range uint64(8) {
			synctest.Test(t, func(t *testing.T) { newModel(t, c, seed).run(1000) })
		}
	}
}

// A model sends random requests to a queue, and tracks the callers that wait and that hold a slot.
type model struct {
	*testing.T
	*rand.Rand
	Config
	queue   *Fair[int]
	waiting []*caller[int]
	held    []*caller[int]
	order   []*caller[int]      // admitted in this step
	before  map[int]map[int]int // slots of each other account since an account could have had one
}

func newModel(t *testing.T, c Config, seed uint64) *model {
	return &model{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), Config: c, queue: NewFair[int](c), before: map[int]map[int]int{}}
}

func (m *model) run(steps int) {
	for range steps {
		m.order = nil
		switch n := m.IntN(20); {
		case n < 10:
			m.ask()
		case n < 18 && len(m.held) > 0:
			i := m.IntN(len(m.held))
			w := m.held[i]
			m.held = slices.Delete(m.held, i, i+1)
			w.release()
			w.release() // once is enough
		case n == 18 && len(m.waiting) > 0:
			m.cancel(m.waiting[m.IntN(len(m.waiting))])
		default:
			time.Sleep(time.Duration(m.IntN(2000)) * time.Millisecond)
		}
		m.check()
	}
	for m.order = nil; len(m.waiting) > 0; m.order = nil {
		m.cancel(m.waiting[0])
		m.check()
	}
	for _, w := range m.held {
		w.release()
	}
	m.queue.empty(m.T)
}

func (m *model) ask() {
	account := min(m.IntN(8), m.IntN(8)) // the first ones more often
	r := Request[int]{Account: account, Group: 100 + account, Rank: m.IntN(Ranks)}
	if m.IntN(3) == 0 {
		r.Group = 200 // that all share
	}
	var asked *caller[int]
	r.Fits = func() bool {
		m.order = append(m.order, asked) // nil: it did not wait
		return true
	}
	all, own, group := m.counts(func(*caller[int]) bool { return true }), m.counts(func(w *caller[int]) bool {
		return w.Account == account && w.Rank == r.Rank
	}), m.counts(func(w *caller[int]) bool { return w.Group == r.Group })
	full := m.Queue > 0 && all >= m.Queue || m.QueueOf > 0 && (own >= m.QueueOf || m.Group > 0 && group >= m.QueueOf)
	w, err := m.queue.ask(r)
	asked = w
	if errors.Is(err, ErrFull) != full && (err != nil || !w.admitted) {
		m.Errorf("while %d wait, %d of the account and %d of the group: %v", all, own, group, err)
	}
	switch {
	case err != nil:
	case w.admitted:
		m.order[slices.Index(m.order, nil)] = w
		m.waiting = append(m.waiting, w)
	default:
		m.waiting = append(m.waiting, w)
	}
}

func (m *model) counts(like func(*caller[int]) bool) (n int) {
	for _, w := range m.waiting {
		if like(w) {
			n++
		}
	}
	return n
}

// cancel has a caller leave that waits.
func (m *model) cancel(w *caller[int]) {
	gone, cancel := context.WithCancel(m.Context())
	cancel()
	m.waiting = slices.DeleteFunc(m.waiting, func(other *caller[int]) bool { return other == w })
	if err := m.queue.wait(gone, w); !errors.Is(err, context.Canceled) {
		m.Error(err)
	}
	if !m.could(w.Account) {
		delete(m.before, w.Account)
	}
}

// could reports whether an account has a caller waiting with a free share.
func (m *model) could(account int) bool {
	own, groups := 0, map[int]int{}
	for _, w := range m.held {
		groups[w.Group]++
		if w.Account == account {
			own++
		}
	}
	rank := Ranks // only callers of the first rank of which any wait
	for _, w := range m.waiting {
		if w.Account == account {
			rank = min(rank, w.Rank)
		}
	}
	return (m.Beside == 0 || own < m.Beside) && slices.ContainsFunc(m.waiting, func(w *caller[int]) bool {
		return w.Account == account && w.Rank == rank && (m.Group == 0 || groups[w.Group] < m.Group)
	})
}

// check checks the result of a step.
func (m *model) check() {
	m.Helper()
	for _, w := range m.order {
		i := slices.Index(m.waiting, w)
		if i < 0 {
			m.Fatal("one is admitted that did not wait")
		}
		for j, other := range m.waiting[:i] {
			if other.Account == w.Account && other.Rank == w.Rank && other.Group == w.Group {
				m.Errorf("caller %d goes before %d, which came first", i, j)
			}
		}
		m.waiting = slices.Delete(m.waiting, i, i+1)
		m.held = append(m.held, w)
		delete(m.before, w.Account)
		for account, others := range m.before {
			if others[w.Account]++; others[w.Account] > 1 {
				m.Errorf("account %d had %d slots while account %d waited with a free share", w.Account, others[w.Account], account)
			}
		}
	}
	own, groups := map[int]int{}, map[int]int{}
	for _, w := range m.held {
		if own[w.Account]++; m.Alone > 0 && own[w.Account] > m.Alone {
			m.Errorf("account %d has %d slots", w.Account, own[w.Account])
		}
		if groups[w.Group]++; m.Group > 0 && groups[w.Group] > m.Group {
			m.Errorf("group %d has %d slots", w.Group, groups[w.Group])
		}
	}
	if len(m.held) > m.Slots {
		m.Errorf("%d slots are held", len(m.held))
	}
	for account := range 8 {
		switch could := m.could(account); {
		case could && len(m.held) < m.Slots:
			m.Errorf("account %d waits while a slot is free", account)
		case could && m.before[account] == nil:
			m.before[account] = map[int]int{}
		case !could:
			delete(m.before, account)
		}
	}
	if s := m.queue.Stats(); s.Held != len(m.held) || s.Waiting != len(m.waiting) {
		m.Errorf("%+v, want %d and %d", s, len(m.held), len(m.waiting))
	}
}

// TestNeighbours: next to an account that always has 200 callers, another account takes at most 1.3 times as long as alone.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	const takes = 10 * time.Millisecond
	measure := func(floods int) (took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			f := NewFair[int](Config{Slots: 8, Alone: 6, Beside: 1, QueueOf: 200, Rest: 3, MaxRest: 100 * time.Millisecond})
			work := func(ctx context.Context, account int) error {
				release, err := f.Acquire(ctx, Request[int]{Account: account, Rank: Ranks - 1})
				if err != nil {
					return err
				}
				defer release()
				time.Sleep(takes)
				return nil
			}
			ctx, cancel := context.WithCancel(t.Context())
			for account := range floods {
				for range 200 {
					go func() {
						for ctx.Err() == nil {
							_ = work(ctx, account)
						}
					}()
				}
			}
			time.Sleep(time.Second)
			start := time.Now()
			for range 100 {
				if err := work(ctx, -1); err != nil {
					t.Error(err)
				}
			}
			took = time.Since(start)
			cancel()
			time.Sleep(time.Second)
			f.empty(t)
		})
		return took
	}
	alone := measure(0)
	for _, floods := range []int{1, 5} {
		if took := measure(floods); alone != 100*takes || took > alone*13/10 {
			t.Errorf("beside %d: %v, alone %v", floods, took, alone)
		}
	}
}

// TestCallsTakeTurns: while one account has 200 callers waiting, another's is served next, and its second one after one of the former's.
func TestCallsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := NewFair[string](Config{Slots: 4, Alone: 3, Beside: 2})
		var line []*caller[string]
		held := map[string][]*caller[string]{}
		ask := func(account string) {
			t.Helper()
			w, err := f.ask(Request[string]{Account: account})
			if err != nil {
				t.Fatal(err)
			}
			line = append(line, w)
		}
		served := func() (order []string) { // since the last time
			line = slices.DeleteFunc(line, func(w *caller[string]) bool {
				if w.admitted {
					order = append(order, w.Account)
					held[w.Account] = append(held[w.Account], w)
				}
				return w.admitted
			})
			return order
		}
		release := func(account string) {
			held[account][0].release()
			held[account] = held[account][1:]
		}
		for range 200 {
			ask("many")
		}
		if got := served(); len(got) != 3 { // its share, though a slot is free
			t.Fatalf("%d callers of one account are admitted, want 3", len(got))
		}
		for _, account := range []string{"few", "few", "third"} {
			ask(account)
		}
		order := served()
		for range 5 {
			release("many")
			order = append(order, served()...)
		}
		if got, want := strings.Join(order, " "), "few few third many many many"; got != want {
			t.Errorf("served %s, want %s", got, want)
		}
		release("few")
		release("few")
		release("third")
		if got := served(); len(got) != 1 { // up to its share while others are active, which may return
			t.Errorf("%d callers follow when the others have ended, want 1", len(got))
		}
		time.Sleep(2 * time.Second)
		release("many")
		if got := served(); len(got) != 2 {
			t.Errorf("%d callers follow when the others are gone, want 2: one for its end, and one more", len(got))
		}
		if s := f.Stats(); s.Held != 3 || s.Waiting != len(line) {
			t.Errorf("%+v, want 3 and %d", s, len(line))
		}
	})
}

// TestGroupsTakeTurns: accounts take turns, then the groups of each. If two accounts share a group, the one that was served longer ago is
// next.
func TestGroupsTakeTurns(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config     Config
		asks, want string // account and group
	}{
		"one slot":     {Config{Slots: 1, Alone: 1, Beside: 1, Group: 1}, "A1 A1 A1 A1 A1 A2 A2 B3 B3 C4", "A1 B3 C4 A2 B3 A1 A2 A1 A1 A1"},
		"shared group": {Config{Slots: 2, Group: 1}, "A1 A1 A1 B1 B1", "A1 B1 A1 B1 A1"},
		"one is full":  {Config{Slots: 2, Group: 1}, "A1 A1 A2 A2", "A1 A2 A1 A2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := NewFair[byte](tt.config)
				var order list
				for name := range strings.FieldsSeq(tt.asks) {
					go func() {
						release, _ := f.waits(t, Request[byte]{Account: name[0], Group: name[1]})
						order.add(name)
						time.Sleep(time.Second)
						release()
					}()
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(time.Minute)
				order.is(t, tt.want)
				f.empty(t)
			})
		})
	}
}

// TestNothingIsLeft: never are more admitted than may be, and nothing is left of callers that ended, panicked, left or were refused.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	f := NewFair[int](Config{Slots: 3, Alone: 2, Beside: 2, QueueOf: 30})
	var mu sync.Mutex
	all, by := 0, map[int]int{}
	count := func(account, n int) {
		mu.Lock()
		defer mu.Unlock()
		all += n
		by[account] += n
		if all > 3 || by[account] > 2 {
			t.Errorf("%d are admitted at once, %d of them of one account", all, by[account])
		}
	}
	var wg sync.WaitGroup
	for account := range 3 {
		for i := range 40 {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%4 == 0 {
					go cancel() // sooner or later than its turn
				}
				r := Request[int]{Account: account}
				if i%4 == 1 {
					r.Within = time.Microsecond
				}
				defer func() {
					if p := recover(); p != nil && i%4 != 2 {
						t.Error(p)
					}
				}()
				release, err := f.Acquire(ctx, r)
				if err != nil {
					return
				}
				defer release()
				count(account, 1)
				defer count(account, -1)
				if i%4 == 2 {
					panic("a caller")
				}
			})
		}
	}
	wg.Wait()
	f.empty(t)
}

// TestRefused: a caller is refused when too many wait or its time is over, and neither when it leaves itself.
func TestRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := NewFair[int](Config{Slots: 1, Queue: 2, QueueOf: 1})
		release, waited := f.waits(t, Request[int]{})
		gone, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := f.Acquire(gone, Request[int]{})
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) || f.Stats().Refused != 0 {
			t.Errorf("a caller that left: %v", err)
		}
		late := func(account int) {
			start := time.Now()
			if _, err := f.Acquire(t.Context(), Request[int]{Account: account, Within: time.Second}); !errors.Is(err, ErrLate) ||
				err.Error() != "limit: no slot was free within 1s" || time.Since(start) != time.Second {
				t.Errorf("without a slot: %v", err)
			}
		}
		late(0)
		for account := range 2 {
			go late(account)
		}
		synctest.Wait()
		for account := range 3 { // the account's, and all
			if _, err := f.Acquire(t.Context(), Request[int]{Account: account}); !errors.Is(err, ErrFull) {
				t.Errorf("one caller too many, of account %d: %v", account, err)
			}
		}
		if s := f.Stats(); s.Refused != 4 || s.Waiting != 2 || waited != 0 {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Minute)
		release()
		f.empty(t)
		if release, err := f.Acquire(gone, Request[int]{}); err != nil {
			t.Errorf("a free slot: %v", err)
		} else {
			release()
		}
	})
}

// TestAdmittedWhileLeaving: a caller that leaves when it has just been admitted frees its slot for the next one.
func TestAdmittedWhileLeaving(t *testing.T) {
	t.Parallel()
	for range 200 {
		f := NewFair[int](Config{Slots: 1})
		release, err := f.Acquire(t.Context(), Request[int]{})
		if err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if release, err := f.Acquire(gone, Request[int]{}); err == nil {
				release()
			}
		})
		wg.Go(cancel)
		wg.Go(release)
		next, err := f.Acquire(t.Context(), Request[int]{Account: 1})
		if err != nil {
			t.Fatal(err)
		}
		next()
		wg.Wait()
		f.empty(t)
	}
}

// TestRanks: in an account, callers of a rank are served before those of the next, and the number of each rank is limited separately. Among
// accounts ranks do not count.
func TestRanks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := NewFair[int](Config{Slots: 1, Alone: 1, Beside: 1, QueueOf: 2})
		release, _ := f.waits(t, Request[int]{Rank: 2})
		var order list
		for _, r := range []Request[int]{{Rank: 2}, {Account: 1, Rank: 2}, {Rank: 1}, {}, {Rank: 2}, {}} {
			go func() {
				release, _ := f.waits(t, r)
				order.add(fmt.Sprint(r.Account, ":", r.Rank))
				time.Sleep(time.Second)
				release()
			}()
			synctest.Wait()
		}
		if _, err := f.Acquire(t.Context(), Request[int]{Rank: 2}); !errors.Is(err, ErrFull) {
			t.Errorf("the rank has no end: %v", err)
		}
		release()
		time.Sleep(time.Minute)
		order.is(t, "1:2 0:0 0:0 0:1 0:2 0:2")
		f.empty(t)
	})
}

// TestFloodsRest: next to others, an account whose callers wait gets its next slot when the last one has been free for three times as long
// as it was held. Other accounts use it in the meantime. Callers of other ranks do not rest, and neither does an account without waiting
// callers.
func TestFloodsRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most = 100 * time.Millisecond
		f := NewFair[string](Config{Slots: 1, Alone: 1, Beside: 1, Rest: 3, MaxRest: most})
		take := func(account string, rank int) (release func(), waited time.Duration) {
			return f.waits(t, Request[string]{Account: account, Rank: rank})
		}
		call := func(account string, rank int) <-chan time.Duration {
			took := make(chan time.Duration, 1)
			go func() {
				release, waited := take(account, rank)
				release()
				took <- waited
			}()
			synctest.Wait()
			return took
		}
		flood := func(held time.Duration) (waited time.Duration) {
			first, _ := take("many", 2)
			next := call("many", 2)
			time.Sleep(held)
			first()
			return <-next
		}
		if waited := flood(10 * time.Millisecond); waited != 10*time.Millisecond {
			t.Errorf("alone, the next caller waited %v", waited)
		}
		for held, want := range map[time.Duration]time.Duration{10 * time.Millisecond: 40 * time.Millisecond, time.Second: time.Second + most} {
			<-call("other", 2)
			beside := make(chan (<-chan time.Duration))
			go func() {
				time.Sleep(held + time.Millisecond) // in the rest
				beside <- call("other", 2)
			}()
			if waited := flood(held); waited != want {
				t.Errorf("beside another, the caller after one of %v waited %v, want %v", held, waited, want)
			}
			if waited := <-<-beside; waited != 0 {
				t.Errorf("another waited %v in the rest", waited)
			}
		}
		<-call("other", 2)
		first, _ := take("many", 2)
		rests, second, owner := call("many", 2), call("many", 1), call("many", 0)
		time.Sleep(10 * time.Millisecond)
		first()
		for rank, took := range []<-chan time.Duration{owner, second, call("many", 0)} {
			if waited := <-took; waited > 10*time.Millisecond {
				t.Errorf("in the rest, one of another rank (%d) waited %v", rank, waited)
			}
		}
		if waited := <-rests; waited != 40*time.Millisecond {
			t.Errorf("the caller that rests waited %v", waited)
		}
		<-call("other", 2)
		for range 10 {
			release, waited := take("many", 2)
			if waited != 0 {
				t.Errorf("one caller after the other, one waited %v", waited)
			}
			time.Sleep(time.Millisecond)
			release()
		}
		time.Sleep(time.Second)
		f.empty(t)
	})
}

// TestFits: a caller that does not fit waits, and none of its account before it; others do not. It is admitted when it fits.
func TestFits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := NewFair[int](Config{Slots: 3})
		var large atomic.Bool
		var order list
		for name, r := range map[string]Request[int]{
			"large": {Fits: large.Load}, "next": {}, "other": {Account: 1}, "late": {Rank: 2, Within: time.Second},
		} {
			go func() {
				time.Sleep(time.Duration(strings.Index("large next other late", name)) * time.Millisecond)
				release, err := f.Acquire(t.Context(), r)
				if (err == nil) == (name == "late") {
					t.Errorf("%s: %v", name, err)
				}
				if order.add(name); err == nil {
					release()
				}
			}()
		}
		time.Sleep(time.Minute)
		f.Recheck()
		synctest.Wait()
		order.is(t, "other late")
		large.Store(true)
		f.Recheck()
		time.Sleep(time.Second)
		if f.empty(t); len(order.names) != 4 {
			t.Errorf("served %v", order.names)
		}
	})
}
