package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/locale"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	r := reader{Locale: locale.For("en"), now: now, zone: kolkata}
	for d, want := range map[time.Duration]string{
		0:                               "just now",
		-59 * time.Second:               "just now",
		-time.Minute:                    "1 min ago",
		-59 * time.Minute:               "59 min ago",
		-47 * time.Hour:                 "47 h ago",
		-48 * time.Hour:                 "2 days ago",
		-100 * 24 * time.Hour:           "13 Aug 2026",
		-100*24*time.Hour + 7*time.Hour: "14 Aug 2026", // already that day in India
		30 * time.Second:                "in a moment",
		29 * time.Minute:                "in 29 min",
		30 * 24 * time.Hour:             "in 30 days",
		365 * 24 * time.Hour:            "21 Nov 2027",
		-(time.Hour - 1):                "59 min ago",
		-(48*time.Hour - 1):             "47 h ago",
		time.Hour + time.Minute:         "in 1 h",
	} {
		if got := r.distance(now.Add(d)); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
	want := `<time datetime="2026-11-21T12:00:00Z" title="21 Nov 2026, 17:30:00 IST">21 Nov 2026, 17:30</time>`
	if got := string(r.At(now)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][]string{
		"en": {"0", "999", "1,000", "1,234,567", "1.5"},
		"de": {"0", "999", "1.000", "1.234.567", "1,5"},
		"fr": {"0", "999", "1\u202f000", "1\u202f234\u202f567", "1,5"},
		"ja": {"0", "999", "1,000", "1,234,567", "1.5"},
		"ar": {"0", "999", "1,000", "1,234,567", "1.5"}, // with Latin digits, like the text around them
	} {
		r := reader{Locale: locale.For(tag)}
		got := []string{r.Number(0), r.Number(999), r.Number(1000), r.Number(1234567), r.tenths(1.5)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", tag, diff)
		}
	}
	r := reader{Locale: locale.For("en")}
	want := []string{"1 byte", "1,023 bytes", "1.5 KiB", "3.0 MiB", "5.0 GiB", "12 ms", "2.4 s", "2 min 5 s"}
	got := []string{
		r.Bytes(1), r.Bytes(1023), r.Bytes(1536), r.Bytes(3 << 20), r.Bytes(5 << 30),
		r.Took(12 * time.Millisecond), r.Took(2400 * time.Millisecond), r.Took(125 * time.Second),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A page uses the account's zone and the browser's language.
func TestPagesAreForTheirReader(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	s.exec(t, `UPDATE refresh_run SET state = 'succeeded', started_at = $1, finished_at = $1::timestamptz + interval '1.5 s', queued_at = $1,
		datasets = '[{"id": "orders", "state": "succeeded", "rows": 12345}]'`,
		time.Date(2026, 1, 2, 23, 4, 5, 0, time.UTC))
	p.get("/w/engine/d/sales").
		want(200, `<time datetime="2026-01-02T23:04:05Z" title="2 Jan 2026, 23:04:05 UTC">2 Jan 2026</time>`, "12,345", "1.5 s")
	if err := s.store.Accounts.SetTimezone(t.Context(), m.Account(), "Asia/Tokyo"); err != nil {
		t.Fatal(err)
	}
	r := p.request("GET", "/w/engine/d/sales", nil)
	r.Header.Set("Accept-Language", "de-DE,de;q=0.9,en;q=0.5")
	p.do(r).want(200, `<time datetime="2026-01-02T23:04:05Z" title="3. Jan. 2026, 08:04:05 JST">3. Jan. 2026</time>`, "12.345", "1,5 s")
}

// Templates write times and numbers only with the methods of reader; otherwise they would
// ignore the reader's zone and language. Tests also refuse pages with a time as Go prints it.
func TestTemplatesAskTheReader(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(markup, "*.html")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	own := regexp.MustCompile(`<time|datetime=|\.Format|\.UTC\b[^ ]|\.Local\b|\.Unix|printf "%[^sq]`)
	action := regexp.MustCompile(`{{[^}]*}}`)
	moment := regexp.MustCompile(`\.\w*(?:At|Since|Expires|Until)\b`)
	length := regexp.MustCompile(`{{-? *len `)
	for _, file := range files {
		text, err := fs.ReadFile(markup, file)
		if err != nil {
			t.Fatal(err)
		}
		if bad := own.FindString(string(text)); bad != "" {
			t.Errorf("%s writes a time or a number its own way: %s", file, bad)
		}
		for _, a := range action.FindAllString(string(text), -1) {
			asks := regexp.MustCompile(`\.(Ago|At|In|On|UTC) `).MatchString(a) || regexp.MustCompile(`{{-? *(with|if|else if) `).MatchString(a)
			if moment.MatchString(a) && !asks || length.MatchString(a) {
				t.Errorf("%s: %s does not ask the reader", file, a)
			}
		}
	}
	// Only the Go code of reader formats times, except for texts that programs read.
	for file, parsed := range sources(t) {
		if file == "reader.go" {
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Format" {
				layout, ok := call.Args[0].(*ast.SelectorExpr)
				if !ok || layout.Sel.Name != "RFC3339" {
					t.Errorf("%s formats a time", file)
				}
			}
			return true
		})
	}
}

// sources returns the package's files without tests, parsed.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	all := map[string]*ast.File{}
	set := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if all[name], err = parser.ParseFile(set, name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d files", len(all))
	}
	return all
}
