package page

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/export"
)

// TestUnread: parameters of the address that the page cannot apply are named at each panel that ignores them, so that its numbers are not
// mistaken for filtered ones; downloads of such an address are refused.
func TestUnread(t *testing.T) {
	t.Parallel()
	view := func(query string) View {
		rows := [][]any{{day("2026-01-05"), "a", int64(1), true, int64(10)}, {day("2026-02-05"), "b", int64(2), false, int64(20)}}
		v := tiny([]dashboard.Panel{
			{Type: dashboard.Line, X: "day", Y: []string{"n"}},
			{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}},
		}, []string{"day date", "name text", "id integer", "paid boolean", "n integer sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}, {Column: "name"}, {Column: "id"}, {Column: "paid"}}
		var err error
		if v.Query, err = url.ParseQuery(query); err != nil {
			t.Fatal(err)
		}
		return v
	}
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "&f.name=v%d", i)
		}
		return b.String() + "&f.name=a"
	}
	for query, want := range map[string]string{ // the notes at the first panel, and at the second
		"":                                     "|",
		"f.name=" + many(999):                  "|", // the form also sends a blank value
		"f.name=" + many(1500):                 "The filter Name takes at most 1,000 values, so the address does not filter by it.|=",
		"f.day=custom&f.day.from=x&f.day.to=y": "The filter Day cannot take “x” and ignores it. The filter Day cannot take “y” and ignores it.|=",
		"f.day=last_7_days":                    "|",
		"f.day=2026-02-30":                     "The filter Day cannot take “2026-02-30” and ignores it.|=",
		"f.day=soon":                           "The filter Day cannot take “soon” and ignores it.|=",
		"f.day=2026-01-01..2026-13-01":         "The filter Day cannot take “2026-01-01..2026-13-01” and ignores it.|=",
		"f.day=0000-01-01":                     "The filter Day cannot take “0000-01-01” and ignores it.|=",
		"f.day=2026-01-31..2026-01-01":         "|",
		"f.day=today&f.day=yesterday":          "The filter Day cannot take “yesterday” and ignores it.|=",
		"f.day=custom&f.day.from=x":            "The filter Day cannot take “x” and ignores it.|=",
		"f.day=custom&f.day.from=":             "|",
		"f.day.from=2026-02-01":                "|",
		"f.id=one":                             "The filter ID cannot take “one” and ignores it.|=",
		"f.id=1&f.id=NaN":                      "The filter ID cannot take “NaN” and ignores it.|=",
		"f.id=2":                               "|",
		"f.id=~null":                           "|",
		"f.paid=maybe":                         "The filter Paid cannot take “maybe” and ignores it.|=",
		"f.paid=true":                          "|",
		"f.nope=x":                             "There is no filter nope here, so the address does not filter by it.|=",
		"utm_source=mail":                      "|",
		"p0.grain=fortnight":                   "The address asks for “fortnight”, which this panel cannot show.|",
		"p1.sort=nope":                         "|The address asks for “nope”, which this panel cannot show.",
		"p1.page=first":                        "|The address asks for “first”, which this panel cannot show.",
		"p1.page=1":                            "|",
		"p0.nope=5":                            "The address asks for “5”, which this panel cannot show.|",
		"p1.q=+":                               "|",
		"p7.sort=n":                            "|", // it changes the numbers of no panel
		"x=" + many(600):                       "|",
		"x=" + many(1200):                      "The filter Name takes at most 1,000 values, so the address does not filter by it.|=",
	} {
		first, second, _ := strings.Cut(want, "|")
		if second == "=" {
			second = first
		}
		v := view(query)
		p := open(v)
		for i, want := range []string{first, second} {
			if got := strings.Join(p.Panel(i).Unread(), " "); got != want {
				t.Errorf("%.60s: panel %d says %q, want %q", query, i, got, want)
			}
			_, err := CSV(v, i)
			if refused, ok := errors.AsType[*export.AddressError](err); ok != (want != "") || ok && refused.Why != want {
				t.Errorf("%.60s: the CSV of panel %d: %v, want %q", query, i, err, want)
			}
			if want != "" && !strings.Contains(strings.Join(p.Panel(i).Notes, " "), want) {
				t.Errorf("%.60s: panel %d does not say it below", query, i)
			}
		}
	}
	if p := open(view("x=" + many(600))); len(p.Filters[1].Values) != 601 {
		t.Errorf("%d of 601 values are taken", len(p.Filters[1].Values))
	}
	long := view("p0.grain=" + strings.Repeat("日", 40))
	for _, s := range ParamsOf(long.Spec).Unread(long.Query) {
		if !utf8.ValidString(s) {
			t.Errorf("%q is cut within a letter", s)
		}
	}
	if p := open(view("f.day=2026-01-31..2026-01-01")); p.Filters[0].From == nil || len(p.Data[0].Rows) != 1 {
		t.Error("a reversed range is not taken as the range that is meant")
	}
	if links := open(view("f.nope=x&p0.grain=fortnight")).Kept(); len(links) > 0 {
		t.Errorf("links keep %v", links)
	}
}
