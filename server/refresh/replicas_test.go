package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

// replicas starts the workers of n more processes on the database of b, each with a store and a lease of its own.
func (b *bench) replicas(t *testing.T, n int) (all []*bench) {
	t.Helper()
	for range n {
		s, err := store.New(b.Pool(), store.Options{Log: b.log, Engine: b.engine})
		if err != nil {
			t.Fatal(err)
		}
		other := *b
		other.Store = s
		other.start(t)
		all = append(all, &other)
	}
	return all
}

// An ended is a run that has ended.
type ended struct {
	Slug, State    string
	Started, Ended time.Time
}

// history returns the runs that have ended, the first one first, and forgets them.
func (b *bench) history(t *testing.T) (all []ended) {
	t.Helper()
	b.idle(t)
	rows, err := b.Pool().Query(t.Context(), `
		WITH gone AS (DELETE FROM refresh_run WHERE finished_at IS NOT NULL RETURNING dashboard_id, state, started_at, finished_at)
		SELECT d.slug, g.state, g.started_at, g.finished_at FROM gone g JOIN any_dashboard d ON d.id = g.dashboard_id ORDER BY g.finished_at`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var e ended
		if err := rows.Scan(&e.Slug, &e.State, &e.Started, &e.Ended); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	for len(b.done) > 0 {
		<-b.done
	}
	return all
}

// TestReadersFollowAcrossReplicas: with 2 and 4 processes on one database, a change of one source makes each dashboard that depends on it
// run exactly once, after what it reads. If both sources change at the same moment, no two runs of a dashboard overlap, and the rows are
// those of both changes.
func TestReadersFollowAcrossReplicas(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 4} {
		t.Run(fmt.Sprint(n, " processes"), func(t *testing.T) {
			t.Parallel()
			b, _, sales, tickets := fedBench(t)
			b.replicas(t, n-1)
			b.history(t)
			for round := range 5 {
				data := fmt.Sprintf("month,region,mrr\n2026-02-01,EMEA,%d\n", 100+round)
				if err := b.replaceUpload(t, sales, "sales.csv", data); err != nil {
					t.Fatal(err)
				}
				var order []string
				var last time.Time
				for _, e := range b.history(t) {
					order = append(order, e.Slug+" "+e.State)
					if e.Started.Before(last) {
						t.Errorf("%s started before its source had ended", e.Slug)
					}
					last = e.Ended
				}
				if diff := cmp.Diff([]string{"investors succeeded", "board succeeded", "top succeeded"}, order); diff != "" {
					t.Fatalf("round %d (-want +got):\n%s", round, diff)
				}
				if got := b.table(t, "top", "last"); got != fmt.Sprint(100+round) {
					t.Errorf("round %d: %s", round, got)
				}
			}
			for round := range 5 {
				var both sync.WaitGroup
				for upload, data := range map[uuid.UUID]string{
					sales:   fmt.Sprintf("month,region,mrr\n2026-02-01,EMEA,%d\n", 200+round),
					tickets: fmt.Sprintf("month,n\n2026-02-01,%d\n", 300+round),
				} {
					both.Go(func() {
						if err := b.replaceUpload(t, upload, "new.csv", data); err != nil {
							t.Error(err)
						}
					})
				}
				both.Wait()
				ran := map[string]int{}
				ends := map[string]time.Time{}
				for _, e := range b.history(t) {
					if e.State != store.RunSucceeded || e.Started.Before(ends[e.Slug]) {
						t.Errorf("round %d: %+v", round, e)
					}
					ran[e.Slug]++
					ends[e.Slug] = e.Ended
				}
				if ran["investors"] != 1 || ran["support"] != 1 || ran["board"] < 1 || ran["board"] > 2 || ran["top"] < 1 || ran["top"] > 2 {
					t.Errorf("round %d: %v", round, ran)
				}
				want := fmt.Sprintf("2026-02-01 00:00:00 +0000 UTC,%d,%d", 200+round, 300+round)
				if got := b.table(t, "board", "both"); got != want {
					t.Errorf("round %d: %s, want %s", round, got, want)
				}
			}
		})
	}
}

// TestReadersFollowUnderKills: processes that die in the middle of runs, and others that take their place, lose no change: in the end all
// readers have the rows of their sources, also of one that was deleted and brought back, and no process could store rows of a run that
// another had taken over.
func TestReadersFollowUnderKills(t *testing.T) {
	t.Parallel()
	b, _, sales, _ := fedBench(t)
	b.replicas(t, 1)
	for round := range 3 {
		dead, err := store.New(b.Pool(), store.Options{Engine: b.engine})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.replaceUpload(t, sales, "sales.csv", fmt.Sprintf("month,region,mrr\n2026-02-01,EMEA,%d\n", 400+round)); err != nil {
			t.Fatal(err)
		}
		// A process without a lease takes a run, if the others leave it one, and dies.
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		held, err := dead.Refreshes.StartNext(t.Context(), store.Shares{Workspace: 4, Account: 4})
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrBusy) {
			t.Fatal(err)
		}
		if round == 1 {
			gone, err := b.Dashboards.DeleteDashboard(t.Context(), b.member, "investors")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Dashboards.Revive(t.Context(), b.member, store.Revival{Slug: "investors", Version: gone.VersionID}); err != nil {
				t.Fatal(err)
			}
		}
		b.replicas(t, 1) // it looks for runs of dead processes
		b.idle(t)
		if err == nil {
			// A run that another process has ended, or whose dashboard was deleted, is cancelled for the dead process.
			if state, err := dead.Refreshes.FinishRun(t.Context(), held, store.Outcome{}); err == nil && state != store.RunCancelled {
				t.Errorf("a process that was taken for dead stored the outcome of a run: %s", state)
			}
		}
		if got := b.table(t, "top", "last"); got != fmt.Sprint(400+round) {
			t.Errorf("round %d: %s; %v", round, got, b.history(t))
		}
	}
}

// TestReplicasCloseNoRing: publishes of three processes at the same moment do not close a ring of three dashboards, however they are
// ordered: one of them is refused.
func TestReplicasCloseNoRing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	others := []*bench{b}
	for range 2 {
		s, err := store.New(b.Pool(), store.Options{Log: b.log})
		if err != nil {
			t.Fatal(err)
		}
		other := *b
		other.Store = s
		others = append(others, &other)
	}
	for round := range 6 {
		slugs := make([]string, len(others))
		for i := range slugs {
			slugs[i] = fmt.Sprintf("%c%d", 'a'+i, round)
			b.publish(t, b.member, slugs[i], `{"title": "T", "datasets": [{"id": "d", "sql": "SELECT 1 AS n"}]}`, uuid.Nil, uuid.Nil)
		}
		refused := make([]string, len(others))
		var all sync.WaitGroup
		for i, other := range others {
			all.Go(func() { refused[i] = other.publishes(t, slugs[i], reading(slugs[(i+1)%len(slugs)]+"/d")) })
		}
		all.Wait()
		rings := 0
		for _, text := range refused {
			if strings.Contains(text, "would read itself") {
				rings++
			} else if text != "" {
				t.Error(text)
			}
		}
		if rings != 1 {
			t.Fatalf("%d of the three publishes were refused, want 1: %v", rings, refused)
		}
	}
}

// publishes publishes a spec, and returns its refusal.
func (b *bench) publishes(t *testing.T, slug, text string) string {
	s, err := dashboard.Parse([]byte(text))
	if err != nil {
		t.Error(err)
		return ""
	}
	_, err = b.Dashboards.Publish(context.WithoutCancel(t.Context()), b.member, store.Publication{
		Slug: slug, Filename: "index.html", Spec: s, ContentType: "application/json", Content: []byte(text),
	})
	no, ok := message.As(err)
	switch {
	case ok:
		return no.Error()
	case err != nil:
		t.Error(err)
	}
	return ""
}
