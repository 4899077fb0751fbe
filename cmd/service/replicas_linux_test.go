package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"service/store"
)

var measureReplicas = flag.Duration("replicas", 0, "how long to measure views, and refreshes, at 1, 2 and 4 replicas (make bench-replicas)")

// A viewer opens pages of one workspace, with a session.
type viewer struct{ host, cookie string }

// viewer signs the owner of a workspace in on its host.
func (c *soaked) viewer(workspace, email string) viewer {
	c.t.Helper()
	ctx := c.t.Context()
	hash := func(secret string) []byte {
		sum := sha256.Sum256([]byte(secret))
		return sum[:]
	}
	front := c.proxy[len("http://localhost:"):]
	v := viewer{workspace + ".localhost:" + front, rand.Text()}
	session, ticket, nonce := hash(rand.Text()), hash(rand.Text()), hash(rand.Text())
	_, err := c.own.Sessions.StartSession(ctx, store.Identity{
		Issuer: "https://id.example", Subject: email, Email: email, Verified: true,
	}, session, nil, "")
	if err == nil {
		err = c.own.Sessions.IssueTicket(ctx, ticket, session, store.Ticket{Host: v.host, Nonce: nonce, ReturnTo: "/"})
	}
	if err == nil {
		_, err = c.own.Sessions.RedeemTicket(ctx, ticket, v.host, nonce, hash(v.cookie))
	}
	if err != nil {
		c.t.Fatal(err)
	}
	v.cookie = "host_" + front + "=" + v.cookie
	return v
}

// view opens a page again and again until ctx ends, at the replicas in turns, and counts the pages.
func (c *soaked) view(ctx context.Context, v viewer, path string, good, bad *atomic.Int64) {
	transport := &http.Transport{MaxIdleConnsPerHost: 4}
	defer transport.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+c.replicas[n%len(c.replicas)].port+path, nil)
		if err != nil {
			c.t.Error(err)
			return
		}
		r.Host = v.host
		r.Header.Set("Cookie", v.cookie)
		res, err := transport.RoundTrip(r)
		if err != nil {
			continue
		}
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		switch {
		case err != nil:
		case res.StatusCode == http.StatusOK:
			good.Add(1)
		default:
			bad.Add(1)
		}
	}
}

// times returns the processor times of processes.
func times(pids []int) map[int]time.Duration {
	all := map[int]time.Duration{}
	for _, pid := range pids {
		all[pid] = timeOf(pid)
	}
	return all
}

// since returns the processor time that processes have used after the times before. One that has ended counts as 0.
func since(before, now map[int]time.Duration) (sum time.Duration) {
	for pid, spent := range now {
		sum += spent - before[pid]
	}
	return sum
}

// refreshed returns the number of refreshes that have succeeded.
func (c *soaked) refreshed() (n int64) {
	if err := c.db.QueryRow(c.t.Context(), `SELECT count(*) FROM refresh_run WHERE state = 'succeeded'`).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// TestReplicas prints the views and refreshes that 1, 2 and 4 replicas with one database serve, and the processor time of each.
// make bench-replicas runs it.
func TestReplicas(t *testing.T) {
	if *measureReplicas == 0 {
		t.Skip("measures for a minute or two: make bench-replicas")
	}
	fmt.Printf("%8s %26s %30s\n", "replicas", "views/s (ms each: replica, database)", "refreshes/min (ms each: replica, database)")
	for _, n := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := newSoaked(t, n)
			c.workspaces(4, 50)
			postmaster := postmasterOf(t, c.db)
			eventually(t, func() error { // the first refreshes are done
				if q, err := c.own.Refreshes.QueueState(t.Context()); err != nil || q.Waiting+q.Running > 0 {
					return fmt.Errorf("%+v, %w", q, err)
				}
				return nil
			})
			measure := func(work func(ctx context.Context) (done int64)) (rate, own, database float64) {
				replicas := make([]int, n)
				for i, p := range c.replicas {
					replicas[i] = p.cmd.Process.Pid
				}
				before, of := times(replicas), times(childrenOf(postmaster))
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), *measureReplicas)
				defer cancel()
				done := float64(work(ctx))
				each := func(d time.Duration) float64 { return d.Seconds() * 1000 / done }
				own, database = each(since(before, times(replicas))), each(since(of, times(childrenOf(postmaster))))
				return done / time.Since(began).Seconds(), own, database
			}
			views, ownView, databaseView := measure(func(ctx context.Context) int64 {
				var good, bad atomic.Int64
				var wg sync.WaitGroup
				for i := range 8 {
					v := c.viewer(fmt.Sprint("team-", i%4), fmt.Sprintf("person-%d@example.com", i%4/2))
					wg.Go(func() { c.view(ctx, v, fmt.Sprint("/sales-", i), &good, &bad) })
				}
				wg.Wait()
				if bad.Load() > 0 {
					t.Errorf("%d pages of %d are not good", bad.Load(), bad.Load()+good.Load())
				}
				return good.Load()
			})
			refreshes, ownRefresh, databaseRefresh := measure(func(ctx context.Context) int64 {
				before := c.refreshed()
				var hours atomic.Int64
				if err := c.clock(ctx, 50*time.Millisecond, &hours); err != nil {
					t.Error(err)
				}
				return c.refreshed() - before
			})
			fmt.Printf("%8d %12.0f (%.2f, %.2f) %24.0f (%.1f, %.1f)\n", n, views, ownView, databaseView, refreshes*60, ownRefresh, databaseRefresh)
		})
	}
}
