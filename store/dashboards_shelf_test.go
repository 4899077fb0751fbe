package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"service/store"
)

// TestShelf: favourites and opened dashboards belong to a member, and are deleted with the dashboard and with the membership.
func TestShelf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	other := b.workspace(t, b.owner.Account(), "other")
	for _, slug := range []string{"a", "b", "c"} {
		b.note(t, slug, "# Note")
	}
	shelf := func(m store.Member) store.Shelf {
		t.Helper()
		s, err := b.Dashboards.Shelf(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	find := func(slug string) store.Dashboard {
		t.Helper()
		d, err := b.Dashboards.Dashboard(ctx, b.owner, slug)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, on := range []bool{true, true, false, false, true} {
		if err := b.Dashboards.Star(ctx, b.owner, "a", on); err != nil {
			t.Fatal(err)
		}
		if got := shelf(b.owner).Starred; len(got) == 1 != on || on && got[0] != find("a").ID {
			t.Errorf("starred %t: %v", on, got)
		}
	}
	if err := b.Dashboards.Star(ctx, other, "a", true); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("from another workspace: %v", err)
	}

	// Openings whose write fails are written by the next flush.
	b.Dashboards.CountView(b.owner, find("b").ID, time.Millisecond, 1)
	away, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.Dashboards.FlushViews(away); err == nil {
		t.Fatal("written with a context that had ended")
	}
	b.Dashboards.CountView(b.owner, find("a").ID, time.Millisecond, 1)
	for range 2 {
		if err := b.Dashboards.FlushViews(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := shelf(b.owner).Recent; len(got) != 2 {
		t.Errorf("opened: %v", got)
	}
	if got := shelf(other); len(got.Starred)+len(got.Recent) != 0 {
		t.Errorf("in another workspace: %v", got)
	}

	// A view of a dashboard that was deleted before the view is written is dropped.
	b.Dashboards.CountView(b.owner, find("c").ID, time.Millisecond, 1)
	for _, slug := range []string{"a", "c"} {
		if _, err := b.Dashboards.DeleteDashboard(ctx, b.owner, slug); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Dashboards.FlushViews(ctx); err != nil {
		t.Fatal(err)
	}
	if got := shelf(b.owner); len(got.Starred) != 0 || len(got.Recent) != 1 || got.Recent[0].Slug != "b" {
		t.Errorf("after two were deleted: %v", got)
	}
	if _, err := b.pool.Exec(ctx, `DELETE FROM membership WHERE workspace_id = $1`, b.owner.WorkspaceID()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := b.pool.QueryRow(ctx, `SELECT count(*) FROM dashboard_use`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows are left of who is no member: %v", left, err)
	}
}
