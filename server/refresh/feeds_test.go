package refresh_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/server/refresh"
	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
)

// idle waits until no run is queued or running.
func (b *bench) idle(t *testing.T) {
	t.Helper()
	for limit := time.After(60 * time.Second); ; {
		var active int
		if err := b.Pool().QueryRow(t.Context(), `SELECT count(*) FROM refresh_run WHERE state IN ('queued', 'running')`).
			Scan(&active); err != nil {
			t.Fatal(err)
		}
		if active == 0 {
			return
		}
		select {
		case <-limit:
			t.Fatalf("%d runs have not ended", active)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// settle waits until no run is queued or running, and returns how many have ended of each dashboard since the last call, as "slug state".
func (b *bench) settle(t *testing.T) map[string]int {
	t.Helper()
	b.idle(t)
	rows, err := b.Pool().Query(t.Context(), `
		DELETE FROM refresh_run r USING any_dashboard d WHERE d.id = r.dashboard_id AND r.state NOT IN ('queued', 'running')
		RETURNING d.slug || ' ' || r.state`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		out[text]++
	}
	for len(b.done) > 0 {
		<-b.done
	}
	return out
}

// table returns the rows of a dataset of a dashboard as text.
func (b *bench) table(t *testing.T, slug, dataset string) string {
	t.Helper()
	for _, r := range b.status(t, b.member, slug).Results {
		if r.Dataset != dataset {
			continue
		}
		raw, err := b.Dashboards.Rows(t.Context(), b.member, r)
		if err != nil {
			t.Fatal(err)
		}
		c, err := cube.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for row := range c.Rows() {
			var cells []string
			for col := range c.Columns() {
				cells = append(cells, fmt.Sprint(c.Value(row, col)))
			}
			out = append(out, strings.Join(cells, ","))
		}
		if r.Truncated {
			out = append(out, "cut")
		}
		return strings.Join(out, " ")
	}
	return "none"
}

// replaceUpload gives an upload another file.
func (b *bench) replaceUpload(t *testing.T, upload uuid.UUID, name, data string) error {
	t.Helper()
	file, err := b.Uploads.OfferFile(t.Context(), b.member, upload, name, []byte(data))
	if err != nil {
		return err
	}
	var now []byte
	if err := b.Pool().QueryRow(t.Context(), `SELECT sha256 FROM upload WHERE id = $1`, upload).Scan(&now); err != nil {
		return err
	}
	_, err = b.Uploads.UseFile(t.Context(), b.member, upload, file, store.Use{Instead: now})
	return err
}

// replace gives an upload another file, and waits for all that follows.
func (b *bench) replace(t *testing.T, upload uuid.UUID, name, data string) map[string]int {
	t.Helper()
	if err := b.replaceUpload(t, upload, name, data); err != nil {
		t.Fatal(err)
	}
	return b.settle(t)
}

// fedBench is a workspace with files of revenue and tickets, a dashboard of each, one that reads both, and one that reads that.
func fedBench(t *testing.T) (b *bench, w *refresh.Worker, sales, tickets uuid.UUID) {
	t.Helper()
	b = setup(t)
	connection := uuid.Nil
	add := func(name, data string) uuid.UUID {
		up, err := b.Uploads.AddUpload(t.Context(), b.member, name, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		connection = up.Connection.ID
		return up.Upload.ID
	}
	sales = add("sales.csv", "month,region,mrr\n2026-01-01,EMEA,10\n2026-02-01,EMEA,30\n2026-02-01,APAC,5\n")
	tickets = add("tickets.csv", "month,n\n2026-01-01,4\n2026-02-01,2\n")
	w = b.start(t)
	b.publish(t, b.member, "investors", `{"title": "Investors", "currency": "EUR", "datasets": [{"id": "mrr", "shared": true, `+
		`"description": "Per month.",
		"sql": "SELECT month, region, sum(mrr) AS mrr FROM upload GROUP BY 1, 2 ORDER BY 1, 2", "columns": {"mrr": {"format": "currency",
			"label": "Revenue"}}}]}`,
		connection, sales)
	b.publish(t, b.member, "support", `{"title": "Support", "datasets": [{"id": "tickets",
		"sql": "SELECT month, sum(n) AS n FROM upload GROUP BY 1 ORDER BY 1"}]}`, connection, tickets)
	b.settle(t)
	b.publish(t, b.member, "board", `{"title": "Board", "currency": "USD", "datasets": [{"id": "mrr", "from": "investors/mrr"},
		{"id": "both", "from": ["mrr", "support/tickets"], "sql": "SELECT m.month, sum(m.mrr) AS mrr, `+
		`any_value(t.n) AS n FROM mrr m JOIN tickets t USING (month) GROUP BY 1 ORDER BY 1"}]}`,
		uuid.Nil, uuid.Nil)
	b.publish(t, b.member, "top", `{"title": "Top", "datasets": [{"id": "last", "from": ["board/both"], "sql": "SELECT max(mrr) AS best `+
		`FROM \"both\""}]}`,
		uuid.Nil, uuid.Nil)
	b.settle(t)
	return b, w, sales, tickets
}

// Dashboards that read others have their rows, and are refreshed once after those whose rows have changed, in order.
func TestReadersFollow(t *testing.T) {
	t.Parallel()
	b, w, sales, tickets := fedBench(t)
	if got := b.table(t, "board", "both"); got != "2026-01-01 00:00:00 +0000 UTC,10,4 2026-02-01 00:00:00 +0000 UTC,35,2" {
		t.Errorf("%q; %+v", got, b.status(t, b.member, "board").Run)
	}
	if got := b.table(t, "top", "last"); got != "35" {
		t.Errorf("%q; %+v", got, b.status(t, b.member, "top").Run)
	}
	before := b.status(t, b.member, "board").Results
	source := b.status(t, b.member, "investors").Results[0]
	if !before[1].RefreshedAt.Equal(source.RefreshedAt) || string(before[1].SHA256) != string(source.SHA256) {
		t.Errorf("rows that are taken as they are differ from their source: %+v %+v", before[1], source)
	}
	ran := b.replace(t, sales, "sales.csv", "month,region,mrr\n2026-01-01,EMEA,10\n2026-02-01,EMEA,60\n")
	want := map[string]int{"investors succeeded": 1, "board succeeded": 1, "top succeeded": 1}
	if diff := cmp.Diff(want, ran); diff != "" {
		t.Errorf("after new rows (-want +got):\n%s", diff)
	}
	if got := b.table(t, "top", "last"); got != "60" {
		t.Error(got)
	}
	// Both sources change while their readers already wait: each runs once, and after its sources.
	if err := w.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{"top", "board"} {
		if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, slug); err != nil {
			t.Fatal(err)
		}
	}
	for upload, data := range map[uuid.UUID]string{
		sales: "month,region,mrr\n2026-01-01,EMEA,10\n2026-02-01,EMEA,70\n", tickets: "month,n\n2026-01-01,4\n2026-02-01,9\n",
	} {
		if err := b.replaceUpload(t, upload, "new.csv", data); err != nil {
			t.Fatal(err)
		}
	}
	b.start(t)
	want = map[string]int{"investors succeeded": 1, "support succeeded": 1, "board succeeded": 1, "top succeeded": 1}
	if diff := cmp.Diff(want, b.settle(t)); diff != "" {
		t.Errorf("all at once (-want +got):\n%s", diff)
	}
	if got := b.table(t, "top", "last") + " " + b.table(t, "board", "both"); !strings.HasPrefix(got, "70 ") || !strings.HasSuffix(got,
		"70,9") {
		t.Error(got)
	}
	// If the rows of a source are the same, no reader is refreshed, and its readers are as fresh as the source.
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "investors"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"investors succeeded": 1}, b.settle(t)); diff != "" {
		t.Errorf("with the same rows (-want +got):\n%s", diff)
	}
	source = b.status(t, b.member, "investors").Results[0]
	support := b.status(t, b.member, "support").Results[0]
	for _, r := range b.status(t, b.member, "board").Results {
		want := map[string]time.Time{"mrr": source.RefreshedAt, "both": support.RefreshedAt}[r.Dataset]
		if !r.RefreshedAt.Equal(want) {
			t.Errorf("%s is of %s, want %s: that of the oldest source", r.Dataset, r.RefreshedAt, want)
		}
	}
}

// A source that fails, is dropped, deleted or brought back: readers keep their rows, report the reason, and go on.
func TestReadersOfWhatFails(t *testing.T) {
	t.Parallel()
	b, _, sales, _ := fedBench(t)
	rows := b.table(t, "board", "mrr")
	reason := func(slug string) string {
		t.Helper()
		return b.status(t, b.member, slug).Run.Error
	}
	if _, err := b.Pool().Exec(t.Context(), `UPDATE connection SET status = 'disabled' WHERE kind = 'upload'`); err != nil {
		t.Fatal(err)
	}
	was := b.status(t, b.member, "board").Results[1].RefreshedAt
	if err := b.replaceUpload(t, sales, "sales.csv", "month,region,mrr\n2026-03-01,EMEA,7\n"); err != nil {
		t.Fatal(err)
	}
	b.settle(t)
	if got := b.table(t, "board", "mrr"); got != rows || !b.status(t, b.member, "board").Results[1].RefreshedAt.Equal(was) {
		t.Errorf("after a source failed: %s", got)
	}
	if _, err := b.Pool().Exec(t.Context(), `UPDATE connection SET status = 'active'`); err != nil {
		t.Fatal(err)
	}
	gone, err := b.Dashboards.DeleteDashboard(t.Context(), b.member, "investors")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]store.Reader{{Slug: "board", Dataset: "mrr", Of: "mrr"}}, gone.Readers); diff != "" {
		t.Error(diff)
	}
	ran := b.settle(t)
	if ran["board partial"]+ran["board failed"] != 1 {
		t.Errorf("ran %v", ran)
	}
	if _, err := b.Refreshes.TriggerRefresh(t.Context(), b.member, "board"); err != nil {
		t.Fatal(err)
	}
	b.idle(t)
	if got := reason("board"); !strings.Contains(got, `Dashboard "investors", whose rows it reads, was deleted.`) {
		t.Error(got)
	}
	if got := b.table(t, "board", "mrr"); got != rows {
		t.Errorf("after a source was deleted: %s", got)
	}
	b.settle(t)
	if _, err := b.Dashboards.Revive(t.Context(), b.member, store.Revival{Slug: "investors", Version: gone.VersionID}); err != nil {
		t.Fatal(err)
	}
	ran = b.settle(t)
	if ran["board succeeded"] != 1 || ran["top succeeded"] != 1 {
		t.Errorf("after it was brought back: %v", ran)
	}
	if got := b.table(t, "board", "mrr"); got != "2026-03-01 00:00:00 +0000 UTC,EMEA,7" {
		t.Error(got)
	}
	b.publish(t, b.member, "investors", `{"title": "Investors", "datasets": [{"id": "other", "sql": "SELECT 1 AS n"}]}`, uuid.Nil, uuid.Nil)
	b.idle(t)
	if got := reason("board"); !strings.Contains(got, `no longer has the dataset "mrr"`) && !strings.Contains(got, "has no rows") {
		t.Error(got)
	}
	b.settle(t)
	if _, err := b.Dashboards.UpdateDashboard(t.Context(), b.member, "support", store.Update{NewSlug: new("helpdesk")}); err != nil {
		t.Fatal(err)
	}
	b.publish(t, b.member, "investors", `{"title": "Investors", "datasets": [{"id": "mrr", "sql": "SELECT DATE '2026-02-01' AS month, `+
		`'EMEA' AS region, 8.0 AS mrr"}]}`,
		uuid.Nil, uuid.Nil)
	if ran = b.settle(t); ran["board succeeded"] != 1 {
		t.Errorf("with a renamed source: %v", ran)
	}
	if got := b.table(t, "board", "both"); got != "2026-02-01 00:00:00 +0000 UTC,8,2" {
		t.Error(got)
	}
}

// refused returns the refusal of a publish.
func (b *bench) refused(t *testing.T, m store.Member, slug, text string) string {
	t.Helper()
	s, err := dashboard.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", DefaultName: slug, DefaultChart: "kpi", Spec: s, ContentType: "application/json",
		Content: []byte(text),
	})
	if err == nil {
		return ""
	}
	if _, ok := message.As(err); !ok {
		t.Fatal(err)
	}
	return err.Error()
}

func reading(from string) string {
	return fmt.Sprintf(`{"title": "T", "datasets": [{"id": "d", "from": %q}]}`, from)
}

// A dashboard reads neither itself nor too deep, nor those of other workspaces.
func TestFeedsAreRefused(t *testing.T) {
	t.Parallel()
	b, _, _, _ := fedBench(t)
	other := b.workspace(t, "other")
	for _, tc := range []struct {
		m          store.Member
		slug, from string
		want       string
	}{
		{b.member, "new", "nowhere/x", `datasets[0].from: there is no dashboard "nowhere" in workspace "acme". list_dashboards finds slugs.`},
		{other, "new", "investors/mrr", `datasets[0].from: there is no dashboard "investors" in workspace "other". list_dashboards finds slugs.`},
		{b.member, "new", "new/d", `datasets[0].from: "new" is the dashboard itself: name its dataset "d" without the slug`},
		{b.member, "board", "board/d", `datasets[0].from: "board" is the dashboard itself: name its dataset "d" without the slug`},
		{b.member, "investors", "top/last", `"investors" would read itself: investors → top → board → investors. One of them must read ` +
			`something else.`},
		{b.member, "board", "top/last", `"board" would read itself: board → top → board. One of them must read something else.`},
		{b.member, "d3", "top/last", ""},
		{b.member, "d4", "d3/d", ""},
		{
			b.member, "d5", "d4/d", `"d5" would be in a chain of 6 dashboards that read one another, over the limit of 4 below the first: read ` +
				`the ` +
				`one at the end of the chain.`,
		},
		{
			b.member, "support", "investors/mrr", `"support" would be in a chain of 6 dashboards that read one another, over the limit of 4 below ` +
				`the first: read the one at the end of the chain.`,
		},
	} {
		if got := b.refused(t, tc.m, tc.slug, reading(tc.from)); got != tc.want {
			t.Errorf("%s from %s:\n got %s\nwant %s", tc.slug, tc.from, got, tc.want)
		}
	}
	gone, err := b.Dashboards.DeleteDashboard(t.Context(), b.member, "top")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.refused(t, b.member, "investors", reading("d4/d")); !strings.Contains(got, "would read itself") {
		t.Errorf("a ring through a deleted dashboard, which may come back: %q", got)
	}
	if _, err := b.Dashboards.Revive(t.Context(), b.member, store.Revival{Slug: "top", Version: gone.VersionID}); err != nil {
		t.Fatal(err)
	}
}

// Two publishes at the same moment do not close a ring.
func TestConcurrentPublishesCloseNoRing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const plain = `{"title": "T", "datasets": [{"id": "d", "sql": "SELECT 1 AS n"}]}`
	for round := range 10 {
		one, two := fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)
		for _, slug := range []string{one, two} {
			b.publish(t, b.member, slug, plain, uuid.Nil, uuid.Nil)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		rings := 0
		for _, pair := range [][2]string{{one, two}, {two, one}} {
			wg.Go(func() {
				if strings.Contains(b.publishes(t, pair[0], reading(pair[1]+"/d")), "would read itself") {
					mu.Lock()
					rings++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if rings != 1 {
			t.Fatalf("%d of the two publishes were refused, want 1", rings)
		}
	}
}
