package host

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// BenchmarkVisit measures a member's visit over HTTP on one connection, with its
// database queries: a page from the cache, the same page for a browser that has it, and
// a page that does not exist.
func BenchmarkVisit(b *testing.B) {
	s := newSite(b)
	v, m := s.owner(b, "ada@lovelace.org", "engine")
	s.publish(b, m, "sales", "Sales")
	if _, err := s.pool.Exec(b.Context(), `ANALYZE`); err != nil {
		b.Fatal(err)
	}
	tag := v.get(s.url("engine", "/sales")).header.Get("ETag")
	for _, bench := range []struct {
		name, path string
		header     http.Header
		status     int
	}{
		{"page", "/sales", nil, http.StatusOK},
		{"unchanged", "/sales", http.Header{"If-None-Match": {tag}}, http.StatusNotModified},
		{"not found", "/none", nil, http.StatusNotFound},
		{"asking nobody", "/robots.txt", nil, http.StatusOK},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if got := v.send(http.MethodGet, s.url("engine", bench.path), bench.header); got.status != bench.status {
					b.Fatal(got.status)
				}
			}
		})
	}
}

// BenchmarkRowRules measures what row rules add to a cached page over HTTP: a viewer opens a page with two rules, in turns with the same
// page in a workspace without rules. It reports the medians of both, and the ratio between them, which must be at most 1.1.
func BenchmarkRowRules(b *testing.B) {
	s := newSite(b)
	_, plain := s.owner(b, "ada@lovelace.org", "plain")
	ruled, err := s.store.Workspaces.CreateWorkspace(b.Context(), plain.Account(), "ruled", "RULED")
	if err != nil {
		b.Fatal(err)
	}
	v := s.signIn(b, "bob@lovelace.org")
	for _, m := range []store.Member{plain, ruled} {
		s.publish(b, m, "sales", "Sales")
		if _, err := s.store.Members.AddMember(b.Context(), uuid.Nil, m.Workspace(), "bob@lovelace.org", store.RoleViewer); err != nil {
			b.Fatal(err)
		}
		for name, values := range map[string][]string{"region": {"APAC", "EMEA"}, "team": {"core"}} {
			if err := s.store.Members.SetAttributeFor(b.Context(), m.Workspace(), "bob@lovelace.org", name, values); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, sql := range []string{
		`UPDATE version y SET access = '[{"column": "region", "is": "member.region"}, {"column": "team", "is": "member.team"}]'
		   FROM workspace w WHERE w.id = y.workspace_id AND w.slug = 'ruled'`,
		`ANALYZE`,
	} {
		if _, err := s.pool.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	pages := []string{s.url("plain", "/sales"), s.url("ruled", "/sales")}
	for _, address := range pages { // signed in at both, and both in the cache
		if got := v.get(address); got.status != http.StatusOK {
			b.Fatal(got.status)
		}
	}
	var took [2][]time.Duration
	for i := 0; b.Loop(); i++ {
		for j := range pages {
			at := (i + j) % 2 // each is first as often as the other
			start := time.Now()
			if got := v.get(pages[at]); got.status != http.StatusOK {
				b.Fatal(got.status)
			}
			took[at] = append(took[at], time.Since(start))
		}
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2])
	}
	b.ReportMetric(median(took[0])/1e3, "µs/plain")
	b.ReportMetric(median(took[1])/1e3, "µs/ruled")
	b.ReportMetric(median(took[1])/median(took[0]), "ratio")
}
