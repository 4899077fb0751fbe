package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"service/server/web"
	"service/tools"
)

// blindSpec is a spec of almost all types of panels over the columns of blindRows. Everything that is computed over rows is in it.
const blindSpec = `{
  "title": "Sales",
  "datasets": [{
    "id": "d", "sql": "SELECT *, day + 9 AS until FROM upload",
    "columns": {"amount": {"agg": "sum"}, "cost": {"agg": "sum"}, "margin": {"ratio": ["cost", "amount"]}}
  }],
  "filters": [
    {"column": "region"}, {"column": "team"}, {"column": "day"}, {"column": "until"}, {"column": "country", "multiple": false}
  ],
  "panels": [
    {"type": "kpi", "value": "amount", "compare": "previous_period", "sparkline": "day", "target": "cost"},
    {"type": "kpi", "value": "margin"},
    {"type": "text", "markdown": "**{{d.amount}}** of {{d.cost}}"},
    {"type": "line", "x": "day", "y": "amount", "series": "region", "trend": true, "average": 3},
    {"type": "line", "x": "day", "y": "amount", "reference": [{"value": 100}]},
    {"type": "area", "x": "day", "y": "amount", "series": "team", "stack": "percent"},
    {"type": "bar", "x": "team", "y": "amount", "target": "cost", "thresholds": [{"value": 900, "tone": "good"}], "labels": true},
    {"type": "bar", "x": "region", "y": "amount", "series": "team"},
    {"type": "combo", "x": "day", "bars": "amount", "lines": "margin"},
    {"type": "pie", "label": "team", "value": "amount"},
    {"type": "table", "columns": ["day", "region", "team", "amount", "cost"], "total": true, "sort": "-amount"},
    {"type": "table", "columns": ["team", {"column": "amount", "heat": true}]},
    {"type": "pivot", "rows": ["team"], "columns": ["region"], "values": ["amount", "margin"], "heat": "all"},
    {"type": "heatmap", "x": "day", "y": "team", "value": "amount", "ramp": "blue_red"},
    {"type": "calendar", "x": "day", "value": "amount"},
    {"type": "histogram", "value": "amount"},
    {"type": "scatter", "x": "amount", "y": "cost", "size": "amount", "label": "team"},
    {"type": "box", "x": "team", "value": "amount"},
    {"type": "waterfall", "label": "team", "value": "amount", "total": "All"},
    {"type": "slope", "label": "team", "x": "day", "grain": "week", "value": "amount"},
    {"type": "treemap", "label": ["region", "team"], "value": "amount", "color": "cost"},
    {"type": "funnel", "label": "team", "value": "amount"},
    {"type": "map", "area": "country", "value": "amount"},
    {"type": "sankey", "steps": ["team", "country"], "value": "amount"},
    {"type": "timeline", "label": "team", "start": "day", "end": "until", "series": "region"},
    {"type": "bar", "x": "day", "y": "amount", "facet": "team"},
    {"type": "kpi", "value": "amount", "facet": "region"},
    {"type": "kpi", "value": "team", "sort": "-amount"},
    {"type": "table", "columns": ["team", "region", "amount"], "compare": "previous_period"},
    {"type": "funnel", "label": "team", "value": "amount", "compare": "previous_period"},
    {"type": "heatmap", "x": "day", "y": "team", "value": "country"},
    {"type": "map", "area": "country", "value": "amount", "series": "team"},
    {"type": "bar", "x": "team", "y": "amount", "where": {"region": ["EMEA", "LATAM"]}, "color": "cost"},
    {"type": "bar", "x": "team", "y": "amount", "compare": "previous_period"},
    {"type": "line", "x": "day", "y": "amount", "series": "team", "highlight": {"top": 1}},
    {"type": "line", "x": "day", "y": "amount", "target": "cost"}
  ],
  "alerts": [{"id": "high", "title": "High", "data": "d", "value": "amount", "if": ">", "than": 1000, "by": "team"}]
}`

// blindRows are the rows of a reader, and among them rows of others that differ in all that can differ: how many they are, which values,
// times and names they have, and how long and how precise those are.
func blindRows(others string) string {
	var rows strings.Builder
	rows.WriteString("day,region,team,country,amount,cost\n")
	for i := range 40 {
		day := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i/2)
		fmt.Fprintf(&rows, "%s,EMEA,%s,%s,%d,%d\n", day.Format(time.DateOnly), []string{"core", "edge", "labs"}[i%3],
			[]string{"France", "Spain"}[i%2], 100+37*i%91, 10+i%7)
		switch {
		case others == "few" && i%10 == 0:
			fmt.Fprintf(&rows, "%s,APAC,core,Japan,%d,1\n", day.Format(time.DateOnly), i)
		case others == "many":
			for j := range 50 {
				fmt.Fprintf(&rows, "%s,%s,%s,%s,%d,%d\n", day.AddDate(j-25, 0, 40*i).Format(time.DateOnly), []string{"AMER", "LATAM", "", "ANZ"}[j%4],
					fmt.Sprintf("a team with the long name %d", 7*i+j), []string{"Brazil", "Chile", "Peru"}[j%3], 1_000_003*j*(1-2*(i%2)), 9_000_011+j)
			}
		}
	}
	return rows.String()
}

// A blind is one of two workspaces that differ by rows that their readers do not see.
type blind struct {
	slug         string
	readers      map[string]*reader
	ids          map[string]string // by the names of parameters of the app's routes
	source, file string
	panels       []any // of the dashboard
}

func (s *site) blind(t *testing.T, ann *browser, slug, others string) *blind {
	t.Helper()
	b := &blind{slug: slug, readers: map[string]*reader{}, ids: map[string]string{}}
	ann.send(s.app+"/workspaces", url.Values{"name": {"Vault"}, "slug": {slug}})
	s.admin(t, "workspace", "plan", slug, "paid")
	owner := s.connect(t, ann, slug)
	file := filepath.Join(t.TempDir(), "sales.csv")
	if err := os.WriteFile(file, []byte(blindRows(others)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.admin(t, "upload", "add", slug, "ann@example.com", file)
	connection := owner.call("list_connections", nil).data["connections"].([]any)[0].(map[string]any)
	b.source = connection["id"].(string)
	b.file = connection["uploads"].([]any)[0].(map[string]any)["id"].(string)
	publish := func(path string, args map[string]any) {
		t.Helper()
		maps.Copy(args, map[string]any{"path": path})
		if got := owner.call("publish_dashboard", args); got.failed {
			t.Fatal(got.text)
		}
		owner.refreshed(path)
	}
	var spec map[string]any
	if err := json.Unmarshal([]byte(blindSpec), &spec); err != nil {
		t.Fatal(err)
	}
	own := func() map[string]any {
		return map[string]any{"connection": b.source, "upload": b.file, "spec": spec}
	}
	b.panels = spec["panels"].([]any)
	publish("sales", own())
	spec["access"] = []any{map[string]any{"column": "region", "is": "member.region"}}
	publish("sales", own())
	publish("gone", own())
	publish("derived", map[string]any{"spec": map[string]any{
		"title": "Derived",
		"datasets": []any{
			map[string]any{"id": "same", "from": "sales/d"},
			map[string]any{"id": "teams", "from": "sales/d", "sql": "SELECT region, team, sum(amount) AS amount FROM d GROUP BY 1, 2"},
		},
		"panels": []any{
			map[string]any{"type": "table", "data": "same"}, map[string]any{"type": "bar", "data": "teams", "x": "team", "y": "amount"},
		},
	}})
	if got := owner.call("delete_dashboard", map[string]any{"slug": "gone"}); got.failed {
		t.Fatal(got.text)
	}
	for _, with := range []string{"emma viewer EMEA", "eddy editor EMEA", "nora viewer "} {
		word := strings.Split(with, " ")
		name, role, region := word[0], word[1], word[2]
		email := name + "@" + slug + ".example"
		r := &reader{browser: s.browser(t), name: name, region: region}
		r.signIn(s.app+"/", email)
		s.admin(t, "member", "add", slug, email, "--role", role)
		if region != "" {
			s.admin(t, "member", "attribute", slug, email, "region", region)
		}
		r.token = s.grant(t, email, "workspace", slug)
		r.send(s.app+"/w/"+slug+"/d/sales/send", url.Values{"rhythm": {"daily"}, "at": {"08:00"}})
		b.readers[name] = r
	}
	var workspace string
	if err := s.db.QueryRow(t.Context(), `SELECT id::text FROM workspace WHERE slug = $1`, slug).Scan(&workspace); err != nil {
		t.Fatal(err)
	}
	for name, sql := range map[string]string{
		"version":      `SELECT max(id::text) FROM version WHERE workspace_id = $1 AND access IS NULL AND kind = 'spec'`,
		"binned":       `SELECT id::text FROM any_dashboard WHERE workspace_id = $1 AND deleted_at IS NOT NULL`,
		"subscription": `SELECT min(id::text) FROM subscription WHERE workspace_id = $1`,
	} {
		var id *string
		if err := s.db.QueryRow(t.Context(), sql, workspace).Scan(&id); err != nil || id == nil {
			t.Fatal(name, err)
		}
		b.ids[name] = *id
	}
	maps.Copy(b.ids, map[string]string{
		"workspace": slug, "dashboard": "sales", "connection": b.source, "upload": b.file, "file": "1", "channel": "none", "name": "none",
	})
	return b
}

// atOnce gives all that happened in the workspaces one time.
func (s *site) atOnce(t *testing.T) {
	t.Helper()
	s.exec(t, `DO $$
		DECLARE c record;
		BEGIN
		  FOR c IN SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		            WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type = 'timestamp with time zone'
		              AND table_name NOT LIKE 'river%' AND table_name NOT IN ('goose_db_version', 'rate_counter')
		  LOOP
		    EXECUTE format('UPDATE %1$I SET %2$I = now() - interval ''150 minutes'' WHERE %2$I < now()', c.table_name, c.column_name);
		  END LOOP;
		END $$`)
}

// blanks are the parts of answers that differ between workspaces for another reason than rows.
var blanks = []struct {
	part *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`vault[ab]`), "vault"},
	{regexp.MustCompile(`\\?"(elapsed_ms|age_seconds|duration_ms)\\?":\d+,?`), ""}, // times are not hidden
	{regexp.MustCompile(`<dcterms:(created|modified) [^<]*`), ""},                  // when a workbook was made
	{regexp.MustCompile(`thumbnail\.png\?of=\w+`), "thumbnail.png"},                // the version of a picture
	{regexp.MustCompile(`<time [^>]*>in [^<]*</time>`), ""},                        // when sessions and grants end
	{regexp.MustCompile(`[\d.]+ \wiB of [\d.]+ GiB are used`), ""},                 // docs/security.md names it
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
}

func blanked(text string) string {
	for _, b := range blanks {
		text = b.part.ReplaceAllString(text, b.with)
	}
	return text
}

// TestRowsOfOthersChangeNothing compares two workspaces that are equal but for the rows that row rules hide: a reader gets the same bytes
// from both, by every route of the app, every tool and every form of a page, so that no answer depends on a row that they may not see.
//
// The routes and tools are those of the router and of the server: new ones are compared without a change here.
func TestRowsOfOthersChangeNothing(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	ann := s.browser(t)
	ann.signIn(s.app+"/", "ann@example.com")
	pair := []*blind{s.blind(t, ann, "vaulta", "few"), s.blind(t, ann, "vaultb", "many")}
	for _, b := range pair { // the owner's view is counted
		ann.get(s.workspace(b.slug) + "/sales")
	}
	eventually(t, func() error {
		var n int
		err := s.db.QueryRow(t.Context(), `SELECT count(*) FROM activity WHERE event = 'view'`).Scan(&n)
		if err == nil && n < 2 {
			err = fmt.Errorf("%d views", n)
		}
		return err
	})
	s.atOnce(t)

	seen := map[string]bool{}
	compare := func(way string, ask func(b *blind, r *reader) string) {
		t.Helper()
		for _, name := range slices.Sorted(maps.Keys(pair[0].readers)) {
			one, other := ask(pair[0], pair[0].readers[name]), ask(pair[1], pair[1].readers[name])
			if one == other || strings.ReplaceAll(one, pair[0].slug, pair[1].slug) == other { // blanked takes longer
				continue
			}
			if one, other = blanked(one), blanked(other); one == other {
				continue
			}
			at := 0
			for at < min(len(one), len(other)) && one[at] == other[at] {
				at++
			}
			from := max(0, at-160)
			one, other = one[from:min(len(one), at+160)], other[from:min(len(other), at+160)]
			if !seen[one] {
				t.Errorf("%s, %s: gets other bytes where others have other rows:\n…%s\n…%s", way, name, one, other)
			}
			seen[one] = true
		}
	}
	fetch := func(address func(b *blind) string) func(b *blind, r *reader) string {
		return func(b *blind, r *reader) string {
			p := r.get(address(b))
			if strings.HasSuffix(p.header.Get("Content-Type"), "spreadsheetml.sheet") {
				p.text = unpacked(t, p.text)
			}
			return fmt.Sprintf("%d %s\n%s", p.status, p.header.Get("Content-Disposition"), p.text)
		}
	}

	// The forms of a page.
	queries := []string{
		"", "?f.region=APAC", "?f.region=LATAM", "?f.region=EMEA&f.region=ANZ", "?f.region=APA", "?f.team=core", "?f.team=a+team",
		"?f.country=Brazil", "?f.day=2026-01-01..2026-02-01", "?f.day=1990-01-01..2060-01-01", "?f.until=1990-01-01..2025-01-01",
		"?f.until=2026-01-10..", "?f.none=1", "?p.id=1",
		"?list=region", "?list=team", "?list=day", "?list=until", "?list=country", "?list=region&f.region.find=a", "?list=team&f.team.find=name",
		"?wall", "?wall=light&next=derived&every=30", "?version=00000000-0000-0000-0000-000000000001", "?as=me",
	}
	panels := len(pair[0].panels)
	choices := func(at, n int, keys ...string) {
		query := "?f.day=2026-01-10..2026-01-20"
		for i := at; i < min(at+n, panels); i++ {
			for _, key := range keys {
				query += fmt.Sprintf("&p%d.%s", i, key)
			}
		}
		queries = append(queries, query)
	}
	for _, key := range []string{"sort=-amount", "sort=region", "page=2", "grain=month", "before=1"} {
		choices(0, panels, key)
	}
	for at := 0; at < panels; at += 4 { // a page shows the rows of four panels
		choices(at, 4, "rows=1", "rows.sort=-amount")
		choices(at, 4, "rows=1", "rows.q=la", "q=la")
	}
	for i := range panels {
		queries = append(queries, fmt.Sprintf("?panel=%d&format=csv", i), fmt.Sprintf("?panel=%d&format=xlsx", i),
			fmt.Sprintf("?panel=%d&format=csv&f.region=LATAM", i))
	}
	for _, query := range queries {
		compare("the page "+query, fetch(func(b *blind) string { return s.workspace(b.slug) + "/sales" + query }))
	}
	// Without the PDF, which prints its address.
	for _, page := range []string{"/derived", "/derived?panel=0&format=csv", "/derived?panel=1&format=xlsx", "/derived.png", "/sales.png"} {
		compare("the page "+page, fetch(func(b *blind) string { return s.workspace(b.slug) + page }))
	}
	for i := range panels {
		compare("the picture of a panel", fetch(func(b *blind) string { return fmt.Sprintf("%s/sales/%d.png", s.workspace(b.slug), i+1) }))
	}

	// Every route of the app that shows something.
	for _, route := range web.New(web.Config{}).Routes() {
		method, pattern, _ := strings.Cut(route, " ")
		if method != http.MethodGet || strings.HasPrefix(pattern, "/sign-in") || pattern == "/visit" || pattern == "/account" {
			continue
		}
		compare(route, fetch(func(b *blind) string {
			path := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllStringFunc(pattern, func(p string) string { return b.ids[p[1:len(p)-1]] })
			return s.app + path
		}))
	}

	// Every tool and resource.
	for _, d := range tools.Definitions() {
		if d.Name == "delete_dashboard" || d.Name == "trigger_refresh" {
			continue // they return no data, and the others need what they change
		}
		for _, slug := range []string{"sales", "derived", "gone"} {
			for _, args := range []string{
				`{"slug":"$","path":"$","include":["meta","summary","body"],"max_bytes":30000}`,
				`{"slug":"$","path":"$","filters":{"region":"LATAM"}}`,
				`{"slug":"$","path":"$","version_id":"<version>","compare":["<version>","current"]}`,
				`{"path":"copy","copy_of":"$","dry_run":true}`,
				`{"path":"$","dry_run":true,"patch":[{"op":"add","path":"/title","value":"Mine"}]}`,
				`{"slug":"$","connection":"<connection>","upload":"<upload>","sql":"SELECT * FROM upload","table":"upload"}`,
				`{"connection":"self","sql":"SELECT dashboard, state, rows FROM refreshes ORDER BY ALL","path":"mine","dry_run":true}`,
				`{"connection":"self","sql":"SELECT dashboard, event, bytes FROM metrics WHERE event IN ('view', 'refresh') ORDER BY ALL"}`,
				`{"from":"$/d","sql":"SELECT count(*) AS n FROM d"}`,
			} {
				if slug != "sales" && !strings.Contains(args, "$") { // the same call
					continue
				}
				compare(d.Name+" "+args, func(b *blind, r *reader) string {
					args := strings.NewReplacer("$", slug, "<version>", b.ids["version"], "<connection>", b.source, "<upload>", b.file).Replace(args)
					return s.call(t, r.token, d.Name, args).body
				})
			}
		}
	}
	compare("resources/list", func(b *blind, r *reader) string { return s.rpc(t, r.token, "resources/list", map[string]any{}).body })
	for _, slug := range []string{"sales", "derived"} {
		compare("resources/read", func(b *blind, r *reader) string {
			return s.rpc(t, r.token, "resources/read", map[string]any{"uri": "service://" + b.slug + "/" + slug}).body
		})
	}
}
