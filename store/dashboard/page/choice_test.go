package page

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/export"
	"service/store/dashboard/panel"
)

func queried(t *testing.T, v View, query string) View {
	t.Helper()
	var err error
	if v.Query, err = url.ParseQuery(query); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOneValue: a filter that takes exactly one value has one under every address, and the panels report values of the address that do not
// apply.
func TestOneValue(t *testing.T) {
	t.Parallel()
	view := func(defaults ...string) View {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "median"}, {Type: dashboard.Bar, X: "name", Y: []string{"median"}}},
			[]string{"name text", "median number none"}, []any{"b", 2.0}, []any{"a", 1.0}, []any{nil, 4.0}, []any{"", 8.0}, []any{"~x", 16.0})
		v.Spec.Filters = []dashboard.Filter{{Column: "name", Single: true, Default: defaults}}
		return v
	}
	const one = "The filter Name takes exactly one of its values, so it ignores the address and shows “%s”."
	for _, tc := range []struct {
		query    string
		defaults []string
		want     string // the KPI and the notes next to it
		changed  bool
	}{
		{"", []string{"b"}, "2.", false},
		{"f.name=b", []string{"b"}, "2.", false},
		{"f.name=a", []string{"b"}, "1.", true},
		{"f.name=~null", nil, "4.", true},
		{"f.name=~empty", nil, "8.", true},
		{"f.name=~~x", nil, "16.", true},
		{"f.name=", []string{"b"}, "2. " + strings.Replace(one, "%s", "b", 1), false},
		{"f.name=a&f.name=b", []string{"b"}, "2. " + strings.Replace(one, "%s", "b", 1), false},
		{"f.name=zz", []string{"b"}, "2. " + strings.Replace(one, "%s", "b", 1), false},
		{"", []string{"gone"}, "16. The filter Name shows “~x”, because no row has its default “gone”.", false},
		{"f.name=b", []string{"gone"}, "2.", true},
	} {
		v := queried(t, view(tc.defaults...), tc.query)
		p := open(v)
		k := p.Panel(0)
		if got := strings.Join(append([]string{k.Summary}, k.Notes...), " "); got != tc.want || p.Filters[0].Changed != tc.changed {
			t.Errorf("%q of %q: %s, changed %t, want %s", tc.query, tc.defaults, got, p.Filters[0].Changed, tc.want)
		}
		var address *export.AddressError
		if _, err := CSV(v, 0); errors.As(err, &address) != strings.Contains(tc.want, "ignores the address") {
			t.Errorf("%q: a file is refused with %v", tc.query, err)
		}
	}
	if got := open(view()).Filters[0].Values; len(got) != 1 || got[0] != "~x" {
		t.Errorf("without a default it opens with %q, and ~x is first", got)
	}
	v := view("b")
	doc := string(render(t, v))
	if !strings.Contains(doc, `<select name="f.name">`) || strings.Contains(doc, ">All<") {
		t.Error("there is no list of single values")
	}
	if s := Summaries(v)[0]; s.Text != "2. Name: b." {
		t.Errorf("the dry run says %q", s.Text)
	}
	csv, err := CSV(queried(t, v, "f.name=a"), 1)
	if err != nil || strings.Count(string(csv), "\n") != 2 || !strings.Contains(string(csv), "a,1") {
		t.Errorf("the file is %q, %v", csv, err)
	}
	if d := Digested(v); len(d.Filters) != 1 || d.Filters[0] != "Name: b" {
		t.Errorf("the mail names %q", d.Filters)
	}
	w := open(queried(t, v, "f.name=a")).Panel(1).Ways()
	if to := w.Of(&panel.Mark{Column: "name", Category: cube.Category{Value: "a"}}); to.To != "?" || !to.On {
		t.Errorf("what is chosen leads to %v", to)
	}
	if to := w.Of(&panel.Mark{Column: "name", Category: cube.Category{Value: "~x"}}); to.To != "?f.name=~~x" || to.On {
		t.Errorf("a mark leads to %v", to)
	}
	if to := open(v).Panel(1).Ways().Of(&panel.Mark{Column: "name", Category: cube.Category{Value: "b"}}); to.To != "" {
		t.Errorf("the only value leads to %v", to)
	}
}

// TestLocked: a locked filter keeps its default, and no link changes it.
func TestLocked(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Bar, X: "name", Y: []string{"n"}}}, []string{"day date", "name text", "n integer sum"},
		[]any{day("2026-01-05"), "a", int64(1)}, []any{day("2026-02-05"), "b", int64(2)}, []any{day("2026-02-06"), "~c", int64(4)})
	v.Spec.Filters = []dashboard.Filter{
		{Column: "name", Default: []string{"a", "~c"}, Locked: true},
		{Column: "day", Default: []string{"2026-01-01", "2026-02-28"}, Locked: true},
	}
	const name = "The filter Name is fixed, so the address does not change it."
	const day = "The filter Day is fixed, so the address does not change it."
	for query, want := range map[string]string{
		"": "", "f.name=a": "", "f.name=~~c": "", "f.name=": "", "f.name=b": name, "f.day=all": day, "f.day.from=2026-02-01": day,
		"f.day=2026-01-01": "", "f.name=b&f.day=today": name + day,
	} {
		p := open(queried(t, v, query))
		f := p.Panel(0)
		if got := strings.Join(f.Notes, ""); got != want || len(p.Data[0].Rows) != 2 || len(p.Kept()) > 0 {
			t.Errorf("%q: %d rows, keeps %v, notes %q, want %q", query, len(p.Data[0].Rows), p.Kept(), got, want)
		}
		if to := f.Ways().Of(&panel.Mark{Column: "name", Category: cube.Category{Value: "a"}}); to.To != "" {
			t.Errorf("%q: a mark leads to %v", query, to)
		}
	}
	doc := string(render(t, v))
	if regexp.MustCompile(`<(input|select|details class="ms")[^>]*f\.(name|day)`).MatchString(doc) || strings.Count(doc, `class="fx"`) != 2 {
		t.Error("what is locked has a control")
	}
	if Values(queried(t, v, "list=name")) != nil {
		t.Error("the values of a locked filter are listed")
	}
}

// TestFind: a typed text finds values regardless of case and accents, among all values. They are listed below the chosen ones.
func TestFind(t *testing.T) {
	t.Parallel()
	var rows [][]any
	for _, name := range []string{"São Paulo", "Paul", "Łódź", "Berlin", "Zürich"} {
		rows = append(rows, []any{name, int64(1)})
	}
	for i := range 300 {
		for range 3 {
			rows = append(rows, []any{"Customer " + string(rune('A'+i%26)) + string(rune('a'+i/26)), int64(1)})
		}
	}
	v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n"}}, []string{"name text", "n integer sum"}, rows...)
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}}
	value := regexp.MustCompile(`value="([^"]*)"( checked)?><span>`)
	for query, want := range map[string]string{
		"f.name.find=SAO":                  "São Paulo",
		"f.name.find=+paul+":               "Paul,São Paulo",
		"f.name.find=lin&f.name=Zürich":    "Zürich checked,Berlin",
		"f.name.find=zurich&f.name=Zürich": "Zürich checked",
		"f.name.find=nobody":               "|No value of Name contains “nobody”.",
		"f.name.find=%3Cb%3E":              "|No value of Name contains “&lt;b&gt;”.",
		"f.name.find=nobody&f.name=gone":   "gone checked|No value of Name contains “nobody”.",
		"f.name.find=customer+a&f.name=Paul": "Paul checked,Customer Aa,Customer Ab,Customer Ac,Customer Ad,Customer Ae,Customer Af," +
			"Customer Ag,Customer Ah,Customer Ai,Customer Aj,Customer Ak,Customer Al",
		"f.name.find=Customer&f.name=Customer+Zz": "Customer Zz checked,100|200 more: type a value",
	} {
		doc := string(Values(queried(t, v, query+"&list=name")))
		var got []string
		for _, m := range value.FindAllStringSubmatch(doc, -1) {
			got = append(got, m[1]+m[2])
		}
		if len(got) > 50 {
			got = append(got[:1], strings.Fields(strings.Repeat("x ", len(got)))[0])
			got[1] = "100"
		}
		_, said, _ := strings.Cut(doc, `role="status">`)
		if said = strings.TrimSuffix(said, "</p>"); said != "" {
			said = "|" + said
		}
		if strings.Join(got, ",")+said != want {
			t.Errorf("%s: %s%s, want %s", query, got, said, want)
		}
		page := string(render(t, queried(t, v, query)))
		if !strings.Contains(page, `<details class="ms" open>`) || said != "" && !strings.Contains(page, said[1:]) {
			t.Errorf("%s: the page without script does not show what was found", query)
		}
	}
	if got := open(queried(t, v, "f.name.find=Paul")); got.Filters[0].Changed || len(got.Data[0].Rows) != len(rows) || len(got.Kept()) > 0 {
		t.Error("what is typed narrows the page")
	}
	for _, query := range []string{"list=n", "list=nope", ""} {
		if Values(queried(t, v, query)) != nil {
			t.Errorf("%q lists values", query)
		}
	}
}
