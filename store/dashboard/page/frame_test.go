package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/markdown"
	"service/store/dashboard/panel"
)

// prose returns a text of a number of sentences.
func prose(sentences int) string {
	return strings.TrimSpace(strings.Repeat("Orders rose in every channel but the stores, whose hours were cut. ", sentences))
}

// wideMarkdown is a table whose cells do not fit next to each other on a phone.
const wideMarkdown = `
| Term | What it means | Since | Owner |
|---|---|---|---|
| Revenue | Paid orders net of discounts, returns and the taxes of the country that the order was shipped to | 2019 | Finance |
| Refund rate | Orders refunded in whole or in part within thirty days, of all orders that were paid in the same period | 2021 | Support |
`

// framed is a page with everything that surrounds figures: sections and their list, filters, rows of unequal heights, long tables and
// lists, and texts of all widths.
func framed() View {
	v := commerce(4000)
	v.Header.Name, v.Header.Slug, v.Header.URL = "Frame", "frame", "https://northwind.example.com/frame"
	v.Spec.Description = ""
	kpi := func(value string, width int) dashboard.Panel {
		return dashboard.Panel{Type: dashboard.KPI, Value: value, Width: width}
	}
	text := func(width int, of string) dashboard.Panel {
		return dashboard.Panel{Type: dashboard.Text, Width: width, Markdown: of}
	}
	section := func(title string) dashboard.Panel { return dashboard.Panel{Type: dashboard.Section, Title: title} }
	countries := dashboard.Panel{Type: dashboard.Table, Title: "Orders by day", Limit: 25, Columns: []dashboard.TableColumn{
		{Column: "day"}, {Column: "country"}, {Column: "orders", Bar: true}, {Column: "revenue", Format: "currency2"},
	}, Sort: "day"}
	beside := countries
	beside.Width = 8
	days := dashboard.Panel{
		Type: dashboard.Bar, Title: "Revenue by day", X: "day", Y: []string{"revenue"}, Horizontal: true, Limit: 400, Width: 6,
	}
	line := dashboard.Panel{Type: dashboard.Line, Title: "Revenue", X: "day", Y: []string{"revenue"}, Width: 9}
	v.Spec.Panels = []dashboard.Panel{
		section("Numbers"),
		kpi("revenue", 3), kpi("aov", 3), text(6, "**Two numbers and a text** share a row. "+prose(2)),
		kpi("orders", 3), text(3, "Among *numbers*, a text has its width."), kpi("refunds", 3), kpi("refund_rate", 3),
		{Type: dashboard.KPI, Value: "revenue"},
		{Type: dashboard.KPI, Value: "orders", Compare: []string{"previous_period"}, Sparkline: "day"},
		{Type: dashboard.KPI, Value: "aov"},
		{Type: dashboard.KPI, Value: "refund_rate"},
		section("Rows"),
		kpi("revenue", 3), line, kpi("orders", 3),
		days,
		{Type: dashboard.Bar, Title: "Channels", X: "channel", Y: []string{"revenue"}, Width: 6},
		kpi("orders", 4), beside,
		section("Texts"),
		text(12, "## A wide card\n\n"+strings.Repeat(prose(6)+"\n\n", 4)),
		text(6, "See [the list](/orders), [this page](https://northwind.example.com/frame) and [that one](orders).\n"+wideMarkdown),
		text(6, prose(5)),
		section("Everything"),
		countries,
	}
	return v
}

// ugly is a page of extreme data: names of 3 and 3,000 characters, 1 and 60 categories, amounts of 1 and of 17 digits.
func ugly() View {
	long := strings.TrimSpace(strings.Repeat("Verkehrsinfrastruktur und Beschaffung ", 80))[:3000]
	var rows [][]any
	for i := range 60 {
		name := fmt.Sprintf("C%02d", i)
		switch {
		case i == 1:
			name = fmt.Sprint(i, " ", long)
		case i == 2:
			name = fmt.Sprint(i, strings.Repeat("x", 2990)) // without a place to break it
		}
		amount := math.Pow(10, float64(i%17)) * 1.2345
		rows = append(rows, []any{day("2026-01-01").AddDate(0, 0, i%120), name[:min(len(name), 3000)], amount, int64(i % 10), "One"})
	}
	title := strings.Repeat("A title of two hundred characters ", 6)[:200]
	columns := []dashboard.TableColumn{
		{Column: "name"}, {Column: "amount", Bar: true, Label: title}, {Column: "size", Sign: true}, {Column: "day"},
	}
	large := []dashboard.Threshold{{Column: "amount", If: ">", Value: 1e9, Tone: "bad"}}
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Section, Title: "Numbers"},
		{Type: dashboard.KPI, Value: "amount", Title: title},
		{Type: dashboard.KPI, Value: "size", Sparkline: "day", Thresholds: []dashboard.Threshold{{If: ">", Value: 1, Tone: "good"}}},
		{Type: dashboard.KPI, Value: "tiny"},
		{Type: dashboard.Text, Width: 3, Markdown: "`" + strings.Repeat("unbreakable", 20) + "` and {{d.name}}"},
		{Type: dashboard.Section, Title: strings.Repeat("Charts ", 25)},
		{Type: dashboard.Bar, X: "name", Y: []string{"amount"}, Horizontal: true, Limit: 400, Width: 6},
		{Type: dashboard.Bar, X: "one", Y: []string{"amount"}, Width: 6, Title: title},
		{Type: dashboard.Bar, X: "name", Y: []string{"size"}, Limit: 400},
		{Type: dashboard.Bar, X: "one", Y: []string{"amount"}, Horizontal: true},
		{Type: dashboard.Line, X: "day", Y: []string{"amount"}, Series: "name"},
		{Type: dashboard.Area, X: "day", Y: []string{"amount"}, Series: "one", Stack: true},
		{Type: dashboard.Scatter, X: "amount", Y: []string{"size"}, Label: "name"},
		{Type: dashboard.Pie, Label: "name", Value: "size"},
		{Type: dashboard.Pie, Label: "one", Value: "size", Width: 4},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"name"}, Value: "size", Width: 8},
		{Type: dashboard.Section, Title: "Tables"},
		{Type: dashboard.Table, Columns: columns, Thresholds: large, Limit: 25},
		{Type: dashboard.Table, Columns: columns, Width: 4},
		{Type: dashboard.Text, Width: 8, Markdown: wideMarkdown + "\n\n" + strings.Repeat("wide", 200)},
	}, []string{"day date", "name text", "amount number sum currency2", "size integer sum", "one text"}, rows...)
	v.Spec.Datasets[0].Columns = append(v.Spec.Datasets[0].Columns, dashboard.Meta{
		Name: "tiny", Label: "Tiny", Ratio: [2]string{"size", "amount"}, Format: "number2",
	})
	v.Spec.Filters = []dashboard.Filter{{Column: "name"}, {Column: "day", Default: []string{"all"}}, {Column: "one"}}
	v.Spec.Description = title
	v.Header.Name, v.Header.NextRun = title, now.Add(time.Hour)
	return v
}

// TestArrange: if a panel is much lower than its neighbour, the next panels join it; if they do not fit, it is stretched as far as its
// figure can grow, and if that would leave most of the space empty, both panels get the full width.
func TestArrange(t *testing.T) {
	t.Parallel()
	k, line, section := dashboard.Panel{Type: dashboard.KPI}, dashboard.Panel{Type: dashboard.Line}, dashboard.Panel{Type: dashboard.Section}
	place := func(p dashboard.Panel, width, height int) card {
		return card{Panel: &panel.Panel{Rows: panel.Rows{Settings: panel.Settings{Spec: &p}}}, slot: slot{width: width, height: height}}
	}
	grown := func(c card, reach int) card { c.reach = reach; return c }
	unset := func(c card) card { c.Spec.Width = -1; return c }
	for name, tc := range map[string]struct {
		in   []card
		want string // of each panel: its width, the number of rows next to it, whether it ends above the foot of its row, and grows
	}{
		"alike":           {[]card{place(line, 6, 300), place(line, 6, 440)}, "6×1 6×1"},
		"a usual chart":   {[]card{place(k, 4, 90), place(line, 8, 420)}, "4×1 grows, 8×1"},
		"one is low":      {[]card{place(line, 6, 300), place(line, 6, 660)}, "6×1 own, 6×1"},
		"one can grow":    {[]card{grown(place(line, 6, 370), 280), place(line, 6, 760)}, "6×1 6×1"},
		"a hole":          {[]card{unset(place(k, 3, 90)), unset(place(line, 9, 1100))}, "12×1 12×1"},
		"a hole by width": {[]card{place(k, 3, 90), unset(place(line, 9, 1100))}, "3×1 own grows, 9×1"},
		"a hole of three": {[]card{place(k, 3, 90), place(line, 6, 1100), place(k, 3, 90)}, "3×1 own grows, 6×1, 3×1 own grows"},
		"small ones":      {[]card{place(k, 6, 80), place(k, 6, 170)}, "6×1 6×1"},
		"joined": {
			[]card{place(k, 3, 90), place(line, 9, 330), place(k, 6, 90), place(k, 6, 90)}, "3×1 grows, 9×3, 3×1 grows, 3×1 grows",
		},
		"joined on the end": {[]card{place(line, 8, 900), place(line, 4, 300), place(line, 4, 300)}, "8×2 4×1 4×1"},
		"joined by two rows": {
			[]card{place(line, 8, 900), place(line, 4, 300), place(k, 12, 90), place(line, 4, 300)}, "8×3 4×1, 4×1 grows, 4×1",
		},
		"joined, still low": {[]card{place(line, 8, 1900), place(line, 4, 300), place(line, 4, 300)}, "8×2 4×1 own, 4×1 own"},
		"joined by no more than the style has": {
			[]card{place(line, 8, 900), place(k, 4, 90), place(k, 3, 90), place(k, 3, 90), place(k, 3, 90), place(k, 3, 90), place(k, 12, 90)},
			"8×5, 4×1 grows, 4×1 grows, 4×1 grows, 4×1 grows, 4×1 grows, 12×1",
		},
		"too much to join": {[]card{place(k, 3, 90), place(line, 9, 330), place(k, 3, 490)}, "3×1 grows, 9×1, 3×1"},
		"the next is wide": {[]card{place(k, 3, 90), place(line, 9, 330), place(line, 12, 90)}, "3×1 grows, 9×1, 12×1"},
		"a section next":   {[]card{place(k, 3, 90), place(line, 9, 330), place(section, 12, 40)}, "3×1 grows, 9×1, 12×1"},
		"nothing":          {nil, ""},
	} {
		panels := make([]dashboard.Panel, len(tc.in))
		for i, c := range tc.in {
			panels[i] = *c.Spec
			if panels[i].Width = c.width; c.Spec.Width < 0 {
				panels[i].Width = 0
			}
		}
		arrange(panels, tc.in)
		var got []string
		for _, c := range tc.in {
			one := fmt.Sprintf("%d×%d", c.width, c.rows)
			if c.own {
				one += " own"
			}
			if c.grows {
				one += " grows"
			}
			got = append(got, one)
		}
		if diff := cmp.Diff(strings.ReplaceAll(tc.want, ",", ""), strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNumbersOfOneSize: the numbers of KPIs that follow each other have one size, and leave space for the sign of a tone.
func TestNumbersOfOneSize(t *testing.T) {
	t.Parallel()
	panels := []dashboard.Panel{{Type: dashboard.KPI, Value: "short"}, {Type: dashboard.KPI, Value: "long"}}
	doc := string(render(t, tiny(panels, []string{"short number sum", "long number sum currency2"}, []any{1.0, 1_234_567.89})))
	if n := strings.Count(doc, `class="big long"`); n != 2 {
		t.Errorf("%d of two numbers have the size of the longer one:\n%s", n, doc)
	}
}

// TestWordsForReaders: readers see no ids and no names of tools, and each error once.
func TestWordsForReaders(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.KPI, Value: "amount"}, {Type: dashboard.Table}}, []string{"amount number sum"}, []any{1.0})
	v.Cubes, v.Header.State, v.Header.Version = nil, "failed", "0b7d4a2e-0000-4000-8000-000000000000"
	v.Header.Errors = map[string]string{"d": `There is no table "orders". introspect_schema lists the tables.`}
	doc := string(render(t, v))
	for _, never := range []string{"introspect", v.Header.Version} {
		if strings.Contains(doc, never) {
			t.Errorf("the page shows %q", never)
		}
	}
	if n := strings.Count(doc, "There is no table"); n != 1 {
		t.Errorf("the error is shown %d times", n)
	}
	if s := Summaries(v)[0].Text; !strings.Contains(s, `There is no table "orders".`) {
		t.Errorf("the summary, which stands alone, has no cause: %s", s)
	}
	// Only dates have a latest value.
	panels := []dashboard.Panel{
		{Type: dashboard.Line, X: "age", Y: []string{"amount", "size"}}, {Type: dashboard.Line, X: "age", Y: []string{"amount"}},
	}
	ages := [][]any{{int64(1), 1.0, 2.0}, {int64(2), 3.0, 4.0}}
	for _, s := range Summaries(tiny(panels, []string{"age integer", "amount number sum", "size number sum"}, ages...)) {
		if strings.Contains(s.Text, "latest") {
			t.Errorf("an axis of ages: %s", s.Text)
		}
	}
}

// TestMarkdownLinks: links of Markdown lead to dashboards of the workspace in every spelling, and links that become plain text are
// reported.
func TestMarkdownLinks(t *testing.T) {
	t.Parallel()
	const at = "http://acme.localhost:8080/tiny"
	for in, want := range map[string]string{
		"[a](sales)":                                 `<a href="sales">a</a>`,
		"[a](/sales)":                                `<a href="/sales">a</a>`,
		"[a](/sales?f.country=France#p3)":            `<a href="/sales?f.country=France#p3">a</a>`,
		"[a](http://acme.localhost:8080/sales)":      `<a href="/sales">a</a>`,
		"[a](http://acme.localhost:8080/tiny#p1)":    `<a href="/tiny#p1">a</a>`,
		"[a](#p1)":                                   `<a href="#p1">a</a>`,
		"<http://acme.localhost:8080/sales>":         `<a href="/sales">http://acme.localhost:8080/sales</a>`,
		"[a](https://example.com/)":                  `<a href="https://example.com/" rel="nofollow noreferrer">a</a>`,
		"[a](http://example.com/)":                   "",
		"[a](http://acme.localhost:8080.evil/sales)": "",
		"[a](//example.com)":                         "",
		"[a](/../x)":                                 "",
		"[a](javascript:alert(1))":                   "",
		"[a](mailto:ada@example.com)":                "",
	} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Text, Markdown: in}}, nil)
		v.Header.URL = at
		_, doc, _ := strings.Cut(string(render(t, v)), `class="md"`)
		doc, _, _ = strings.Cut(doc, "</article>")
		plain := markdown.PanelPlainLinks(in, at)
		switch {
		case want == "" && (strings.Contains(doc, "<a") || len(plain) != 1):
			t.Errorf("%s: %s, told %q", in, doc, plain)
		case want != "" && (!strings.Contains(doc, want) || len(plain) != 0):
			t.Errorf("%s: %s, told %q", in, doc, plain)
		}
	}
	got := markdown.PlainLinks([]byte(strings.Repeat("[a](ftp://x) ", 9)+"<ada@example.com>"), at)
	if !slices.Equal(got, []string{"ftp://x"}) {
		t.Errorf("told %q", got)
	}
}

// frames checks the surroundings of figures: menus are inside the window, rows have similar heights, filters stay in view, and tables that
// open move nothing.
func frames(b browser) {
	b.Helper()
	for _, path := range []string{"/frame", "/commerce", "/ugly"} {
		b.open(path, 360)
		for _, width := range []int64{360, 390, 768, 1000, 1280, 1920} {
			b.resize(width)
			for _, f := range evaluate[[]string](b, menus) {
				b.Errorf("%s at %d pixels: %s", path, width, f)
			}
			for _, f := range evaluate[[]string](b, heights) {
				b.Errorf("%s at %d pixels: %s", path, width, f)
			}
		}
	}
	b.open("/frame", 1280)
	if faults := evaluate[[]string](b, opened); len(faults) > 0 {
		b.Errorf("opening tables: %s", faults)
	}
	if y := evaluate[float64](b, `scrollTo(0, 1e6), document.querySelector('.filters').getBoundingClientRect().top`); y < 0 || y > 100 {
		b.Errorf("at the end of the page, the filters stand at %v", y)
	}
	b.open("/frame", 390)
	if y := evaluate[float64](b, `scrollTo(0, 1e6), document.querySelector('.fsum').getBoundingClientRect().top`); y < 0 || y > 10 {
		b.Errorf("on a phone, at the end of the page, the line of the filters stands at %v", y)
	}
	const sizes = `[...new Set([...document.querySelectorAll('.kpi:not(.wide) .big')].slice(2, 8).map(e => getComputedStyle(e).fontSize))]`
	if sizes := evaluate[[]string](b, sizes); len(sizes) != 1 {
		b.Errorf("on a phone, numbers have the sizes %s", sizes)
	}
}

// menus is a script that opens every menu of the filters, one after the other.
const menus = `(() => { const out = [];
for (const m of document.querySelectorAll('.ms')) {
  m.open = true;
  const r = m.querySelector('fieldset').getBoundingClientRect();
  if (r.left < 0 || r.right > innerWidth || r.width < 100) out.push('a menu stands from ' + r.left + ' to ' + r.right);
  m.open = false;
}
return out })()`

// heights is a script that compares every card with its contents: none is stretched by more than half, except small ones in a row, those
// that end with a neighbour of usual height, and those whose figure grows.
const heights = `(() => { const out = [], cards = [...document.querySelectorAll('.card')], rect = e => e.getBoundingClientRect();
const before = cards.map(e => rect(e).height);
for (const e of document.querySelectorAll('.card')) e.style.alignSelf = 'start';
cards.forEach((e, i) => { const own = rect(e).height;
  if (before[i] > own * 1.55 && before[i] > own + 60 && !e.classList.contains('kpi')
    && before[i] > 560 && !e.querySelector('figure .plot:not(.map),.hb'))
    out.push(Math.round(before[i]) + ' pixels instead of ' + Math.round(own) + ': ' + e.textContent.slice(0, 40));
  if (before[i] > 1150 && !e.querySelector('.md,.tw:not(.tall)'))
    out.push(Math.round(before[i]) + ' pixels: ' + e.textContent.slice(0, 40));
  for (const t of e.querySelectorAll('.tw:not(.tall)')) if (!t.closest('.src') && t.scrollHeight > t.clientHeight + 20)
    out.push('a table hides rows: ' + e.textContent.slice(0, 40)) });
cards.forEach(e => e.style.alignSelf = '');
return out })()`

// opened is a script that opens the tables behind figures, which must move nothing.
const opened = `(() => { const out = [];
const rects = () => [...document.querySelectorAll(".card")].map(e => { const r = e.getBoundingClientRect();
  return [r.x, r.y, r.width, r.height].join() });

const before = rects();
for (const d of document.querySelectorAll('.src')) d.open = true;
rects().forEach((r, i) => { if (r != before[i]) out.push(before[i] + ' became ' + r) });
for (const e of document.querySelectorAll('.over')) { const r = e.getBoundingClientRect(); if (r.height < 40 || r.width < 100)
  out.push('a table of ' + r.width + ' by ' + r.height) }
return out })()`

// askNow is a script that makes the page ask for newer data now.
const askNow = `new Promise(done => { const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function(...a) { XMLHttpRequest.prototype.open = open;
  this.addEventListener('loadend', () => done(String(this.status)));
  open.apply(this, a) };
document.dispatchEvent(new Event('visibilitychange')) })`

// fresher leaves a page open while its data change, while requests for them fail, and while they stay the same.
func fresher(b browser) {
	b.Helper()
	b.Expect("status of 500")
	state := func() string { return evaluate[string](b, `document.querySelector('.fresh').innerText`) }
	b.open("/changing", 1280)
	evaluate[string](b, `document.querySelector('.src').open = true, document.querySelector('.over .csv').focus(), scrollTo(0, 300), ''`)
	for i, step := range []struct{ answer, status, total, state string }{
		{"first", "200", "1", "Data as of"},
		{"first", "304", "1", "Data as of"},
		{"second", "200", "2", "Data as of"},
		{"broken", "500", "2", "Not up to date"},
		{"second", "304", "2", "Data as of"},
	} {
		b.site.answer.Store(step.answer)
		if status := evaluate[string](b, askNow); status != step.status {
			b.Errorf("step %d: status %s, want %s", i, status, step.status)
		}
		total := evaluate[string](b, `document.querySelector('.big').textContent`)
		if total != step.total || !strings.Contains(state(), step.state) {
			b.Errorf("step %d: %q and %q", i, total, state())
		}
	}
	if !evaluate[bool](b, `document.querySelector('.src').open && scrollY == 300 && document.activeElement.matches('.over .csv')`) {
		b.Error("the table that was open is closed, the page has moved, or the focus is gone")
	}
	if tip := evaluate[bool](b, `(() => { const s = document.querySelector('.plot[data-n]'), r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + 1, clientY: r.top + 9, bubbles: true}));
		return !!document.querySelector('.tip:not([hidden])') })()`); !tip {
		b.Error("the new figure has no tooltip")
	}
}
