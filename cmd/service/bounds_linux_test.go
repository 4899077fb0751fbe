package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
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
	scim     string              // address for the identity provider, at a program of its own
	group    string              // id of a group of the identity provider
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
	"names": func() string {
		return strings.Replace(queried("SELECT 'name ' || i AS name, count(*) AS n FROM range(200000) t(i) GROUP BY 1", 1,
			`"type":"kpi","value":"n"`)(), `"panels"`, `"filters":[{"column":"name"}],"panels"`, 1)
	},
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

// newBoundRig stores the contents that the requests of the table read.
func newBoundRig(t *testing.T, slugs []string, more ...string) *boundRig {
	t.Helper()
	more = append(more, "SERVICE_STORAGE_PAID=10GiB", "SERVICE_DEFAULT_PLAN=paid", "SERVICE_SECRET_KEY="+someKey)
	r := &boundRig{rig: newRig(t, more...), versions: map[string][]string{}}
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

// provisioned returns the rig at a second program on the same database, at which an identity provider has provisioned people: the
// development identity provider, with which the first program signs in, has no SCIM.
func (r *boundRig) provisioned(t *testing.T, more ...string) *boundRig {
	t.Helper()
	r.exec(t, `
		WITH people AS (
			INSERT INTO account (id, issuer, subject, email)
			SELECT gen_random_uuid(), 'https://id.example', 'person ' || n, 'person' || n || '@example.com' FROM generate_series(0, $1 - 1) n
			RETURNING id, substr(subject, 8) AS n)
		INSERT INTO scim_user (id, user_name, account_id, active, body, created_at, updated_at)
		SELECT ('00000000-0000-4000-8000-' || lpad(n, 12, '0'))::uuid, 'person' || n || '@example.com', id, true, '{}', now(), now() FROM people`,
		scimPeople)
	group, err := r.own.Scim.PutScimGroup(t.Context(), store.ScimGroup{Name: "everybody"})
	if err != nil {
		t.Fatal(err)
	}
	in := install(t, append(more, "DATABASE_URL="+databaseURL(r.db), "SERVICE_SECRET_KEY="+someKey,
		"SERVICE_OIDC_ISSUER=https://id.example", "SERVICE_OIDC_CLIENT_ID=service", "SERVICE_SCIM_TOKEN="+boundSCIM)...)
	second := *r.rig
	second.program = in.process().Process.Pid
	return &boundRig{&second, r.versions, "http://app.localhost:" + in.port + "/scim/v2", group.ID.String()}
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
	list := slices.Concat(bounds, scimBounds)
	if !*allBounds {
		list = slices.DeleteFunc(list, func(b bound) bool { return !b.quick })
	}
	got := make([]used, len(list))
	if *allBounds {
		slugs := slices.Sorted(maps.Keys(contents))
		r := newBoundRig(t, slugs)
		for i, b := range bounds {
			got[i] = r.measure(b)
		}
		r.thousand(t)
		r = r.provisioned(t)
		for i, b := range scimBounds {
			got[len(bounds)+i] = r.measure(b)
		}
		r = newBoundRig(t, slugs, frugal...)
		for i, b := range bounds {
			got[i].memory = r.measure(b).memory
		}
		r = r.provisioned(t, frugal...)
		for i, b := range scimBounds {
			got[len(bounds)+i].memory = r.measure(b).memory
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
			step(megabytes(u.memory), "MB", 32, 64, 128), step(megabytes(u.answer), "MB", 1, 8, 32, 64))
	}
	if *allBounds && *update {
		writeBetween(t, "../../docs/security.md", "bounds", table.String())
	}
}

// megabytes rounds bytes up.
func megabytes(bytes int) int { return (bytes + 1<<20 - 1) >> 20 }

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
	for _, b := range slices.Concat(bounds, scimBounds) {
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
