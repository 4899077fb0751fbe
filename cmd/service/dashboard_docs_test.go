package main

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A block is a fenced block of a page of Markdown, with the comment for this test that may precede it.
var docBlock = regexp.MustCompile("(?ms)(?:^<!-- test: ([a-z]+) (\\S+) -->\n)?^```([a-z]+)\n(.*?)^```$")

// TestDashboardsAsCode follows the instructions of docs/dashboards-as-code.md, and compares the output. -update writes it.
func TestDashboardsAsCode(t *testing.T) {
	t.Parallel()
	const page = "../../docs/dashboards-as-code.md"
	site := startSite(t)
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	c := site.connect(t, ada, "acme")
	source := site.upload(t, "acme", "ada@example.com", "orders.csv", "day,country,revenue\n"+
		"2026-03-01,DE,120\n2026-03-01,FR,80\n2026-03-02,DE,150\n2026-03-02,FR,70\n2026-03-02,US,200\n")
	spec := func(title string) map[string]any {
		return map[string]any{
			"panels": []any{ // the server keeps this order, and files have that of the reference
				map[string]any{"type": "kpi", "value": "revenue", "title": "Revenue"},
				map[string]any{"type": "bar", "x": "country", "y": "revenue", "title": "By country"},
			},
			"title": title, "currency": "EUR",
			"datasets": []any{map[string]any{
				"columns": map[string]any{"revenue": map[string]any{"format": "currency"}}, "id": "orders",
				"sql": "SELECT day, country, sum(revenue) AS revenue\nFROM upload\nGROUP BY day, country",
			}},
		}
	}
	c.publishPage("orders", spec("Orders"), source, map[string]any{"tags": []string{"weekly"}})
	c.publishPage("usage", metricsSpec("Usage"), nil, nil)
	times := map[string]any{"slug": "orders", "schedule": "daily 07:30", "timezone": "Europe/Berlin"}
	if got := c.call("set_refresh_schedule", times); got.failed {
		t.Fatal(got.text)
	}
	f := site.newFolder(t, ada, "acme")
	f.git("init", "-q", "-b", "main")
	hooks := map[string]func(){
		"client": func() { // an AI client repairs the page
			foot := "From Git: dashboards/orders.yaml, commit " + strings.TrimSpace(f.git("rev-parse", "--short=7", "HEAD"))
			if shown := ada.get(site.workspace("acme") + "/orders"); !strings.Contains(shown.text, foot) {
				t.Errorf("the page does not have %q:\n%s", foot, shown.text)
			}
			if got := c.call("get_dashboard", map[string]any{"path": "orders"}); !strings.Contains(got.text, `"path":"dashboards/orders.yaml"`) {
				t.Errorf("get_dashboard: %s", got.text)
			}
			patch := []any{
				map[string]any{"op": "replace", "path": "/panels/1/type", "value": "pie"},
				map[string]any{"op": "move", "from": "/panels/1/x", "path": "/panels/1/label"},
				map[string]any{"op": "move", "from": "/panels/1/y", "path": "/panels/1/value"},
			}
			got := c.call("publish_dashboard", map[string]any{"path": "orders", "patch": patch})
			if got.failed || !strings.Contains(got.text, "[from_code] the page comes from Git, dashboards/orders.yaml at commit ") {
				t.Errorf("publishing over a page from Git: %s", got.text)
			}
			c.refreshed("orders")
		},
		"rename": func() {
			if got := c.call("update_dashboard", map[string]any{"slug": "orders", "new_slug": "sales"}); got.failed {
				t.Fatal(got.text)
			}
		},
	}
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	now := docBlock.ReplaceAllStringFunc(string(was), func(block string) string {
		m := docBlock.FindStringSubmatch(block)
		task, name, kind, text := m[1], m[2], m[3], m[4]
		head := block[:len(block)-len(text)-len("```")]
		switch task {
		case "write":
			f.write(name, strings.Replace(text, "https://dash.example.com", site.base, 1))
		case "file":
			text = f.read(name)
		case "edit":
			f.applyDiff(name, text)
		case "hook":
			hooks[name]()
		}
		if kind == "console" {
			text, commands = f.console(text), commands+1
		}
		return head + text + "```"
	})
	if commands < 8 {
		t.Errorf("the page has %d transcripts", commands)
	}
	if *update {
		if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(strings.Split(string(was), "\n"), strings.Split(now, "\n")); diff != "" {
		t.Errorf("docs/dashboards-as-code.md differs from what the program does; -update writes it (-page +program):\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(f.config, "service", "tokens.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of tokens: %v, %v", info, err)
	}
}

// publishPage publishes a spec, and waits for its refresh.
func (c *client) publishPage(slug string, spec, source, more map[string]any) {
	c.t.Helper()
	args := map[string]any{"path": slug, "spec": spec}
	for _, values := range []map[string]any{source, more} {
		for k, v := range values {
			args[k] = v
		}
	}
	if got := c.call("publish_dashboard", args); got.failed {
		c.t.Fatal(got.text)
	}
	c.refreshed(slug)
}

// upload uploads a file for a member, and returns the arguments that name it.
func (s *site) upload(t *testing.T, workspace, email, name, text string) map[string]any {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"admin", "upload", "add", workspace, email, file}, s.environ, &out, s.log); err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`(?m)^(connection|upload) +(\S+)$`).FindAllStringSubmatch(out.String(), -1)
	if len(ids) != 2 {
		t.Fatal(out.String())
	}
	return map[string]any{ids[0][1]: ids[0][2], ids[1][1]: ids[1][2]}
}

// git runs git in the folder.
func (f *folder) git(args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{
		"-C", f.dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false",
	}, args...)...)
	cmd.Env = append(f.environ, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// applyDiff replaces the lines of a diff that begin with - by those that begin with +.
func (f *folder) applyDiff(name, diff string) {
	f.t.Helper()
	var old, new strings.Builder
	for line := range strings.Lines(diff) {
		if rest, ok := strings.CutPrefix(line, "-"); ok {
			old.WriteString(rest)
		} else if rest, ok := strings.CutPrefix(line, "+"); ok {
			new.WriteString(rest)
		}
	}
	f.edit(name, old.String(), new.String())
}

// console runs the commands of a transcript, and returns it with their output.
func (f *folder) console(text string) string {
	f.t.Helper()
	var b strings.Builder
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "$ ")
		if !ok {
			continue
		}
		b.WriteString(line)
		for part := range strings.SplitSeq(command, " && ") {
			b.WriteString(f.plain(f.command(part)))
		}
	}
	return b.String()
}

func (f *folder) command(line string) string {
	f.t.Helper()
	if line == "echo $?" {
		return fmt.Sprintln(f.last)
	}
	words := []string{}
	for i, quoted := range strings.Split(line, `"`) { // every second part is in quotes
		if i%2 == 1 {
			words = append(words, quoted)
		} else {
			words = append(words, strings.Fields(quoted)...)
		}
	}
	switch {
	case words[0] == "git":
		return f.git(words[1:]...)
	case words[0] == "service" && words[1] == "dashboard":
		out, code := f.run(words[2:]...)
		f.last = code
		return out
	}
	f.t.Fatalf("the page has the command %s, which this test does not know", line)
	return ""
}

var docTime = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// plain makes an output independent of ports, times and ids.
func (f *folder) plain(out string) string {
	out = strings.ReplaceAll(out, f.site.base, "https://dash.example.com")
	out = strings.ReplaceAll(out, "http://acme.localhost:"+f.site.port, "https://acme.dash.example.com")
	return docTime.ReplaceAllString(out, "2026-03-03T08:00:00Z")
}
