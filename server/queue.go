package server

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/limit"
)

const (
	waitLimit   = 10 * time.Second // of a request for a slot
	fullDelay   = 15 * time.Second // of the refusal of a call whose account has too many waiting; less than a server takes to stop
	maxWaiting  = 512              // requests of one account and rank that wait
	refuseDelay = time.Second      // of the refusal of a call that is over its rate
	maxRest     = 100 * time.Millisecond
)

// quickLimits are those of requests that ask the service's own database and draw, by account in all its workspaces. An account that calls
// alone may keep all cores busy, and beside others half of them for a quarter of the time: each waits for what two have to share.
func quickLimits(cores int) limit.Config {
	return limit.Config{Slots: 4 * cores, Alone: 3 * cores, Beside: max(1, cores/2), Rest: 3, MaxRest: maxRest, QueueOf: maxWaiting}
}

// slowLimits are those of requests that wait for sources: an account that calls alone may have a whole batch under way.
func slowLimits(cores int) limit.Config {
	return limit.Config{Slots: 8 * parallel, Alone: parallel, Beside: min(4*cores, parallel), QueueOf: maxWaiting}
}

// A Queue admits requests, so that one account with many does not have others wait: each has its share, and those that wait take turns by
// account, not by request.
type Queue struct{ fair *limit.Fair[uuid.UUID] }

func newQueue(c limit.Config) *Queue { return &Queue{limit.NewFair[uuid.UUID](c)} }

// NewQueue returns the queue of requests that ask the service's own database and draw, a few a core.
func NewQueue() *Queue { return newQueue(quickLimits(runtime.GOMAXPROCS(0))) }

// NewSlowQueue returns the queue of requests that wait for others: sources, receivers of messages, or the rest of a caller's file.
func NewSlowQueue() *Queue { return newQueue(slowLimits(runtime.GOMAXPROCS(0))) }

// NewDrawQueue returns a queue of pictures, of which package view draws two at once. A caller that waits for a picture keeps nobody from
// a page.
func NewDrawQueue() *Queue {
	return newQueue(limit.Config{Slots: 2, Alone: 2, Beside: 1, QueueOf: maxWaiting})
}

// A Rank says which requests of an account go first. Whoever has its token may fill the queue with calls; its owner, who comes to revoke
// the token, does not wait behind them.
type Rank int

// The ranks, from the first to the last, which rests while others call.
const (
	Screens Rank = iota // of the web app
	Pages               // of dashboards
	Calls   Rank = limit.Ranks - 1
)

// Of returns an acquire function for requests of rank r; acquire returns the release function. Its error is [store.ErrOverloaded] if no
// slot is free in time, or too many requests of the account and rank wait.
func (q *Queue) Of(r Rank) func(ctx context.Context, account uuid.UUID) (release func(), err error) {
	return func(ctx context.Context, account uuid.UUID) (func(), error) { return q.acquire(ctx, account, r) }
}

// batchKey finds whether a call of the same batch was refused, after which the others are at once: thirty-two of them are under way at
// a time, and as many as came after one another would outlive their request.
type batchKey struct{}

// acquire waits for a slot. A call of a batch waits as long as its request: what is before it may be the replies that its own caller has
// not read yet. A request that finds too many waiting is refused late, as one that waited: thousands that asked again each second would
// keep a core busy.
func (q *Queue) acquire(ctx context.Context, account uuid.UUID, r Rank) (release func(), err error) {
	request := limit.Request[uuid.UUID]{Account: account, Rank: int(r), Within: waitLimit}
	refused, batch := ctx.Value(batchKey{}).(*atomic.Bool)
	if batch {
		request.Within = 0
	} else {
		refused = new(atomic.Bool)
	}
	if kept := answerOf(ctx); kept != nil {
		request.Fits = func() bool { return kept.reserve(account, r) }
	}
	release, err = q.fair.Acquire(ctx, request)
	full := errors.Is(err, limit.ErrFull)
	if full && !refused.Load() {
		delay := waitLimit
		if r == Calls {
			delay = fullDelay
		}
		sleep(ctx, delay)
		refused.Store(true)
	}
	if full || errors.Is(err, limit.ErrLate) {
		err = fmt.Errorf("%w: %w", store.ErrOverloaded, err)
	}
	return release, err
}

// Delay waits for a second, or until ctx ends, before a caller is refused what it asks for too often.
// One that asks again at once, whatever it is told, does not keep the program busy with refusals.
// A call releases its slot first, since it has nothing more to do.
func Delay(ctx context.Context) {
	if c, ok := ctx.Value(callKey{}).(*call); ok && c.release != nil {
		c.release()
	}
	sleep(ctx, refuseDelay)
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
