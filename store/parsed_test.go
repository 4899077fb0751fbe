package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/storetest"
)

// TestPublishParsesNothing: the store takes alerts, deliveries and changes from the specs that its caller has parsed. The content
// of both versions is not a spec, so that nothing that parsed it again would find them.
func TestPublishParsesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	if _, _, err := b.Messages.AddChannel(ctx, b.owner, store.ChannelEdit{
		Slug: "ops", Name: "Ops", Kind: "mail", Members: []uuid.UUID{b.owner.Account()},
	}); err != nil {
		t.Fatal(err)
	}
	spec := func(title, more string) *dashboard.Spec {
		t.Helper()
		s := storetest.Spec([]byte(`{"title": "` + title + `", "datasets": [{"id": "d", "sql": "SELECT 1 AS n"}],
			"panels": [{"type": "kpi", "value": "n"}]` + more + `}`))
		if s.Title != title {
			t.Fatal("the spec of this test does not parse")
		}
		return s
	}
	publish := func(content string, s *dashboard.Spec, before store.SeenSpec) store.Published {
		t.Helper()
		p, err := b.Dashboards.Publish(ctx, b.owner, store.Publication{
			Slug: "sales", Filename: dashboard.DefaultFile, DefaultName: "Sales", DefaultChart: "kpi", ContentType: "application/json",
			Content: []byte(content), Spec: s, Before: before,
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	changes := func(version int, want ...string) {
		t.Helper()
		all, err := b.Dashboards.Versions(ctx, b.owner, "sales")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, all[len(all)-version].Changes); diff != "" {
			t.Errorf("changes of version %d (-want +got):\n%s", version, diff)
		}
	}
	first := spec("Sales", "")
	p := publish("first", first, store.SeenSpec{})
	const alerts = `, "alerts": [{"id": "low", "value": "n", "if": "<", "than": 1, "to": ["ops"]}]`
	const deliveries = `, "deliver": [{"to": "ops", "every": "refresh"}]`
	second := spec("Turnover", alerts+deliveries)
	p = publish("second", second, store.SeenSpec{SHA256: p.Dashboard.SHA256, Spec: first})
	if n := b.count(t, `SELECT count(*) FROM alert WHERE id = 'low'`); n != 1 {
		t.Errorf("%d alerts", n)
	}
	if n := b.count(t, `SELECT count(*) FROM subscription WHERE proposal IS NOT NULL`); n != 1 {
		t.Errorf("%d deliveries", n)
	}
	changes(2, dashboard.Diff(first, second)...)
	if !slices.Contains(dashboard.Diff(first, second), `title: "Sales" → "Turnover"`) {
		t.Error(dashboard.Diff(first, second))
	}
	// Another publish was in between: changes are computed from its spec, which does not parse.
	publish("third", first, store.SeenSpec{SHA256: []byte("of the one before"), Spec: second})
	changes(3, "spec changed")
	if n := b.count(t, `SELECT (SELECT count(*) FROM alert) + (SELECT count(*) FROM subscription)`); n != 0 {
		t.Errorf("%d alerts and deliveries are left", n)
	}
}
