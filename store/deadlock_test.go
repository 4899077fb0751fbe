package store_test

import (
	"errors"
	"testing"

	"service/store"
)

// TestDeadlockIsTriedAgain: a deletion that the database ends, because it waits in a
// circle with somebody else, is done all the same.
func TestDeadlockIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.spec(t, b.owner, "sales", `{}`)
	other, err := b.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(ctx) }()
	exec := func(sql string) {
		t.Helper()
		if _, err := other.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`SET LOCAL deadlock_timeout = '1 min'`) // so that it is the deletion that is ended
	exec(`SELECT FROM slug FOR UPDATE`)          // the deletion takes the dashboard first, and then this
	done := make(chan error)
	go func() {
		_, err := b.DeleteDashboard(ctx, b.owner, "sales")
		done <- err
	}()
	for waiting := false; !waiting; {
		err := b.pool.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM pg_stat_activity a WHERE datname = current_database() AND pid <> pg_backend_pid()
			                 AND cardinality(pg_blocking_pids(pid)) > 0) FROM pg_sleep(0.01)`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	exec(`SELECT FROM dashboard FOR UPDATE`) // closes the circle
	if err := other.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := b.Dashboard(ctx, b.owner, "sales"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the dashboard is still there: %v", err)
	}
}
