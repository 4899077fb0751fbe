package store_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"service/store"
	"service/store/migrations"
	"service/store/storetest"
)

// replace gives an upload a file whose content is its name.
func (b bench) replace(t testing.TB, m store.Member, upload uuid.UUID, filename string) (store.Added, error) {
	t.Helper()
	file, err := b.Uploads.OfferFile(t.Context(), m, upload, filename, []byte(filename))
	if err != nil {
		return store.Added{}, err
	}
	d, err := b.Uploads.Upload(t.Context(), m, upload)
	if err != nil {
		t.Fatal(err)
	}
	return b.Uploads.UseFile(t.Context(), m, upload, file, store.Use{Instead: d.SHA256})
}

// files lists the files of an upload: its own, the earlier ones, and one that waits.
func (b bench) files(t testing.TB, upload uuid.UUID) string {
	t.Helper()
	d, err := b.Uploads.Upload(t.Context(), b.owner, upload)
	if err != nil {
		t.Fatal(err)
	}
	out := d.Filename
	for _, f := range d.Earlier {
		out += " < " + f.Filename
	}
	if d.Waiting != nil {
		out += " ? " + d.Waiting.Filename
	}
	return out
}

// earlier is the id of an earlier file.
func (b bench) earlier(t testing.TB, upload uuid.UUID, filename string) uuid.UUID {
	t.Helper()
	d, err := b.Uploads.Upload(t.Context(), b.owner, upload)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Earlier {
		if f.Filename == filename {
			return f.ID
		}
	}
	t.Fatalf("%s is not kept: %s", filename, b.files(t, upload))
	return uuid.Nil
}

// TestUploadFiles follows the files of an upload: an offered file changes nothing, three used ones are kept, and one can go back; content
// stays as long as it is needed.
func TestUploadFiles(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	now := func() time.Time { return start.Add(time.Duration(passed.Load())) }
	b := setup(t, func(o *store.Options) { o.Engine, o.Now = &filesEngine{}, now })
	ctx := t.Context()
	added, err := b.Uploads.AddUpload(ctx, b.owner, "1", []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	id := added.Upload.ID
	says := func(want string) {
		t.Helper()
		passed.Add(int64(time.Minute))
		if got := b.files(t, id); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	offer := func(name string) uuid.UUID {
		t.Helper()
		file, err := b.Uploads.OfferFile(ctx, b.owner, id, name, []byte(name))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	use := func(file uuid.UUID, despite int) error {
		t.Helper()
		d, err := b.Uploads.Upload(ctx, b.owner, id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Uploads.UseFile(ctx, b.owner, id, file, store.Use{Instead: d.SHA256, Despite: despite})
		return err
	}

	says("1")
	before := storetest.State(t, b.pool, "upload_file", "blob")
	first := offer("2")
	says("1 ? 2")
	second := offer("3")
	says("1 ? 3")
	if err := use(first, 0); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a file that another took the place of: %v", err)
	}
	if name, err := b.Uploads.DropFile(ctx, b.owner, id, second); err != nil || name != "3" {
		t.Error(name, err)
	}
	says("1")
	if diff := cmp.Diff(before, storetest.State(t, b.pool, "upload_file", "blob")); diff != "" {
		t.Errorf("files that were not used changed something:\n%s", diff)
	}

	for _, step := range []struct{ name, want string }{
		{"2", "2 < 1"}, {"3", "3 < 2 < 1"}, {"4", "4 < 3 < 2 < 1"}, {"5", "5 < 4 < 3 < 2"}, {"6", "6 < 5 < 4 < 3"},
	} {
		if err := use(offer(step.name), len(step.name)-1); err != nil {
			t.Fatal(err)
		}
		says(step.want)
	}
	if err := use(offer("6"), 0); err != nil { // the same once more takes no place
		t.Fatal(err)
	}
	says("6 < 5 < 4 < 3")
	waiting := offer("7")
	says("6 < 5 < 4 < 3 ? 7")

	// Back, and forth again.
	if err := use(b.earlier(t, id, "4"), 2); err != nil {
		t.Fatal(err)
	}
	says("4 < 6 < 5 < 3 ? 7")
	d, err := b.Uploads.Upload(ctx, b.owner, id)
	if err != nil || !d.Replaced || string(must(t, b, d)) != "4" {
		t.Errorf("%+v, %v", d.Upload, err)
	}
	if err := use(b.earlier(t, id, "6"), 0); err != nil {
		t.Fatal(err)
	}
	says("6 < 4 < 5 < 3 ? 7")
	if _, err := b.Uploads.DropFile(ctx, b.owner, id, b.earlier(t, id, "5")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an earlier file is dropped: %v", err)
	}

	// The file that a person looked at has changed meanwhile.
	_, err = b.Uploads.UseFile(ctx, b.owner, id, waiting, store.Use{Instead: d.SHA256})
	if !errors.Is(err, store.ErrFileChanged) {
		t.Error(err)
	}
	says("6 < 4 < 5 < 3 ? 7")

	// Nobody can read or change files of others.
	eve := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "eve@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	colleague, err := b.Members.Member(ctx, eve.Account(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	whole := storetest.State(t, b.pool)
	for _, m := range []store.Member{eve, colleague} {
		for _, file := range []uuid.UUID{waiting, b.earlier(t, id, "5"), uuid.New()} {
			_, show := b.Uploads.UploadFile(ctx, m, id, file)
			_, drop := b.Uploads.DropFile(ctx, m, id, file)
			_, use := b.Uploads.UseFile(ctx, m, id, file, store.Use{Instead: hash("6")})
			_, offer := b.Uploads.OfferFile(ctx, m, id, "x", []byte("x"))
			for _, err := range []error{show, drop, use, offer} {
				if !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
			}
		}
	}
	if diff := cmp.Diff(whole, storetest.State(t, b.pool)); diff != "" {
		t.Errorf("strangers changed something:\n%s", diff)
	}
	other, err := b.Uploads.AddUpload(ctx, b.owner, "other", []byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Uploads.UseFile(ctx, b.owner, other.Upload.ID, waiting, store.Use{Instead: other.Upload.SHA256})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a file of another upload is used: %v", err)
	}

	// A day later the waiting file is deleted, with its content; the earlier files stay.
	contents := func() []string {
		t.Helper()
		if _, err := b.SweepBlobs(ctx); err != nil {
			t.Fatal(err)
		}
		var out []string
		for i := range 9 {
			var n int
			if err := b.pool.QueryRow(ctx, `SELECT count(*) FROM blob WHERE sha256 = $1`, hash(fmt.Sprint(i))).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				out = append(out, fmt.Sprint(i))
			}
		}
		return out
	}
	passed.Add(int64(23 * time.Hour))
	if gone, err := b.Sweep(ctx); err != nil || gone != 0 {
		t.Errorf("%d rows went, %v", gone, err)
	}
	if diff := cmp.Diff([]string{"3", "4", "5", "6", "7"}, contents()); diff != "" {
		t.Error(diff)
	}
	passed.Add(int64(time.Hour))
	if gone, err := b.Sweep(ctx); err != nil || gone != 1 {
		t.Errorf("%d rows went, %v", gone, err)
	}
	says("6 < 4 < 5 < 3")
	if diff := cmp.Diff([]string{"3", "4", "5", "6"}, contents()); diff != "" {
		t.Error(diff)
	}

	var log []string
	if err := b.Audit.EachAudit(ctx, b.owner, store.AuditQuery{Noun: "upload"}, func(e store.AuditEntry) error {
		if e.Action != "upload.add" {
			log = append(log, fmt.Sprint(e.Action, " ", e.Detail["before"], " ", e.Detail["filename"], " ", e.Detail["despite"]))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(log)
	want := "upload.replace 1 2 0, upload.replace 2 3 0, upload.replace 3 4 0, upload.replace 4 5 0, upload.replace 5 6 0, " +
		"upload.replace 6 6 0, upload.restore 6 4 2, upload.restore 4 6 0"
	if got := strings.Join(log, ", "); got != want {
		t.Errorf("audit log: %s\nwant: %s", got, want)
	}

	if _, err := b.Uploads.DeleteUpload(ctx, b.owner, id); err != nil {
		t.Fatal(err)
	}
	if left := contents(); len(left) > 0 {
		t.Errorf("the contents %v of a deleted upload stay", left)
	}
}

// must reads the file of an upload.
func must(t *testing.T, b bench, d store.UploadDetail) []byte {
	t.Helper()
	e := &filesEngine{}
	s, err := store.New(b.pool, store.Options{Engine: e, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	connections, err := s.Connections.Connections(t.Context(), b.owner)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Connections.Source(t.Context(), b.owner, connections[0].ID, store.OneFile(d.ID)); err != nil {
		t.Fatal(err)
	}
	_, content, _ := strings.Cut(e.opened[0][0], " ")
	return []byte(content)
}

// TestFilesThatAreUsedAtOnce: one of them is the upload's file, and at most three are earlier files, whichever is first.
func TestFilesThatAreUsedAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *store.Options) { o.Engine = &filesEngine{} })
	added, err := b.Uploads.AddUpload(t.Context(), b.owner, "0", []byte("0"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var used atomic.Int64
	for i := range 12 {
		wg.Go(func() {
			file, err := b.Uploads.OfferFile(t.Context(), b.owner, added.Upload.ID, fmt.Sprint(i+1), fmt.Append(nil, i+1))
			if err != nil {
				t.Error(err)
				return
			}
			d, err := b.Uploads.Upload(t.Context(), b.owner, added.Upload.ID)
			if err != nil {
				t.Error(err)
				return
			}
			switch _, err := b.Uploads.UseFile(t.Context(), b.owner, added.Upload.ID, file, store.Use{Instead: d.SHA256}); {
			case err == nil:
				used.Add(1)
			case !errors.Is(err, store.ErrFileChanged) && !errors.Is(err, store.ErrNotFound):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d, err := b.Uploads.Upload(t.Context(), b.owner, added.Upload.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n := int(used.Load()); n == 0 || len(d.Earlier) != min(n, store.KeptFiles) {
		t.Errorf("%d files were used, and %d are kept: %s", n, len(d.Earlier), b.files(t, added.Upload.ID))
	}
}

// TestUploadsOfRelease060 migrates a database of that release. Its upload has no earlier files, is read by its
// dashboards as before, and is replaced and brought back like any other.
func TestUploadsOfRelease060(t *testing.T) {
	t.Parallel()
	pool := storetest.Empty(t)
	ctx := t.Context()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, `
		WITH a AS (INSERT INTO account (id, issuer, subject, email) VALUES (gen_random_uuid(), 'i', 's', 'ada@example.com') RETURNING id),
		     w AS (INSERT INTO workspace (id, slug, name) VALUES (gen_random_uuid(), 'acme', 'Acme') RETURNING id),
		     m AS (INSERT INTO membership (account_id, workspace_id, role) SELECT a.id, w.id, 'owner' FROM a, w),
		     b AS (INSERT INTO blob (workspace_id, sha256, size, body) SELECT w.id, sha256('old'), 3, '\x1f8b' FROM w RETURNING sha256),
		     c AS (INSERT INTO connection (workspace_id, id, owner_id, kind, label, status)
		           SELECT w.id, gen_random_uuid(), a.id, 'upload', 'Uploaded files', 'active' FROM w, a RETURNING workspace_id, id, owner_id),
		     u AS (INSERT INTO upload (workspace_id, id, connection_id, filename, size, row_count, columns, sha256, created_by)
		           SELECT c.workspace_id, gen_random_uuid(), c.id, 'old.csv', 3, 1, '[{"name": "n", "type": "integer"}]', b.sha256, c.owner_id
		             FROM c, b RETURNING workspace_id, id, connection_id, sha256),
		     v AS (INSERT INTO version (workspace_id, id, dashboard_id, cause, kind, filename, content_type, sha256, size, meta,
		                                connection_id, upload_id)
		           SELECT workspace_id, gen_random_uuid(), gen_random_uuid(), 'publish', 'spec', 'index.html', 'application/json', sha256, 2,
		                  '{"name": "Sales", "tags": [], "chart": "kpi"}', connection_id, id FROM u
		           RETURNING workspace_id, id, dashboard_id),
		     d AS (INSERT INTO dashboard (workspace_id, id, slug, name, chart, version_id)
		           SELECT workspace_id, dashboard_id, 'sales', 'Sales', 'kpi', id FROM v RETURNING workspace_id, id)
		INSERT INTO slug (workspace_id, slug, dashboard_id) SELECT workspace_id, 'sales', id FROM d`); err != nil {
		t.Fatal(err)
	}
	if err := migrate(ctx, pool); err != nil {
		t.Fatal(err)
	}
	s, err := store.New(pool, store.Options{Engine: &filesEngine{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	b := bench{Store: s, pool: pool}
	var account uuid.UUID
	if err := pool.QueryRow(ctx, `SELECT id FROM account`).Scan(&account); err != nil {
		t.Fatal(err)
	}
	if b.owner, err = s.Members.Member(ctx, account, "acme"); err != nil {
		t.Fatal(err)
	}
	connections, err := s.Connections.Connections(ctx, b.owner)
	if err != nil || len(connections) != 1 || len(connections[0].Uploads) != 1 {
		t.Fatalf("%+v, %v", connections, err)
	}
	id := connections[0].Uploads[0].ID
	if got := b.files(t, id); got != "old.csv" {
		t.Error(got)
	}
	d, err := s.Dashboards.Dashboard(ctx, b.owner, "sales")
	if err != nil || !d.Files.Same(store.OneFile(id)) {
		t.Errorf("%v, %v", d.Files, err)
	}
	added, err := b.replace(t, b.owner, id, "new.csv")
	if err != nil || added.Refreshes != 1 || b.files(t, id) != "new.csv < old.csv" {
		t.Errorf("%+v, %v, %s", added, err, b.files(t, id))
	}
	back, err := s.Uploads.UseFile(ctx, b.owner, id, b.earlier(t, id, "old.csv"), store.Use{Instead: added.Upload.SHA256})
	if err != nil || back.Refreshes != 1 || back.Upload.Filename != "old.csv" || back.Upload.Rows != 1 {
		t.Errorf("%+v, %v", back, err)
	}
}
