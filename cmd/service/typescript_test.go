package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/server/browsertest"
	"service/tools"
)

// TestTypeScriptClient runs a client on the TypeScript SDK, on which most clients are built:
// from 401 through registration and consent to the tools, whose answers it checks against
// their output schemas. It publishes and queries the examples of the plugin's skills.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	dir := typeScriptClient(t)
	site := startSite(t)
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Journey"}, "slug": {"journey"}})

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := startTypeScript(ctx, t, dir)
	_, publish := skill(t, "publish-dashboard")
	_, audit := skill(t, "audit-dashboards")
	client.write(map[string]any{
		"address": site.base + "/mcp", "workspace": "journey",
		"spec": json.RawMessage(block(t, publish, "json spec")), "sql": block(t, audit, "sql"),
	})

	var asked struct{ Authorize string }
	client.read(&asked)
	ada.get(asked.Authorize)
	ada.submit("/consent", url.Values{"workspace": {"journey"}, "decision": {"allow"}})
	if ada.away == nil {
		t.Fatalf("Allow led to %s (%d)", ada.last.url, ada.last.status)
	}
	client.write(ada.away.RawQuery)

	var seen struct {
		HTTP, Called, Validated []string
		URL, Title              string
	}
	client.read(&seen)
	if err := client.cmd.Wait(); err != nil {
		t.Errorf("the client ended with %v\n%s", err, client.err)
	}
	if seen.URL != site.workspace("journey")+"/typescript" || !strings.HasPrefix(seen.Title, "Use of our dashboards") {
		t.Errorf("it published %q at %s", seen.Title, seen.URL)
	}
	if n := min(len(seen.HTTP), 4); !cmp.Equal(seen.HTTP[:n], []string{
		"POST /mcp 401", "GET /.well-known/oauth-protected-resource 200", "GET /.well-known/oauth-authorization-server 200", "POST /register 201",
	}) {
		t.Errorf("it began with %q", seen.HTTP[:n])
	}
	tokens := 0
	for _, request := range seen.HTTP {
		if request == "POST /token 200" {
			tokens++
		}
	}
	if tokens != 2 {
		t.Errorf("%d tokens, of a code and of a refresh, in %q", tokens, seen.HTTP)
	}
	for _, d := range tools.Definitions() {
		if d.OutputSchema != nil && !slices.Contains(seen.Validated, d.Name) {
			t.Errorf("no answer of %s was held against its schema", d.Name)
		}
		if d.Annotations.ReadOnlyHint && !slices.Contains(seen.Called, d.Name) {
			t.Errorf("%s was not called", d.Name)
		}
	}
	if viewed := ada.get(seen.URL); viewed.status != 200 || !strings.Contains(viewed.text, "Use of our dashboards") {
		t.Errorf("its page: %d", viewed.status)
	}
}

// typeScriptClient returns a folder with the client and its npm packages.
func typeScriptClient(t *testing.T) string {
	t.Helper()
	installed := browsertest.Installed(t, "typescript", readFile(t, typeScriptLock))
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/typescript")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

const typeScriptLock = "cmd/service/testdata/typescript/package-lock.json"

// typeScript is the running client.
type typeScript struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
	err *bytes.Buffer
}

func startTypeScript(ctx context.Context, t *testing.T, dir string) *typeScript {
	t.Helper()
	c := &typeScript{t: t, cmd: exec.CommandContext(ctx, "node", "client.mjs"), err: &bytes.Buffer{}}
	c.cmd.Dir, c.cmd.Stderr = dir, c.err
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // it has ended already, unless the test failed
		_ = c.cmd.Wait()
	})
	c.in, c.out = in, bufio.NewReader(out)
	return c
}

func (c *typeScript) write(v any) {
	c.t.Helper()
	line, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		c.fail(err)
	}
}

func (c *typeScript) read(v any) {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.fail(err)
	}
	if err := json.Unmarshal(line, v); err != nil {
		c.t.Fatalf("%v in %s", err, line)
	}
}

// fail ends the test with the client's own error output.
func (c *typeScript) fail(err error) {
	c.t.Helper()
	ended := c.cmd.Wait() // reads the rest of its errors
	c.t.Fatalf("the client: %v, %v\n%s", err, ended, c.err)
}

// Installed packages are pinned by content, whatever their source.
func TestNPMLocks(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{
		typeScriptLock,
		oidcLock,
		"server/browsertest/testdata/axe/package-lock.json",
		"store/warehouse/clickhouse/testdata/server/package-lock.json",
	} {
		t.Run(lock, func(t *testing.T) { checkLock(t, lock) })
	}
}

func checkLock(t *testing.T, file string) {
	var wanted struct{ Dependencies map[string]string }
	var lock struct {
		Packages map[string]struct {
			Version, Integrity string
			Dependencies       map[string]string
		}
	}
	text := readFile(t, file)
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(readFile(t, path.Join(path.Dir(file), "package.json")), &wanted); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("://")) {
		t.Error("it names a host")
	}
	if diff := cmp.Diff(wanted.Dependencies, lock.Packages[""].Dependencies); diff != "" {
		t.Errorf("package.json and the lock (-want +got):\n%s", diff)
	}
	for name, version := range wanted.Dependencies {
		if !regexp.MustCompile(`^\d+\.\d+\.\d+(-stable\.\d+)?$`).MatchString(version) || lock.Packages["node_modules/"+name].Version != version {
			t.Errorf("%s is not pinned: %s", name, version)
		}
	}
	for name, p := range lock.Packages {
		if name != "" && !strings.HasPrefix(p.Integrity, "sha512-") {
			t.Errorf("%s has no checksum", name)
		}
	}
}
