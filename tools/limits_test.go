package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/tools"
)

// value returns v as JSON.
func value(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// object returns a JSON object of the pairs of names and values in members.
func object(members ...any) string {
	m := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		m[members[i].(string)] = members[i+1]
	}
	return value(m)
}

const selfSpec = `{"datasets":[{"id":"d","sql":"SELECT day, sum(count) AS n FROM metrics GROUP BY 1"}],` +
	`"panels":[{"type":"line","x":"day","y":"n"}]}`

// Tools that do not take a document refuse arguments of a document's size, known or not.
// Callers without access get their refusal first, and learn nothing about their
// arguments.
func TestArgumentsAreSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	const frame = len(`{"":""}`)
	for _, d := range tools.Definitions() {
		if d.Name == "publish_dashboard" {
			continue
		}
		for n, want := range map[int]bool{1 << 20: false, 1<<20 + 1: true} {
			r := w.call(d.Name, `{"":"`+strings.Repeat("x", n-frame)+`"}`)
			if r.Internal != "" || want != strings.Contains(r.Text, "may have at most 1 MiB") || want && !r.IsError {
				t.Errorf("%s with %d bytes: %.200s%s", d.Name, n, r.Text, r.Internal)
			}
		}
	}
}

// A body and a spec of exactly 5 MiB are published, one more byte is refused; for a spec
// in a string, the decoded bytes count.
func TestCaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	text := "# Long\n\n" + strings.Repeat("word ", message.MaxBytes/5)
	spaced := selfSpec[:1] + strings.Repeat(" ", message.MaxBytes-len(selfSpec)) + selfSpec[1:]
	for _, c := range []struct{ name, args, refusal string }{
		{"body at the cap", object("path", "a/a.md", "body", text[:message.MaxBytes]), ""},
		{
			"body over it", object("path", "a", "body", text[:message.MaxBytes]+"x"),
			"413 payload too large: 5242881 bytes, over the 5242880-byte limit",
		},
		{
			"file over it", object("path", "f/a.csv", "body", strings.Repeat("a,b\n", message.MaxBytes/4+1)),
			"413 payload too large: 5242884 bytes, over the 5242880-byte limit",
		},
		{
			"binary over it", object("path", "f/a.xlsx", "body", strings.Repeat("AAAA", message.MaxBytes/3+2)),
			"413 payload too large: 5242884 bytes, over the 5242880-byte limit",
		},
		{"spec at the cap", `{"path":"s","dry_run":true,"spec":` + spaced + `}`, ""},
		{
			"spec over it", `{"path":"s","dry_run":true,"spec":` + spaced[:1] + " " + spaced[1:] + `}`,
			"spec is 5242881 bytes, over the 5242880-byte limit",
		},
		{"spec as text at the cap", object("path", "s", "dry_run", true, "spec", spaced), ""},
		{"spec as text over it", object("path", "s", "dry_run", true, "spec", spaced+" "), "spec is 5242881 bytes, over the 5242880-byte limit"},
	} {
		r := w.call("publish_dashboard", c.args)
		switch {
		case r.Internal != "":
			t.Errorf("%s: %s", c.name, r.Internal)
		case c.refusal == "" && r.IsError:
			t.Errorf("%s is refused: %s", c.name, r.Text)
		case c.refusal != "" && (!r.IsError || !strings.HasPrefix(r.Text, c.refusal)):
			t.Errorf("%s: %.100q, want %q", c.name, r.Text, c.refusal)
		}
	}
}

// Markdown that would cost too much to draw is refused with its limit and its position,
// and the same text is still accepted as a data file.
func TestMarkdownLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	const file = " What is over a limit of Markdown can be published as a data file, such as <slug>/text.md."
	table := "|" + strings.Repeat("a|", 1500) + "\n|" + strings.Repeat("-|", 1500) + "\n" + strings.Repeat("|\n", 1500)
	panel := func(texts ...string) string {
		panels := make([]any, len(texts))
		for i, text := range texts {
			panels[i] = map[string]any{"type": "text", "markdown": text}
		}
		return object("datasets", []any{map[string]any{"id": "d", "sql": "SELECT 1 AS n"}}, "panels", panels)
	}
	report := func(text string) string {
		return strings.Replace(panel(text), `"sql":"SELECT 1 AS n"`, `"rows":[{"n":1}]`, 1)
	}
	full := make([]string, 11)
	for i := range full {
		full[i] = strings.Repeat("word ", 4_000)
	}
	for _, c := range []struct{ name, args, refusal string }{
		{"the largest page", object("path", "a", "body", strings.Repeat("word ", 40_000)), ""},
		{
			"a page over it", object("path", "a", "body", strings.Repeat("word ", 40_000)+"x"),
			"body: 200001 bytes of Markdown, over the limit of 200000." + file,
		},
		{
			"quotes", object("path", "a", "body", "# Hi\n\n"+strings.Repeat(">", 50_000)),
			"body: line 3: quotes and lists are nested more than 16 deep." + file,
		},
		{
			"a table", object("path", "a", "body", table),
			"body: line 2: tables have more than 10000 cells, counting those that short rows leave empty." + file,
		},
		{"the file", object("path", "file/a.md", "body", table), ""},
		{
			"a panel", object("path", "a", "dry_run", true, "spec", json.RawMessage(panel("ok", strings.Repeat("x", 20_001)))),
			"panels[1].markdown: 20001 bytes of Markdown, over the limit of 20000",
		},
		{
			"panels together", object("path", "a", "dry_run", true, "spec", json.RawMessage(panel(full...))),
			"panels: have 220000 bytes of Markdown together, over the limit of 200000",
		},
		{
			"a panel of a report", object("path", "a", "body", report(strings.Repeat("a* ", 1_001))),
			"panels[0].markdown: line 1: a paragraph has more than 1000 of the marks * _ ~ ` [ ] ! <",
		},
	} {
		r := w.call("publish_dashboard", c.args)
		switch {
		case c.refusal == "" && (r.IsError || r.Internal != ""):
			t.Errorf("%s is refused: %s", c.name, r.Text+r.Internal)
		case c.refusal != "" && (!r.IsError || !strings.Contains(r.Text, c.refusal)):
			t.Errorf("%s: %.300q, want %q", c.name, r.Text, c.refusal)
		}
	}
}

// Every answer stays under 40,000 characters (world.check checks that) and names the way
// to get the rest.
func TestAnswersAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	long := strings.Repeat("ä", 300)
	ok := func(tool, args string) result {
		t.Helper()
		r := w.call(tool, args)
		if r.IsError || r.Internal != "" {
			t.Fatalf("%s: %.300s %s", tool, r.Text, r.Internal)
		}
		return r
	}
	says := func(r result, want ...string) {
		t.Helper()
		for _, s := range want {
			if !strings.Contains(r.Text, s) {
				t.Errorf("the answer does not have %q: %.400s", s, r.Text)
			}
		}
	}
	for i := range 61 {
		if i%50 == 49 {
			w.nextMinute()
		}
		tags := make([]string, 50)
		for j := range tags {
			tags[j] = fmt.Sprintf("%02d%s", j, long[:98])
		}
		ok("publish_dashboard", object("path", fmt.Sprintf("d%d", i), "body", "# x", "name", long, "tags", tags))
	}
	r := ok("list_dashboards", `{"limit":200}`)
	says(r, "more: pass next_cursor as cursor")
	var page struct {
		Dashboards []struct{ Slug string }
		NextCursor string `json:"next_cursor"`
		Left       int
	}
	seen := map[string]bool{}
	for args := `{"limit":200}`; ; args = object("limit", 200, "cursor", page.NextCursor) {
		page.NextCursor = ""
		w.must(json.Unmarshal(ok("list_dashboards", args).Structured, &page))
		for _, d := range page.Dashboards {
			seen[d.Slug] = true
		}
		if page.NextCursor == "" {
			break
		}
	}
	if len(seen) != 61 {
		t.Errorf("the pages have %d dashboards, want 61", len(seen))
	}
	ok("get_dashboard", `{"path":"d0","include":["meta","summary","body"],"max_bytes":30000}`)

	// 20 datasets of long SQL, 60 panels of long text
	var sets, panels []any
	for i := range 20 {
		sets = append(sets, map[string]any{
			"id": fmt.Sprintf("d%d", i), "sql": "SELECT day, sum(count) AS n FROM metrics GROUP BY 1 -- " + strings.Repeat("long ", 10_000),
		})
	}
	for range 60 {
		panels = append(panels, map[string]any{"type": "text", "title": long[:190], "markdown": strings.Repeat("word ", 600)})
	}
	ok("publish_dashboard", object("path", "big", "spec", map[string]any{"datasets": sets, "panels": panels}))
	w.refresh()
	says(ok("get_dashboard_spec", `{"slug":"big"}`), "too long for an answer: outline has its parts", `/datasets`)
	says(ok("get_dashboard_spec", `{"slug":"big","pointer":"/datasets"}`), `/datasets/19`)
	says(ok("get_dashboard_spec", `{"slug":"big","pointer":"/datasets/19/sql"}`), "cut after")
	says(ok("get_source_config", `{"slug":"big"}`), "more datasets is not shown here; get_dashboard_spec")
	ok("get_dashboard", `{"path":"big","include":["meta","summary","body"],"max_bytes":30000}`)
	ok("verify_dashboard", `{"slug":"big"}`)
	ok("get_refresh_status", `{"slug":"big"}`)

	ok("publish_dashboard", object("path", "text", "body", "# Long\n\n"+strings.Repeat(strings.Repeat("\u0001\"<word>", 1000)+"\n\n", 20)))
	says(ok("get_dashboard", `{"path":"text"}`), `"cut":true`)
	says(ok("get_dashboard", `{"path":"text","include":["body"],"max_bytes":30000}`),
		"only its beginning is in this answer, which is not the whole page; max_bytes sets the limit")
	says(ok("derive_dashboard_spec", `{"slug":"text"}`), "get_dashboard has the rest")

	// versions with long names
	w.nextMinute()
	for i := range 35 {
		ok("publish_dashboard", object("path", "d0", "body", fmt.Sprint("# ", i)))
		if i >= 5 {
			d, err := w.Dashboards.Dashboard(t.Context(), w.members["ada@acme"], "d0")
			w.must(err)
			ok("update_dashboard_version", object("slug", "d0", "version_id", d.VersionID, "name", long))
		}
	}
	says(ok("list_dashboard_versions", `{"slug":"d0"}`), "of them named")
	ok("publish_dashboard", object("path", "d0", "body", "# once more"))
	d, err := w.Dashboards.Dashboard(t.Context(), w.members["ada@acme"], "d0")
	w.must(err)
	if r := w.call("update_dashboard_version", object("slug", "d0", "version_id", d.VersionID, "name", "one too many")); !r.IsError ||
		!strings.Contains(r.Text, "30 named versions") {
		t.Errorf("a 31st named version: %s", r.Text)
	}

	// a thousand aliases
	_, err = w.pool.Exec(t.Context(), `
			INSERT INTO slug SELECT workspace_id, 'former-' || repeat('x', 40) || i, id FROM dashboard, generate_series(1, 1000) i
			WHERE slug = 'd0'`)
	w.must(err)
	ok("get_dashboard", `{"path":"d0"}`)
	says(ok("update_dashboard", `{"slug":"d0","new_slug":"renamed"}`), "more aliases are not listed")
	ok("delete_dashboard", `{"slug":"renamed"}`)
}

// nextMinute empties the counters of calls, as the next minute does.
func (w *world) nextMinute() {
	_, err := w.pool.Exec(w.t.Context(), `DELETE FROM rate_counter`)
	w.must(err)
}

// Long lists of rows, tables and connections are cut in the same way.
func TestSourcesAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	says := func(tool, args string, want ...string) result {
		t.Helper()
		r := w.call(tool, args)
		if r.IsError || r.Internal != "" {
			t.Fatalf("%s: %.300s %s", tool, r.Text, r.Internal)
		}
		for _, s := range want {
			if !strings.Contains(r.Text, s) {
				t.Errorf("%s does not have %q: %.400s", tool, s, r.Text)
			}
		}
		return r
	}
	says("explore_data", `{"limit":1000,"sql":"SELECT i, repeat('\"x', 300) AS a, repeat('ü', 300) AS b FROM range(5000) t(i)"}`,
		"the others do not fit", `"truncated":true`)
	wide := make([]string, 400)
	for i := range wide {
		wide[i] = fmt.Sprintf("%d AS column_%d_%s", i, i, strings.Repeat("x", 60))
	}
	says("explore_data", object("sql", "SELECT "+strings.Join(wide, ", ")), "of 400 columns")
	says("validate_cube_sql", object("sql", "SELECT "+strings.Join(wide, ", ")), `"columns_left":`)

	header := make([]string, 500)
	for i := range header {
		header[i] = fmt.Sprintf("a_rather_long_name_of_a_column_%d", i)
	}
	csv := strings.Join(header, ",") + "\n" + strings.Repeat("1,", 499) + "1\n"
	added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], "wide.csv", []byte(csv))
	w.must(err)
	says("introspect_schema", object("connection", added.Connection.ID, "upload", added.Upload.ID), `"columns_left":`)
	says("explore_data", object("connection", added.Connection.ID, "upload", added.Upload.ID, "table", "upload"), "of 500 columns")

	for i := range 300 {
		_, err := w.pool.Exec(t.Context(), `
			INSERT INTO upload (workspace_id, id, connection_id, filename, size, row_count, columns, sha256, created_by)
			SELECT workspace_id, $1, connection_id, 'file-' || $2 || '.csv', size, row_count, columns, sha256, created_by FROM upload WHERE id = $3`,
			uuid.New(), fmt.Sprint(i), added.Upload.ID)
		w.must(err)
	}
	says("list_connections", `{}`, "301 uploaded files", "Not all fit here")
	for i := range 200 {
		w.warehouse("ada@acme", fmt.Sprintf("%d %s", i, strings.Repeat("ö", 200)), "db.example")
	}
	says("list_connections", `{}`, "Not all fit here")
	says("check_readiness", `{}`)
}

// Every dashboard tool gives the same answer, byte for byte, for a dashboard that does
// not exist, for one of a workspace that the caller does not belong to, and for one of
// another workspace of the caller.
func TestNotFoundTellsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	for _, who := range []string{"bob@gamma", "ada@beta"} {
		w.as(who)
		if r := w.call("publish_dashboard", `{"path":"hidden","body":"# x"}`); r.IsError {
			t.Fatal(r.Text)
		}
	}
	id := func(who string) uuid.UUID {
		d, err := w.Dashboards.Dashboard(t.Context(), w.members[who], "hidden")
		w.must(err)
		return d.VersionID
	}
	foreign, other := id("bob@gamma"), id("ada@beta")
	w.as("ada@acme")
	for tool, trait := range traits {
		if !trait.dashboard || tool == "list_dashboards" || tool == "publish_dashboard" {
			continue
		}
		args := func(version uuid.UUID) string {
			return object("slug", "hidden", "path", "hidden", "version_id", version, "name", "x", "schedule", "1h")
		}
		missing := w.call(tool, args(uuid.MustParse("0198c0de-5b1e-7c3a-9d2f-3f5a1c7e9b10")))
		if !missing.IsError {
			t.Errorf("%s finds what is not there: %s", tool, missing.Text)
		}
		for _, version := range []uuid.UUID{foreign, other} {
			if r := w.call(tool, args(version)); r.Text != missing.Text || r.IsError != missing.IsError {
				t.Errorf("%s distinguishes a hidden dashboard from a missing one: %q, %q", tool, r.Text, missing.Text)
			}
		}
	}
}

// A connection that does not exist, one of another member, one of another workspace and
// one that is not to a warehouse get the same sentence.
func TestConnectionNotFoundTellsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	theirs := w.warehouse("bob@gamma", "theirs", "db.example")
	elsewhere := w.warehouse("ada@beta", "elsewhere", "db.example")
	added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], "a.csv", []byte("a,b\n1,2\n"))
	w.must(err)
	for tool, args := range map[string][]any{
		"introspect_schema": {}, "validate_cube_sql": {"sql", "SELECT 1 AS a"}, "explore_data": {"table", "orders"},
	} {
		for _, id := range []uuid.UUID{uuid.New(), theirs, elsewhere, added.Upload.ID} {
			want := fmt.Sprintf(`Connection "%s" was not found among your connections. `+
				`Manage warehouses in the web application, and use an active connection id or "self".`, id)
			if r := w.call(tool, object(append(args, "connection", id)...)); !r.IsError || r.Text != want {
				t.Errorf("%s: %q, want %q", tool, r.Text, want)
			}
		}
	}
}

// A refusal that quotes an argument stays short.
func TestRefusalsAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	long := strings.Repeat("Ä", 1_000_000)
	for tool, args := range map[string][]any{
		"delete_dashboard":     {"slug", long},
		"get_dashboard":        {"path", long + "/" + long},
		"list_dashboards":      {"workspace", long},
		"introspect_schema":    {"connection", long},
		"explore_data":         {"table", long},
		"set_refresh_schedule": {"slug", "a", "schedule", long},
		"validate_cube_sql":    {"sql", "SELECT 1", "params", long},
		"get_dashboard_spec":   {"slug", "a", "pointer", long},
	} {
		if r := w.call(tool, object(args...)); !r.IsError || len([]rune(r.Text)) > 10_001 {
			t.Errorf("%s: a refusal of %d characters: %.100q %s", tool, len([]rune(r.Text)), r.Text, r.Internal)
		}
	}
}

// When the counters cannot be kept, calls are allowed.
func TestThrottleFailsOpen(t *testing.T) {
	t.Parallel()
	failed := 0
	w := newWorld(t, newEngine(t), func(o *store.Options) { o.LimiterFailed = func() { failed++ } })
	_, err := w.pool.Exec(t.Context(), `ALTER TABLE rate_counter RENAME TO gone`)
	w.must(err)
	if r := w.call("publish_dashboard", `{"path":"a","body":"# x"}`); r.IsError || r.Internal != "" {
		t.Errorf("a publish without a limiter: %s%s", r.Text, r.Internal)
	}
	if failed != 1 {
		t.Errorf("the limiter failed open %d times, want once", failed)
	}
}

// A lost database is an internal error: not a refusal, and without words of the driver.
func TestLostDatabaseIsInternal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	_, err := w.pool.Exec(t.Context(), `ALTER TABLE dashboard RENAME TO gone`)
	w.must(err)
	for tool, trait := range traits {
		if !trait.dashboard || tool == "set_refresh_schedule" {
			continue
		}
		r := w.call(tool, `{"slug":"a","path":"a","body":"# x","version_id":"0198c0de-5b1e-7c3a-9d2f-3f5a1c7e9b10","name":"x"}`)
		if !strings.HasPrefix(r.Internal, "-32000 "+tool+": ") {
			t.Errorf("%s: %+v", tool, r)
		}
	}
}

// A link that the page shows as plain text gives a warning, in a panel and on a page.
func TestPlainLinksAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	const text = "[a](sales) [b](/sales) [c](https://example.com/) [d](http://example.com/d)"
	report := object("datasets", []any{map[string]any{"id": "d", "rows": []any{map[string]any{"n": 1}}}},
		"panels", []any{map[string]any{"type": "text", "markdown": text}})
	const says = `the link to "http://example.com/d" is shown as plain text.`
	for args, place := range map[string]string{
		object("path", "a", "dry_run", true, "body", text):   "[plain_link] ",
		object("path", "a", "dry_run", true, "body", report): "[plain_link] panels[0].markdown: ",
	} {
		r := w.call("publish_dashboard", args)
		var out struct{ Warnings []string }
		w.must(json.Unmarshal(r.Structured, &out))
		if len(out.Warnings) != 1 || !strings.HasPrefix(out.Warnings[0], place+says) {
			t.Errorf("warnings %q, want one that begins with %s", out.Warnings, place+says)
		}
	}
}
