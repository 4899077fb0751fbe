package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"service/store"
	"service/store/message"
)

// send uploads a file to a path of the app.
func (p *person) send(to, filename, content string) reply {
	p.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filename)
	if err != nil {
		p.t.Fatal(err)
	}
	_, _ = part.Write([]byte(content)) // into memory
	if err := form.Close(); err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.s.url+to, &body)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	return p.do(r)
}

func TestUploads(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/uploads"
	p.get(at).want(http.StatusOK, "No files yet", `enctype="multipart/form-data"`, `data-max="5242880"`)

	page := p.send(at, "sales <b>.csv", "day,revenue,note\n2026-01-01,10,1 < 2\n2026-01-02,20,b\n").
		want(http.StatusCreated, "sales &lt;b&gt;.csv is uploaded", "2 rows, 3 columns", "revenue", "date", "1 &lt; 2").lacks("<b>")
	id := between(t, page.body, `aria-label="Id of the upload">`, "</pre>")
	var dirty strings.Builder
	dirty.WriteString("n\n")
	for i := range 200 {
		fmt.Fprintln(&dirty, i)
	}
	dirty.WriteString("n/a?\n")
	p.send(at, "dirty.csv", dirty.String()).want(http.StatusCreated, "201 rows", "What could not be typed")

	// The same id has the new rows, and who reads it is refreshed.
	s.publish(t, m, "sales", "Sales per week")
	s.exec(t, `UPDATE version SET upload_id = $1, connection_id = (SELECT connection_id FROM upload WHERE id = $1)`, id)
	s.exec(t, `UPDATE refresh_run SET state = 'succeeded', started_at = queued_at, finished_at = queued_at`)
	p.get(at).want(http.StatusOK, id, "Sales per week", "revenue (")
	p.send(at+"/"+id, "january.csv", "day,revenue\n2026-01-01,11\n").
		want(http.StatusCreated, "january.csv is replaced", "1 row, 2 columns", id, "1 dashboard that reads it refreshes now.")
	runs, err := s.store.Runs(t.Context(), m, "sales", 5)
	if err != nil || len(runs) != 2 || runs[0].Cause != store.CauseUpload {
		t.Errorf("runs %+v, %v", runs, err)
	}

	// What is wrong is said, and nothing is stored.
	large := strings.Repeat("x", message.MaxBytes+3)
	p.send(at, "large.csv", large).want(http.StatusRequestEntityTooLarge, "413 payload too large: 5242883 bytes, over the 5242880-byte limit")
	p.send(at, "", "a\n1\n").want(http.StatusUnprocessableEntity, "Choose a file first.")
	p.post(at, nil).want(http.StatusUnprocessableEntity, "Choose a file first.")
	p.send(at, "picture.png", "\x89PNG").want(http.StatusUnprocessableEntity)
	p.send(at+"/0190a8f2-0000-7000-8000-000000000000", "a.csv", "a\n1\n").want(http.StatusNotFound)
	p.get(at).want(http.StatusOK).lacks("large.csv", "picture.png")

	// Another member has their own.
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleMember); err != nil {
		t.Fatal(err)
	}
	bob.get(at).want(http.StatusOK, "No files yet")
	bob.send(at+"/"+id, "mine.csv", "a\n1\n").want(http.StatusNotFound)
}
