package host

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/page"
)

// publishBody publishes a document or a data file.
func (s *site) publishBody(t testing.TB, m store.Member, slug, filename, contentType, body string) {
	t.Helper()
	if _, err := s.store.Dashboards.Publish(t.Context(), m, store.Publication{
		Slug: slug, Filename: filename, DefaultName: strings.ToUpper(slug), DefaultChart: "document",
		ContentType: contentType, Content: []byte(body),
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDataFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publishBody(t, m, "prices", "prices.csv", "text/csv; charset=utf-8", "a,b\n1,<script>\n")
	link := v.get(s.url("engine", "/prices"))
	if link.status != http.StatusOK || !strings.Contains(link.body, "prices.csv") || link.header.Get("Content-Disposition") != "" {
		t.Errorf("the page of a file: %d\n%s", link.status, link.body)
	}
	file := v.get(s.url("engine", "/prices/prices.csv"))
	if file.status != http.StatusOK || file.body != "a,b\n1,<script>\n" {
		t.Errorf("the file: %d\n%s", file.status, file.body)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": "attachment; filename=prices.csv",
		"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
	} {
		if got := file.header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if other := v.get(s.url("engine", "/prices/other.csv")); other.status != http.StatusNotFound {
		t.Errorf("a file that is not there: %d", other.status)
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publishBody(t, m, "notes", "index.html", dashboard.TypeMarkdown, "# Notes\n\n<script>alert(1)</script>\n\n**bold**")
	got := v.get(s.url("engine", "/notes"))
	if got.status != http.StatusOK || !strings.Contains(got.body, "<strong>bold</strong>") || strings.Contains(got.body, "<script>alert") {
		t.Errorf("%d, %d bytes", got.status, len(got.body))
	}
	if same := v.get(s.url("engine", "/notes/index.html")); same.status != http.StatusOK {
		t.Errorf("by its file name: %d", same.status)
	}
}

func TestPreviewOfAVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	first := s.publish(t, m, "sales", "First name")
	s.publish(t, m, "sales", "Second name")
	other := s.publish(t, m, "other", "Other")
	if got := v.get(s.url("engine", "/sales?version="+first.VersionID.String())); got.status != http.StatusOK ||
		!strings.Contains(got.body, "First name") {
		t.Errorf("preview: %d", got.status)
	}
	if got := v.get(s.url("engine", "/sales")); !strings.Contains(got.body, "Second name") {
		t.Error("looking at a version restored it")
	}
	for _, version := range []string{
		"", "nonsense", "00000000-0000-0000-0000-000000000000",
		other.VersionID.String(), strings.ReplaceAll(first.VersionID.String(), "-", ""),
	} {
		if got := v.get(s.url("engine", "/sales?version="+version)); got.status != http.StatusNotFound {
			t.Errorf("version %q: %d", version, got.status)
		}
	}
}

// The data of a panel can be downloaded as a file.
func TestDownloadOfAPanel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publishBody(t, m, "report", "index.html", dashboard.TypeReport, `{"version": 1, "title": "Report",
		"datasets": [{"id": "orders", "columns": {"day": {}, "revenue": {"agg": "sum"}},
			"rows": [{"day": "Mon", "revenue": 5}, {"day": "Tue", "revenue": 7}]}],
		"panels": [{"type": "table", "columns": ["day", "revenue"]}]}`)
	got := v.get(s.url("engine", "/report?panel=0&format=csv"))
	if got.status != http.StatusOK || got.header.Get("Content-Disposition") != "attachment; filename=report-0.csv" ||
		got.header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(got.body, "Tue") {
		t.Errorf("%d %s\n%s", got.status, got.header.Get("Content-Disposition"), got.body)
	}
	book := v.get(s.url("engine", "/report?panel=0&format=xlsx"))
	if book.status != http.StatusOK || book.header.Get("Content-Disposition") != "attachment; filename=report-0.xlsx" ||
		book.header.Get("Content-Type") != "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" ||
		book.header.Get("ETag") == "" || !strings.HasPrefix(book.body, "PK") {
		t.Errorf("%d %v\n%.20q", book.status, book.header, book.body)
	}
	for _, query := range []string{
		"panel=1&format=csv", "panel=-1&format=csv", "panel=x&format=csv", "format=csv", "panel=1&format=xlsx", "format=xlsx",
	} {
		if got := v.get(s.url("engine", "/report?"+query)); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", query, got.status)
		}
	}
}

// Members get the values of a filter that contain the text that they type, with the headers of a page. That does not count as a view, and
// other people get the answer for a dashboard that does not exist.
func TestValuesOfAFilter(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publishBody(t, m, "report", "index.html", dashboard.TypeReport, `{"version": 1, "title": "Report",
		"datasets": [{"id": "orders", "columns": {"city": {}, "revenue": {"agg": "sum"}},
			"rows": [{"city": "Zürich", "revenue": 5}, {"city": "Oslo", "revenue": 7}]}],
		"filters": [{"column": "city"}], "panels": [{"type": "table"}]}`)
	const list = "/report?list=city&f.city.find=ZUR"
	for range 2 { // the second is from the cache
		got := v.get(s.url("engine", list))
		if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/html; charset=utf-8" || got.header.Get("ETag") == "" ||
			got.header.Get("Cache-Control") != "private, no-cache" || got.header.Get("Content-Security-Policy") != page.CSP ||
			!strings.Contains(got.body, ">Zürich<") || strings.Contains(got.body, "Oslo") || strings.Contains(got.body, "<main") {
			t.Errorf("%d %v\n%s", got.status, got.header, got.body)
		}
	}
	if got := v.get(s.url("engine", "/report?list=revenue")); !strings.Contains(got.body, "<main") {
		t.Errorf("the list of no filter: %d\n%.200s", got.status, got.body)
	}
	stranger, _ := s.owner(t, "mallory@evil.example", "lair")
	stranger.get(s.url("engine", list)) // a session
	if got := stranger.get(s.url("engine", list)); got.status != http.StatusNotFound || strings.Contains(got.body, "rich") {
		t.Errorf("a stranger: %d\n%s", got.status, got.body)
	}
	if err := s.store.Dashboards.FlushViews(t.Context()); err != nil {
		t.Fatal(err)
	}
	var count int
	const counted = `SELECT coalesce(sum(count), 0) FROM activity WHERE event = 'view'`
	if err := s.pool.QueryRow(t.Context(), counted).Scan(&count); err != nil || count != 1 {
		t.Errorf("%d views, %v; want 1", count, err)
	}
}

// Data that is too large for a workbook can be downloaded as a CSV, to which the answer
// links.
func TestWorkbookThatIsTooLarge(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publishBody(t, m, "report", "index.html", dashboard.TypeReport, `{"version": 1, "datasets": [{"id": "orders",
		"columns": ["a", "b", "c", "d"], "rows": [[1,2,3,4]`+strings.Repeat(",[1,2,3,4]", 125_000)+`]}]}`)
	got := v.send(http.MethodGet, s.url("engine", "/report?p0.sort=a&panel=0&format=xlsx"), http.Header{"Accept-Language": {"de"}})
	if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "Das ist zu groß") ||
		!strings.Contains(got.body, "CSV exportieren") || !strings.Contains(got.body, `href="?format=csv&amp;p0.sort=a&amp;panel=0"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := v.get(s.url("engine", "/report?panel=0&format=csv")); got.status != http.StatusOK || strings.Count(got.body, "\n") != 125_002 {
		t.Errorf("the CSV: %d, %d lines", got.status, strings.Count(got.body, "\n"))
	}
}

// A CSV that would be too large is refused with a sentence. It is large because each row of small multiples repeats
// a long name.
func TestCSVThatIsTooLarge(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	rows := `{"at":"at 000","name":"` + strings.Repeat("x", 1<<20) + `","n":1}`
	for i := range 59 {
		rows += fmt.Sprintf(`,{"at":"at %03d","name":"short","n":1}`, i)
	}
	s.publishBody(t, m, "report", "index.html", dashboard.TypeReport, `{"version": 1, "datasets": [{"id": "q",
		"columns": {"n": {"agg": "sum"}}, "rows": [`+rows+`]}], "panels": [{"type": "line", "x": "at", "y": "n", "facet": "name"}]}`)
	got := v.get(s.url("engine", "/report?panel=0&format=csv"))
	if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "at most 48 MiB") ||
		!strings.Contains(got.body, `href="?"`) {
		t.Errorf("%d, %d bytes: %.2000s", got.status, len(got.body), got.body)
	}
}

// TestFilesFollowTheirAddress: a file cannot contain a note, so a request with an unknown filter or option is refused.
func TestFilesFollowTheirAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publishBody(t, m, "report", "index.html", dashboard.TypeReport,
		`{"version": 1, "datasets": [{"id": "orders", "columns": ["day", "n"], "rows": [["Tue", 1]]}]}`)
	for _, query := range []string{"f.nope=x", "p0.sort=nope", "p0.sort=n&f.n.from=1"} {
		for _, format := range []string{"csv", "xlsx"} {
			got := v.get(s.url("engine", "/report?panel=0&format="+format+"&"+query))
			if got.status != http.StatusBadRequest || !strings.Contains(got.body, "Open the dashboard") || strings.Contains(got.body, "Tue") {
				t.Errorf("%s as %s: %d %s", query, format, got.status, got.body)
			}
		}
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	plain := v.get(s.url("engine", "/sales"))
	packed := v.send(http.MethodGet, s.url("engine", "/sales"), http.Header{"Accept-Encoding": {"br, gzip;q=0.5"}})
	z, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(z)
	if err != nil || string(unpacked) != plain.body {
		t.Errorf("the compressed page is another one (%v)", err)
	}
	if packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("Vary") != "Accept-Encoding" ||
		packed.header.Get("ETag") == plain.header.Get("ETag") {
		t.Errorf("headers: %v", packed.header)
	}
	// With a conditional request it is served by http.ServeContent, with the same result.
	served := v.send(http.MethodGet, s.url("engine", "/sales"), http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {`"another"`}})
	for _, name := range []string{"Content-Type", "Content-Encoding", "ETag", "Accept-Ranges", "Vary", "Cache-Control"} {
		if packed.header.Get(name) != served.header.Get(name) {
			t.Errorf("%s is %q, and %q with a condition", name, packed.header.Get(name), served.header.Get(name))
		}
	}
	if served.status != packed.status || served.body != packed.body || packed.header.Get("Content-Length") != strconv.Itoa(len(packed.body)) {
		t.Errorf("%d bytes (%d) of length %s, and with a condition %d (%d)", len(packed.body), packed.status,
			packed.header.Get("Content-Length"), len(served.body), served.status)
	}
	part := v.send(http.MethodGet, s.url("engine", "/sales"), http.Header{"Range": {"bytes=0-9"}})
	if part.status != http.StatusPartialContent || part.body != plain.body[:10] {
		t.Errorf("a part: %d %q", part.status, part.body)
	}
	again := v.send(http.MethodGet, s.url("engine", "/sales"),
		http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {packed.header.Get("ETag")}})
	if again.status != http.StatusNotModified {
		t.Errorf("the same page again: %d", again.status)
	}
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "*": true, "br": false, "gzip;q=0": false,
		"gzip; q=0.000": false, "br, gzip ;q=1.0": true, "x-gzip": false,
	} {
		if got := acceptsGzip(accept); got != want {
			t.Errorf("acceptsGzip(%q) = %v", accept, got)
		}
	}
}

// Views count for the current version's page, without data of the person.
func TestViewsAreCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	first := s.publish(t, m, "sales", "Sales")
	s.publish(t, m, "sales", "Sales 2")
	v.get(s.url("engine", "/sales"))
	v.get(s.url("engine", "/sales"))
	v.get(s.url("engine", "/sales?version="+first.VersionID.String()))
	v.send(http.MethodHead, s.url("engine", "/sales"), nil)
	// An open page requests newer data; its reader filters.
	v.send(http.MethodGet, s.url("engine", "/sales"), http.Header{"Sec-Fetch-Dest": {"empty"}})
	v.send(http.MethodGet, s.url("engine", "/sales"), http.Header{"Sec-Fetch-Dest": {"empty"}, page.ViewHeader: {"1"}})
	// A person opens a wall, which goes on by itself.
	v.send(http.MethodGet, s.url("engine", "/sales?wall"), http.Header{"Sec-Fetch-Site": {"none"}})
	v.send(http.MethodGet, s.url("engine", "/sales?wall=light&next=sales"), http.Header{"Sec-Fetch-Site": {"same-origin"}})
	if err := s.store.Dashboards.FlushViews(t.Context()); err != nil {
		t.Fatal(err)
	}
	var count int
	if err := s.pool.QueryRow(t.Context(), `SELECT sum(count) FROM activity WHERE event = 'view'`).Scan(&count); err != nil || count != 4 {
		t.Errorf("%d views, %v; want 4", count, err)
	}
}

// A wall is for members, and neither it nor the requests that an open page makes by itself extend the session.
func TestWallDoesNotExtendTheSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	v.get(s.url("engine", "/sales"))
	age := func() {
		if _, err := s.pool.Exec(t.Context(), `
			UPDATE web_session SET used_at = used_at - interval '2 hours', expires_at = expires_at - interval '2 hours'`); err != nil {
			t.Fatal(err)
		}
	}
	ends := func() (at time.Time) {
		if err := s.pool.QueryRow(t.Context(), `SELECT expires_at FROM web_session`).Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, tt := range []struct {
		path   string
		header http.Header
		use    bool
	}{
		{"/sales", nil, true},
		{"/sales", http.Header{"Sec-Fetch-Dest": {"empty"}, page.ViewHeader: {"1"}}, true},
		{"/sales", http.Header{"Sec-Fetch-Dest": {"empty"}}, false},
		{"/sales?wall", http.Header{"Sec-Fetch-Site": {"none"}}, false},
		{"/sales?wall=light", nil, false},
		{"/sales?wall=loud", nil, true},
	} {
		age()
		before := ends()
		got := v.send(http.MethodGet, s.url("engine", tt.path), tt.header)
		if got.status != http.StatusOK || strings.Contains(got.body, "data-wall") != (page.WallOf(got.url.Query()) != "") {
			t.Errorf("%s: %d", tt.path, got.status)
		}
		if after := ends(); after.After(before) != tt.use {
			t.Errorf("%s %v: the session ends at %s, before at %s", tt.path, tt.header, after, before)
		}
	}
	if got := s.visitor(t).once().get(s.url("engine", "/sales?wall")); got.status != http.StatusFound {
		t.Errorf("a stranger gets %d", got.status)
	}
}

// The page links only what this host serves.
func TestPageIsWhole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	got := v.get(s.url("engine", "/sales"))
	if !strings.Contains(got.body, `src="/assets/`+page.ScriptName+`"`) {
		t.Errorf("the page does not load /assets/%s", page.ScriptName)
	}
}
