package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/store/storetest"
)

// send uploads a file to a path of the app, with headers: names and values in turn.
func (p *person) send(to, filename, content string, headers ...string) reply {
	p.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	// In the encoding of RFC 8187, which can express any name.
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {"form-data; name=file; filename*=UTF-8''" + url.PathEscape(filename)},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	_, _ = part.Write([]byte(content)) // writes to memory
	if err := form.Close(); err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.s.url+to, &body)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return p.do(r)
}

// publishFile publishes a dashboard with one panel over an upload, which was refreshed.
func (s *site) publishFile(t *testing.T, m store.Member, slug, name, upload, sql, panel string) {
	t.Helper()
	s.publishFiles(t, m, slug, name, store.OneFile(uuid.MustParse(upload)), sql, panel)
}

// publishSheet publishes a dashboard of a table over a sheet of an upload, which was refreshed.
func (s *site) publishSheet(t *testing.T, m store.Member, slug, upload, sheet, sql string) {
	t.Helper()
	s.publishFiles(t, m, slug, slug, store.NewFiles(uuid.MustParse(upload), sheet, nil), sql, `{"type": "table"}`)
}

func (s *site) publishFiles(t *testing.T, m store.Member, slug, name string, files store.Files, sql, panel string) {
	t.Helper()
	connections, err := s.store.Connections.Connections(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(connections, func(c store.Connection) bool { return c.Kind == store.KindUpload })
	content := fmt.Appendf(nil, `{"connection": "%s", "upload": "%s", "datasets": [{"id": "data", "sql": "%s"}], "panels": [%s]}`,
		connections[i].ID, files[0].Upload, sql, panel)
	if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: "index.html", Name: &name, DefaultChart: "line", Spec: storetest.Spec(content), ContentType: "application/json",
		Content:    content,
		Panels:     1,
		Connection: connections[i].ID, Files: files, Definitions: map[string][]byte{"data": []byte(sql)},
	}); err != nil {
		t.Fatal(err)
	}
	s.exec(t, `UPDATE refresh_run SET state = 'succeeded', started_at = queued_at, finished_at = queued_at WHERE finished_at IS NULL`)
}

// fileOfUpload matches the address of another file of an upload.
var fileOfUpload = regexp.MustCompile(`/w/engine/uploads/[^"/]+/files/[^"/]+`)

func TestUploads(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/uploads"
	p.get(at).want(http.StatusOK, "No files yet", `enctype="multipart/form-data"`, `data-max="5242880"`)

	sent := p.once().send(at, "sales <b>.csv", "day,revenue,note\n2026-01-01,10,1 < 2\n2026-01-02,20,\n").want(http.StatusSeeOther)
	file := sent.header.Get("Location")
	id := path.Base(file)
	for range 2 { // survives a reload, without the message
		p.get(file).
			want(http.StatusOK, "sales &lt;b&gt;.csv", "2 rows, 3 columns", id, "revenue", ">date<", "<td>2026-01-01</td>",
				"1 &lt; 2", `title="NULL"`, "No dashboard reads it.").
			lacks("<b>")
	}
	p.get(file).lacks("is uploaded.")

	// A script gets the address of the page and opens it itself.
	made := p.once().send(at, "scripted.csv", "n\n1\n", "Prefer", "return=minimal").want(http.StatusCreated)
	p.get(made.header.Get("Location")).want(http.StatusOK, "scripted.csv is uploaded.")
	for _, name := range []string{"a\nb.csv", "a\x00.csv"} {
		p.send(at, name, "n\n1\n").want(http.StatusUnprocessableEntity, "name must not contain control characters")
	}
	p.send(at, strings.Repeat("a", 300)+".csv", "n\n1\n").want(http.StatusUnprocessableEntity, "name exceeds 300-char limit (got 304)")
	var dirty strings.Builder
	dirty.WriteString("n\n")
	for i := range 200 {
		fmt.Fprintln(&dirty, i)
	}
	dirty.WriteString("n/a?\n")
	page := p.send(at, "dirty.csv", dirty.String()).want(http.StatusOK, "dirty.csv is uploaded.", "201 rows", "How the file was read")
	p.get(page.url.Path).want(http.StatusOK, "How the file was read", "the first that is not is in row 201").lacks("is uploaded.")

	// The same id has the new rows; the dashboards that read it are listed before, and refreshed.
	s.publishFile(t, m, "sales", "Sales per week", id, "SELECT day, sum(revenue) AS revenue FROM upload GROUP BY 1",
		`{"type": "line", "x": "day", "y": "revenue"}`)
	p.get(at).want(http.StatusOK, id, "Sales per week", "revenue (", file+"#replace")
	p.get(file).want(http.StatusOK,
		"This dashboard uses the file and will show the new rows:", `<a href="/w/engine/d/sales">Sales per week</a>`)
	p.send(file, "january.csv", "day,revenue\n2026-01-01,11\n").
		want(http.StatusOK, "january.csv has replaced the file. 1 dashboard that reads it refreshes now.", "1 row, 2 columns", id, "replaced")
	runs, err := s.store.Refreshes.Runs(t.Context(), m, "sales", 5)
	if err != nil || len(runs) != 2 || runs[0].Cause != store.CauseUpload {
		t.Errorf("runs %+v, %v", runs, err)
	}

	// Problems are shown at the field, and nothing is stored.
	large := strings.Repeat("x", message.MaxBytes+3)
	for _, to := range []string{at, file} {
		p.send(to, "large.csv", large).want(http.StatusRequestEntityTooLarge,
			`role="alert">This file is larger than 5.0 MiB, the most that a file may have. Leave out rows or columns.</p>`,
			`aria-invalid="true" aria-describedby="file-problem file-hint" autofocus`)
		p.send(to, "", "a\n1\n").want(http.StatusUnprocessableEntity, "Choose a file first.</p>")
		p.send(to, "picture.png", "\x89PNG").want(http.StatusUnprocessableEntity, `aria-invalid="true"`)
	}
	p.post(at, nil).want(http.StatusUnprocessableEntity, "Choose a file first.")
	p.send(at+"/0190a8f2-0000-7000-8000-000000000000", "a.csv", "a\n1\n").want(http.StatusNotFound)
	p.get(at).want(http.StatusOK).lacks("large.csv", "picture.png")

	// Another member has their own files.
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bob.get(at).want(http.StatusOK, "No files yet")
	bob.send(file, "mine.csv", "a\n1\n").want(http.StatusNotFound)
	bob.get(file).want(http.StatusNotFound)
	bob.post(file+"/delete", nil).want(http.StatusNotFound)

	p.get(file).want(http.StatusOK, "1 dashboard above will keep the last rows and stop refreshing.")
	p.post(file+"/delete", nil).want(http.StatusOK, "january.csv is deleted.", "dirty.csv").lacks(id)
	for _, left := range []reply{p.get(file), p.post(file+"/delete", nil), p.send(file, "again.csv", "a\n1\n")} {
		left.want(http.StatusNotFound)
	}
	p.get("/w/engine/d/sales").
		want(http.StatusOK, "Sales per week", "The uploaded file was deleted. Publish the dashboard again with another one.").
		lacks("was not found")
}
