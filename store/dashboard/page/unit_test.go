package page

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/export"
)

func TestPack(t *testing.T) {
	t.Parallel()
	k := dashboard.Panel{Type: dashboard.KPI, Width: 3}
	c := dashboard.Panel{Type: dashboard.Line, Width: 6}
	tab := dashboard.Panel{Type: dashboard.Table, Width: 12}
	text := dashboard.Panel{Type: dashboard.Text}
	w := func(p dashboard.Panel, width int) dashboard.Panel { p.Width = width; return p }
	for _, tc := range []struct {
		in   []dashboard.Panel
		want []int
	}{
		{[]dashboard.Panel{k, k, k, k}, []int{3, 3, 3, 3}},
		{[]dashboard.Panel{k, k, k}, []int{4, 4, 4}},
		{[]dashboard.Panel{k, k, k, k, k}, []int{4, 4, 4, 6, 6}},
		{[]dashboard.Panel{k, k, c}, []int{6, 6, 12}},
		{[]dashboard.Panel{w(c, 8), w(c, 4), w(c, 7), tab}, []int{8, 4, 12, 12}},
		{[]dashboard.Panel{w(c, 5), w(c, 5), w(c, 5)}, []int{6, 6, 12}},
		{[]dashboard.Panel{k, w(c, 9)}, []int{3, 9}},
		{[]dashboard.Panel{k, tab}, []int{3, 12}},
		{[]dashboard.Panel{k, k, w(text, 6)}, []int{3, 3, 6}},
		{[]dashboard.Panel{k, w(text, 3), k, k}, []int{3, 3, 3, 3}},
		{[]dashboard.Panel{w(text, 6), k, k, tab}, []int{6, 3, 3, 12}},
		{[]dashboard.Panel{k, k, w(text, 12)}, []int{6, 6, 12}},
		{[]dashboard.Panel{w(tab, 8), w(k, 4), w(k, 4), w(c, 4)}, []int{8, 4, 4, 8}},
		{[]dashboard.Panel{w(c, 6), k, k, k, k}, []int{6, 3, 3, 6, 6}},
		{[]dashboard.Panel{w(c, 8), k, k}, []int{12, 6, 6}},
		{nil, []int{}},
	} {
		if diff := cmp.Diff(tc.want, pack(tc.in)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	v := tiny(
		[]dashboard.Panel{{Type: dashboard.Table}, {Type: dashboard.Text, Markdown: "x"}, {Type: dashboard.Bar, X: "name", Y: []string{"n"}}},
		[]string{"name text", "ok boolean", "at timestamp", "n number sum"},
		[]any{"=1+1", true, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 1234.5}, []any{"a,\"b\"", nil, nil, nil})
	got, err := CSV(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := "Name,Ok,At,N\n'=1+1,true,2026-01-02T03:04:05,1234.5\n\"a,\"\"b\"\"\",,,\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, i := range []int{-1, 1, 3} {
		if _, err := CSV(v, i); err != export.ErrNoPanel {
			t.Errorf("panel %d: %v", i, err)
		}
	}
	// The file has all rows, not only the ones that are drawn.
	many, err := CSV(cases(t)["many"], slices.IndexFunc(zoo(), func(p dashboard.Panel) bool { return p.Type == dashboard.Table }))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(many), "\n"); n != 5001 {
		t.Errorf("%d lines of 5,000 rows", n)
	}
}

func TestTextValues(t *testing.T) {
	t.Parallel()
	v := zooView(ordinary()...)
	v.Spec.Panels = []dashboard.Panel{{Type: dashboard.Text, Markdown: "**{{d.amount}}** {{ d.name }} {{d.day}} {{d.nope}} {{x.y}} <b>x</b> " +
		"[ok](other-page) [no](javascript:x) ![alt](https://e.example/x.png)"}}
	doc := string(render(t, v))
	if want := `<p><strong>$890.00</strong> 3 values Mar 6, 2026 – – x <a href="other-page">ok</a> no alt</p>`; !strings.Contains(doc, want) {
		_, after, _ := strings.Cut(doc, `<div class="md">`)
		t.Errorf("got %.400s", after)
	}
}

// documents draws a document and a data file.
func documents(t *testing.T) (md, file []byte) {
	t.Helper()
	hd := Header{
		Workspace: "Acme", WorkspaceSlug: "acme", Slug: "notes", Name: "Release notes", AsOf: now, Version: "v1",
		Home: "https://app.example.com/acme", Details: "https://app.example.com/acme/d/notes",
	}
	md, err := RenderMarkdown(hd, []byte("# Release notes\n\nHello *there*.\n\n## Fixed\n\n"+
		"| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\n> Quoted, with a [link](https://example.com).\n"))
	if err != nil {
		t.Fatal(err)
	}
	hd.Preview, hd.VersionTime = true, now
	file, err = RenderDownload(hd, "data.csv", "text/csv", 48219)
	if err != nil {
		t.Fatal(err)
	}
	return md, file
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	md, file := documents(t)
	golden(t, "markdown.html", readable(md))
	golden(t, "download.html", readable(file))
	if *out != "" {
		write(t, "markdown.html", md)
		write(t, "download.html", file)
	}
}

func TestPolicyAllowsTheStyle(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"} {
		if !slices.Contains(strings.Split(CSP, "; "), want) {
			t.Errorf("the policy %s lacks %s", CSP, want)
		}
	}
	doc := string(render(t, zooView(ordinary()...)))
	_, rest, _ := strings.Cut(doc, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	if !strings.Contains(CSP, "'"+html.SourceHash(style)+"'") {
		t.Error("the policy does not allow the style that the page holds")
	}
	if strings.Contains(doc, " style=") {
		t.Error("a style attribute, which the policy refuses")
	}
	if strings.Contains(string(Script), "innerHTML") || strings.Contains(string(Script), "insertAdjacentHTML") {
		t.Error("the script writes HTML, which Trusted Types refuse")
	}
}

// TestIncompletePeriods: a period is incomplete if it is not over, or if a filter or a parameter cuts it, and only then.
func TestIncompletePeriods(t *testing.T) {
	t.Parallel()
	const cut = "f.day=custom&f.day.from=2026-01-08&f.day.to=2026-06-02"
	every := func(time.Time) bool { return true }
	trade := func(d time.Time) bool { return d.Weekday() != time.Saturday && d.Weekday() != time.Sunday }
	for _, tc := range []struct {
		from, to, asOf, query string
		open                  func(time.Time) bool
		change                func(*View)
		want                  string
	}{
		{from: "2026-01-05", to: "2026-05-31", want: "By week."},
		{from: "2026-01-06", to: "2026-05-31", want: "By week."}, // the data begin on that day
		{from: "2026-01-05", to: "2026-05-30", want: "By week."},
		{from: "2026-01-01", to: "2026-06-30", query: "f.day=custom&f.day.from=2026-01-05&f.day.to=2026-05-31", want: "By week."},
		{
			from: "2026-01-01", to: "2026-06-30", query: cut,
			want: "By week. Week of Jan 5, 2026 is cut by the filter: Jan 8 – Jan 11. " +
				"Week of Jun 1, 2026 is cut by the filter: Jun 1 – Jun 2.",
		},
		{from: "2026-02-01", to: "2026-03-15"},
		{from: "2000-01-01", to: "2025-12-30", want: "By quarter."},
		{from: "2026-06-01", to: "2026-11-18", asOf: "2026-11-18", want: "By week. Week of Nov 16, 2026 is not over: Nov 16 – Nov 18."},
		// The rows end before the refresh.
		{from: "2026-06-01", to: "2026-11-17", asOf: "2026-11-19", want: "By week. Week of Nov 16, 2026 is not over: Nov 16 – Nov 17."},
		// A trading week ends on Friday.
		{from: "2026-01-05", to: "2026-11-20", asOf: "2026-11-21", open: trade, want: "By week."},
		{from: "2026-01-05", to: "2026-11-20", asOf: "2026-11-23", want: "By week."},
		// Weeks that the sql has made end on Sunday.
		{
			from: "2026-01-05", to: "2026-11-16", asOf: "2026-11-22", open: func(d time.Time) bool { return d.Weekday() == time.Monday },
			want:   "Week of Nov 16, 2026 is not over: Nov 16 – Nov 22.",
			change: func(v *View) { v.Spec.Panels[0].Grain = "week" },
		},
		{
			from: "2026-01-05", to: "2026-11-19", asOf: "2026-11-19", open: trade,
			want: "By week. Week of Nov 16, 2026 is not over: Nov 16 – Nov 19.",
		},
		{
			from: "2025-01-10", to: "2026-11-18", asOf: "2026-11-18", want: "By month. Jan 2025 is cut by a parameter: Jan 10 – Jan 31. " +
				"Nov 2026 is not over: Nov 1 – Nov 18.",
			change: func(v *View) {
				v.Spec.Params = []dashboard.Param{{ID: "p", Type: dashboard.ParamRange, Default: []byte(`["2025-01-10", "2026-12-31"]`)}}
				v.Spec.Datasets[0].SQL = "SELECT {{p.start}}"
				v.Spec.Panels[0].Grain = "month"
			},
		},
		{
			from: "2026-06-01", to: "2026-11-18", asOf: "2026-11-18",
			want:   "By week. Week of Nov 16, 2026 is left out: it is not over.",
			change: func(v *View) { v.Spec.Panels[0].Partial = "hide" },
		},
		{
			from: "2026-06-01", to: "2026-11-18", asOf: "2026-11-18", want: "By week.",
			change: func(v *View) { v.Spec.Panels[0].Partial = "show" },
		},
		{
			from: "2026-06-01", to: "2026-11-18", asOf: "2026-11-18", want: "By week. Week of Nov 15, 2026 is not over: Nov 15 – Nov 18.",
			change: func(v *View) { v.Spec.WeekStarts = "sunday" },
		},
	} {
		if tc.open == nil {
			tc.open = every
		}
		var rows [][]any
		for d := day(tc.from); !d.After(day(tc.to)); d = d.AddDate(0, 0, 1) {
			if tc.open(d) {
				rows = append(rows, []any{d, int64(1)})
			}
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "day", Y: []string{"n"}}}, []string{"day date", "n integer sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
		if tc.asOf != "" {
			v.Header.AsOf = day(tc.asOf)
		}
		if tc.change != nil {
			tc.change(&v)
		}
		var err error
		if v.Query, err = url.ParseQuery(tc.query); err != nil {
			t.Fatal(err)
		}
		p := open(v).Panel(0)
		got := strings.Join(p.Notes, " ")
		want := tc.want
		if v.Spec.Panels[0].Grain == "month" {
			want = strings.TrimPrefix(want, "By month. ") // as the panel asks for it
		}
		if got != want {
			t.Errorf("%s to %s, %s: %q, want %q", tc.from, tc.to, tc.query, got, want)
		}
		doc := string(render(t, v))
		marked := strings.Contains(got, ": it is") != (strings.Contains(got, " is not over") || strings.Contains(got, " is cut"))
		if strings.Contains(doc, `fill="url(#z`) != marked {
			t.Errorf("%s to %s: hatched is not %t", tc.from, tc.to, marked)
		}
	}
}
