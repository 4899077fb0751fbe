package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// pollEvery is the interval of claims without an announcement: for jobs that have become due, and for shares that other processes have
// released.
const pollEvery = time.Second

// A Queue is a queue of jobs in the database.
type Queue struct {
	Name    string // as the database announces it
	Workers int    // jobs at once in this process

	// Claim claims the next job for this process. perform is nil if there is no job. The context of perform ends with the time limit of
	// [Crew.Stop].
	Claim func(ctx context.Context) (id uuid.UUID, perform func(ctx context.Context), err error)
}

// A Crew performs the jobs of queues.
type Crew struct {
	log    *slog.Logger
	queues []Queue
	wake   map[string]chan struct{} // by the name of a queue

	work   context.Context // of jobs and claims
	cancel context.CancelFunc
	stop   context.CancelFunc // of loops
	loops  sync.WaitGroup
	jobs   sync.WaitGroup

	claiming sync.RWMutex // held for reading from before a claim until held has its job
	mu       sync.Mutex
	held     map[uuid.UUID]int // attempts under way by job; two after a takeover by this process
}

// NewCrew returns a crew that has not started.
func NewCrew(log *slog.Logger, queues ...Queue) *Crew {
	c := &Crew{log: log, queues: queues, wake: map[string]chan struct{}{}, held: map[uuid.UUID]int{}}
	for _, q := range queues {
		c.wake[q.Name] = make(chan struct{}, 1)
	}
	return c
}

// Start begins to claim and perform jobs, and returns. It ends with [Crew.Stop], not with ctx.
func (c *Crew) Start(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	c.work, c.cancel = context.WithCancel(ctx)
	loops, stop := context.WithCancel(ctx)
	c.stop = stop
	for _, q := range c.queues {
		c.loops.Go(func() { c.serve(loops, q) })
	}
}

// Wake makes the crew claim jobs of a queue now. It ignores unknown names.
func (c *Crew) Wake(queue string) {
	select {
	case c.wake[queue] <- struct{}{}:
	default: // a claim is pending, or there is no such queue
	}
}

// Held calls f with the jobs under way. Claims wait for f, so that f gets all jobs that the store has given to this process.
func (c *Crew) Held(f func(jobs []uuid.UUID) error) error {
	c.claiming.Lock()
	defer c.claiming.Unlock()
	c.mu.Lock()
	jobs := slices.Collect(maps.Keys(c.held))
	c.mu.Unlock()
	return f(jobs)
}

// errLate is the error of jobs that continue after their context has ended.
var errLate = errors.New("jobs did not end in time")

// Stop begins no more claims, and waits for the claims and jobs under way. When ctx ends, it cancels them and waits for at most late. A
// claim is not canceled before: the database may give a job away although nobody waits for the answer any more.
func (c *Crew) Stop(ctx context.Context, late time.Duration) error {
	c.stop()
	defer c.cancel()
	ended := make(chan struct{})
	go func() {
		c.loops.Wait()
		c.jobs.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	c.cancel()
	select {
	case <-ended:
		return nil
	case <-time.After(late):
		return errLate
	}
}

// serve claims jobs of a queue whenever a worker is free, until ctx ends.
func (c *Crew) serve(ctx context.Context, q Queue) {
	free := make(chan struct{}, q.Workers)
	for failing := false; ; {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil { // both were ready
			return
		}
		id, perform, err := c.claim(c.work, q)
		if perform != nil {
			c.jobs.Go(func() {
				c.perform(q, id, perform)
				<-free
				c.Wake(q.Name) // a share is free
			})
			continue
		}
		<-free
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing: // logged once for each outage
			c.log.WarnContext(ctx, "queue: no jobs can be claimed; will try again", "queue", q.Name, "err", err)
		case err == nil && failing:
			c.log.InfoContext(ctx, "queue: goes on", "queue", q.Name)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-c.wake[q.Name]:
		case <-time.After(pollEvery):
		}
	}
}

// claim claims a job and adds it to those held.
func (c *Crew) claim(ctx context.Context, q Queue) (uuid.UUID, func(context.Context), error) {
	c.claiming.RLock()
	defer c.claiming.RUnlock()
	id, perform, err := q.Claim(ctx)
	if err != nil || perform == nil {
		return id, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[id]++
	return id, perform, nil
}

// perform performs a job and removes it from those held.
func (c *Crew) perform(q Queue, id uuid.UUID, perform func(context.Context)) {
	defer func() {
		if p := recover(); p != nil {
			c.log.ErrorContext(c.work, "a job panicked", "queue", q.Name, "job", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.held[id]--; c.held[id] == 0 {
			delete(c.held, id)
		}
	}()
	perform(c.work)
}
