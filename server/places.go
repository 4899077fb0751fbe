package server

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"service/store"
)

const (
	placeWithin = 10 * time.Second // that a call waits for a place
	turnedAfter = 15 * time.Second // a call that finds its account's line full, or the calls of a batch; less than a server takes to stop
	mostWaiting = 512              // calls of one account that wait, and as many of each other rank
	refuseAfter = time.Second      // a call that is over its rate
	mostRest    = 100 * time.Millisecond
)

// Shares are how many calls run at once.
type Shares struct {
	All    int
	Alone  int // of one account, in all its workspaces, while nobody else calls
	Beside int // of one account while another calls, or did within the last second
	Rest   int // how many times as long as a call had its place the next one of its account waits for it, while another calls
}

// quickShares are those of calls that ask the service's own database and draw. Who calls
// alone may keep all cores busy, and beside others half of them for a quarter of the time: what two have to share, each
// of them waits for.
func quickShares(cores int) Shares {
	return Shares{All: 4 * cores, Alone: 3 * cores, Beside: max(1, cores/2), Rest: 3}
}

// slowShares are those of calls that wait for sources: who calls alone may have a whole batch under way.
func slowShares(cores int) Shares {
	return Shares{All: 8 * parallel, Alone: parallel, Beside: min(4*cores, parallel)}
}

// Places are given to calls, so that one account with many calls does not have others wait:
// each has its share, and those that wait take turns by account, not by call. The zero
// value gives out none.
type Places struct {
	most Shares
	now  func() time.Time // time.Now by default

	mu     sync.Mutex
	used   int
	lines  map[uuid.UUID]*line // of accounts that have a place or wait for one
	turn   []*line             // of those that wait with a free share: the first is next
	behind int                 // calls that wait
	turned int                 // calls that were turned away
	last   [2]recently         // the two accounts that called last
}

// NewPlaces returns places for calls that ask the service's own database and draw, a few a core.
func NewPlaces() *Places { return &Places{most: quickShares(runtime.GOMAXPROCS(0))} }

// NewWaitingPlaces returns places for calls that wait for what is not ours: sources, receivers of messages, or the
// rest of a caller's file.
func NewWaitingPlaces() *Places { return &Places{most: slowShares(runtime.GOMAXPROCS(0))} }

// NewDrawingPlaces returns places for pictures, of which package view draws two at once. Who waits for one to be drawn
// keeps nobody from a page.
func NewDrawingPlaces() *Places { return &Places{most: Shares{All: 2, Alone: 2, Beside: 1}} }

type recently struct {
	account uuid.UUID
	at      time.Time
}

// A Rank says who goes first in the line of an account. Whoever has its token may fill the line with calls; its owner, who comes
// to revoke the token, does not wait behind them.
type Rank int

// The ranks, from the first to the last.
const (
	Screens Rank = iota // of the web app
	Pages               // of dashboards
	Calls
	ranks
)

// line is one account's.
type line struct {
	account uuid.UUID
	held    int
	resting int // places that its calls may not have yet; screens and pages may
	waiting [ranks][]*waiter
	inTurn  bool
}

// waiter is a request that waits.
type waiter struct {
	got    chan struct{} // closed when it has its place
	answer *keptAnswer   // fits into memory from then on; nil: it is not counted
}

// first is the first rank of which any wait, or [ranks] when none does.
func (l *line) first() Rank {
	r := Screens
	for r < ranks && len(l.waiting[r]) == 0 {
		r++
	}
	return r
}

// Of gives places out to requests of a rank. What it returns returns what gives the place back. When there is none in time, or
// too many of the account and rank wait, the error is [store.ErrNoPlace].
func (p *Places) Of(r Rank) func(ctx context.Context, account uuid.UUID) (leave func(), err error) {
	return func(ctx context.Context, account uuid.UUID) (func(), error) { return p.take(ctx, account, r) }
}

func (p *Places) take(ctx context.Context, account uuid.UUID, r Rank) (leave func(), err error) {
	got, err := p.ask(account, r, answerOf(ctx))
	if err != nil { // it is told late: thousands that asked again each second would keep a core busy
		late := placeWithin // as one that waited
		if r == Calls {
			late = turnedAfter
		}
		told, batch := ctx.Value(batchKey{}).(*atomic.Bool)
		if !batch {
			told = new(atomic.Bool)
		}
		if !told.Load() {
			hold(ctx, late)
			told.Store(true)
		}
		return nil, err
	}
	if err := p.wait(ctx, account, r, got); err != nil {
		return nil, err
	}
	began := p.clock()
	return sync.OnceFunc(func() { p.end(account, r, p.clock().Sub(began)) }), nil
}

// batchKey finds whether a call of the same batch was turned away, after which the others are at once: thirty-two of them are under way at
// a time, and as many as came after one another would outlive their request.
type batchKey struct{}

// wait waits for the place that was asked for. A call of a batch waits as long as its request: what is before it may be the replies
// that its own caller has not read yet.
func (p *Places) wait(ctx context.Context, account uuid.UUID, r Rank, got chan struct{}) (err error) {
	select {
	case <-got:
		return nil
	default:
	}
	limit := time.NewTimer(placeWithin)
	if _, batch := ctx.Value(batchKey{}).(*atomic.Bool); batch {
		limit.Stop()
	}
	defer limit.Stop()
	select {
	case <-got:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-limit.C:
		err = fmt.Errorf("%w within %v", store.ErrNoPlace, placeWithin)
	}
	if !p.forget(account, r, got, errors.Is(err, store.ErrNoPlace)) {
		p.leave(account) // it was given at the same time
	}
	return err
}

// Hold waits for a second, or until ctx ends, before a caller is refused what it asks for too often.
// One that asks again at once, whatever it is told, does not keep the program busy with refusals.
// A call gives its place back first, since it has nothing more to do.
func Hold(ctx context.Context) {
	if c, ok := ctx.Value(callKey{}).(*call); ok && c.leave != nil {
		c.leave()
	}
	hold(ctx, refuseAfter)
}

func hold(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// ask puts a call at the end of those of its rank in its account's line.
func (p *Places) ask(account uuid.UUID, r Rank, kept *keptAnswer) (got chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(account)
	if p.lines == nil {
		p.lines = map[uuid.UUID]*line{}
	}
	l := p.lines[account]
	if l == nil {
		l = &line{account: account}
		p.lines[account] = l
	}
	if len(l.waiting[r]) >= mostWaiting {
		p.turned++
		return nil, fmt.Errorf("%w: %d calls of one account wait", store.ErrNoPlace, mostWaiting)
	}
	got = make(chan struct{})
	l.waiting[r] = append(l.waiting[r], &waiter{got, kept})
	p.behind++
	p.queue(l)
	p.serve()
	return got, nil
}

// end gives back the place of a call that held it for so long. While others call, the next call of the same account may have to
// wait for it, and others may have it.
func (p *Places) end(account uuid.UUID, r Rank, held time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[account]
	rest := min(time.Duration(p.most.Rest)*held, mostRest)
	if rest > 0 && r == Calls && len(l.waiting[Calls]) > 0 && p.beside(l) {
		l.resting++
		time.AfterFunc(rest, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			l.resting--
			p.next(l)
		})
	}
	p.back(l)
}

// leave gives a place back at once.
func (p *Places) leave(account uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.back(p.lines[account])
}

// back takes a place back from l.
func (p *Places) back(l *line) {
	p.used--
	l.held--
	p.next(l)
}

// next gives out what has become free for l or others.
func (p *Places) next(l *line) {
	p.queue(l)
	p.serve()
	p.drop(l)
}

// forget removes a call that does not wait any longer, since it is turned away or since its caller has left. It is false when
// the call has its place.
func (p *Places) forget(account uuid.UUID, r Rank, got chan struct{}, away bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[account]
	if l == nil {
		return false
	}
	i := slices.IndexFunc(l.waiting[r], func(w *waiter) bool { return w.got == got })
	if i < 0 {
		return false
	}
	l.waiting[r] = slices.Delete(l.waiting[r], i, i+1)
	p.behind--
	if away {
		p.turned++
	}
	p.drop(l)
	return true
}

// note remembers that an account calls.
func (p *Places) note(account uuid.UUID) {
	if p.last[0].account != account {
		p.last[1] = p.last[0]
	}
	p.last[0] = recently{account, p.clock()}
}

func (p *Places) clock() time.Time {
	if p.now == nil {
		return time.Now()
	}
	return p.now()
}

// beside is whether another account calls than that of l, or did within the last second.
func (p *Places) beside(l *line) bool {
	other := p.last[0]
	if other.account == l.account {
		other = p.last[1]
	}
	return !other.at.IsZero() && p.clock().Sub(other.at) <= time.Second
}

// share is how many places l may have now.
func (p *Places) share(l *line) int {
	if p.beside(l) {
		return p.most.Beside
	}
	return p.most.Alone
}

// ready is whether the first who waits in l may have a place.
func (p *Places) ready(l *line) bool {
	switch l.first() {
	case ranks:
		return false
	case Calls:
		return l.held+l.resting < p.share(l)
	}
	return l.held < p.share(l)
}

// queue gives l a turn, after all others, if it has one to use.
func (p *Places) queue(l *line) {
	if !l.inTurn && p.ready(l) {
		l.inTurn = true
		p.turn = append(p.turn, l)
	}
}

// again gives out what is free after answers have made room in memory.
func (p *Places) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		p.queue(l)
	}
	p.serve()
}

// serve gives out what is free, one place a turn. A line whose first answer does not fit into memory loses its turn until there is room.
func (p *Places) serve() {
	for p.used < p.most.All && len(p.turn) > 0 {
		l := p.turn[0]
		p.turn = slices.Delete(p.turn, 0, 1)
		l.inTurn = false
		if !p.ready(l) {
			p.drop(l) // who waited has gone, or others have come
			continue
		}
		r := l.first()
		if !l.waiting[r][0].answer.reserve(l.account, r) {
			continue
		}
		close(l.waiting[r][0].got)
		l.waiting[r] = slices.Delete(l.waiting[r], 0, 1)
		p.behind--
		l.held++
		p.used++
		p.queue(l)
	}
}

// drop forgets an account that has no place and waits for none.
func (p *Places) drop(l *line) {
	if l.held+l.resting == 0 && l.first() == ranks && !l.inTurn {
		delete(p.lines, l.account)
	}
}

// state is how many calls have a place, how many wait, and how many were turned away so far.
func (p *Places) state() (used, waiting, turned int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.behind, p.turned
}
