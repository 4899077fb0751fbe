package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
)

func quotas(free int) func(*store.Options) {
	return func(o *store.Options) { o.Quotas = map[string]int{"free": free} }
}

func (b bench) body(ctx context.Context, m store.Member, slug, text string) error {
	_, err := b.Dashboards.Publish(ctx, m, store.Publication{
		Slug: slug, Filename: "index.html", ContentType: dashboard.TypeReport, Content: []byte(text),
		DefaultName: slug, DefaultChart: "line",
	})
	return err
}

// TestQuota: a workspace stores no more than its plan allows; storing the same contents again needs no room, and another workspace has its
// own quota.
func TestQuota(t *testing.T) {
	t.Parallel()
	b := setup(t, quotas(3000))
	ctx := t.Context()
	text := func(letter string) string { return `{"title": "` + strings.Repeat(letter, 987) + `"}` } // 1,000 bytes
	for i, letter := range []string{"a", "b", "c"} {
		if got, err := b.Workspaces.Storage(ctx, b.owner); err != nil || got.Used != 1000*i || got.Quota != 3000 || got.Scarce() != (i == 3) {
			t.Errorf("before %s: %+v, %v", letter, got, err)
		}
		if err := b.body(ctx, b.owner, letter, text(letter)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := b.Workspaces.Storage(ctx, b.owner); err != nil || !got.Scarce() || !got.Full(1) {
		t.Errorf("full: %+v, %v", got, err)
	}
	err := b.body(ctx, b.owner, "d", text("d"))
	if refusal, ok := message.As(err); !ok || refusal.Error() != message.QuotaReached(3000, 3000).Error() {
		t.Errorf("one more: %v", err)
	}
	if _, err := b.Dashboards.Dashboard(ctx, b.owner, "d"); err != store.ErrNotFound {
		t.Errorf("what was refused is there: %v", err)
	}
	if err := b.body(ctx, b.owner, "e", text("a")); err != nil {
		t.Errorf("content that it has: %v", err)
	}
	other := b.workspace(t, b.account(t, "bob@example.com"), "other")
	if err := b.body(ctx, other, "d", text("d")); err != nil {
		t.Errorf("another workspace: %v", err)
	}
}

// TestQuotaOfUploads: a file that finds no room is refused and leaves nothing, also in another's place.
func TestQuotaOfUploads(t *testing.T) {
	t.Parallel()
	b := setup(t, quotas(3000), func(o *store.Options) { o.Engine = &filesEngine{} })
	ctx := t.Context()
	file := func(letter string) []byte { return []byte(strings.Repeat(letter, 2000)) }
	first, err := b.Uploads.AddUpload(ctx, b.owner, "a.csv", file("a"))
	if err != nil {
		t.Fatal(err)
	}
	full := message.QuotaReached(2000, 3000).Error()
	_, err = b.Uploads.AddUpload(ctx, b.owner, "b.csv", file("b"))
	if refusal, ok := message.As(err); !ok || refusal.Error() != full {
		t.Errorf("one more: %v", err)
	}
	_, err = b.Uploads.OfferFile(ctx, b.owner, first.Upload.ID, "b.csv", file("b"))
	if refusal, ok := message.As(err); !ok || refusal.Error() != full {
		t.Errorf("in its place: %v", err)
	}
	if got, err := b.Workspaces.Storage(ctx, b.owner); err != nil || got.Used != 2000 {
		t.Errorf("what was refused is stored: %+v, %v", got, err)
	}
	if n := b.count(t, `SELECT count(*) FROM upload`); n != 1 {
		t.Errorf("%d uploads, want 1", n)
	}
	if _, err := b.Uploads.AddUpload(ctx, b.owner, "again.csv", file("a")); err != nil {
		t.Errorf("content that it has: %v", err)
	}
}

// TestQuotaOfRefreshes: rows that exceed the quota fail with a message, and the earlier rows stay.
func TestQuotaOfRefreshes(t *testing.T) {
	t.Parallel()
	b := setup(t, quotas(20_000))
	ctx := t.Context()
	rows := func(n int) *cube.Cube {
		c := cube.NewBuilder([]cube.Column{{Name: "n", Type: cube.Integer}})
		for i := range n {
			if err := c.Add([]any{int64(i) * 1_000_003}); err != nil {
				t.Fatal(err)
			}
		}
		return c.Cube()
	}
	refresh := func(p store.Published, sizes ...int) (string, error) {
		j, err := b.Refreshes.StartRun(ctx, store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: p.Run.ID}, 2)
		if err != nil {
			t.Fatal(err)
		}
		var o store.Outcome
		for i, n := range sizes {
			id := string(rune('a' + i))
			o.Datasets = append(o.Datasets, store.DatasetResult{
				RunDataset: store.RunDataset{ID: id, State: store.RunSucceeded, Rows: n}, Definition: []byte{1}, Cube: rows(n),
			})
		}
		return b.Refreshes.FinishRun(ctx, j, o)
	}
	p := b.spec(t, b.owner, "sales", `{}`)
	if state, err := refresh(p, 10); err != nil || state != store.RunSucceeded {
		t.Fatal(state, err)
	}
	p = b.spec(t, b.owner, "sales", `{"again": 1}`)
	if state, err := refresh(p, 20, 100_000); err != nil || state != store.RunPartial {
		t.Fatalf("%s, %v", state, err)
	}
	runs, err := b.Refreshes.Runs(ctx, b.owner, "sales", 1)
	if err != nil {
		t.Fatal(err)
	}
	run := runs[0]
	said := run.Datasets[1].Error
	if run.State != store.RunPartial || run.Datasets[0].Error != "" || !strings.HasPrefix(said, "the workspace has no room for this") {
		t.Errorf("%+v", run)
	}
	kept, err := b.Dashboards.Results(ctx, b.owner, p.Dashboard.VersionID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a"}, []string{kept[0].Dataset}); len(kept) != 1 || diff != "" {
		t.Errorf("%+v", kept)
	}
}
