package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A folder is a project of dashboards on a site, and the person who runs the command there.
type folder struct {
	t       *testing.T
	site    *site
	dir     string
	config  string // the person's folder of configuration
	person  *browser
	space   string // workspace
	environ []string
	last    int    // exit status of the last command
	wait    func() // see authorizer
}

// newFolder returns a project for a person's new workspace.
func (s *site) newFolder(t *testing.T, b *browser, workspace string) *folder {
	t.Helper()
	f := &folder{t: t, site: s, dir: t.TempDir(), config: t.TempDir(), person: b, space: workspace}
	f.environ = []string{"XDG_CONFIG_HOME=" + f.config, "PATH=" + os.Getenv("PATH"), "HOME=" + f.config}
	f.write("service.yaml", "environments:\n  production:\n    server: "+s.base+"\n    workspace: "+workspace+"\n")
	return f
}

func (f *folder) write(name, text string) {
	f.t.Helper()
	name = filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

// edit replaces a text of a file, which has it once.
func (f *folder) edit(name, old, new string) {
	f.t.Helper()
	text := f.read(name)
	if strings.Count(text, old) != 1 {
		f.t.Fatalf("%s has %q %d times:\n%s", name, old, strings.Count(text, old), text)
	}
	f.write(name, strings.Replace(text, old, new, 1))
}

// An authorizer takes the address that the command prints to a browser, where the person consents.
type authorizer struct {
	bytes.Buffer
	once sync.Once
	open func(address string)
	wait func() // called when the command reports that it waits for the server
}

var printedAddress = regexp.MustCompile(`(?m)^  (http\S+/authorize\?\S+)$`)

func (a *authorizer) Write(p []byte) (int, error) {
	n, err := a.Buffer.Write(p)
	if m := printedAddress.FindStringSubmatch(a.String()); m != nil {
		a.once.Do(func() { go a.open(m[1]) })
	}
	if a.wait != nil && bytes.Contains(p, []byte("waiting")) {
		a.wait()
	}
	return n, err
}

// run runs "service dashboard" in the folder, and returns its output and its messages, in the order of a terminal, and its exit status.
func (f *folder) run(args ...string) (out string, code int) {
	f.t.Helper()
	terminal := &authorizer{wait: f.wait, open: func(address string) {
		f.person.get(address)
		f.person.submit("/consent", url.Values{"workspace": {f.space}, "decision": {"allow"}})
	}}
	err := run(context.WithoutCancel(f.t.Context()), append([]string{"dashboard", "--dir", f.dir, "--no-browser"}, args...), f.environ,
		terminal, terminal)
	code = status(err, terminal)
	return printedAddress.ReplaceAllString(terminal.String(), "  (address)"), code
}

// want runs the command and compares its output and exit status.
func (f *folder) want(code int, want string, args ...string) {
	f.t.Helper()
	out, got := f.run(args...)
	out = strings.ReplaceAll(out, ":"+f.site.port, ":8080")
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out, "\n")); got != code || diff != "" {
		f.t.Errorf("dashboard %s: exit %d, want %d (-want +got):\n%s", strings.Join(args, " "), got, code, diff)
	}
}

// stamps are the contents and times of all files of the folder.
func (f *folder) stamps() map[string]string {
	out := map[string]string{}
	err := filepath.Walk(f.dir, func(name string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			text, _ := os.ReadFile(name)
			out[name] = info.ModTime().String() + "\n" + string(text)
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// metricsSpec is a spec that needs no data of people.
func metricsSpec(title string) map[string]any {
	return map[string]any{
		"title": title,
		"datasets": []any{map[string]any{
			"id": "events", "sql": "SELECT day, event, sum(count) AS events\nFROM metrics\nGROUP BY day, event",
		}},
		"panels": []any{
			map[string]any{"type": "kpi", "value": "events", "title": "Events"},
			map[string]any{"type": "bar", "x": "event", "y": "events", "title": "By event"},
		},
	}
}

// founded starts a site with a workspace, and returns a person there, with a client and a folder.
func founded(t *testing.T) (*site, *client, *folder) {
	t.Helper()
	site := startSite(t)
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	return site, site.connect(t, ada, "acme"), site.newFolder(t, ada, "acme")
}

// TestPullTwice pulls pages of all forms twice: the second time, no file is written.
func TestPullTwice(t *testing.T) {
	t.Parallel()
	site, c, f := founded(t)
	one := site.upload(t, "acme", "ada@example.com", "one.csv", "day,n\n2026-03-01,1\n")
	two := site.upload(t, "acme", "ada@example.com", "two.csv", "day,n\n2026-03-01,2\n")
	c.publishPage("plain", metricsSpec("Plain"), nil, nil)
	c.publishPage("joined", map[string]any{ // files by table, and one of a dataset
		"datasets": []any{
			map[string]any{"id": "all", "sql": "SELECT a.day, a.n + b.n AS n FROM a JOIN b USING (day)"},
			map[string]any{"id": "own", "sql": "SELECT day, n FROM upload", "upload": two["upload"]},
		},
		"uploads": map[string]any{"a": one["upload"], "b": two["upload"]}, "connection": one["connection"],
		"panels": []any{map[string]any{"type": "kpi", "data": "all", "value": "n"}, map[string]any{"type": "kpi", "data": "own", "value": "n"}},
	}, nil, map[string]any{"chart": "numbers", "name": "Joined files"})
	long := metricsSpec("Long") // longer than an answer of the server
	for i := range 30 {
		long["panels"] = append(long["panels"].([]any), map[string]any{
			"type": "text", "markdown": strings.Repeat("All work and no play makes Jack a dull boy. ", 60) + strconv.Itoa(i),
		})
	}
	c.publishPage("long", long, nil, nil)
	if got := c.call("publish_dashboard", map[string]any{"path": "notes", "body": "# Notes"}); got.failed {
		t.Fatal(got.text)
	}
	f.want(0, "Authorize this command in a browser, and choose the workspace acme there:\n  (address)\n"+
		"dashboards/joined.yaml: new\ndashboards/long.yaml: new\ndashboards/plain.yaml: new\n"+
		"1 static dashboard without a spec not pulled: Markdown, reports and data files.\n", "pull")
	const joined = `name: Joined files
chart: numbers
connection: Uploaded files
uploads:
  a: one.csv
  b: two.csv
datasets:
  - id: all
    sql: SELECT a.day, a.n + b.n AS n FROM a JOIN b USING (day)
  - id: own
    sql: SELECT day, n FROM upload
    upload: two.csv
panels:
  - type: kpi
    data: all
    value: n
  - type: kpi
    data: own
    value: n
`
	if diff := cmp.Diff(joined, f.read("dashboards/joined.yaml")); diff != "" {
		t.Errorf("joined.yaml (-want +got):\n%s", diff)
	}
	if got := strings.Count(f.read("dashboards/long.yaml"), "type: text"); got != 30 {
		t.Errorf("long.yaml has %d texts", got)
	}
	before := f.stamps()
	f.want(0, "3 files unchanged.\n1 static dashboard without a spec not pulled: Markdown, reports and data files.\n", "pull")
	f.want(0, "3 dashboards checked, no mistakes.\n", "check")
	f.want(0, "production: 0 new, 0 changed, 3 unchanged.\n", "plan")
	f.want(0, "3 dashboards unchanged.\n", "apply")
	if diff := cmp.Diff(before, f.stamps()); diff != "" {
		t.Errorf("files were written: %s", diff)
	}

	// JSON is a form of the same, and names in service.yaml replace those of the server.
	f.remove("dashboards", "service.lock")
	f.write("service.yaml", "environments:\n  production:\n    server: "+site.base+
		"\n    workspace: acme\n    uploads: {first: one.csv}\n    connections: {files: Uploaded files}\n")
	f.want(0, "dashboards/joined.json: new\n", "pull", "--json", "joined")
	text := f.read("dashboards/joined.json")
	if !strings.Contains(text, `"a": "first",`) || !strings.Contains(text, `"connection": "files",`) {
		t.Errorf("joined.json:\n%s", text)
	}
	f.want(0, "1 file unchanged.\n", "pull", "joined")
	f.edit("dashboards/joined.json", `"first"`, `"third"`)
	f.want(1, "dashboards/joined.json: cannot be published\n  the server refuses it:\n"+
		"    no uploaded file \"third\" is among yours at "+strings.ReplaceAll(site.base, ":"+site.port, ":8080")+": there is two.csv, one.csv\n"+
		"  changes:\n    uploads changed\nproduction: 0 new, 1 changed, 0 unchanged.\n", "plan")
}

// TestSourcesFirst takes dashboards that read each other to a server that has none: the plan tries those that it can, and apply publishes
// each behind those that it reads.
func TestSourcesFirst(t *testing.T) {
	t.Parallel()
	_, c, f := founded(t)
	f.write("dashboards/origin.yaml", `title: Origin
datasets:
  - id: events
    sql: SELECT day, event, sum(count) AS events FROM metrics GROUP BY day, event
panels:
  - type: kpi
    value: events
`)
	reader := `title: Middle
datasets:
  - id: again
    from: origin/events
  - id: totals
    from: [origin/events]
    sql: SELECT event, sum(events) AS events FROM events GROUP BY event
panels:
  - type: kpi
    data: again
    value: events
`
	f.write("dashboards/middle.yaml", reader)
	f.write("dashboards/first.yaml", "title: First\ndatasets:\n  - id: copy\n    from: middle/again\n"+
		"panels:\n  - type: kpi\n    value: events\n")
	out, code := f.run("plan")
	for _, want := range []string{
		"dashboards/first.yaml: new\n  not tried:\n    it reads middle, which apply publishes first\n",
		"dashboards/middle.yaml: new\n  not tried:\n    it reads origin, which apply publishes first\n",
		"dashboards/origin.yaml: new\n  numbers", "production: 3 new, 0 changed, 0 unchanged.\n",
	} {
		if code != 2 || !strings.Contains(out, want) {
			t.Errorf("plan: exit %d, want 2 with %q:\n%s", code, want, out)
		}
	}
	if out, _ := f.run("plan", "--markdown"); !strings.Contains(out, "\nNot tried:\n\n- it reads middle, which apply publishes first\n") {
		t.Errorf("plan --markdown:\n%s", out)
	}
	out, code = f.run("apply")
	order := fmt.Sprint(regexp.MustCompile(`(?m)^dashboards/\w+`).FindAllString(out, -1))
	if want := "[dashboards/origin dashboards/middle dashboards/first]"; code != 0 || order != want {
		t.Errorf("apply: exit %d, in the order %s, want %s:\n%s", code, order, want, out)
	}
	f.want(0, "production: 0 new, 0 changed, 3 unchanged.\n", "plan")
	c.refreshed("first")

	// A mistake beside it is a refusal, and so is a dashboard that no file has.
	f.write("dashboards/second.yaml", strings.Replace(reader, "origin/events", "nothing/events", 1))
	if out, code := f.run("plan"); code != 1 || !strings.Contains(out, `there is no dashboard "nothing"`) {
		t.Errorf("plan of a reader of nothing: %d\n%s", code, out)
	}
}

func (f *folder) remove(names ...string) {
	f.t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(f.dir, name)); err != nil {
			f.t.Fatal(err)
		}
	}
}

// nothing is the end of a refusal of apply.
const nothing = "Nothing was published. For dashboards that changed on the server, --take theirs updates the file, and --take mine " +
	"overwrites the server's version.\n"

// TestTwoSides changes pages here, on the server, and on both sides.
func TestTwoSides(t *testing.T) {
	t.Parallel()
	_, c, f := founded(t)
	for _, slug := range []string{"a", "b"} {
		c.publishPage(slug, metricsSpec(strings.ToUpper(slug)), nil, nil)
	}
	f.run("pull")
	retitle := func(slug, title string) {
		t.Helper()
		patch := []any{map[string]any{"op": "replace", "path": "/panels/0/title", "value": title}}
		if got := c.call("publish_dashboard", map[string]any{"path": slug, "patch": patch}); got.failed {
			t.Fatal(got.text)
		}
	}
	f.edit("dashboards/a.yaml", "title: Events", "title: Mine # my words")
	retitle("a", "Theirs")
	retitle("b", "Theirs")
	changed := "  panel kpi \"Events\" removed\n  panel kpi \"Theirs\" added\n"
	f.want(2, "dashboards/a.yaml: changed on the server, and here; from the file to the server:\n"+
		"  panel kpi \"Mine\" removed\n  panel kpi \"Theirs\" added\ndashboards/b.yaml: changed on the server\n"+changed, "drift")
	f.want(1, "dashboards/b.yaml: changed\n"+changed+
		"service: dashboards/a.yaml: changed here and on the server. --take theirs replaces the file; drift shows what changed on the server\n",
		"pull")
	if text := f.read("dashboards/a.yaml"); !strings.Contains(text, "Mine # my words") {
		t.Errorf("a pull changed a file that was edited:\n%s", text)
	}

	// Nothing is published while one of them is refused.
	f.edit("dashboards/b.yaml", "title: Theirs", "title: Ours")
	f.want(1, "service: dashboards/a.yaml: the dashboard changed on the server after the last pull or apply; drift shows the changes\n"+
		nothing, "apply")
	if got := c.call("get_dashboard_spec", map[string]any{"slug": "b", "pointer": "/panels/0/title"}); !strings.Contains(got.text, "Theirs") {
		t.Errorf("b was published: %s", got.text)
	}
	f.want(0, "dashboards/a.yaml: published: http://acme.localhost:8080/a\ndashboards/b.yaml: published: http://acme.localhost:8080/b\n"+
		"0 dashboards unchanged.\n", "apply", "--take", "mine")
	f.want(0, "production: 0 new, 0 changed, 2 unchanged.\n", "plan")

	// An edit stays at a pull, until --take theirs.
	f.edit("dashboards/a.yaml", "title: Mine # my words", "title: More # my words")
	f.want(0, "dashboards/a.yaml: changed here, and not on the server; the file stays\n1 file unchanged.\n", "pull")
	f.want(0, "dashboards/a.yaml: changed\n  panel kpi \"More\" removed\n  panel kpi \"Mine\" added\n1 file unchanged.\n",
		"pull", "--take", "theirs")
	if text := f.read("dashboards/a.yaml"); !strings.Contains(text, "title: Mine # my words") {
		t.Errorf("the comment is lost:\n%s", text)
	}

	// A schedule is a part of the page; a file without a schedule turns it off.
	f.write("dashboards/b.yaml", "schedule: 6h\n"+f.read("dashboards/b.yaml"))
	f.want(2, "dashboards/b.yaml: changed\n  changes:\n    schedule: \"off\" → \"6h (UTC)\"\n"+
		"  numbers: the same in every panel (old and new page on the same current rows)\n"+
		"  cost: 1 query at each refresh, 6h (UTC): about 4 a day\n"+
		"production: 0 new, 1 changed, 1 unchanged.\n", "plan")
	f.want(0, "dashboards/b.yaml: published: http://acme.localhost:8080/b\n1 dashboard unchanged.\n", "apply")
	if got := c.call("list_dashboards", map[string]any{"query": "b"}); !strings.Contains(got.text, `"schedule":"6h"`) {
		t.Errorf("the schedule is not set: %s", got.text)
	}

	// A new file is a new page, unless the server has its slug.
	f.write("dashboards/c.yaml", strings.Replace(f.read("dashboards/a.yaml"), "title: A", "title: C", 1))
	out, code := f.run("plan")
	if code != 2 || !strings.Contains(out, "dashboards/c.yaml: new\n") || !strings.Contains(out, "numbers (the dashboard is new):") {
		t.Errorf("plan of a new page: %d\n%s", code, out)
	}
	c.publishPage("c", metricsSpec("Another"), nil, nil)
	f.want(1, "service: dashboards/c.yaml: the server has such a dashboard already, which was never pulled\n"+
		nothing, "apply")

	// The server's refusal of one page fails the plan, and shows the others.
	f.edit("dashboards/a.yaml", "FROM metrics", "FROM metricks")
	out, code = f.run("plan", "a", "b")
	if code != 1 || !strings.Contains(out, "dashboards/a.yaml: cannot be published\n  the server refuses it:\n    datasets[0].sql: ") ||
		!strings.Contains(out, "1 unchanged") {
		t.Errorf("plan of a refused page: %d\n%s", code, out)
	}
	f.want(2, "service: --take is \"both\", and may be theirs or mine\n", "apply", "--take", "both")
}

// TestPreviews publishes a preview of a page, which it does not change, and deletes only previews.
func TestPreviews(t *testing.T) {
	t.Parallel()
	site, c, f := founded(t)
	spec := metricsSpec("Usage")
	spec["alerts"] = []any{map[string]any{"id": "fails", "failing": true}}
	spec["deliver"] = []any{map[string]any{"to": "me", "every": "daily", "at": "08:00"}}
	c.publishPage("usage", spec, nil, nil)
	f.run("pull")
	f.edit("dashboards/usage.yaml", "title: Usage", "schedule: 1h\ntitle: Usages")
	f.want(0, "dashboards/usage.yaml: http://acme.localhost:8080/usage-pr-1\n", "preview", "--suffix", "pr-1")
	got := c.call("list_dashboards", map[string]any{"query": "usage-pr-1"})
	if !strings.Contains(got.text, `"tags":["preview"]`) || !strings.Contains(got.text, `"schedule":"off"`) ||
		!strings.Contains(got.text, `"name":"Usages (pr-1)"`) {
		t.Errorf("the preview: %s", got.text)
	}
	shown := c.call("get_dashboard_spec", map[string]any{"slug": "usage-pr-1"})
	if strings.Contains(shown.text, "alerts") || strings.Contains(shown.text, "deliver") || !strings.Contains(shown.text, "Usages") {
		t.Errorf("the preview's spec: %s", shown.text)
	}
	if real := c.call("get_dashboard_spec", map[string]any{"slug": "usage"}); strings.Contains(real.text, "Usages") {
		t.Errorf("the preview replaced the page: %s", real.text)
	}
	f.want(0, "dashboards/usage.yaml: http://acme.localhost:8080/usage-pr-1\n", "preview", "--suffix", "pr-1")
	c.publishPage("usage-pr-2", metricsSpec("Not a preview"), nil, nil)
	f.want(1, "service: \"usage-pr-2\" is on the server, and is not a preview: choose another suffix\n", "preview", "--suffix", "pr-2")
	f.want(0, "There is no preview with the suffix pr-2.\n", "preview", "--suffix", "pr-2", "--delete")
	f.want(0, "There is no preview with the suffix 1.\n", "preview", "--suffix", "1", "--delete") // usage-pr-1 is one with the suffix pr-1
	f.want(0, "usage-pr-1: deleted\n", "preview", "--suffix", "pr-1", "--delete")
	f.want(1, "service: --suffix \"PR 1\" must be small letters, digits and hyphens, as in pr-12\n", "preview", "--suffix", "PR 1")
	f.want(2, "service: a preview has a suffix: --suffix pr-12\n", "preview")
	if log := site.failures(); log != "" {
		t.Errorf("the log: %s", log)
	}
}

// TestDashboardTokens refreshes the stored token, asks for another authorization once the grant has ended, and takes a token of a CI.
func TestDashboardTokens(t *testing.T) {
	t.Parallel()
	site, c, f := founded(t)
	c.publishPage("usage", metricsSpec("Usage"), nil, nil)
	f.run("pull")
	file := filepath.Join(f.config, "service", "tokens.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	expired := regexp.MustCompile(`"expiry": "[^"]+"`).ReplaceAllString(string(text), `"expiry": "2020-01-01T00:00:00Z"`)
	if err := os.WriteFile(file, []byte(expired), 0o600); err != nil {
		t.Fatal(err)
	}
	f.want(0, "1 file unchanged.\n", "pull")
	if now, _ := os.ReadFile(file); bytes.Equal(now, []byte(expired)) || bytes.Equal(now, text) {
		t.Errorf("the token was not refreshed: %s", now)
	}
	if _, err := site.db.Exec(t.Context(), "UPDATE oauth_grant SET revoked_at = now()"); err != nil {
		t.Fatal(err)
	}
	f.want(0, "Authorize this command in a browser, and choose the workspace acme there:\n  (address)\n1 file unchanged.\n", "pull")
	f.want(0, "1 file unchanged.\n", "pull")
	f.want(0, "Forgot the authorization of http://localhost:8080 for the workspace acme.\n", "logout")
	f.want(0, "There is no authorization of http://localhost:8080 for the workspace acme here.\n", "logout")

	other := site.connect(t, f.person, "acme")
	plain := f.environ
	f.environ = append(plain, "SERVICE_TOKEN="+other.token.AccessToken)
	f.want(0, "1 file unchanged.\n", "pull")
	f.environ = append(plain, "SERVICE_TOKEN=wrong")
	f.want(1, "service: the server does not accept the access token: it has ended, was revoked, or is another server's\n", "pull")
}

// TestHundredDashboards plans a hundred dashboards, some of which differ, within 20 seconds.
func TestHundredDashboards(t *testing.T) {
	t.Parallel()
	site, c, f := founded(t)
	source := site.upload(t, "acme", "ada@example.com", "orders.csv", "day,country,revenue\n2026-03-01,DE,120\n2026-03-01,FR,80\n")
	for i := range 100 {
		if i == 55 { // the limit of calls within a minute
			if _, err := site.db.Exec(t.Context(), "DELETE FROM rate_counter"); err != nil {
				t.Fatal(err)
			}
		}
		args := map[string]any{"path": fmt.Sprintf("page-%02d", i), "spec": map[string]any{
			"title":    fmt.Sprintf("Page %d", i),
			"datasets": []any{map[string]any{"id": "a", "sql": "SELECT day, country, sum(revenue) AS revenue FROM upload GROUP BY 1, 2"}},
			"panels":   []any{map[string]any{"type": "kpi", "value": "revenue"}, map[string]any{"type": "bar", "x": "country", "y": "revenue"}},
		}}
		for k, v := range source {
			args[k] = v
		}
		if got := c.call("publish_dashboard", args); got.failed {
			t.Fatal(got.text)
		}
	}
	if _, err := site.db.Exec(t.Context(), "DELETE FROM rate_counter"); err != nil {
		t.Fatal(err)
	}
	f.run("pull")
	for _, n := range []int{20, 50} { // both pages are tried, or one
		for i := range n {
			name := fmt.Sprintf("dashboards/page-%02d.yaml", i)
			f.write(name, strings.Replace(f.read(name), "FROM upload GROUP", "FROM upload WHERE country = 'DE' GROUP", 1))
		}
		if _, err := site.db.Exec(t.Context(), "DELETE FROM rate_counter"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		out, code := f.run("plan")
		took := time.Since(start)
		t.Logf("a plan of 100 dashboards, %d of which differ: %s", n, took.Round(time.Millisecond))
		if code != 2 || took > 20*time.Second || !strings.Contains(out, fmt.Sprintf("0 new, %d changed, %d unchanged.", n, 100-n)) ||
			strings.Count(out, "before: ") < n {
			t.Errorf("plan: exit %d after %s\n%s", code, took, out)
		}
	}
}

// TestPlanWaitsForItsTurn: a command that is over the rate of its user waits, and goes on.
func TestPlanWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	site, c, f := founded(t)
	c.publishPage("usage", metricsSpec("Usage"), nil, nil)
	f.run("pull")
	f.edit("dashboards/usage.yaml", "title: Usage", "title: Usages")
	const full = "UPDATE rate_counter SET used = 60, started_at = clock_timestamp() WHERE key LIKE '%publish%'"
	if _, err := site.db.Exec(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	f.wait = func() {
		if _, err := site.db.Exec(t.Context(), "DELETE FROM rate_counter"); err != nil {
			t.Error(err)
		}
	}
	out, code := f.run("plan")
	if code != 2 || !strings.Contains(out, "The server takes no more calls of publish_dashboard within this minute: waiting.") ||
		!strings.Contains(out, `title: "Usage" → "Usages"`) {
		t.Errorf("exit %d\n%s", code, out)
	}
}
