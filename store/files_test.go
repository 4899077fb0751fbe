package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/warehouse"
)

// filesEngine notes which tables it opens, and reads any file as one row.
type filesEngine struct {
	engine
	opened [][]string
}

func (e *filesEngine) Open(t warehouse.Tenant, key string, tables []warehouse.DataTable) warehouse.Connector {
	var names []string
	for _, table := range tables {
		data, _ := table.Read(context.Background())
		names = append(names, fmt.Sprintf("%s %s", table.Name, data))
	}
	e.opened = append(e.opened, names)
	return e.engine.Open(t, key, tables)
}

func (e *filesEngine) Ingest(_ context.Context, _ warehouse.Tenant, f warehouse.DataFile) (*warehouse.Ingested, error) {
	in, err := e.engine.Ingest(context.Background(), warehouse.Tenant{}, warehouse.DataFile{})
	in.Parquet = f.Data
	return in, err
}

// TestFiles follows the files of a spec: the refusals, the files that each dataset reads, and the effects on dashboards and versions when a
// file is replaced or deleted.
func TestFiles(t *testing.T) {
	t.Parallel()
	e := &filesEngine{}
	b := setup(t, func(o *store.Options) { o.Engine = e })
	ctx := t.Context()
	upload := func(m store.Member, content string) store.Added {
		t.Helper()
		added, err := b.Uploads.AddUpload(ctx, m, content+".csv", []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	rain, sun, wind, snow := upload(b.owner, "rain"), upload(b.owner, "sun"), upload(b.owner, "wind"), upload(b.owner, "snow")
	connection := rain.Connection.ID
	eve := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	theirs := upload(eve, "theirs")
	second := b.workspace(t, b.owner.Account(), "second")
	elsewhere := upload(second, "elsewhere")
	files := store.Files{
		{Table: "upload", Upload: rain.Upload.ID}, {Table: "sun", Upload: sun.Upload.ID}, {Table: "upload", Dataset: "w", Upload: wind.Upload.ID},
	}

	// A file that is not the connection's is refused as if the connection did not exist.
	gone := `Connection "` + connection.String() + `" was not found among your connections. ` +
		`Manage warehouses in the web application, and use an active connection id or "self".`
	for _, id := range []uuid.UUID{uuid.New(), theirs.Upload.ID, elsewhere.Upload.ID, connection} {
		for i := range files {
			bad := append(store.Files{}, files...)
			bad[i].Upload = id
			_, err := b.Connections.Source(ctx, b.owner, connection, bad)
			refusal(t, err, gone)
			_, err = b.Connections.CheckConnection(ctx, second, connection, bad, true)
			refusal(t, err, gone)
		}
	}
	if _, err := b.Connections.CheckConnection(ctx, second, connection, files, true); err != nil {
		t.Error(err)
	}
	if _, err := b.Connections.Source(ctx, second, connection, files); err == nil {
		t.Error("files of another workspace can be queried")
	}
	if _, err := b.Connections.Source(ctx, eve, connection, files); err == nil {
		t.Error("files of another person can be queried")
	}
	e.opened = nil
	if _, err := b.Connections.Source(ctx, b.owner, connection, files); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"sun sun", "upload rain"}, {"sun sun", "upload wind"}}, e.opened); diff != "" {
		t.Errorf("what datasets read (-want +got):\n%s", diff)
	}

	publish := func(slug string, files store.Files) store.Published {
		t.Helper()
		p, err := b.Dashboards.Publish(ctx, b.owner, store.Publication{
			Slug: slug, Filename: "index.html", DefaultName: slug, DefaultChart: "kpi", Spec: &dashboard.Spec{}, ContentType: "application/json",
			Content: []byte("{}"), Connection: connection, Files: files, Definitions: map[string][]byte{"d": []byte("same")},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all := publish("all", files)
	if diff := cmp.Diff(files, all.Dashboard.Files); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	b.finish(t, all, 1)
	one := publish("one", store.OneFile(sun.Upload.ID))
	b.finish(t, one, 1)
	var stored *string
	err := b.pool.QueryRow(ctx, `SELECT uploads::text FROM version WHERE id = $1`, one.Dashboard.VersionID).Scan(&stored)
	if err != nil || stored != nil {
		t.Errorf("a single file is stored as %v (%v), which release 0.6.0 does not read", stored, err)
	}

	readers := func(upload uuid.UUID) string {
		t.Helper()
		d, err := b.Uploads.Upload(ctx, b.owner, upload)
		if err != nil {
			t.Fatal(err)
		}
		var slugs []string
		for _, bound := range d.Bindings {
			slugs = append(slugs, bound.Slug)
		}
		return fmt.Sprint(slugs)
	}
	for name, tt := range map[string]struct {
		upload  store.Added
		readers string
		n       int
	}{
		"without a name":       {rain, "[all]", 1},
		"with a name, and one": {sun, "[all one]", 2},
		"of a dataset":         {wind, "[all]", 1},
		"of nobody":            {snow, "[]", 0},
	} {
		if got := readers(tt.upload.Upload.ID); got != tt.readers {
			t.Errorf("%s: read by %s, want %s", name, got, tt.readers)
		}
		replaced, err := b.replace(t, b.owner, tt.upload.Upload.ID, "new.csv")
		if err != nil || replaced.Refreshes != tt.n {
			t.Errorf("%s: %d refreshes (%v), want %d", name, replaced.Refreshes, err, tt.n)
		}
	}
	status, err := b.Refreshes.RefreshStatus(ctx, b.owner, "all")
	if err != nil || status.Run.Cause != store.CauseUpload || !status.Run.Active() {
		t.Fatalf("%+v, %v", status.Run, err)
	}
	all.Run = *status.Run
	if b.finish(t, all, 2) != store.RunSucceeded {
		t.Error("the refresh failed")
	}

	// The rows of the same files are kept, in any order of the files; those of other files are not.
	turned := store.Files{files[1], files[2], files[0]}
	if p := publish("all", turned); len(b.rows(t, p)) != 1 {
		t.Error("rows of the same files are gone")
	}
	for i := range files {
		other := append(store.Files{}, files...)
		other[i].Upload = snow.Upload.ID
		p := publish("all", other)
		if len(b.rows(t, p)) != 0 {
			t.Errorf("rows of other files are kept: %v", other)
		}
	}
	restored, err := b.Dashboards.RestoreVersion(ctx, b.owner, "all", all.Dashboard.VersionID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files, restored.Dashboard.Files); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	// A named version keeps its files when the details of the dashboard have changed and it is copied.
	label, name := "keep", "Another name"
	if _, err := b.Dashboards.NameVersion(ctx, b.owner, "all", restored.Dashboard.VersionID, &label); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Dashboards.UpdateDashboard(ctx, b.owner, "all", store.Update{Name: &name}); err != nil {
		t.Fatal(err)
	}
	copied := publish("all", nil).Previous.ID
	if v, err := b.Dashboards.Version(ctx, b.owner, "all", copied); err != nil || copied == restored.Dashboard.VersionID ||
		!v.Files.Same(files) {
		t.Errorf("the copy %s has the files %v, %v", copied, v.Files, err)
	}

	// Files that are gone are named.
	for _, tt := range []struct {
		files store.Files
		want  string
	}{
		{files, `The uploaded file of table "upload" was deleted. Publish the dashboard again with another one.`},
		{
			store.Files{{Table: "wind", Upload: wind.Upload.ID}},
			`The uploaded file of table "wind" was deleted. Publish the dashboard again with another one.`,
		},
		{store.OneFile(wind.Upload.ID), `The uploaded file was deleted. Publish the dashboard again with another one.`},
	} {
		if _, err := b.Uploads.DeleteUpload(ctx, b.owner, wind.Upload.ID); err != nil && tt.files[0] == files[0] {
			t.Fatal(err)
		}
		_, err := b.Connections.JobSource(ctx, store.Job{Workspace: b.owner.WorkspaceID(), Connection: connection, Files: tt.files})
		refusal(t, err, tt.want)
	}
}

// rows are the datasets that the page of p has rows of.
func (b bench) rows(t *testing.T, p store.Published) []store.Result {
	t.Helper()
	out, err := b.Dashboards.Results(t.Context(), b.owner, p.Dashboard.VersionID)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
