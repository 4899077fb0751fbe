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
	waitLimit   = 10 * time.Second // time limit of waiting for a slot
	fullDelay   = 15 * time.Second // delay before the refusal of a call whose account has too many waiting
	maxWaiting  = 512              // waiting requests of one account and rank
	refuseDelay = time.Second      // delay before the refusal of a call that is over its rate
	maxRest     = 100 * time.Millisecond
)

// quickLimits are the limits of requests that use the service's own database and draw, per account across its workspaces. An account that
// calls alone can keep all cores busy; if others call too, half of the cores for a quarter of the time.
func quickLimits(cores int) limit.Config {
	return limit.Config{Slots: 4 * cores, Alone: 3 * cores, Beside: max(1, cores/2), Rest: 3, MaxRest: maxRest, QueueOf: maxWaiting}
}

// slowLimits are the limits of requests that wait for data sources: an account that calls alone can have a whole batch
// running.
func slowLimits(cores int) limit.Config {
	return limit.Config{Slots: 8 * parallel, Alone: parallel, Beside: min(4*cores, parallel), QueueOf: maxWaiting}
}

// A Queue admits requests, so that an account with many requests does not make others wait: each account has its share, and waiting
// requests take turns by account.
type Queue struct{ fair *limit.Fair[uuid.UUID] }

func newQueue(c limit.Config) *Queue { return &Queue{limit.NewFair[uuid.UUID](c)} }

// NewQueue returns the queue of requests that use the service's own database and draw; it admits a
// few per core.
func NewQueue() *Queue { return newQueue(quickLimits(runtime.GOMAXPROCS(0))) }

// NewSlowQueue returns the queue of requests that wait for other systems: data sources, receivers of messages, or the rest of an
// uploaded file.
func NewSlowQueue() *Queue { return newQueue(slowLimits(runtime.GOMAXPROCS(0))) }

// NewDrawQueue returns a queue of pictures, two of which package view draws concurrently. Requests that wait for a picture do not delay
// pages.
func NewDrawQueue() *Queue {
	return newQueue(limit.Config{Slots: 2, Alone: 2, Beside: 1, QueueOf: maxWaiting})
}

// A Rank is the priority of a request within its account. A client with the account's token may fill the queue with calls; the owner,
// who wants to revoke the token in the web app, does not wait behind them.
type Rank int

// The ranks, highest priority first. The last one pauses while other accounts call.
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

// batchKey is the context key of a flag that a call of the same batch was refused. The other calls are then refused without delay:
// only thirty-two run at a time, so delays one after another would exceed the request's time limit.
type batchKey struct{}

// acquire waits for a slot. A call of a batch waits until its request ends, because it may have to wait until its caller reads earlier
// replies. If too many requests wait already, the refusal is delayed as if the request had waited: thousands of callers that retry each
// second would keep a core busy.
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

// Delay waits for a second, or until ctx ends, before the refusal of a caller over its rate. A caller
// that retries at once, despite the refusal, then does not keep the program busy. A call releases its
// slot first, because it no longer needs it.
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
