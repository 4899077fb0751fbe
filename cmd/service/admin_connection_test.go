package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestAdminConnections adds, lists, disables and deletes a connection while a server is
// running. The dialer refuses its host, and the command prints the reason.
func TestAdminConnections(t *testing.T) {
	t.Parallel()
	site := startSite(t)
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Warehouse"}, "slug": {"warehouse"}})
	admin := func(args ...string) (string, string) {
		t.Helper()
		var out, errs bytes.Buffer
		err := run(t.Context(), append([]string{"admin", "connection"}, args...), site.environ, &out, &errs)
		if err != nil {
			return out.String(), err.Error()
		}
		return out.String(), ""
	}
	target := []string{"--label", "Sales", "--host", "127.0.0.1", "--port", "1", "--database", "d", "--user", "u", "--tls", "off"}
	out, failed := admin(append([]string{"add", "warehouse", "ada@example.com", "--kind", "postgres"}, target...)...)
	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(out)
	if id == "" || !strings.Contains(failed, "is failing: The host leads to a private or local address") {
		t.Fatalf("%s\n%s", out, failed)
	}
	var uploaded, errs bytes.Buffer
	args := []string{"admin", "upload", "add", "warehouse", "ada@example.com", csvFile(t)}
	if err := run(t.Context(), args, site.environ, &uploaded, &errs); err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(uploaded.String())
	c := site.connect(t, ada, "warehouse")
	got := c.call("validate_cube_sql", map[string]any{"sql": "SELECT 1 AS n", "connection": id})
	want := `Connection "Sales" is not active (status: failing). Test it in the web application and retry once it is active.`
	if !got.failed || got.text != want {
		t.Errorf("%s", got.text)
	}
	for _, step := range []struct {
		args         []string
		out, failure string
	}{
		{[]string{"list", "warehouse", "ada@example.com"}, "failing", ""},
		{[]string{"disable", "warehouse", "ada@example.com", id}, "is disabled", ""},
		{[]string{"list", "warehouse", "ada@example.com"}, "disabled", ""},
		{append([]string{"update", "warehouse", "ada@example.com", id}, target...), "", "is failing"},
		{[]string{"test", "warehouse", "eve@example.com", id}, "", "nobody has signed in as eve@example.com"},
		{[]string{"disable", "warehouse", "ada@example.com", files}, "", "ada@example.com has no connection " + files + " to a warehouse in"},
		{[]string{"test", "warehouse", "ada@example.com", files}, "", "ada@example.com has no connection " + files + " to a warehouse in"},
		{[]string{"delete", "warehouse", "ada@example.com", id}, "is deleted", ""},
		{[]string{"delete", "warehouse", "ada@example.com", id}, "", "ada@example.com has no connection " + id + " in workspace warehouse"},
		{[]string{"delete", "warehouse", "ada@example.com", "x"}, "", "is not the id of a connection"},
	} {
		if out, failure := admin(step.args...); !strings.Contains(out, step.out) ||
			!strings.Contains(failure, step.failure) || (failure == "") != (step.failure == "") {
			t.Errorf("%s: %q, %q", step.args, out, failure)
		}
	}
}

// A connection with a superuser becomes active with a warning, which the operator and its owner see.
func TestAdminConnectionWarns(t *testing.T) {
	t.Parallel()
	site := startSite(t, "SERVICE_ALLOW_PRIVATE_WAREHOUSES=true")
	ada := site.browser(t)
	ada.signIn(site.app+"/", "ada@example.com")
	ada.submit("/workspaces", url.Values{"name": {"Warehouse"}, "slug": {"warehouse"}})
	port := guarded(t, "s3cret-word")
	var out, errs bytes.Buffer
	add := []string{
		"admin", "connection", "add", "warehouse", "ada@example.com", "--kind", "postgres", "--label", "Sales",
		"--host", "127.0.0.1", "--port", port, "--database", "postgres", "--user", "postgres", "--tls", "off",
	}
	if err := run(t.Context(), add, site.environ, &out, &errs); err != nil {
		t.Fatal(err, errs.String())
	}
	const warning = "The warehouse user is a superuser"
	got := out.String()
	for _, want := range []string{
		"is active.\n" + warning, "\nkind: postgres\nTLS: off\nsign-in: password\nversion: PostgreSQL ", "\nsigned in as: postgres\n",
		"\nread-only transaction: on\n", "\ntime limit: 10s\n",
	} {
		if !strings.Contains(got, want) || strings.Contains(got, "s3cret") {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(out.String())
	for _, at := range []string{"/w/warehouse/connections", "/w/warehouse/connections/" + id} {
		if page := ada.get(site.app + at).text; !strings.Contains(page, warning) {
			t.Errorf("%s does not warn", at)
		}
	}

	// Columns of one name have numbers in rows to look at, which are no draft of a dashboard, and are refused in a dashboard's SQL.
	c := site.connect(t, ada, "warehouse")
	twice := map[string]any{"connection": id, "sql": "SELECT count(*), count(relkind) FROM pg_class"}
	explored := c.call("explore_data", twice)
	if names := fmt.Sprint(explored.data["columns"]); explored.failed || !strings.Contains(names, "name:count_2") ||
		explored.data["draft"] != nil || !strings.Contains(fmt.Sprint(explored.data["draft_note"]), "several columns have one name") {
		t.Errorf("explore_data: %s", explored.text)
	}
	if got := c.call("validate_cube_sql", twice).text; !strings.Contains(got, `Two columns of the query are called "count".`) {
		t.Errorf("validate_cube_sql: %s", got)
	}

	// The operator cannot send a stored password to another host either.
	ada.get(site.app + "/w/warehouse/connections/new?kind=postgres")
	at := ada.submit("/connections", url.Values{
		"label": {"Sales"}, "host": {"127.0.0.1"}, "port": {port}, "database": {"postgres"}, "user": {"reader"}, "tls": {"off"},
		"password": {"s3cret-word"},
	}).url.Path
	for user, want := range map[string]string{"reader": "is active", "postgres": "password must be typed again"} {
		said, errs := bytes.Buffer{}, bytes.Buffer{}
		err := run(t.Context(), []string{
			"admin", "connection", "update", "warehouse", "ada@example.com", path.Base(at), "--label", "Sales", "--host", "127.0.0.1",
			"--port", port, "--database", "postgres", "--user", user, "--tls", "off",
		}, site.environ, &said, &errs)
		if got := fmt.Sprint(said.String(), err); !strings.Contains(got, want) {
			t.Errorf("as %s, with the password that is stored: %s", user, got)
		}
	}
}

// TestPasswordIsRead: a password is the first line of the standard input, and a key is all of it.
func TestPasswordIsRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"open sesame\nmore\n": "open sesame", "{\n\"type\": 1}\n": "{\n\"type\": 1}\n",
		"-----BEGIN PRIVATE KEY-----\nMII\n": "-----BEGIN PRIVATE KEY-----\nMII\n", "": "",
	} {
		var f targetFlags
		cmd := &cobra.Command{}
		cmd.SetIn(strings.NewReader(in))
		if err := f.readPassword(cmd); err != nil || f.Password != want {
			t.Errorf("%q is read as %q, %v", in, f.Password, err)
		}
	}
}

// TestPasswordIsAskedFor: at a terminal the command asks for the password, and from a file it reads it without a word.
func TestPasswordIsAskedFor(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("secret\nmore"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ password, asks string }{
		file:       {"secret", ""},
		os.DevNull: {"", "Password (the terminal shows it; empty for none): "}, // it is a device, as a terminal is
	} {
		in, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var f targetFlags
		var asks bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetIn(in)
		cmd.SetErr(&asks)
		if err := f.readPassword(cmd); err != nil || f.Password != want.password || asks.String() != want.asks {
			t.Errorf("%s: the password is %s, it asks %s, %v", name, f.Password, asks.String(), err)
		}
	}
}
