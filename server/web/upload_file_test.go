package web

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	"service/store"
)

var (
	aForm  = regexp.MustCompile(`(?s)<form method="post" action="([^"]+)">(.*?)</form>`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
)

// press sends the form of the page r with the button text, as a browser without scripts does.
func (p *person) press(r reply, text string) reply {
	p.t.Helper()
	for _, form := range aForm.FindAllStringSubmatch(r.body, -1) {
		if !strings.Contains(form[2], ">"+text+"</button>") {
			continue
		}
		values := url.Values{}
		for _, input := range hidden.FindAllStringSubmatch(form[2], -1) {
			values.Set(html.UnescapeString(input[1]), html.UnescapeString(input[2]))
		}
		return p.post(html.UnescapeString(form[1]), values)
	}
	p.t.Fatalf("%s has no button %q:\n%s", r.url, text, r.body)
	return reply{}
}

// TestReplaceUpload: a file with which dashboards would break is shown first, with the consequences, and the
// person decides whether to use it. Earlier files are kept, and can be restored.
func TestReplaceUpload(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const seven = "day,a,b,c,d,e,revenue\n2026-01-01,1,2,3,4,5,10\n2026-01-02,1,2,3,4,5,20\n"
	file := p.send("/w/engine/uploads", "seven.csv", seven).want(http.StatusOK, "2 rows, 7 columns").url.Path
	id := path.Base(file)
	s.publishFile(t, m, "sales", "Sales <b>per</b> day", id, "SELECT day, sum(revenue) AS revenue FROM upload GROUP BY 1",
		`{"type": "line", "x": "day", "y": "revenue"}`)
	s.publishFile(t, m, "count", "Count", id, "SELECT count(*) AS n FROM upload", `{"type": "kpi", "value": "n"}`)
	refreshed := func() (causes string) {
		t.Helper()
		for _, slug := range []string{"sales", "count"} {
			runs, err := s.store.Refreshes.Runs(t.Context(), m, slug, 9)
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range runs {
				causes += run.Cause + " "
			}
		}
		return causes
	}
	before := s.state(t)
	const untouched = "publish publish "

	// From seven columns to three: nothing is replaced yet.
	page := p.send(file, "three & <i>more.csv", "d,revenue,x\n2026-01-01,9,1\n").
		want(http.StatusOK, "Replace seven.csv by three &amp; &lt;i&gt;more.csv?", "1 dashboard would break",
			"Sales &lt;b&gt;per&lt;/b&gt; day</a>", "Dataset data: 1 column is missing: day", "<code>day</code></th><td>date</td>",
			`<td>2</td><td>1</td>`, `<td>7</td><td>3</td>`, "1 column stays as it is.", ">Replace anyway</button>", ">Cancel</button>").
		lacks("<b>per", "<i>", `/d/count"`)
	p.get(file).want(http.StatusOK, "<h1>seven.csv</h1>", "three &amp; &lt;i&gt;more.csv is not used yet",
		"2 rows, 7 columns").lacks("Earlier files")
	if got := refreshed(); got != untouched {
		t.Errorf("refreshed: %s", got)
	}
	// After Cancel the file is deleted, and nothing has changed.
	p.press(page, "Cancel").want(http.StatusOK, "Nothing was replaced, and three &amp; &lt;i&gt;more.csv is deleted.", "<h1>seven.csv</h1>").
		lacks("is not used yet")
	p.get(page.url.Path).want(http.StatusNotFound)
	after := s.state(t)
	delete(before, "blob")
	for table := range before {
		if before[table] != after[table] {
			t.Errorf("table %s differs from what it was before", table)
		}
	}

	// A script gets the address of the same page.
	scripted := p.once().send(file, "three.csv", "d,revenue,x\n2026-01-01,9,1\n", "Prefer", "return=minimal").want(http.StatusCreated)
	page = p.get(scripted.header.Get("Location")).want(http.StatusOK, "1 dashboard would break").lacks(`class="flash"`)
	p.press(page, "Replace anyway").want(http.StatusOK, "three.csv has replaced the file. 2 dashboards that read it refresh now.",
		"<h1>three.csv</h1>", "Earlier files", "seven.csv", "2 rows · 7 columns")
	if got := refreshed(); got != "upload publish upload publish " {
		t.Errorf("refreshed: %s", got)
	}
	s.exec(t, `UPDATE refresh_run SET state = 'failed', started_at = queued_at, finished_at = queued_at WHERE finished_at IS NULL`)
	p.press(page, "Replace anyway").want(http.StatusNotFound) // it is not a waiting file any more

	// A file that works with all dashboards replaces the old one at once; so do three more.
	for i := range 4 {
		p.send(file, fmt.Sprintf("good-%d.csv", i), fmt.Sprintf("day,revenue\n2026-01-0%d,1\n", i+1)).
			want(http.StatusOK, fmt.Sprintf("<h1>good-%d.csv</h1>", i), "has replaced the file.")
	}
	kept := p.get(file).want(http.StatusOK, "good-2.csv", "good-1.csv", "good-0.csv").lacks("three.csv", "seven.csv")
	links := fileOfUpload.FindAllString(kept.body, -1)
	if len(links) != store.KeptFiles {
		t.Fatalf("files to go back to: %v", links)
	}
	// Back to the third last file, with the changes shown first; an outdated page cannot go back further.
	old := p.get(links[0]).want(http.StatusOK, "Go back to good-2.csv?")
	back := p.get(links[2]).want(http.StatusOK, "Go back to good-0.csv?", "No dashboard would break",
		"2 dashboards read the file, and their SQL and panels work with the new one.", "2 columns stay as they are.",
		`<a class="button" href="`+file+`">Cancel</a>`)
	s.exec(t, `UPDATE refresh_run SET state = 'succeeded', started_at = queued_at, finished_at = queued_at WHERE finished_at IS NULL`)
	p.press(back, "Go back").want(http.StatusOK, "good-0.csv is the file again. 2 dashboards that read it refresh now.",
		"<h1>good-0.csv</h1>", "good-3.csv", "2026-01-01")
	if got := refreshed(); got != "upload upload upload publish upload upload upload publish " {
		t.Errorf("refreshed: %s", got)
	}
	p.press(old, "Go back").want(http.StatusUnprocessableEntity,
		"The upload has received another file in the meantime, so nothing was replaced. This is what would change now.", "Go back to good-2.csv?")
	p.get(file).want(http.StatusOK, "<h1>good-0.csv</h1>")

	// Hostile requests change nothing.
	for _, form := range []url.Values{
		nil,
		{"instead": {""}, "despite": {"0"}},
		{"instead": {"zz"}, "despite": {"0"}},
		{"instead": {"00"}, "despite": {"-1"}},
		{"instead": {"00"}, "despite": {"many"}},
		{"instead": {strings.Repeat("00", 32)}, "despite": {"0"}},
	} {
		if got := p.post(links[0], form); got.status != http.StatusNotFound && got.status != http.StatusUnprocessableEntity {
			t.Errorf("%v: status %d", form, got.status)
		}
	}
	p.post(links[0]+"/drop", nil).want(http.StatusNotFound) // only a waiting file can be dropped
	for _, address := range []string{file + "/files/x", file + "/files/" + id, "/w/engine/uploads/x/files/" + path.Base(links[0])} {
		p.get(address).want(http.StatusNotFound)
		p.post(address, url.Values{"instead": {"00"}, "despite": {"0"}}).want(http.StatusNotFound)
		p.post(address+"/drop", nil).want(http.StatusNotFound)
	}
	p.get(file).want(http.StatusOK, "<h1>good-0.csv</h1>")

	// Another member sees none of it.
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bob.get(links[0]).want(http.StatusNotFound)
	bob.press(old, "Go back").want(http.StatusNotFound)
	bob.post(links[0]+"/drop", nil).want(http.StatusNotFound)
	p.get(file).want(http.StatusOK, "<h1>good-0.csv</h1>", "Its earlier files are deleted too.")
	p.post(file+"/delete", nil).want(http.StatusOK, "good-0.csv is deleted.")
	p.get(links[0]).want(http.StatusNotFound)
}
