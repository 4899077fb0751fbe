package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	yaml "go.yaml.in/yaml/v3"

	"service/auth/authtest"
	"service/server/browsertest"
)

// A ci is a stand-in for the services that GitHub and GitLab have beside their runners: the issuer, the address that gives tokens to jobs,
// the archive of the program, and the API that takes comments.
type ci struct {
	*folder
	issuer  *authtest.Issuer
	server  *httptest.Server
	subject string // of the job that runs
	bin     string // folder of programs that the runner's image has

	mu       sync.Mutex
	comments []string
}

func newCI(t *testing.T) (*ci, *client) {
	t.Helper()
	for _, program := range []string{"bash", "curl", "tar", "git", "find"} {
		browsertest.Program(t, program)
	}
	site := startSite(t, "SERVICE_ALLOW_PRIVATE_ISSUERS=true")
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", map[string][]string{"name": {"Acme"}, "slug": {"acme"}})
	c := &ci{folder: site.newFolder(t, ada, "acme"), issuer: authtest.NewIssuer(t, nil), bin: t.TempDir()}
	mux := http.NewServeMux()
	c.server = httptest.NewServer(mux)
	t.Cleanup(c.server.Close)
	mux.HandleFunc("GET /id-token", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer of-this-job" || r.URL.Query().Get("api-version") != "2.0" {
			http.Error(w, `{"message": "no"}`, http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"count": 1, "value": c.issuer.Token(t, r.URL.Query().Get("audience"), c.subject, nil)})
	})
	mux.HandleFunc("GET /service.tar.gz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(c.archive()) })
	mux.HandleFunc("POST /api/v4/projects/7/merge_requests/12/notes", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("PRIVATE-TOKEN") != "may-comment" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		c.comment(r.PostFormValue("body"))
	})
	mux.HandleFunc("POST /comment", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		c.comment(string(text))
	})
	gh := "#!/bin/sh\n# gh pr comment 12 --body-file plan.md --edit-last --create-if-none\n" +
		"test \"$*\" = 'pr comment 12 --body-file plan.md --edit-last --create-if-none' && test \"$GH_TOKEN\" = of-github || exit 9\n" +
		"exec curl -fsS --data-binary @plan.md " + c.server.URL + "/comment\n"
	if err := os.WriteFile(filepath.Join(c.bin, "gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}
	return c, site.connect(t, ada, "acme")
}

func (c *ci) comment(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.comments = append(c.comments, text)
}

// archive is a release whose program is this test binary.
func (c *ci) archive() []byte {
	self, err := os.Executable()
	if err != nil {
		c.t.Error(err)
	}
	script := "#!/bin/sh\n" + asProgram + "=1 exec '" + self + "' \"$@\"\n"
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	if err := w.WriteHeader(&tar.Header{Name: "service_0.7.0_linux_amd64/service", Mode: 0o755, Size: int64(len(script))}); err != nil {
		c.t.Error(err)
	}
	_, _ = io.WriteString(w, script)
	_, _ = w.Close(), zip.Close()
	return b.Bytes()
}

// trusts runs "service admin trust add" with words of docs/ci/README.md.
func (c *ci) trusts(issuerInDocs, subject string) {
	c.t.Helper()
	docs, err := os.ReadFile("../../docs/ci/README.md")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, command := range regexp.MustCompile(`(?m)^service (admin trust add (?:.*\\\n)*.*)$`).FindAllStringSubmatch(string(docs), -1) {
		words := strings.Fields(strings.NewReplacer("\\\n", " ", "'", "", issuerInDocs, c.issuer.URL, "ann@", "ada@").Replace(command[1]))
		if !strings.Contains(command[1], issuerInDocs+" ") || !strings.Contains(command[1]+" ", " "+subject+" ") &&
			!strings.Contains(command[1], "'"+subject+"'") {
			continue
		}
		if err := run(c.t.Context(), words, c.site.environ, io.Discard, c.site.log); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	c.t.Fatalf("docs/ci/README.md trusts no %s of %s", subject, issuerInDocs)
}

// checkout clones the repository, as a runner does for each job.
func (c *ci) checkout() string {
	c.t.Helper()
	dir := c.t.TempDir()
	c.folder.git("clone", "-q", ".", dir)
	return dir
}

// shell runs a script, and returns its output and whether it succeeded.
func (c *ci) shell(dir, script string, environ []string) (string, bool) {
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, environ
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// github runs the steps of a job of docs/ci/github.yml for an event.
func (c *ci) github(dir, event, subject string) (out string, ok bool) {
	c.t.Helper()
	c.subject = subject
	type step struct {
		Uses string            `yaml:"uses"`
		Run  string            `yaml:"run"`
		Env  map[string]string `yaml:"env"`
	}
	var workflow struct {
		Permissions map[string]string `yaml:"permissions"`
		Jobs        map[string]struct {
			If    string `yaml:"if"`
			Steps []step `yaml:"steps"`
		} `yaml:"jobs"`
	}
	c.parse("github.yml", &workflow)
	if workflow.Permissions["id-token"] != "write" {
		c.t.Error("the workflow gets no ID token")
	}
	values := map[string]string{
		"vars.SERVICE_ARCHIVE": c.server.URL + "/service.tar.gz", "github.token": "of-github", "github.event.pull_request.number": "12",
	}
	temp := c.t.TempDir()
	home, paths, summary := filepath.Join(temp, "home"), filepath.Join(temp, "paths"), filepath.Join(temp, "summary")
	path := c.bin + ":" + os.Getenv("PATH")
	for _, job := range workflow.Jobs {
		if job.If != "github.event_name == '"+event+"'" {
			continue
		}
		for _, s := range job.Steps {
			if s.Uses != "" { // the checkout
				continue
			}
			if strings.Contains(s.Run, "${{") {
				c.t.Errorf("an expression is in a script, where its value is run: %s", s.Run)
			}
			more, err := os.ReadFile(paths)
			if err == nil {
				path = strings.TrimSpace(string(more)) + ":" + c.bin + ":" + os.Getenv("PATH")
			}
			environ := []string{
				"CI=true", "HOME=" + home, "PATH=" + path, "RUNNER_TEMP=" + temp, "GITHUB_PATH=" + paths, "GITHUB_STEP_SUMMARY=" + summary,
				"ACTIONS_ID_TOKEN_REQUEST_URL=" + c.server.URL + "/id-token?api-version=2.0", "ACTIONS_ID_TOKEN_REQUEST_TOKEN=of-this-job",
			}
			for name, value := range s.Env {
				key := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(value, "${{"), "}}"))
				if values[key] == "" {
					c.t.Errorf("the runner does not know %s", value)
				}
				environ = append(environ, name+"="+values[key])
			}
			said, ok := c.shell(dir, s.Run, environ)
			if out += said; !ok {
				return out, false
			}
		}
		return out, true
	}
	c.t.Fatalf("no job runs at a %s", event)
	return "", false
}

// gitlab runs the script of a job of docs/ci/gitlab.yml.
func (c *ci) gitlab(dir, job, subject string) (out string, ok bool) {
	c.t.Helper()
	type task struct {
		Extends string                       `yaml:"extends"`
		Tokens  map[string]map[string]string `yaml:"id_tokens"`
		Before  []string                     `yaml:"before_script"`
		Script  []string                     `yaml:"script"`
	}
	var template map[string]task
	c.parse("gitlab.yml", &template)
	base := template[template[job].Extends]
	if base.Tokens["SERVICE_ID_TOKEN"]["aud"] != "$SERVICE_AUDIENCE" || len(template[job].Script) == 0 {
		c.t.Fatalf("%s: %+v", job, base)
	}
	return c.shell(dir, strings.Join(append(base.Before, template[job].Script...), "\n"), []string{
		"CI=true", "HOME=" + c.t.TempDir(), "PATH=" + os.Getenv("PATH"), "SERVICE_ARCHIVE=" + c.server.URL + "/service.tar.gz",
		"SERVICE_ID_TOKEN=" + c.issuer.Token(c.t, c.site.base, subject, nil), "COMMENT_TOKEN=may-comment",
		"CI_API_V4_URL=" + c.server.URL + "/api/v4", "CI_PROJECT_ID=7", "CI_MERGE_REQUEST_IID=12",
	})
}

func (c *ci) parse(name string, into any) {
	c.t.Helper()
	text, err := os.ReadFile("../../docs/ci/" + name)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		c.t.Fatal(err)
	}
}

// TestPipelines runs the steps of docs/ci: a pull request gets a comment with the numbers that change, and changes nothing; the main branch
// is published, from fresh checkouts that nobody commits back.
func TestPipelines(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		issuer, main, request string // in docs/ci/README.md
		subject               string // of a pull request
		plan, apply           func(c *ci, dir, subject string) (string, bool)
	}{
		"GitHub": {
			"https://token.actions.githubusercontent.com", "repo:acme/dash:ref:refs/heads/main", "repo:acme/dash:pull_request",
			"repo:acme/dash:pull_request",
			func(c *ci, dir, subject string) (string, bool) { return c.github(dir, "pull_request", subject) },
			func(c *ci, dir, subject string) (string, bool) { return c.github(dir, "push", subject) },
		},
		"GitLab": {
			"https://gitlab.com", "project_path:acme/dash:ref_type:branch:ref:main", "project_path:acme/dash:ref_type:branch:ref:*",
			"project_path:acme/dash:ref_type:branch:ref:feature/x",
			func(c *ci, dir, subject string) (string, bool) { return c.gitlab(dir, "dashboards-plan", subject) },
			func(c *ci, dir, subject string) (string, bool) { return c.gitlab(dir, "dashboards-apply", subject) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, client := newCI(t)
			source := c.site.upload(t, "acme", "ada@example.com", "orders.csv", "country,revenue\nDE,120\nFR,80\n")
			client.publishPage("orders", map[string]any{
				"title":    "Orders",
				"datasets": []any{map[string]any{"id": "orders", "sql": "SELECT country, sum(revenue) AS revenue FROM upload GROUP BY 1"}},
				"panels":   []any{map[string]any{"type": "kpi", "value": "revenue", "title": "Revenue"}},
			}, source, nil)
			c.git("init", "-q", "-b", "main")
			if out, code := c.run("pull"); code != 0 {
				t.Fatal(out)
			}
			c.git("add", ".")
			c.git("commit", "-q", "-m", "dashboards")

			// Before somebody trusts the repository, nothing is let in.
			c.edit("dashboards/orders.yaml", "FROM upload GROUP", "FROM upload WHERE country = 'DE' GROUP")
			c.git("commit", "-q", "-a", "-m", "orders: Germany")
			if out, ok := of.plan(c, c.checkout(), of.subject); ok || !strings.Contains(out, "No trust fits the issuer, audience and subject") {
				t.Errorf("without a trust: %v\n%s", ok, out)
			}
			c.trusts(of.issuer, of.main)
			c.trusts(of.issuer, of.request)
			out, ok := of.plan(c, c.checkout(), of.subject)
			if !ok || len(c.comments) != 1 || !strings.Contains(c.comments[0], "| Revenue (kpi) | 200. | 120. |") {
				t.Fatalf("plan of a pull request: %v, comments %q\n%s", ok, c.comments, out)
			}

			// A dashboard that the server refuses fails the job, and the comment has the reason.
			c.edit("dashboards/orders.yaml", "sum(revenue)", "sum(revenew)")
			c.git("commit", "-q", "-a", "-m", "orders: a mistake")
			out, ok = of.plan(c, c.checkout(), of.subject)
			if ok || len(c.comments) != 2 || !strings.Contains(c.comments[1], "revenew") {
				t.Errorf("plan of a refused dashboard: %v, comments %q\n%s", ok, c.comments, out)
			}
			c.edit("dashboards/orders.yaml", "sum(revenew)", "sum(revenue)")
			c.git("commit", "-q", "-a", "-m", "orders: mended")
			out, ok = of.apply(c, c.checkout(), of.subject)
			if ok || !strings.Contains(out, "This authorization allows only reading and dry runs") {
				t.Errorf("a pull request publishes: %v\n%s", ok, out)
			}
			spec := func() string {
				return client.call("get_dashboard_spec", map[string]any{"slug": "orders"}).text
			}
			if strings.Contains(spec(), "DE") {
				t.Errorf("a pull request changed the page: %s", spec())
			}
			for i, country := range []string{"DE", "FR", "US"} { // no checkout has the lock file of the job before
				if i > 0 {
					c.edit("dashboards/orders.yaml", "country = '"+[]string{"DE", "FR"}[i-1], "country = '"+country)
					c.git("commit", "-q", "-a", "-m", country)
				}
				head := strings.TrimSpace(c.git("rev-parse", "HEAD"))
				if out, ok := of.apply(c, c.checkout(), of.main); !ok || !strings.Contains(spec(), country) || !strings.Contains(spec(), head) {
					t.Fatalf("apply of %s: %v\n%s\n%s", country, ok, out, spec())
				}
			}

			// Somebody repairs the page: the next job stops.
			patch := []any{map[string]any{"op": "replace", "path": "/title", "value": "Repaired"}}
			if got := client.call("publish_dashboard", map[string]any{"path": "orders", "patch": patch}); got.failed {
				t.Fatal(got.text)
			}
			out, ok = of.apply(c, c.checkout(), of.main)
			if ok || !strings.Contains(out, "the dashboard changed on the server after") || !strings.Contains(spec(), "Repaired") {
				t.Errorf("apply over a repair: %v\n%s", ok, out)
			}
			if log := c.site.failures(); log != "" {
				t.Errorf("the log: %s", log)
			}
		})
	}
}

// TestTrustCommands adds, lists and removes trusts. A trust with a role gives no more than that role.
func TestTrustCommands(t *testing.T) {
	t.Parallel()
	c, client := newCI(t)
	client.publishPage("usage", metricsSpec("Usage"), nil, nil)
	admin := func(args ...string) string {
		var out, failed strings.Builder
		status(run(t.Context(), append([]string{"admin", "trust"}, args...), c.site.environ, &out, &failed), &failed)
		return out.String() + failed.String()
	}
	const subject = "repo:acme/dash:ref:refs/heads/main"
	add := []string{"add", c.issuer.URL, "--subject", subject, "--workspace", "acme", "--as", "ada@example.com"}
	for _, x := range []struct {
		args []string
		want string
	}{
		{add[:6], "--subject, --workspace and --as are required"},
		{append(add[:7:7], "bob@example.com"), "nobody has signed in as bob@example.com"},
		{append(add[:8:8], "--role", "king"), `role "king" must be owner, editor or viewer`},
		{append([]string{"add", "http://ci.example"}, add[2:]...), "must be https"},
		{[]string{"remove", "x"}, `"x" is not the id of a trust: see service admin trust list`},
		{[]string{"remove", "01a21c47-2a71-765e-b9d8-5d15e9324156"}, "there is no trust 01a21c47"},
		{append(add[:8:8], "--role", "viewer"), "for the audience " + c.site.base + "\nwith the subject " + subject + " act for ada@example.com"},
		{add, "already: remove it first"},
		{[]string{"list"}, "viewer"},
	} {
		if got := admin(x.args...); !strings.Contains(got, x.want) {
			t.Errorf("%v: %s\nwant %s", x.args, got, x.want)
		}
	}
	c.environ = append(c.environ, "SERVICE_ID_TOKEN="+c.issuer.Token(t, c.site.base, subject, nil))
	if out, code := c.run("pull"); code != 1 || !strings.Contains(out, "viewer") { // which sees no SQL
		t.Errorf("as a viewer: %d %s", code, out)
	}
	id := regexp.MustCompile(`(?m)^[0-9a-f-]{36}`).FindString(admin("list"))
	if got := admin("remove", id); !strings.Contains(got, "Removed trust "+id) {
		t.Error(got)
	}
	if out, code := c.run("pull"); code != 1 || !strings.Contains(out, "does not accept the access token") {
		t.Errorf("after the trust has ended: %d %s", code, out)
	}
}
