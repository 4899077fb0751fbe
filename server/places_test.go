package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// TestCallsTakeTurns: while one account has 200 calls waiting, in whichever of its
// workspaces, another's call is served next, and its second one after one of the former's.
func TestCallsTakeTurns(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	p := &Places{most: Shares{All: 4, Alone: 3, Beside: 2}, now: func() time.Time { return now }}
	many, few, third := uuid.New(), uuid.New(), uuid.New()
	type waiting struct {
		name string
		got  chan struct{}
	}
	var line []waiting
	ask := func(name string, account uuid.UUID) {
		t.Helper()
		got, err := p.ask(account, Calls, nil)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, waiting{name, got})
	}
	served := func() (order []string) { // since the last time
		var left []waiting
		for _, w := range line {
			select {
			case <-w.got:
				order = append(order, w.name)
			default:
				left = append(left, w)
			}
		}
		line = left
		return order
	}
	for range 200 {
		ask("many", many)
	}
	if got := served(); len(got) != 3 { // its share, though a place is free
		t.Fatalf("%d calls of one account run, want 3", len(got))
	}
	for range 2 {
		ask("few", few)
	}
	ask("third", third)
	var order []string
	order = append(order, served()...)
	for range 5 {
		p.leave(many)
		order = append(order, served()...)
	}
	if got, want := strings.Join(order, " "), "few few third many many many"; got != want {
		t.Errorf("served %s, want %s", got, want)
	}
	p.leave(few)
	p.leave(few)
	p.leave(third)
	if got := served(); len(got) != 1 { // up to its share beside others, who may come back
		t.Errorf("%d calls follow when the others have ended, want 1", len(got))
	}
	now = now.Add(2 * time.Second)
	p.leave(many)
	if got := served(); len(got) != 2 {
		t.Errorf("%d calls follow when the others are gone, want 2: one for its end, and one more", len(got))
	}
	if used, behind, _ := p.state(); used != 3 || behind != len(line) {
		t.Errorf("%d run and %d wait, want 3 and %d", used, behind, len(line))
	}
}

// TestPlacesAreGivenBack: never do more run than may, and nothing is left of calls that
// ended, gave up or were refused.
func TestPlacesAreGivenBack(t *testing.T) {
	t.Parallel()
	p := &Places{most: Shares{All: 3, Alone: 2, Beside: 2}}
	var mu sync.Mutex
	all, by := 0, map[uuid.UUID]int{}
	count := func(account uuid.UUID, n int) {
		mu.Lock()
		defer mu.Unlock()
		all += n
		by[account] += n
		if all > 3 || by[account] > 2 {
			t.Errorf("%d run at once, %d of them of one account", all, by[account])
		}
	}
	var wg sync.WaitGroup
	for range 3 {
		account := uuid.New()
		for i := range 40 {
			wg.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				if i%4 == 0 {
					go cancel() // sooner or later than its turn
				}
				defer cancel()
				leave, err := p.take(ctx, account, Calls)
				if err != nil {
					return
				}
				count(account, 1)
				count(account, -1)
				leave()
				leave() // once is enough
			})
		}
	}
	wg.Wait()
	if used, waiting, _ := p.state(); used != 0 || waiting != 0 || len(p.lines) != 0 || len(p.turn) != 0 {
		t.Errorf("%d have a place, %d wait, %d lines and %d turns are left", used, waiting, len(p.lines), len(p.turn))
	}

	account := uuid.New()
	for range mostWaiting + 2 {
		if _, err := p.ask(account, Calls, nil); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel() // who is refused is not told at once
	if _, err := p.take(gone, account, Calls); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("one more than may wait: %v", err)
	}
}

// TestSharesOfCores: on any machine who calls beside others has a share, at most that of who calls alone, who leaves places.
func TestSharesOfCores(t *testing.T) {
	t.Parallel()
	for name, shares := range map[string]func(cores int) Shares{"quick": quickShares, "slow": slowShares} {
		for _, cores := range []int{1, 2, 8, 16, 64} {
			if s := shares(cores); s.Beside < 1 || s.Beside > s.Alone || s.Alone >= s.All {
				t.Errorf("%s, %d cores: %+v", name, cores, s)
			}
		}
	}
}

// TestTurnedAway: who leaves the line is not counted among those that were turned away.
func TestTurnedAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Places{most: Shares{All: 1, Alone: 1, Beside: 1}}
		account := uuid.New()
		leave, err := p.take(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.take(gone, account, Calls); !errors.Is(err, context.Canceled) {
			t.Errorf("who left: %v", err)
		}
		if _, _, turned := p.state(); turned != 0 {
			t.Errorf("%d were turned away when one had left", turned)
		}
		if _, err := p.take(t.Context(), account, Calls); !errors.Is(err, store.ErrNoPlace) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("who had no place in time: %v", err)
		}
		if _, _, turned := p.state(); turned != 1 {
			t.Errorf("%d were turned away, want 1", turned)
		}
	})
}

// TestRanks: in an account's line those of a rank go before all of the next, and have a line's length of their own. Among accounts
// a rank counts for nothing.
func TestRanks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Places{most: Shares{All: 1, Alone: 1, Beside: 1}}
		busy, other := uuid.New(), uuid.New()
		leave, err := p.take(t.Context(), busy, Calls)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		wait := func(name string, account uuid.UUID, r Rank) {
			go func() {
				leave, err := p.take(t.Context(), account, r)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				order = append(order, name)
				leave()
			}()
			synctest.Wait()
		}
		for range mostWaiting - 1 {
			if _, err := p.ask(busy, Calls, nil); err != nil {
				t.Fatal(err)
			}
		}
		wait("call", busy, Calls)
		wait("another's call", other, Calls)
		wait("page", busy, Pages)
		wait("screen", busy, Screens)
		wait("another screen", busy, Screens)
		if _, err := p.ask(busy, Calls, nil); !errors.Is(err, store.ErrNoPlace) {
			t.Errorf("the line has no end: %v", err)
		}
		leave()
		synctest.Wait()
		if want := []string{"another's call", "screen", "another screen", "page"}; !slices.Equal(order, want) {
			t.Errorf("served are %v, want %v", order, want)
		}
		for range mostWaiting - 1 { // of those that nobody waits for
			p.leave(busy)
			synctest.Wait()
		}
		if len(order) != 5 || order[4] != "call" {
			t.Errorf("served are %v", order)
		}
	})
}

// TestHeldCallsHaveNoPlace: a call that is told to come back later is told so late, and its place is another's meanwhile.
func TestHeldCallsHaveNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Places{most: Shares{All: 1, Alone: 1, Beside: 1}}
		account := uuid.New()
		leave, err := p.take(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		start, told := time.Now(), make(chan time.Duration)
		go func() {
			Hold(context.WithValue(t.Context(), callKey{}, &call{leave: leave}))
			told <- time.Since(start)
		}()
		synctest.Wait()
		other, err := p.take(t.Context(), account, Calls)
		if err != nil || time.Since(start) != 0 {
			t.Errorf("the next call has its place after %v: %v", time.Since(start), err)
		} else {
			other()
		}
		if late := <-told; late != refuseAfter {
			t.Errorf("told after %v, want %v", late, refuseAfter)
		}
		leave() // as its caller does when it ends
		if used, _, _ := p.state(); used != 0 {
			t.Errorf("%d places are left", used)
		}
	})
}

// TestCallsOfOthersPass: an account whose calls hold all its places does not keep another
// waiting, is told to come back, and can still ping. In a batch the answer is the member's.
func TestCallsOfOthersPass(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) {
		c.Slow, c.Calls = nil, &Places{most: Shares{All: 2, Alone: 1, Beside: 1}}
		c.RequestTimeout, c.Grace = 200*time.Millisecond, time.Minute
	})
	go func() { // holds its place until the test ends, since it heeds no deadline
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
		t.Error("nobody says when to come back")
	}
	same(t, f.post(t, "["+act("5", "caller")+"]"), 200, "["+fails("5", -32000, busy)+"]")
}

// TestFullLine: a call that finds the line of its account full is told to come back after a while, so that thousands that ask again
// at once leave time for others.
func TestFullLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Places{most: Shares{All: 1, Alone: 1, Beside: 1}}
		account := uuid.New()
		leave, err := p.take(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		for range mostWaiting {
			go p.take(t.Context(), account, Calls) //nolint:errcheck // it gives up
		}
		synctest.Wait()
		start := time.Now()
		if _, err := p.take(t.Context(), account, Calls); !errors.Is(err, store.ErrUnavailable) || time.Since(start) != turnedAfter {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		leave()
	})
}

// waits takes a place, and says how long that took.
func (p *Places) waits(t *testing.T, account uuid.UUID, r Rank) (leave func(), waited time.Duration) {
	start := time.Now()
	leave, err := p.take(t.Context(), account, r)
	if err != nil {
		t.Error(err)
		return func() {}, 0
	}
	return leave, time.Since(start)
}

// TestFloodsRest: beside others, an account whose calls wait gets its next place when the last one has been free three times as
// long as it was held. Others have it meanwhile, and who waits for each answer does not rest.
func TestFloodsRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Places{most: Shares{All: 1, Alone: 1, Beside: 1, Rest: 3}}
		many, other := uuid.New(), uuid.New()
		take := func(account uuid.UUID) (leave func(), waited time.Duration) { return p.waits(t, account, Calls) }
		flood := func(held time.Duration) (waited time.Duration) {
			first, _ := take(many)
			next := make(chan time.Duration)
			go func() {
				leave, waited := take(many)
				leave()
				next <- waited
			}()
			synctest.Wait()
			time.Sleep(held)
			first()
			return <-next
		}
		if waited := flood(10 * time.Millisecond); waited != 10*time.Millisecond {
			t.Errorf("alone, the next call waited %v", waited)
		}
		for held, want := range map[time.Duration]time.Duration{
			10 * time.Millisecond: 40 * time.Millisecond, time.Second: time.Second + mostRest,
		} {
			leave, _ := take(other)
			leave()
			beside := make(chan time.Duration)
			go func() {
				time.Sleep(held + time.Millisecond) // in the rest
				leave, waited := take(other)
				leave()
				beside <- waited
			}()
			if waited := flood(held); waited != want {
				t.Errorf("beside another, the call after one of %v waited %v, want %v", held, waited, want)
			}
			if waited := <-beside; waited != 0 {
				t.Errorf("another waited %v in the rest", waited)
			}
		}
		leave, _ := take(other)
		leave()
		for range 10 {
			leave, waited := take(many)
			if waited != 0 {
				t.Errorf("one call after the other, one waited %v", waited)
			}
			time.Sleep(time.Millisecond)
			leave()
		}
		time.Sleep(2 * time.Second) // after which nobody else calls
		if used, waiting, _ := p.state(); used != 0 || waiting != 0 || len(p.lines) != 0 {
			t.Errorf("%d places are held, %d calls wait, %d accounts are known", used, waiting, len(p.lines))
		}
	})
}

// TestOwnersDoNotRest: who comes to the app or to a page, while the calls that are made with their token rest, has a place at once.
func TestOwnersDoNotRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Places{most: Shares{All: 1, Alone: 1, Beside: 1, Rest: 3}}
		many, other := uuid.New(), uuid.New()
		take := func(account uuid.UUID, r Rank) (leave func(), waited time.Duration) { return p.waits(t, account, r) }
		leave, _ := take(other, Calls)
		leave()
		first, _ := take(many, Calls)
		waited := map[Rank]chan time.Duration{}
		for _, r := range []Rank{Calls, Pages, Screens} {
			waited[r] = make(chan time.Duration, 1)
			go func() {
				leave, took := take(many, r)
				leave()
				waited[r] <- took
			}()
		}
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		first()
		for _, r := range []Rank{Screens, Pages} {
			if took := <-waited[r]; took != 10*time.Millisecond {
				t.Errorf("rank %d, behind a call, waited %v", r, took)
			}
		}
		leave, took := take(many, Screens)
		if leave(); took != 0 {
			t.Errorf("in the rest, the app's screen waited %v", took)
		}
		if took := <-waited[Calls]; took != 40*time.Millisecond {
			t.Errorf("the call that rests waited %v", took)
		}
		if used, waiting, _ := p.state(); used != 0 || waiting != 0 || len(p.lines) != 0 {
			t.Errorf("%d places are held, %d calls wait, %d accounts are known", used, waiting, len(p.lines))
		}
	})
}

// TestBatchesAreTurnedAwayOnce: of the calls of a batch that find the line full, those after the first ones are told at once.
func TestBatchesAreTurnedAwayOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Places{most: Shares{All: 1, Alone: 1, Beside: 1}}
		account := uuid.New()
		leave, err := p.take(t.Context(), account, Calls)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range mostWaiting {
			go func() {
				for { // those that wait are told after ten seconds, and ask again
					if _, err := p.take(ctx, account, Calls); ctx.Err() != nil {
						return
					} else if err == nil {
						t.Error("there is a place")
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
				if _, err := p.take(batch, account, Calls); !errors.Is(err, store.ErrNoPlace) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for range parallel {
			if _, err := p.take(batch, account, Calls); !errors.Is(err, store.ErrNoPlace) {
				t.Error(err)
			}
		}
		if took := time.Since(start); took != turnedAfter {
			t.Errorf("all are told after %v", took)
		}
		cancel()
		leave()
	})
}
