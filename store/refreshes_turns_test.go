package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/storetest"
)

var shares = store.Shares{Workspace: 2, Account: 3}

// queued is how many runs are queued.
func (b bench) queued(t testing.TB) int {
	t.Helper()
	return b.count(t, `SELECT count(*) FROM refresh_run WHERE state = 'queued'`)
}

// next starts the run whose turn it is.
func (b bench) next(t testing.TB) store.Job {
	t.Helper()
	j, err := b.Refreshes.StartNext(t.Context(), shares)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// end ends a run.
func (b bench) end(t testing.TB, j store.Job) {
	t.Helper()
	if _, err := b.Refreshes.FinishRun(t.Context(), j, store.Outcome{}); err != nil {
		t.Fatal(err)
	}
}

// TestWorkspacesTakeTurns: however many runs of one workspace are queued first, accounts take turns, then their workspaces, then runs by
// age.
func TestWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) {
		o.Now = func() time.Time { at = at.Add(time.Second); return at }
	})
	bob := b.account(t, "bob@example.com")
	members := []store.Member{b.owner, b.workspace(t, b.owner.Account(), "acme-two"), b.workspace(t, bob, "bobs")}
	for i, n := range []int{6, 2, 2} {
		for k := range n {
			b.spec(t, members[i], fmt.Sprint("s", k), `{}`)
		}
	}
	if _, err := b.pool.Exec(t.Context(), `UPDATE refresh_run SET traceparent = id`); err != nil {
		t.Fatal(err)
	}
	var order []string
	for range 10 {
		j := b.next(t)
		if j.QueuedBy != j.Run.String() {
			t.Errorf("run %s was queued by that of %s", j.Run, j.QueuedBy)
		}
		m := members[slices.IndexFunc(members, func(m store.Member) bool { return m.WorkspaceID() == j.Workspace })]
		order = append(order, m.Workspace()+"/"+j.Slug)
		b.end(t, j)
	}
	want := "acme/s0 bobs/s0 acme-two/s0 bobs/s1 acme/s1 acme-two/s1 acme/s2 acme/s3 acme/s4 acme/s5"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if _, err := b.Refreshes.StartNext(t.Context(), shares); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("when nothing is queued: %v", err)
	}
}

// TestStartNextKeepsShares: a workspace has two runs at once, an account three, and free slots go to other accounts.
func TestStartNextKeepsShares(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	second := b.workspace(t, b.owner.Account(), "acme-two")
	for i := range 4 {
		b.spec(t, b.owner, fmt.Sprint("s", i), `{}`)
		b.spec(t, second, fmt.Sprint("s", i), `{}`)
	}
	by := map[uuid.UUID]int{}
	for range 3 {
		by[b.next(t).Workspace]++
	}
	if by[b.owner.WorkspaceID()] == 0 || by[second.WorkspaceID()] == 0 {
		t.Errorf("the workspaces of an account do not take turns: %v", by)
	}
	if _, err := b.Refreshes.StartNext(ctx, shares); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a fourth of the account: %v", err)
	}
	bobs := b.workspace(t, b.account(t, "bob@example.com"), "bobs")
	late := b.spec(t, bobs, "late", `{}`)
	if j := b.next(t); j.Run != late.Run.ID {
		t.Fatalf("another account's run does not start at once: %+v", j)
	}
	if n := b.queued(t); n != 5 {
		t.Errorf("%d runs are queued, want 5", n)
	}
}

// TestEachRunIsStartedOnce: workers of several processes that claim at once get different runs.
func TestEachRunIsStartedOnce(t *testing.T) {
	t.Parallel()
	const workspaces = 20
	b := setup(t)
	other, err := store.New(b.pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range workspaces {
		b.spec(t, b.workspace(t, b.account(t, fmt.Sprint(i, "@example.com")), fmt.Sprint("team-", i)), "s", `{}`)
	}
	started := make(chan uuid.UUID, 2*workspaces)
	var workers sync.WaitGroup
	for i := range 8 {
		of := []*store.Store{b.Store, other}[i%2]
		workers.Go(func() {
			for {
				j, err := of.Refreshes.StartNext(t.Context(), shares)
				if errors.Is(err, store.ErrNotFound) {
					return
				}
				if errors.Is(err, store.ErrBusy) { // another worker holds the last run
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				started <- j.Run
			}
		})
	}
	workers.Wait()
	close(started)
	runs := map[uuid.UUID]bool{}
	n := 0
	for run := range started {
		runs[run] = true
		n++
	}
	if n != workspaces || len(runs) != workspaces {
		t.Errorf("%d starts of %d runs, want %d of each", n, len(runs), workspaces)
	}
}

// TestQueueOfManyRuns: behind 10,000 runs of one workspace another's is the next to start.
func TestQueueOfManyRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.flood(t, 10_000)
	for range 2 {
		if j := b.next(t); j.Workspace != b.owner.WorkspaceID() {
			t.Fatal(j)
		}
	}
	if _, err := b.Refreshes.StartNext(ctx, shares); !errors.Is(err, store.ErrBusy) {
		t.Fatal(err)
	}
	late := b.spec(t, b.workspace(t, b.account(t, "bob@example.com"), "bobs"), "late", `{}`)
	if j := b.next(t); j.Run != late.Run.ID {
		t.Errorf("%+v", j)
	}
}

// flood queues n runs of the owner's workspace.
func (b bench) flood(t testing.TB, n int) {
	t.Helper()
	storetest.Flood(t, b.pool, b.spec(t, b.owner, "flood", `{}`).Dashboard.VersionID, n)
}

// BenchmarkStartNext takes the next run behind 10,000 queued ones of one workspace.
func BenchmarkStartNext(b *testing.B) {
	s := setup(b)
	s.flood(b, 10_000)
	for b.Loop() {
		j := s.next(b)
		b.StopTimer()
		s.end(b, j)
		b.StartTimer()
	}
}
