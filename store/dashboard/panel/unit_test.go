package panel

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	us := format.Formatter{Locale: locale.For("en-US"), Currency: "USD"}
	for _, tc := range []struct {
		format string
		v      float64
		want   string
	}{
		{"integer", 1234567, "1,234,567"},
		{"integer", -0.4, "0"},
		{"number", 1234.5, "1,234.5"},
		{"number1", 2, "2.0"},
		{"number2", -1234.567, "−1,234.57"},
		{"compact", 999, "999"},
		{"compact", 999.96, "1K"},
		{"compact", 12345, "12.3K"},
		{"compact", 999_960, "1M"},
		{"compact", 1.2e12, "1.2T"},
		{"compact", -3.45e9, "−3.5B"},
		{"percent", 0.256, "26%"},
		{"percent1", 0.2564, "25.6%"},
		{"percent2", -0.5, "−50.00%"},
		{"currency", 1999.5, "$2,000"},
		{"currency2", -5, "−$5.00"},
		{"currency_compact", 1.5e6, "$1.5M"},
		{"duration", 0.25, "250 ms"},
		{"duration", 90, "1 m 30 s"},
		{"duration", 59.97, "1 m"},
		{"duration", 3600, "1 h"},
		{"duration", 100000, "1 d 4 h"},
		{"bytes", 1536, "1.5 KB"},
		{"bytes", 12, "12 B"},
		{"", 0.000123456, "0.000123"},
		{"", 1234.5678, "1,234.57"},
		{"", 5e-324, "5.00e−324"},
		{"", 1e300, "1.00e+300"},
	} {
		if got := strings.ReplaceAll(us.Value(tc.format, tc.v), format.NBSP, " "); got != tc.want {
			t.Errorf("%s of %v: %q, want %q", tc.format, tc.v, got, tc.want)
		}
	}
	for tag, want := range map[string]string{
		"en-US": "$1,234,567.50", "en-GB": "US$1,234,567.50", "de-DE": "1.234.567,50 $", "de-CH": "$ 1'234'567.50",
		"fr-FR": "1 234 567,50 $US", "en-IN": "$12,34,567.50", "pt-BR": "US$ 1.234.567,50", "sv": "1 234 567,50 US$",
		"xx": "$1,234,567.50", "zh-Hans-CN": "US$1,234,567.50",
	} {
		f := format.Formatter{Locale: locale.For(tag), Currency: "USD"}
		if got := strings.NewReplacer(format.NBSP, " ", "\u202f", " ").Replace(f.Value("currency2", 1234567.5)); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	if got := (format.Formatter{Locale: us.Locale, Currency: "CHF"}).InCurrency("5"); got != "CHF"+format.NBSP+"5" {
		t.Errorf("a currency without a sign: %q", got)
	}
}

// TestLabelsNeverCollide measures the labels of time axes at every width.
func TestLabelsNeverCollide(t *testing.T) {
	t.Parallel()
	p := open(commerce(10))
	from := day("2025-11-21")
	for _, days := range []int{1, 2, 6, 7, 13, 30, 31, 60, 90, 180, 365, 366, 800, 1461, 4000, 40000} {
		for _, width := range []float64{190, 250, 416, 700, 1100} {
			for _, grain := range []cube.Grain{cube.Exact, cube.Daily, cube.Weekly, cube.Monthly, cube.Yearly} {
				labels := p.timeLabels(from, from.AddDate(0, 0, days), grain, width)
				if len(labels) == 0 {
					t.Errorf("%d days, %s: no label", days, grain)
				}
				for i := 1; i < len(labels); i++ {
					a, b := labels[i-1], labels[i]
					if free := (b.At-a.At)*width - (canvas.LabelWidth(a.Text)+canvas.LabelWidth(b.Text))/2; free < 4 {
						t.Errorf("%d days, %s, %v px: %q and %q are %.1f px apart", days, grain, width, a.Text, b.Text, free)
					}
				}
				for _, l := range labels {
					if l.At < 0 || l.At > 1 {
						t.Errorf("%d days: %q is drawn at %v", days, l.Text, l.At)
					}
				}
			}
		}
	}
}

// TestBarsOfManyTimesHaveRoundLabels: bars of ten years of months are named by their years, and not by every thirteenth month.
func TestBarsOfManyTimesHaveRoundLabels(t *testing.T) {
	t.Parallel()
	p := open(commerce(10))
	for _, tc := range []struct {
		grain cube.Grain
		bars  int
		next  func(time.Time) time.Time
		width float64
		want  []string
	}{
		{
			cube.Monthly, 120, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }, 480,
			[]string{"2006", "2007", "2008", "2009", "2010", "2011", "2012", "2013", "2014", "2015", "Dec"},
		},
		{
			cube.Monthly, 18, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }, 480,
			[]string{"Jan ’06", "Mar", "May", "Jul", "Sep", "Nov", "Jan ’07", "Mar", "May"},
		},
		{
			cube.Quarterly, 40, func(t time.Time) time.Time { return t.AddDate(0, 3, 0) }, 480,
			[]string{"2006", "2007", "2008", "2009", "2010", "2011", "2012", "2013", "2014", "2015", "Q4"},
		},
		{
			cube.Weekly, 60, func(t time.Time) time.Time { return t.AddDate(0, 0, 7) }, 480,
			[]string{"Jan 1 ’06", "Mar 5", "May 7", "Jul 2", "Sep 3", "Nov 5", "Jan 7 ’07"},
		},
		{
			cube.Monthly, 12, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }, 300,
			[]string{"Jan", "Mar", "May", "Jul", "Sep", "Nov"},
		},
	} {
		var bars []cube.Category
		for i, at := 0, day("2006-01-01"); i < tc.bars; i, at = i+1, tc.next(at) {
			bars = append(bars, cube.Category{Value: at})
		}
		var got []string
		for _, l := range p.timeAxis(bars, tc.grain, cube.Span{}, chart.Bands(tc.bars)).labels(tc.width) {
			got = append(got, l.Text)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%d bars, %s: %q, want %q", tc.bars, tc.grain, got, tc.want)
		}
	}
}

// TestYearsOfBars: if a locale writes the year first, no short year follows a month or a day.
func TestYearsOfBars(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][2]string{
		"en-US": {"Jan ’26", "Jan 5 ’26"}, "de": {"Jan ’26", "5. Jan. ’26"}, "ja": {"2026年1月", "2026年1月5日"},
		"zh": {"2026年1月", "2026年1月5日"}, "ko": {"2026년 1월", "2026년 1월 5일"},
	} {
		v := commerce(1)
		v.Spec.Locale = tag
		p := open(v)
		at := day("2026-01-05")
		if got := [2]string{p.withYear(p.MonthAlone(at), p.Month(at), at), p.withYear(p.DayMonth(at), p.Date(at), at)}; got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

// TestNamesAreCutApart: names that would be equal when cut at the end are cut in the middle.
func TestNamesAreCutApart(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2][]string{
		{{"North America", "South America"}, {"North America", "South America"}},
		{{"A very long name of one", "Another of the kind"}, {"A very long n…", "Another of th…"}},
		{{"Engineering · France", "Engineering · Germany", "Sales · Spain"}, {"Enginee…France", "Enginee…ermany", "Sales · Spain"}},
		{{"same name that is long", "same name that is long"}, {"same name tha…", "same name tha…"}},
		{{"東京都千代田区丸の内一丁目", "東京都千代田区丸の内二丁目"}, {"東京都…一丁目", "東京都…二丁目"}},
		{{strings.Repeat("e\u0301", 15)}, {strings.Repeat("e\u0301", 13) + "…"}},
	} {
		got := canvas.ClipNames(tc[0], 14)
		if !slices.Equal(got, tc[1]) {
			t.Errorf("%q is cut to %q, want %q", tc[0], got, tc[1])
		}
		for _, s := range got {
			if canvas.Letters(s) > 14 {
				t.Errorf("%q has %d letters", s, canvas.Letters(s))
			}
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"id": "a/b?c#d&e", "url": "https://example.com/x?y=1", "bad": "javascript:alert(1)", "slug": "sales-2026", "host": "evil.example",
	}
	for template, want := range map[string]string{
		"":                                    "",
		"sales":                               "/sales",
		"https://example.com/{{id}}":          "https://example.com/a%2Fb%3Fc%23d%26e",
		"https://example.com/?q={{ id }}":     "https://example.com/?q=a%2Fb%3Fc%23d%26e",
		"{{url}}":                             "https://example.com/x?y=1",
		"{{slug}}":                            "/sales-2026",
		"{{bad}}":                             "",
		"{{missing}}":                         "",
		"https://{{host}}/x":                  "",
		"https://example.com{{host}}/":        "",
		"https://user:pw@example.com/":        "",
		"http://example.com/":                 "",
		"//example.com/":                      "",
		"javascript:alert({{id}})":            "",
		"https://example.com/{{unclosed":      "https://example.com/",
		"data:text/html,<script>{{id}}</scr>": "",
	} {
		if got := link(template, values); got != want {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"short": "short", "exactly ten": "exactly t…", "日本語のとても長いカテゴリ名です": "日本語のとても長い…", "": ""} {
		if got := canvas.Clip(in, 10); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	kpi := func(query string) (string, *opened) {
		v := commerce(2000)
		v.Spec.Panels = []dashboard.Panel{{Type: dashboard.KPI, Value: "orders"}}
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		v.Query = q
		p := open(v)
		return p.Panel(0).Summary, p
	}
	whole, _ := kpi("f.day=all")
	for _, tc := range []struct {
		query, says string
		changed     bool
	}{
		{"", "Last 90 days", false},
		{"f.day=last_90_days", "Last 90 days", false},
		{"f.day=nonsense", "Last 90 days", false},
		{"f.day=all", "All dates", true},
		{"f.day=custom", "Last 90 days", false},
		{"f.day=custom&f.day.from=2026-01-01&f.day.to=2026-02-01", "Jan 1, 2026 – Feb 1, 2026", true},
		{"f.day=custom&f.day.from=2026-02-01&f.day.to=2026-01-01", "Jan 1, 2026 – Feb 1, 2026", true},
		{"f.day=2026-01-01&f.day=2026-02-01", "Jan 1, 2026 – Feb 1, 2026", true},
		{"f.day=custom&f.day.from=2026-01-01", "from Jan 1, 2026", true},
		{"f.day=custom&f.day.to=2026-01-01", "until Jan 1, 2026", true},
	} {
		_, p := kpi(tc.query)
		if got := p.Filters[0].Says(p.Env); got != tc.says || p.Filters[0].Changed != tc.changed {
			t.Errorf("%s: %q, changed %t", tc.query, got, p.Filters[0].Changed)
		}
	}
	open1, _ := kpi("f.day=custom&f.day.from=2020-01-01")
	open2, _ := kpi("f.day=custom&f.day.to=2030-01-01")
	if open1 != whole || open2 != whole {
		t.Errorf("open ends: %s and %s, all %s", open1, open2, whole)
	}
	if _, p := kpi("f.country=Germany&f.country=~null"); p.Filters[1].Says(p.Env) != "Germany, Not set" {
		t.Errorf("says %q", p.Filters[1].Says(p.Env))
	}
}

// TestFilterDefaults: nothing checked means all values, not the default again; and a value that begins with a tilde is not a keyword of the
// address.
func TestFilterDefaults(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n"}}, []string{"name text", "n integer sum"},
		[]any{"a", int64(1)}, []any{nil, int64(2)}, []any{"", int64(4)}, []any{"~null", int64(8)}, []any{"~", int64(16)})
	v.Spec.Filters = []dashboard.Filter{{Column: "name", Default: []string{"a"}}}
	for query, want := range map[string]string{
		"": "1.", "f.name=": "31.", "f.name=~null": "2.", "f.name=~empty": "4.", "f.name=~~null": "8.", "f.name=~~": "16.",
		"f.name=&f.name=a&f.name=~~": "17.", "f.name=no": "No data for these filters.",
	} {
		var err error
		if v.Query, err = url.ParseQuery(query); err != nil {
			t.Fatal(err)
		}
		if got := summaries(v)[0].Text; got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
		doc := string(render(t, v))
		for _, o := range []string{`value="~null"`, `value="~empty"`, `value="~~null"`, `value="~~"`} {
			if !strings.Contains(doc, o) {
				t.Errorf("%q: no option with %s", query, o)
			}
		}
	}
}

// TestFiltersAddUp: over the values of a filter, sums add up to the unfiltered sum, and with each of them a ratio is that of the two sums.
func TestFiltersAddUp(t *testing.T) {
	t.Parallel()
	v := commerce(3000)
	v.Spec.Panels = []dashboard.Panel{{Type: dashboard.Table, Columns: []dashboard.TableColumn{
		{Column: "channel"}, {Column: "revenue"}, {Column: "orders"}, {Column: "aov"},
	}}}
	total := func(query url.Values) (revenue, orders float64) {
		v.Query = query
		f := open(v).Panel(0)
		for _, row := range f.Grid.Rows {
			r, o := row[1].(float64), row[2].(float64)
			if a := row[3].(float64); math.Abs(a-r/o) > 1e-9 {
				t.Errorf("%v: ratio %v, want %v", query, a, r/o)
			}
			revenue, orders = revenue+r, orders+o
		}
		return revenue, orders
	}
	for _, period := range []string{"all", "last_90_days", "last_month"} {
		wantR, wantO := total(url.Values{"f.day": {period}})
		var gotR, gotO float64
		for _, o := range open(v).Filters[1].Listed {
			v.Query = nil
			r, n := total(url.Values{"f.day": {period}, "f.country": {o.Value}})
			gotR, gotO = gotR+r, gotO+n
		}
		if math.Abs(gotR-wantR) > 1e-6 || gotO != wantO || wantO == 0 {
			t.Errorf("%s: parts add up to %v and %v, the whole is %v and %v", period, gotR, gotO, wantR, wantO)
		}
	}
}

// TestLateRowsAreComparedWithAsManyDays: the rows end some days before today, and the comparison with an earlier period does not count the
// days after.
func TestLateRowsAreComparedWithAsManyDays(t *testing.T) {
	t.Parallel()
	rows := [][]any{}
	for i := range 800 {
		rows = append(rows, []any{day("2026-11-15").AddDate(0, 0, -i), 10.0})
	}
	of := func(panel dashboard.Panel, period string) Input {
		v := tiny([]dashboard.Panel{panel}, []string{"day date", "n number sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
		v.Query = url.Values{"f.day": {period}}
		return v
	}
	for _, tc := range []struct{ compare, period, want string }{
		{"previous_period", "this_month", "150, unchanged from 150 (Oct 1 – Oct 15)."},
		{"previous_year", "this_month", "150, unchanged from 150 (a year before)."},
		{"previous_period", "last_7_days", "20, unchanged from 20 (previous 2 days)."},
		{"previous_period", "last_month", "310, up 3.3% from 300 (Sep 2026)."},
	} {
		v := of(dashboard.Panel{Type: dashboard.KPI, Value: "n", Compare: []string{tc.compare}}, tc.period)
		if got := strings.ReplaceAll(summaries(v)[0].Text, format.NBSP, " "); got != tc.want {
			t.Errorf("%s of %s: %s, want %s", tc.compare, tc.period, got, tc.want)
		}
	}
	for _, kind := range []string{dashboard.Line, dashboard.Area, dashboard.Bar} {
		panel := dashboard.Panel{Type: kind, X: "day", Y: []string{"n"}, Grain: "month", Compare: []string{"previous_year"}}
		p, _ := recorded(t, of(panel, "this_year"), 0)
		last := p.Grid.Rows[len(p.Grid.Rows)-1]
		if fmt.Sprint(last[1], last[2]) != "150 150" {
			t.Errorf("%s: the last row is %v", kind, last)
		}
	}
}

// TestComparedShortNumbers: a short number that equals the one before it has as many decimals as tell them apart.
func TestComparedShortNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		form, want string
		n, m       float64
	}{
		{"currency_compact", "$1.4M, down 1.8% from $1.39M (M).", 1_366_000, 1_391_654.6},
		{"compact", "1.4M, down 1.8% from 1.39M (M).", 1_366_000, 1_391_654.6},
		{"compact", "1.4M, down 0.1% from 1.392M (M).", 1_390_001, 1_391_654.4},
		{"bytes", "1.4 MB, down 0.1% from 1.392 MB (M).", 1_390_001, 1_391_654.4},
		{"currency_compact", "$1.2M, down 14.1% from $1.4M (M).", 1_200_000, 1_397_000},
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Compare: []string{"m"}}},
			[]string{"n number sum " + tc.form, "m number sum " + tc.form}, []any{tc.n, tc.m})
		if got := strings.ReplaceAll(summaries(v)[0].Text, format.NBSP, " "); got != tc.want {
			t.Errorf("%s of %v and %v: %s, want %s", tc.form, tc.n, tc.m, got, tc.want)
		}
	}
}

func TestComparisons(t *testing.T) {
	t.Parallel()
	rows := [][]any{}
	for i := range 800 {
		rows = append(rows, []any{day("2026-11-20").AddDate(0, 0, -i), int64(100 - i/10)})
	}
	summary := func(compare, period string, change func(*Input)) string {
		v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "n", Compare: []string{compare}}},
			[]string{"day date", "n integer sum"}, rows...)
		v.Spec.Filters = []dashboard.Filter{{Column: "day"}}
		v.Query = url.Values{"f.day": {period}}
		if change != nil {
			change(&v)
		}
		return strings.ReplaceAll(summaries(v)[0].Text, format.NBSP, " ")
	}
	const without = " Compared without Nov 20, 2026, which is not over."
	for _, tc := range []struct{ compare, period, want string }{
		{"previous_period", "last_7_days", "700 (600 as compared), up 0.5% from 597 (previous 6 days)." + without},
		{"previous_period", "today", "100, not compared: the period is not over."},
		{"previous_year", "last_7_days", "700 (600 as compared), up 57.1% from 382 (a year before)." + without},
		{"previous_period", "all", "48,400, choose a period to compare."},
		{"previous_year", "last_365_days", "30,020 (29,920 as compared), up 79.9% from 16,636 (a year before)." + without},
		{"n", "today", "100, unchanged from 100 (N)."},
		{"previous_period", "last_month", "3,005, up 6.7% from 2,817 (Sep 2026)."},
		{"previous_period", "this_month", "1,990 (1,890 as compared), up 3.2% from 1,831 (Oct 1 – Oct 19)." + without},
		{"previous_period", "last_quarter", "8,353, up 12.4% from 7,430 (Q2 2026)."},
		{"previous_period", "this_quarter", "4,995 (4,895 as compared), up 10.4% from 4,435 (Jul 1 – Aug 19)." + without},
		{"previous_period", "last_year", "18,196, nothing to compare with: the data begins Sep 12, 2024."},
		{"previous_period", "last_2_full_months", "5,822, up 5.2% from 5,536 (Jul 1 – Aug 31)."},
	} {
		if got := summary(tc.compare, tc.period, nil); got != tc.want {
			t.Errorf("%s, %s: %s want %s", tc.compare, tc.period, got, tc.want)
		}
	}
	for period, want := range map[string]bool{"all": true, "last_month": false} {
		summary("previous_period", period, func(v *Input) {
			told := slices.ContainsFunc(warnings(*v), func(w dashboard.Warning) bool {
				return w.Code == dashboard.WarnKeyIgnored && w.Path == "panels[0].compare"
			})
			if told != want {
				t.Errorf("%s: an author is told that nothing is compared: %v", period, told)
			}
		})
	}
	all := summary("previous_period", "last_7_days", func(v *Input) { v.Spec.Panels[0].Partial = "show" })
	if all != "700, up 0.6% from 696 (previous 7 days)." {
		t.Errorf("with the day that is not over: %s", all)
	}
	short := summary("previous_period", "last_365_days", func(v *Input) {
		b := cube.NewBuilder(v.Cubes["d"].Columns())
		for _, r := range rows[:500] {
			if err := b.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		v.Cubes["d"] = b.Cube()
	})
	if !strings.Contains(short, "nothing to compare with: the data begins Jul 9, 2025") {
		t.Errorf("half a period was compared: %s", short)
	}
	long := summary("previous_period", "last_month", func(v *Input) {
		b := cube.NewBuilder(v.Cubes["d"].Columns())
		for _, r := range rows {
			if err := b.Add([]any{r[0], r[1].(int64) * 1_000_000_000}); err != nil {
				t.Fatal(err)
			}
		}
		v.Cubes["d"] = b.Cube()
	})
	if long != "3T, up 6.7% from 2,817,000,000,000 (Sep 2026)." {
		t.Errorf("a long number: %s", long)
	}
	avg := summary("previous_period", "last_7_days", func(v *Input) { v.Spec.Datasets[0].Columns[1].Agg = dashboard.None })
	if avg != "" {
		t.Errorf("a measure that does not add up: %s", avg)
	}
}

// TestContrast checks the pairs of colours, in both themes, for WCAG AA: 4.5 for text, 3 for marks of charts.
func TestContrast(t *testing.T) {
	t.Parallel()
	colors := map[string][2]string{}
	for _, m := range regexp.MustCompile(`--(\w+):light-dark\((#[0-9a-f]+),(#[0-9a-f]+)\)`).FindAllStringSubmatch(html.StyleSource, -1) {
		colors[m[1]] = [2]string{m[2], m[3]}
	}
	pairs := []struct {
		least float64
		fore  string
		back  string
	}{
		{4.5, "ink", "bg"},
		{4.5, "ink", "card"},
		{4.5, "mut", "bg"},
		{4.5, "mut", "card"},
		{4.5, "good", "goodb"},
		{4.5, "bad", "badb"},
		{4.5, "warn", "warnb"},
		{4.5, "info", "infob"},
		{4.5, "ink", "neub"},
		{4.5, "ink", "tb"},
		{4.5, "ink", "nb"},
		{4.5, "good", "card"},
		{4.5, "bad", "card"},
		{4.5, "warn", "card"},
		{4.5, "info", "card"},
		{4.5, "info", "bg"},
		{4.5, "acc", "bg"},
		{4.5, "acc", "card"},
		{4.5, "acc", "tint"},
		{4.5, "ink", "tint"},
		{4.5, "onacc", "acc"},
		{3, "edge", "card"},
		{3, "edge", "bg"},
	}
	for i := range canvas.MaxSeries + 1 {
		pairs = append(pairs, struct {
			least float64
			fore  string
			back  string
		}{3, "c" + strconv.Itoa(i+1), "card"})
	}
	for _, p := range pairs {
		for theme := range 2 {
			fore, back := colors[p.fore][theme], colors[p.back][theme]
			if c := contrast(t, fore, back); c < p.least {
				t.Errorf("%s on %s, theme %d: %.2f, want %.1f", p.fore, p.back, theme, c, p.least)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(s string) float64 {
		if len(s) == 4 {
			s = "#" + strings.Repeat(s[1:2], 2) + strings.Repeat(s[2:3], 2) + strings.Repeat(s[3:4], 2)
		}
		n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
		if err != nil || len(s) != 7 {
			t.Fatalf("colour %q", s)
		}
		f := func(shift int) float64 {
			v := float64(n>>shift&255) / 255
			if v <= 0.04045 {
				return v / 12.92
			}
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return 0.2126*f(16) + 0.7152*f(8) + 0.0722*f(0)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestGaps: a day on which a series has no rows does not break its line; a NULL
// does.
func TestGaps(t *testing.T) {
	t.Parallel()
	pieces := func(rows ...[]any) int {
		v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "day", Y: []string{"n"}, Series: "name"}},
			[]string{"day date", "name text", "n integer sum"}, rows...)
		path := regexp.MustCompile(`class="l l1" d="([^"]*)"`).FindSubmatch(render(t, v))
		if path == nil {
			t.Fatal("no line")
		}
		return strings.Count(string(path[1]), "M")
	}
	a := func(d string, n any) []any { return []any{day(d), "a", n} }
	b := []any{day("2026-01-02"), "b", int64(1)}
	if n := pieces(a("2026-01-01", int64(5)), b, a("2026-01-03", int64(6))); n != 1 {
		t.Errorf("a day without rows: %d pieces", n)
	}
	if n := pieces(a("2026-01-01", int64(5)), a("2026-01-02", nil), b, a("2026-01-03", int64(6)), a("2026-01-04", int64(7))); n != 2 {
		t.Errorf("a NULL: %d pieces", n)
	}
}

// TestGrain: a chart keeps its data's own grain if it fits (N4), and reports another one.
func TestGrain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind, agg, grain string
		days, points     int
		warned           string
	}{
		{dashboard.Line, "sum", "", 252, 252, ""},
		{dashboard.Line, "max", "auto", 400, 400, ""},
		{dashboard.Line, "sum", "", 401, 58, dashboard.WarnRolledUp},
		{dashboard.Bar, "sum", "", 120, 120, ""},
		{dashboard.Bar, "sum", "", 121, 18, dashboard.WarnRolledUp},
		{dashboard.Line, "none", "", 1000, 1000, ""},
		{dashboard.Line, "sum", "day", 1000, 1000, ""},
		{dashboard.Line, "sum", "quarter", 400, 5, ""},
		{dashboard.Line, "none", "month", 400, 400, dashboard.WarnGrainIgnored},
	} {
		var rows [][]any
		for i := range tc.days {
			rows = append(rows, []any{day("2024-01-01").AddDate(0, 0, i), int64(i)})
		}
		v := tiny([]dashboard.Panel{{Type: tc.kind, X: "day", Y: []string{"n"}, Grain: tc.grain}},
			[]string{"day date", "n integer " + tc.agg}, rows...)
		p := open(v).Panel(0)
		if n := len(p.Grid.Rows); n != tc.points {
			t.Errorf("%d days, %s by %q: %d points, want %d", tc.days, tc.kind, tc.grain, n, tc.points)
		}
		warned := ""
		for _, w := range warnings(v) {
			warned += w.Code
			if w.Path != "panels[0].grain" {
				t.Errorf("the warning is about %s", w.Path)
			}
		}
		if warned != tc.warned {
			t.Errorf("%d days, %s of %s by %q: warned of %q, want %q", tc.days, tc.kind, tc.agg, tc.grain, warned, tc.warned)
		}
	}
}

// TestTrueToScale: gaps of a time axis are as wide as they are long, in lines over
// years (N7) and bars over dates (N8).
func TestTrueToScale(t *testing.T) {
	t.Parallel()
	years := [][]any{{int64(1880), int64(1)}, {int64(1900), int64(2)}, {int64(1910), int64(3)}, {int64(1980), int64(4)}}
	line := string(render(t, tiny([]dashboard.Panel{{Type: dashboard.Line, X: "year", Y: []string{"n"}}},
		[]string{"year integer", "n integer sum"}, years...)))
	if want := `data-p="0 200 300 1000"`; !strings.Contains(line, want) {
		t.Errorf("the line has no %s", want)
	}
	bars := func(column string, rows ...[]any) []float64 {
		doc := render(t, tiny([]dashboard.Panel{{Type: dashboard.Bar, X: strings.Fields(column)[0], Y: []string{"n"}}},
			[]string{column, "n integer sum"}, rows...))
		var middles []float64
		for _, m := range regexp.MustCompile(`<rect class="f1" x="([0-9.]+)%" width="([0-9.]+)%"`).FindAllSubmatch(doc, -1) {
			x, _ := strconv.ParseFloat(string(m[1]), 64)
			width, _ := strconv.ParseFloat(string(m[2]), 64)
			middles = append(middles, x+width/2)
		}
		return middles
	}
	for name, got := range map[string][]float64{
		"dates": bars("day date",
			[]any{day("2024-05-03"), int64(1)}, []any{day("2024-08-12"), int64(2)}, []any{day("2025-11-24"), int64(3)}),
		"years": bars("year integer", []any{int64(1900), int64(1)}, []any{int64(1901), int64(2)}, []any{int64(1906), int64(3)}),
	} {
		want := 469.0 / 101 // days between the last two, and between the first two
		if name == "years" {
			want = 5
		}
		if len(got) != 3 || math.Abs((got[2]-got[1])/(got[1]-got[0])-want) > 0.05 {
			t.Errorf("%s: bars at %v, want gaps as 1 to %.2f", name, got, want)
		}
	}
	// Columns of names are not scales.
	if encode.AreYears("shop_id", []cube.Category{{Value: int64(1001)}, {Value: int64(1005)}}) {
		t.Error("ids are taken for years")
	}
}

// TestSpecFromJSON draws a spec as a client writes it, with all the defaults.
func TestSpecFromJSON(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"version": 1, "title": "Commerce", "currency": "EUR",
		"datasets": [{"id": "orders",
			"sql": "SELECT ordered_at::date AS day, country, channel, sum(amount) AS revenue, count(*) AS orders FROM orders GROUP BY 1,2,3",
			"columns": {"revenue": {"format": "currency_compact", "good": "up"},
				"aov": {"label": "Average order", "ratio": ["revenue", "orders"], "format": "currency2"}}}],
		"filters": [{"column": "day", "default": "last_90_days"}, {"column": "country"}],
		"panels": [
			{"type": "kpi", "value": "revenue", "compare": "previous_period", "sparkline": "day"},
			{"type": "kpi", "value": "aov", "compare": "previous_period"},
			{"type": "line", "title": "Revenue by day", "x": "day", "y": "revenue", "series": "channel", "width": 8},
			{"type": "table", "columns": ["country", "orders", "revenue", "aov"], "sort": "-revenue", "limit": 10},
			{"type": "text", "markdown": "Revenue reached **{{orders.revenue}}**."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date},
		{Name: "country", Type: cube.Text},
		{Name: "channel", Type: cube.Text},
		{Name: "revenue", Type: cube.Number},
		{Name: "orders", Type: cube.Integer},
	})
	for i := range 1000 {
		row := []any{day("2026-11-20").AddDate(0, 0, -i/3), []any{"DE", "FR"}[i%2], []any{"web", "store", "app"}[i%3], float64(i), int64(2)}
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	v := Input{
		Spec: s, Cubes: map[string]*cube.Cube{"orders": b.Cube()}, Now: now,
		AsOf: now,
	}
	var texts []string
	for _, s := range summaries(v) {
		if s.Problem != "" || s.Empty {
			t.Errorf("panel %d: %s%s", s.Index, s.Problem, s.Text)
		}
		texts = append(texts, strings.ReplaceAll(s.Text, format.NBSP, " "))
	}
	want := []string{
		"€36.3K, down 66.3% from €108K (previous 89 days). Small line: Aug 23, 2026 – Nov 19, 2026. " +
			"Compared without Nov 20, 2026, which is not over.",
		"€67.25 (€68.00 as compared), down 66.3% from €201.50 (previous 89 days). Compared without Nov 20, 2026, which is not over.",
		"90 points from Aug 23, 2026 to Nov 20, 2026: app €2, store €1, web €0 at the latest. Nov 20, 2026 is not over.",
		"2 rows; first FR, Orders 270, Revenue €18.2K, Average order €67.50; then DE, Orders 270, Revenue €18.1K, Average order €67.00.",
		"Revenue reached €36.3K.",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	safe(t, render(t, v))
}

func TestLabelsAreClippedByWidth(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"A name that fits":       "A name that f…",
		"日本語のとても長いカテゴリ":          "日本語のとて…",
		"日本語のとても":                "日本語のとても",
		"👩\u200d👩\u200d👧 family": "👩\u200d👩\u200d👧 family",
		"e\u0301e\u0301":         "e\u0301e\u0301",
	} {
		if got := canvas.ClipLabel(s, 14); got != want || canvas.Letters(got) > 14 {
			t.Errorf("%q: %q, %d letters wide; want %q", s, got, canvas.Letters(got), want)
		}
	}
}
