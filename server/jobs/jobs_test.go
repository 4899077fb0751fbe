package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"service/server/jobs"
)

// A line is a queue in memory.
type line struct {
	mu     sync.Mutex
	jobs   []func(context.Context)
	claims int
	err    error
}

func (l *line) add(f func(context.Context)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs = append(l.jobs, f)
}

func (l *line) claim(context.Context) (uuid.UUID, func(context.Context), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims++
	if l.err != nil || len(l.jobs) == 0 {
		return uuid.Nil, nil, l.err
	}
	f := l.jobs[0]
	l.jobs = l.jobs[1:]
	return uuid.New(), f, nil
}

// start starts a crew of two workers on l, in a bubble.
func start(t *testing.T, l *line, log *strings.Builder) *jobs.Crew {
	t.Helper()
	c := jobs.NewCrew(slog.New(slog.NewTextHandler(log, nil)), jobs.Queue{Name: "line", Workers: 2, Claim: l.claim})
	c.Start(t.Context())
	synctest.Wait()
	return c
}

func held(t *testing.T, c *jobs.Crew) (n int) {
	t.Helper()
	synctest.Wait()
	if err := c.Held(func(jobs []uuid.UUID) error { n = len(jobs); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Jobs are claimed when they are announced, or a second later; as many at once as there are workers, and the next one when one ends.
func TestJobsArePerformed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l line
		c := start(t, &l, &strings.Builder{})
		begin, let := time.Now(), make(chan struct{})
		var took []time.Duration
		job := func(context.Context) {
			took = append(took, time.Since(begin))
			<-let
		}
		l.add(job)
		c.Wake("line")
		c.Wake("another") // is ignored
		if n := held(t, c); n != 1 || !slices.Equal(took, []time.Duration{0}) {
			t.Fatalf("%d jobs are under way; they began after %v", n, took)
		}
		l.add(job)
		time.Sleep(time.Second)
		l.add(job)
		c.Wake("line")
		if n := held(t, c); n != 2 {
			t.Errorf("%d jobs are under way, want as many as workers", n)
		}
		time.Sleep(time.Hour)
		let <- struct{}{}
		if n := held(t, c); n != 2 || !slices.Equal(took, []time.Duration{0, time.Second, time.Second + time.Hour}) {
			t.Errorf("%d jobs are under way; they began after %v", n, took)
		}
		close(let)
		if n := held(t, c); n != 0 {
			t.Errorf("%d jobs are under way, want none", n)
		}
		if err := c.Stop(t.Context(), 0); err != nil {
			t.Error(err)
		}
	})
}

// Stop ends claims, waits for jobs until its context ends, and then cancels them. It reports jobs that continue.
func TestStop(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		job  func(ctx context.Context, let <-chan struct{})
		took time.Duration
		late bool
	}{
		"a job ends":                {func(context.Context, <-chan struct{}) { time.Sleep(3 * time.Second) }, 3 * time.Second, false},
		"a job waits":               {func(ctx context.Context, _ <-chan struct{}) { <-ctx.Done() }, 5 * time.Second, false},
		"a job ignores its context": {func(_ context.Context, let <-chan struct{}) { <-let }, 7 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var l line
				let := make(chan struct{})
				l.add(func(ctx context.Context) { tt.job(ctx, let) })
				c := start(t, &l, &strings.Builder{})
				l.add(func(context.Context) { t.Error("a job was claimed after the end") })
				begin := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				if err := c.Stop(ctx, 2*time.Second); (err != nil) != tt.late || time.Since(begin) != tt.took {
					t.Errorf("%v after %v", err, time.Since(begin))
				}
				close(let)
			})
		})
	}
}

// A claim that is under way when Stop is called ends, and its job is performed: the database may have given the job to this process.
// A claim that does not end is canceled with the jobs.
func TestStopLetsClaimsEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ answer, took time.Duration }{
		"a slow answer": {time.Second, time.Second},
		"no answer":     {time.Hour, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				claims, performed := 0, false
				c := jobs.NewCrew(slog.New(slog.DiscardHandler), jobs.Queue{
					Name: "line", Workers: 2, Claim: func(ctx context.Context) (uuid.UUID, func(context.Context), error) {
						claims++
						select {
						case <-time.After(tt.answer):
							return uuid.New(), func(context.Context) { performed = true }, nil
						case <-ctx.Done():
							return uuid.Nil, nil, ctx.Err()
						}
					},
				})
				c.Start(t.Context())
				synctest.Wait()
				begin := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				if err := c.Stop(ctx, time.Second); err != nil || time.Since(begin) != tt.took {
					t.Errorf("%v after %v, want after %v", err, time.Since(begin), tt.took)
				}
				if want := tt.answer < 5*time.Second; performed != want || claims != 1 {
					t.Errorf("the job was performed: %v, want %v; %d claims", performed, want, claims)
				}
			})
		})
	}
}

// A worker continues after a job that panics, and the job is no longer held. Claims are repeated after errors, which are logged once.
func TestFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		l := line{err: errors.New("no database")}
		c := start(t, &l, &log)
		time.Sleep(10 * time.Second)
		l.mu.Lock()
		claims := l.claims
		l.err = nil
		l.mu.Unlock()
		if claims < 10 {
			t.Errorf("a queue that fails was asked %d times in 10 s", claims)
		}
		performed := false
		l.add(func(context.Context) { panic("oh") })
		l.add(func(context.Context) { performed = true })
		time.Sleep(time.Second)
		if n := held(t, c); n != 0 || !performed {
			t.Errorf("%d jobs are under way, and the second was performed: %v", n, performed)
		}
		if err := c.Stop(t.Context(), 0); err != nil {
			t.Error(err)
		}
		for text, want := range map[string]int{"no database": 1, "goes on": 1, "a job panicked": 1} {
			if n := strings.Count(log.String(), text); n != want {
				t.Errorf("%q is logged %d times, want %d:\n%s", text, n, want, &log)
			}
		}
	})
}
