package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store"
	"service/store/storetest"
)

var shares = store.Shares{Workspace: 2, Account: 3}

// jobs are the ids of the queue's jobs, in the order in which it hands them out.
func (b bench) jobs(t testing.TB) []int64 {
	t.Helper()
	rows, _ := b.pool.Query(t.Context(), `SELECT id FROM river_job WHERE kind = 'refresh' AND state = 'available' ORDER BY id`)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// end performs a run, and its job with it.
func (b bench) end(t testing.TB, j store.Job, job int64) {
	t.Helper()
	_, err := b.FinishRun(t.Context(), j, store.Outcome{}, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE river_job SET state = 'completed', finalized_at = now() WHERE id = $1`, job)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWorkspacesTakeTurns: however many runs of one workspace came first, and whichever
// job the queue hands out, accounts take turns, then their workspaces, then runs by age.
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
	// What queued a run goes with it when jobs exchange theirs.
	if _, err := b.pool.Exec(t.Context(), `
		UPDATE river_job SET metadata = metadata || jsonb_build_object('traceparent', args->>'run') WHERE kind = 'refresh'`); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, job := range b.jobs(t) {
		j, err := b.StartNext(t.Context(), job, shares)
		if err != nil {
			t.Fatal(order, err)
		}
		if j.QueuedBy != j.Run.String() {
			t.Errorf("run %s was queued by that of %s", j.Run, j.QueuedBy)
		}
		m := members[slices.IndexFunc(members, func(m store.Member) bool { return m.WorkspaceID() == j.Workspace })]
		order = append(order, m.Workspace()+"/"+j.Slug)
		b.end(t, j, job)
	}
	want := "acme/s0 bobs/s0 acme-two/s0 bobs/s1 acme/s1 acme-two/s1 acme/s2 acme/s3 acme/s4 acme/s5"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if left := b.jobs(t); len(left) != 0 {
		t.Errorf("%d jobs are left", len(left))
	}
}

// TestStartNextKeepsShares: a workspace has two runs at once, an account three, and
// what is free goes to somebody else, with whatever job. Each run has one job all along.
func TestStartNextKeepsShares(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	second := b.workspace(t, b.owner.Account(), "acme-two")
	for i := range 4 {
		b.spec(t, b.owner, fmt.Sprint("s", i), `{}`)
		b.spec(t, second, fmt.Sprint("s", i), `{}`)
	}
	jobs := b.jobs(t)
	by := map[uuid.UUID]int{}
	held := map[int64]store.Job{}
	for _, job := range jobs[:3] {
		j, err := b.StartNext(ctx, job, shares)
		if err != nil {
			t.Fatal(err)
		}
		by[j.Workspace]++
		held[job] = j
	}
	if by[b.owner.WorkspaceID()] == 0 || by[second.WorkspaceID()] == 0 {
		t.Errorf("the workspaces of an account do not take turns: %v", by)
	}
	if _, err := b.StartNext(ctx, jobs[3], shares); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a fourth of the account: %v", err)
	}
	bobs := b.workspace(t, b.account(t, "bob@example.com"), "bobs")
	late := b.spec(t, bobs, "late", `{}`)
	j, err := b.StartNext(ctx, jobs[3], shares)
	if err != nil || j.Run != late.Run.ID {
		t.Fatalf("another account's run does not start at once: %+v, %v", j, err)
	}
	held[jobs[3]] = j
	for job, j := range held { // a worker that dies leaves its run to its job
		again, err := b.StartNext(ctx, job, shares)
		if err != nil || again.Run != j.Run {
			t.Errorf("a job handed out again: %v, %v, want %v", again.Run, err, j.Run)
		}
	}
	var unmatched int
	if err := b.pool.QueryRow(ctx, `
		SELECT count(*) FROM (SELECT id::text AS run FROM refresh_run WHERE state IN ('queued', 'running')) r
		  FULL JOIN (SELECT args->>'run' AS run FROM river_job WHERE kind = 'refresh' AND state = 'available') q USING (run)
		 WHERE r.run IS NULL OR q.run IS NULL`).Scan(&unmatched); err != nil {
		t.Fatal(err)
	}
	if n := len(b.jobs(t)); unmatched != 0 || n != 9 {
		t.Errorf("%d runs or jobs without the other, %d jobs of 9", unmatched, n)
	}
}

// TestQueueOfManyRuns: behind 10,000 runs of one workspace another's starts with the next
// job that the queue hands out.
func TestQueueOfManyRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.flood(t, 10_000)
	jobs := b.jobs(t)
	for _, job := range jobs[:2] {
		if j, err := b.StartNext(ctx, job, shares); err != nil || j.Workspace != b.owner.WorkspaceID() {
			t.Fatal(j, err)
		}
	}
	if _, err := b.StartNext(ctx, jobs[2], shares); !errors.Is(err, store.ErrBusy) {
		t.Fatal(err)
	}
	late := b.spec(t, b.workspace(t, b.account(t, "bob@example.com"), "bobs"), "late", `{}`)
	if j, err := b.StartNext(ctx, jobs[2], shares); err != nil || j.Run != late.Run.ID {
		t.Errorf("%+v, %v", j, err)
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
	jobs := s.jobs(b)
	for i := 0; b.Loop(); i++ {
		j, err := s.StartNext(b.Context(), jobs[i], shares)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.end(b, j, jobs[i])
		b.StartTimer()
	}
}
