package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"service/store"
)

var allBounds = flag.Bool("bounds", false,
	"measure the largest request of each kind, and a thousand at once (make bounds); with -update, write the table")

// Limits of what one request may use of the server's process. Query processes have their own limits.
const (
	boundCPU    = 2 * time.Second
	boundMemory = 128 << 20
	boundAnswer = 64 << 20
)

// A bound is one row of the table in docs/security.md: the largest request of a kind.
type bound struct {
	name, input string
	quick       bool // it is always measured, and reads only the contents in quickContents
	do          func(*boundRig) int
}

var quickContents = []string{"controls"}

// A boundRig is a rig with the largest contents that a member can store.
type boundRig struct {
	*rig
	versions map[string][]string // ids, oldest first
}

// repeated returns a text of nearly 5 MiB, the limit of a body.
func repeated(unit string) string { return strings.Repeat(unit, (5<<20-4096)/len(unit)) }

// written returns Markdown of nearly 200,000 bytes, the limit of a page.
func written(unit string) string { return strings.Repeat(unit, 199_000/len(unit)) }

func quotedText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return string(b)
}

// many returns an object of about n bytes whose names are all different.
func many(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `"n%d":0,`, i)
	}
	return "{" + strings.TrimSuffix(b.String(), ",") + "}"
}

// contents are the bodies that the rig stores, by slug.
var contents = map[string]func() string{
	"controls": func() string { return `"body":` + quotedText(repeated("\x01")) },
	"escapes":  func() string { return `"body":` + quotedText(written("&")) },
	"links":    func() string { return `"body":` + quotedText(strings.Repeat("[a](b)\n\n", 19_000)) },
	"lines":    func() string { return `"body":` + quotedText(written("a\n\n")) },
	"cells":    func() string { return `"body":` + quotedText("|a|b|\n|-|-|\n"+strings.Repeat("|a|b|\n", 4_900)) },
	"report": func() string {
		var report strings.Builder
		report.WriteString(`{"datasets":[{"id":"q","columns":{"amount":{"agg":"sum"}},"rows":[`)
		for i := 0; report.Len() < 5<<20-2_000; i++ {
			fmt.Fprintf(&report, `{"day":"2026-%02d-%02d","channel":"channel %d","amount":%d.%02d},`, i%12+1, i%28+1, i%7, i%1000, i%100)
		}
		report.WriteString(`{"day":"2026-01-01","channel":"channel 0","amount":1}]}],"panels":[{"type":"kpi","data":"q","value":"amount"},` +
			`{"type":"line","data":"q","x":"day","y":"amount","series":"channel"},{"type":"table","data":"q"},` +
			`{"type":"pivot","data":"q","rows":["day"],"columns":["channel"],"values":["amount"]}]}`)
		return `"body":` + quotedText(report.String())
	},
	"file":       func() string { return `"body":` + quotedText("day,n\n"+repeated("2026-01-02,1\n")) },
	"ideographs": func() string { return `"body":` + quotedText(written("語")) },
	// Rows that are small in the database and large in an export.
	"repeats": queried("SELECT repeat('=&', 500000) AS a, repeat('&', 1000000) AS b, i AS n FROM range(160000) t(i)", 1, `"type":"table"`),
	"files":   queried("SELECT repeat('x', 400) AS a, i AS n FROM range(110000) t(i)", 1, `"type":"table"`),
	"numbers": queried("SELECT i AS a, i * 0.37 AS b, i / 7.0 AS c, i * i AS d, i % 100 AS e FROM range(100000) t(i)", 1, `"type":"table"`),
	"texts":   queried("SELECT repeat('&', 400) AS a, i AS n FROM range(41000) t(i)", 1, `"type":"table"`),
	"wide": queried("SELECT i || repeat('&', 1990) AS name, i AS n FROM range(1000) t(i)", 60,
		`"type":"table","page_size":1000`),
	"tables": queried("SELECT "+strings.Repeat("i || ' words' AS c, ", 30)+"i AS n FROM range(1000) t(i)", 60,
		`"type":"table","page_size":200`),
	"groups": queried("SELECT TIMESTAMP '2026-01-01' + to_minutes(i) AS at, i % 800 AS code, sum(hash(i) % 1000 * 0.37) AS amount, "+
		"count(*) AS size FROM range(200000) t(i) GROUP BY 1, 2", 60, `"type":"bar","x":"code","y":["amount","size"],"facet":"at"`),
	"charts": queried("SELECT 'name ' || i AS name, 's' || (i % 10) AS series, hash(i) % 1000 AS x, hash(i + 1) % 1000 AS y "+
		"FROM range(4000) t(i)", 60,
		`"type":"scatter","x":"x","y":"y","label":"name","series":"series"`),
}

// queried returns a spec with a number of equal panels over the rows of a query.
func queried(sql string, panels int, panel string) func() string {
	for i := 1; strings.Contains(sql, " AS c, "); i++ { // each column needs its own name
		sql = strings.Replace(sql, " AS c, ", fmt.Sprintf(" AS c%d, ", i), 1)
	}
	return func() string {
		return `"spec":{"datasets":[{"id":"q","sql":` + quotedText(sql) + `,"row_limit":200000}],"panels":[` +
			strings.TrimSuffix(strings.Repeat(`{"data":"q",`+panel+`},`, panels), ",") + `]}`
	}
}

func (r *boundRig) mcp(body string) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.base+"/mcp", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return int(n)
}

func rpc(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// calls returns a request for a method.
func calls(method, params string) func(*boundRig) int {
	return func(r *boundRig) int { return r.mcp(rpc(method, params)) }
}

// toolBound returns a call of a tool. In its arguments, %[1]s is a version of "report".
func toolBound(name string, args func() string) func(*boundRig) int {
	return func(r *boundRig) int {
		given := args()
		if len(given) < 1000 && strings.Contains(given, "%[1]s") {
			given = fmt.Sprintf(given, r.versions["report"][0])
		}
		return r.mcp(rpc("tools/call", `{"name":"`+name+`","arguments":`+given+`}`))
	}
}

func brief(args string) func() string { return func() string { return args } }

// hosted returns a request for a page, picture or file of the workspace's host.
func hosted(path string) func(*boundRig) int {
	return func(r *boundRig) int { return len(r.ada.get(r.workspace("acme") + "/" + path).text) }
}

// screen returns a request for a screen of the web app. Its address may name two
// versions of "report".
func screen(path string) func(*boundRig) int {
	return func(r *boundRig) int {
		v := r.versions["report"]
		return len(r.ada.get(r.app + "/w/acme" + strings.NewReplacer("{old}", v[0], "{new}", v[len(v)-1]).Replace(path)).text)
	}
}

// uploaded returns a request that sends a file to the web app.
func uploaded(name string, content func() string) func(*boundRig) int {
	return func(r *boundRig) int {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = io.WriteString(part, content())
		}
		if err == nil {
			err = form.Close()
		}
		if err != nil {
			r.t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.app+"/w/acme/uploads", &body)
		if err != nil {
			r.t.Fatal(err)
		}
		req.Header.Set("Content-Type", form.FormDataContentType())
		req.Header.Set("Origin", r.app)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		return len(r.ada.do(req).text)
	}
}

// bounds are the largest requests of each kind, in the order in which they are measured: requests that change data are last.
var bounds = []bound{
	{"`initialize`", "32 MB of names", true, func(r *boundRig) int {
		return r.mcp(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":` + many(31<<20) + `}}`)
	}},
	{"`ping`", "a message with 32 MB of member names", false, func(r *boundRig) int {
		return r.mcp(`{"jsonrpc":"2.0","id":1,"method":"ping","n":0,` + many(31 << 20)[1:])
	}},
	{"an unknown method", "a name of 32 MB", false, func(r *boundRig) int { return r.mcp(rpc(strings.Repeat("x", 31<<20), "{}")) }},
	{"`tools/list`", "all tools", false, calls("tools/list", "{}")},
	{"`prompts/list`", "all prompts", false, calls("prompts/list", "{}")},
	{
		"`prompts/get`", "the longest words", true,
		calls("prompts/get", `{"name":"refreshable_dashboard","arguments":{"connection":"`+strings.Repeat("x", 65_000)+`"}}`),
	},
	{"`prompts/get`", "32 MB of names", false, func(r *boundRig) int {
		return r.mcp(rpc("prompts/get", `{"name":"refreshable_dashboard","arguments":`+many(31<<20)+`}`))
	}},
	{"`resources/list`", "eight dashboards", false, calls("resources/list", "{}")},
	{"`resources/templates/list`", "all templates", false, calls("resources/templates/list", "{}")},
	{"`resources/read`", "5 MiB of U+0001", true, calls("resources/read", `{"uri":"service://acme/controls"}`)},
	{"`resources/read`", "200 KB of &", false, calls("resources/read", `{"uri":"service://acme/escapes"}`)},
	{"`resources/read`", "19,000 links", false, calls("resources/read", `{"uri":"service://acme/links"}`)},
	{"`resources/read`", "a report of 5 MiB", false, calls("resources/read", `{"uri":"service://acme/report"}`)},
	{"tools that read", "their defaults", false, func(r *boundRig) (most int) {
		for _, call := range []string{
			`"check_readiness","arguments":{}`, `"list_dashboards","arguments":{}`, `"list_connections","arguments":{}`,
			`"list_dashboard_versions","arguments":{"slug":"report"}`, `"get_refresh_status","arguments":{"slug":"report"}`,
			`"get_source_config","arguments":{"slug":"report"}`, `"get_dashboard_spec","arguments":{"slug":"report"}`,
			`"introspect_schema","arguments":{}`, `"explore_data","arguments":{}`,
		} {
			most = max(most, r.mcp(rpc("tools/call", `{"name":`+call+`}`)))
		}
		return most
	}},
	{
		"`get_dashboard`", "200 KB of &, with its body", false,
		toolBound("get_dashboard", brief(`{"path":"escapes","include":["meta","summary","body"],"max_bytes":30000}`)),
	},
	{
		"`get_dashboard`", "a report of 5 MiB, with its body", false,
		toolBound("get_dashboard", brief(`{"path":"report","include":["meta","summary","body"],"max_bytes":30000}`)),
	},
	{"`verify_dashboard`", "a report of 5 MiB", false, toolBound("verify_dashboard", brief(`{"slug":"report"}`))},
	{"`derive_dashboard_spec`", "a report of 5 MiB", false, toolBound("derive_dashboard_spec", brief(`{"slug":"report"}`))},
	{"`validate_cube_sql`", "SQL of 1 MB", false, toolBound("validate_cube_sql", func() string {
		return `{"sql":"SELECT 1` + strings.Repeat("+1", 500_000) + `"}`
	})},
	{"a tool", "1 MB of names", false, toolBound("list_dashboards", func() string { return many(1_000_000) })},
	{"`publish_dashboard`, dry run", "a spec of 60,000 unknown keys", true, toolBound("publish_dashboard", func() string {
		var panels []string
		for range 60 {
			panels = append(panels, many(8_000))
		}
		return `{"path":"new","dry_run":true,"spec":{"title":"x","datasets":[{"id":"d","sql":"SELECT 1 AS n"}],"panels":[` +
			strings.Join(panels, ",") + `]}}`
	})},
	{"`publish_dashboard`, dry run", "32 MB of names", false, toolBound("publish_dashboard", func() string {
		return `{"path":"new","dry_run":true,` + many(31 << 20)[1:]
	})},
	{"`publish_dashboard`, dry run", "32 MB of tags", false, toolBound("publish_dashboard", func() string {
		return `{"path":"new","dry_run":true,"body":"x","tags":[` + strings.Repeat(`"",`, 10<<20) + `""]}`
	})},
	{"`publish_dashboard`, dry run", "a patch of 5 MiB", false, toolBound("publish_dashboard", func() string {
		return `{"path":"new","dry_run":true,"patch":[{"op":"add","path":"/x","value":[` + strings.Repeat("0,", 5<<19-200) + `0]}]}`
	})},
	{"a page of Markdown", "200 KB of &", false, hosted("escapes")},
	{"a page of Markdown", "19,000 links", false, hosted("links")},
	{"a page of Markdown", "200 KB of paragraphs", false, hosted("lines")},
	{"a page of Markdown", "a table of 10,000 cells", false, hosted("cells")},
	{"a page of panels", "a report of 5 MiB", false, hosted("report")},
	{
		"a page of panels", "the same, filtered by an address of 60 KB", false,
		hosted("report?f.channel=" + strings.Repeat("channel+1&f.channel=", 3_000)),
	},
	{"a page of panels", "an earlier version of it", false, func(r *boundRig) int {
		return len(r.ada.get(r.workspace("acme") + "/report?version=" + r.versions["report"][0]).text)
	}},
	{"export of a panel as CSV", "a report of 5 MiB", false, hosted("report?format=csv&panel=2")},
	{"export of a panel as CSV", "45 MB", false, hosted("files?format=csv&panel=0")},
	{"export of a panel as CSV", "160,000 rows of 2 MB", false, hosted("repeats?format=csv&panel=0")},
	{"export of a panel as XLSX", "a report of 5 MiB", false, hosted("report?format=xlsx&panel=2")},
	{"export of a panel as XLSX", "500,000 numbers", false, hosted("numbers?format=xlsx&panel=0")},
	{"export of a panel as XLSX", "16 MB of &", false, hosted("texts?format=xlsx&panel=0")},
	{"export of a panel as XLSX", "160,000 rows of 2 MB", false, hosted("repeats?format=xlsx&panel=0")},
	{"a page of panels", "sixty tables of 1,000 long texts", false, hosted("wide")},
	{"a page of panels", "sixty tables of 200 rows", false, hosted("tables")},
	{"a page of panels", "sixty charts of 2,000 points", false, hosted("charts")},
	{"a page of panels", "sixty bars with facets over 200,000 values", false, hosted("groups")},
	{"picture of a page (PNG)", "a report of 5 MiB", false, hosted("report.png")},
	{"picture of a page (PNG)", "sixty tables of 200 rows", false, hosted("tables.png")},
	{"picture of a page (PNG)", "sixty charts of 2,000 points", false, hosted("charts.png")},
	{"picture of a page (PNG)", "sixty bars with facets over 200,000 values", false, hosted("groups.png")},
	{"picture of a panel (PNG)", "a report of 5 MiB", false, hosted("report/2.png")},
	{"document (PDF)", "a report of 5 MiB", false, hosted("report.pdf")},
	{"document (PDF)", "sixty tables of 200 rows", false, hosted("tables.pdf")},
	{"document (PDF)", "sixty charts of 2,000 points", false, hosted("charts.pdf")},
	{"document (PDF)", "200 KB of paragraphs", false, hosted("lines.pdf")},
	{"document (PDF)", "200 KB of ideographs", false, hosted("ideographs.pdf")},
	{"picture of a page (PNG)", "200 KB of paragraphs", false, hosted("lines.png")},
	{"a data file", "5 MiB", false, hosted("file/data.csv")},
	{"the page of a data file", "5 MiB", false, hosted("file")},
	{"screens of the web app", "a workspace of eight dashboards", false, func(r *boundRig) (most int) {
		for _, path := range []string{
			"/", "/d/report", "/d/report/copy", "/d/report/send", "/members", "/alerts", "/channels", "/connections", "/uploads", "/clients",
			"/settings",
		} {
			most = max(most, screen(path)(r))
		}
		return most
	}},
	{"thumbnail", "a report of 5 MiB", false, screen("/d/report/thumbnail.png")},
	{"comparison of versions", "two reports of 5 MiB", false, screen("/d/report/versions/{old}/compare?to={new}")},
	{"audit log", "50,000 events", false, screen("/audit")},
	{"audit log as CSV", "50,000 events", false, screen("/audit.csv")},
	{"upload of a file", "CSV of 30 MB", false, uploaded("large.csv", func() string {
		return "day,n\n" + strings.Repeat("2026-01-02,1\n", 30<<20/13)
	})},
	{"upload of a file", "JSON of 30 MB of names", false, uploaded("names.json", func() string { return "[" + many(30<<20) + "]" })},
	{"`publish_dashboard`", "5 MiB of U+0001, 31 MB of JSON", false, toolBound("publish_dashboard", func() string {
		return `{"path":"more/text.md",` + contents["controls"]() + `}`
	})},
	{"`publish_dashboard`", "a report of 5 MiB", false, toolBound("publish_dashboard", func() string {
		return `{"path":"again",` + contents["report"]() + `}`
	})},
	{"tools that change", "a report of 5 MiB", false, func(r *boundRig) (most int) {
		for _, call := range []string{
			`"restore_dashboard_version","arguments":{"slug":"report","version_id":"` + r.versions["report"][0] + `"}`,
			`"update_dashboard_version","arguments":{"slug":"report","version_id":"` + r.versions["report"][0] + `","name":"first"}`,
			`"update_dashboard","arguments":{"slug":"report","name":"Report"}`,
			`"set_refresh_schedule","arguments":{"slug":"report","schedule":"1h"}`,
			`"trigger_refresh","arguments":{"slug":"report"}`, `"delete_dashboard","arguments":{"slug":"report"}`,
		} {
			most = max(most, r.mcp(rpc("tools/call", `{"name":`+call+`}`)))
		}
		return most
	}},
}

// newBoundRig stores the contents that the requests of the table read.
func newBoundRig(t *testing.T, slugs []string, more ...string) *boundRig {
	t.Helper()
	r := &boundRig{newRig(t, append(more, "SERVICE_STORAGE_PAID=10GiB", "SERVICE_DEFAULT_PLAN=paid")...), map[string][]string{}}
	for _, slug := range slugs {
		args, path := contents[slug], slug
		switch slug {
		case "file":
			path = "file/data.csv"
		case "controls":
			path = "controls/text.md"
		}
		for range map[bool]int{true: 2, false: 1}[slug == "report"] {
			if text, refused := r.call(t, r.token, "publish_dashboard", `{"path":"`+path+`",`+args()+`}`).text(t); refused {
				t.Errorf("%s: %.500s", slug, text)
			}
		}
		rows, err := r.db.Query(t.Context(), `
			SELECT v.id::text FROM version v JOIN dashboard d ON d.workspace_id = v.workspace_id AND d.id = v.dashboard_id
			 WHERE d.slug = $1 ORDER BY v.id`, slug)
		for err == nil && rows.Next() {
			var id string
			err = rows.Scan(&id)
			r.versions[slug] = append(r.versions[slug], id)
		}
		if err != nil || rows.Err() != nil {
			t.Fatal(err, rows.Err())
		}
	}
	r.exec(t, `
		INSERT INTO audit (id, workspace_id, account_id, action, subject, detail, at)
		SELECT gen_random_uuid(), $1, $2, 'dashboard.publish', 'report', '{}', now() - n * interval '1 s' FROM generate_series(1, 50000) n`,
		r.owner.WorkspaceID(), r.owner.Account())
	r.settled()
	return r
}

// used is what a request used of the server's process.
type used struct {
	cpu            time.Duration
	memory, answer int
}

// memory reads a line of the process's status, in bytes.
func (r *boundRig) memory(name string) int {
	r.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.program))
	if err != nil {
		r.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\n"+name+":")
	rest, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.Atoi(rest)
	if err != nil {
		r.t.Fatal(err)
	}
	return n << 10
}

func (r *boundRig) measure(b bound) used {
	r.t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", r.program), []byte("5"), 0); err != nil { // resets the peak
		r.t.Fatal(err)
	}
	memory := r.memory("VmRSS")
	before, _ := r.spent(r.program)
	answer := b.do(r)
	after, _ := r.spent(r.program)
	return used{after - before, max(0, r.memory("VmHWM")-memory), answer}
}

// frugal makes the collector keep little garbage, so that the memory of a process is about the memory in use.
var frugal = []string{"GOGC=25", "GOMEMLIMIT=96MiB"}

// TestBounds measures the largest request of each kind: the time with the program's settings, and the memory with a frugal collector.
// Without -bounds it measures only a few quick ones. With -update it writes the table in docs/security.md.
func TestBounds(t *testing.T) {
	t.Parallel()
	list := bounds
	if !*allBounds {
		list = slices.DeleteFunc(slices.Clone(bounds), func(b bound) bool { return !b.quick })
	}
	got := make([]used, len(list))
	if *allBounds {
		slugs := slices.Sorted(maps.Keys(contents))
		r := newBoundRig(t, slugs)
		for i, b := range list {
			got[i] = r.measure(b)
		}
		r.thousand(t)
		r = newBoundRig(t, slugs, frugal...)
		for i, b := range list {
			got[i].memory = r.measure(b).memory
		}
	} else { // the collector uses a part of the time
		r := newBoundRig(t, quickContents, frugal...)
		for i, b := range list {
			got[i] = r.measure(b)
		}
	}
	var table strings.Builder
	table.WriteString("| Request | Largest input | Processor | Memory | Answer |\n|---|---|---|---|---|\n")
	for i, b := range list {
		u := got[i]
		t.Logf("%s, %s: %v, %d MB, answer %d KB", b.name, b.input, u.cpu.Round(time.Millisecond), u.memory>>20, u.answer>>10)
		if u.cpu > boundCPU || u.memory > boundMemory || u.answer > boundAnswer {
			t.Errorf("%s, %s takes more than it may: %v, %d MB, answer %d MB", b.name, b.input, u.cpu, u.memory>>20, u.answer>>20)
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", b.name, b.input, step(int(u.cpu.Milliseconds()), "s", 500, 1000, 2000),
			step(u.memory>>20, "MB", 32, 64, 128), step(u.answer>>20, "MB", 1, 8, 32, 64))
	}
	if *allBounds && *update {
		writeBetween(t, "../../docs/security.md", "bounds", table.String())
	}
}

// step returns the first step that is larger than a value.
func step(value int, unit string, steps ...int) string {
	for _, s := range steps {
		if value <= s && unit == "s" {
			return fmt.Sprintf("≤ %g s", float64(s)/1000)
		}
		if value <= s {
			return fmt.Sprintf("≤ %d %s", s, unit)
		}
	}
	if unit == "s" {
		return fmt.Sprintf("%d s", (value+999)/1000)
	}
	return fmt.Sprintf("%d %s", value, unit)
}

// writeBetween replaces the text between two marks of a document.
func writeBetween(t *testing.T, file, mark, text string) {
	t.Helper()
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	start, end := []byte("<!-- "+mark+" -->\n"), []byte("<!-- end of "+mark+" -->")
	head, rest, found := bytes.Cut(doc, start)
	_, tail, ended := bytes.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no marks of %s", file, mark)
	}
	if err := os.WriteFile(file, slices.Concat(head, start, []byte(text), end, tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBoundsAreTold: the table has a row for each measured request.
func TestBoundsAreTold(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bounds {
		if !bytes.Contains(doc, []byte("\n| "+b.name+" | "+b.input+" |")) {
			t.Errorf("docs/security.md has no row of %s, %s: make bounds", b.name, b.input)
		}
	}
}

// thousand has a thousand callers request the largest answer at once without reading it. The process stays below its memory limit,
// and another account's calls take at most twice as long as alone. The first 200 calls, which run while a thousand connections are accepted
// and their tokens checked, are measured by themselves too.
func (r *boundRig) thousand(t *testing.T) {
	t.Helper()
	bob, err := r.own.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://id.example", Subject: "bob", Email: "bob@example.com", Verified: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.own.Workspaces.CreateWorkspace(t.Context(), bob.ID, "bobs", "Bob")
	if err != nil {
		t.Fatal(err)
	}
	token := r.grant(m)
	percentile := func(took []time.Duration) time.Duration {
		took = slices.Sorted(slices.Values(took))
		return took[len(took)*95/100]
	}
	calls := func() (took []time.Duration) {
		for range 2000 {
			begin := time.Now()
			res, err := http.DefaultClient.Do(toolCall(r.base, token, "list_dashboards", `{}`)())
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if res.StatusCode != http.StatusOK {
				t.Errorf("another account's call: %d", res.StatusCode)
			}
			took = append(took, time.Since(begin))
		}
		return took
	}
	alone := percentile(calls())
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", r.program), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
	one := rpc("resources/read", `{"uri":"service://acme/controls"}`)
	body := "[" + strings.Repeat(one+",", 29) + one + "]"
	var wg sync.WaitGroup
	conns := make(chan net.Conn, 1000)
	for range 1000 {
		wg.Go(func() {
			conn, err := net.Dial("tcp", "127.0.0.1:"+r.port)
			if err != nil {
				t.Error(err)
				return
			}
			conns <- conn
			u, _ := url.Parse(r.base)
			_, _ = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
				u.Host, r.token, len(body), body) // a refused connection sends nothing
		})
	}
	wg.Wait()
	took := calls()
	first, beside := percentile(took[:200]), percentile(took)
	peak := r.memory("VmHWM")
	close(conns)
	for conn := range conns {
		conn.Close()
	}
	t.Logf("a thousand batches of thirty: %d MB at most; another account's calls %v (the first 200: %v), alone %v",
		peak>>20, beside, first, alone)
	if peak > memoryLimit || max(first, beside) > 2*alone {
		t.Errorf("a thousand batches of thirty: %d MB at most; another account's first 200 calls %v, all %v, alone %v",
			peak>>20, first, beside, alone)
	}
}
