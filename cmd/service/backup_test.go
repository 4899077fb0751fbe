package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store/storetest"
)

// The whole procedure of an operator who has lost the database: published dashboards are
// restored, and the key can decrypt the sealed secrets.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		in := install(t)
		drill(t, in, func() {
			if err := os.RemoveAll(filepath.Join(in.dir, "postgres")); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("given", func(t *testing.T) {
		t.Parallel()
		db := storetest.Empty(t)
		drill(t, install(t, "DATABASE_URL="+databaseURL(db)), func() { wipe(t, db) })
	})
}

func wipe(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	if _, err := db.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`); err != nil {
		t.Fatal(err)
	}
}

func drill(t *testing.T, in *installation, destroy func()) {
	_, _, stop := in.serve()
	site := siteAt(in.port, in.environ)
	ann := site.browser(t)
	ann.signIn(site.app+"/", "ann@example.com")
	in.must("admin", "workspace", "create", "acme", "--owner", "ann@example.com")
	c := site.connect(t, ann, "acme")
	if got := c.call("publish_dashboard", map[string]any{"path": "kept", "body": "# Kept safe\n"}); got.failed {
		t.Fatal(got.text)
	}
	// Its test fails, because no server is there; but the sealed secret is stored before.
	var none output
	if err := run(t.Context(), []string{
		"admin", "connection", "add", "acme", "ann@example.com", "--kind", "postgres", "--label", "Sales",
		"--host", "127.0.0.1", "--port", "1", "--database", "d", "--user", "u", "--tls", "off",
	}, in.environ, &none, &none); err == nil {
		t.Fatal("a connection to nothing works")
	}
	dir := t.TempDir()
	said := in.must("backup", dir) // while the server runs
	files, err := filepath.Glob(filepath.Join(dir, backupGlob))
	if err != nil || len(files) != 1 || !strings.Contains(said, files[0]) || !strings.Contains(said, "fingerprint") {
		t.Fatalf("%v, %v: %s", files, err, said)
	}
	for _, file := range []string{files[0], files[0] + ".sha256"} {
		if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, st.Mode(), err)
		}
	}
	if code, _, stderr := in.command("restore", files[0], "--replace"); code != 1 || !strings.Contains(stderr, "stop all of them first") {
		t.Errorf("beside a running server: status %d\n%s", code, stderr)
	}
	stop()
	if code, _, stderr := in.command("restore", files[0]); code != 1 || !strings.Contains(stderr, "--replace") {
		t.Errorf("over what is there: status %d\n%s", code, stderr)
	}

	destroy()
	other := *in
	other.environ = append([]string{"SERVICE_SECRET_KEY=" + someKey}, in.environ...)
	if code, _, stderr := other.command("restore", files[0]); code != 1 || !strings.Contains(stderr, "does not fit this backup") {
		t.Errorf("with another key: status %d\n%s", code, stderr)
	}
	if got := in.must("restore", files[0]); !strings.Contains(got, "1 accounts, 1 dashboards, 1 versions") {
		t.Errorf("%s", got)
	}
	if got := in.must("admin", "key", "rotate"); !strings.Contains(got, "1 ") { // decrypts the sealed secrets
		t.Errorf("%s", got)
	}
	in.serve()
	if page := ann.get(site.workspace("acme") + "/kept"); page.status != 200 || !strings.Contains(page.text, "Kept safe") {
		t.Errorf("the page: %d\n%.500s", page.status, page.text)
	}
	if got := c.call("list_dashboards", map[string]any{}); got.failed || !strings.Contains(got.text, "kept") {
		t.Errorf("a client's grant: %s", got.text)
	}
}

// --keep deletes the oldest backups with their checksums, and no other files.
func TestBackupKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		"service-20250101T000000Z.dump", "service-20250101T000000Z.dump.sha256", "service-20250102T000000Z.dump",
		"service-20250103T000000Z.dump", "mine.dump", "service-before-upgrade.dump",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out output
	p := &program{stdout: &out, stderr: io.Discard}
	if err := p.prune(dir, 2); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := "[mine.dump service-20250102T000000Z.dump service-20250103T000000Z.dump service-before-upgrade.dump]"
	if got := fmt.Sprint(left); got != want {
		t.Errorf("left are %s, want %s", got, want)
	}
	if name := time.Now().UTC().Format(backupName); !matches(t, name) {
		t.Errorf("%s is not a name of a backup", name)
	}
	err = run(t.Context(), []string{"backup", filepath.Join(dir, "x.dump"), "--keep", "3"}, nil, &out, &out)
	if status(err, io.Discard) != 2 {
		t.Errorf("--keep with a file: %v", err)
	}
}

func matches(t *testing.T, name string) bool {
	t.Helper()
	ok, err := filepath.Match(backupGlob, name)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// The data of an installation of 0.6.0, its demo and some more, still exist after an
// upgrade. The dump was made once with that release.
func TestUpgradeFrom060(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	in := install(t, "DATABASE_URL="+databaseURL(db), "SERVICE_SECRET_KEY=a-passphrase-of-forty-characters-for-tests",
		"SERVICE_ALLOW_PRIVATE_WAREHOUSES=true")
	restored := time.Now()
	got := in.must("restore", "../../store/archive/testdata/0.6.0.dump")
	if !strings.Contains(got, "2 accounts, 4 dashboards, 6 versions") {
		t.Errorf("%s", got)
	}
	in.serve()
	site := siteAt(in.port, in.environ)
	ann := site.browser(t)
	ann.signIn(site.app+"/", "ann@example.com")
	for slug, want := range map[string]string{
		"seattle-weather": "Warmest and coldest", "usage": "<svg", "handbook": "How this workspace works",
		"notes": "Written with <strong>0.6.0</strong>",
	} {
		page := ann.get(site.workspace("acme") + "/" + slug)
		if page.status != 200 || !strings.Contains(page.text, want) {
			t.Errorf("%s: %d, without %s\n%.400s", slug, page.status, want, page.text)
		}
	}
	c := site.connect(t, ann, "acme")
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) { // its schedule still runs
		got := c.call("get_refresh_status", map[string]any{"slug": "usage"})
		run, _ := got.data["run"].(map[string]any)
		queued, err := time.Parse(time.RFC3339, fmt.Sprint(run["queued_at"]))
		if err == nil && !queued.Before(restored.Truncate(time.Second)) && got.data["state"] == "succeeded" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the schedule does not go on: %s", got.text)
		}
	}
	for _, call := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"list_dashboards", map[string]any{}, `4 dashboards of workspace`},
		{"list_dashboard_versions", map[string]any{"slug": "notes"}, `First draft`},
		{"get_dashboard_spec", map[string]any{"slug": "seattle-weather"}, `Kinds of weather`},
		{"list_connections", map[string]any{}, `sales.csv`},
		{"get_refresh_status", map[string]any{"slug": "usage"}, `succeeded`},
	} {
		if got := c.call(call.tool, call.args); got.failed || !strings.Contains(got.text, call.want) {
			t.Errorf("%s %v: %.600s", call.tool, call.args, got.text)
		}
	}
	// Its specs still work: new figures of the stored file, and a page with them.
	if got := c.call("trigger_refresh", map[string]any{"slug": "seattle-weather"}); got.failed {
		t.Errorf("%s", got.text)
	}
	c.refreshed("seattle-weather")
	page := ann.get(site.workspace("acme") + "/seattle-weather")
	if page.status != 200 || !strings.Contains(page.text, "Warmest and coldest") {
		t.Errorf("after a refresh: %d", page.status)
	}
	if got := in.must("admin", "key", "rotate"); !strings.Contains(got, "1 ") { // decrypts the password of a connection
		t.Errorf("%s", got)
	}
	rows, _ := db.Query(t.Context(), `SELECT action FROM audit WHERE subject IN ('notes', 'gone') ORDER BY at, id`)
	events, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"dashboard.publish", "dashboard.publish", "dashboard.publish", "dashboard.publish", "dashboard.delete",
	}
	if diff := cmp.Diff(want, events[:min(len(events), len(want))]); diff != "" {
		t.Errorf("its events (-want +got):\n%s", diff)
	}
}
