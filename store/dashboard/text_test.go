package dashboard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"service/store/dashboard"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	for link, ok := range map[string]bool{
		"https://example.com":                  true,
		"https://example.com:8443/a?b={{ c }}": true,
		"https://example.com/{{c}}#x":          true,
		"orders":                               true,
		"":                                     false,
		"{{ link }}":                           true,
		"orders?country={{country}}":           true,
		"orders?f.country=DE&day=last_7_days":  true,
		"/orders?a={{ a }}&a=b&c=":             true,
		"orders?country":                       false,
		"orders?=DE":                           false,
		"orders?":                              false,
		"orders?a={{a}}b":                      false,
		"orders?{{a}}=b":                       false,
		"orders?a=%zz":                         false,
		"orders?a=b#c":                         false,
		"orders?a={{}}":                        false,
		"orders/data.csv":                      false,
		"{{a}}{{b}}":                           false,
		"{{}}":                                 false,
		"https://example.com/{{ }}":            false,
		"https://example.com/%zz":              false,
		"http://example.com":                   false,
		"javascript:alert(1)":                  false,
		"data:text/html,x":                     false,
		"//example.com":                        false,
		"/orders":                              true,
		"Orders":                               false,
		"https://{{host}}/":                    false,
		"https://example.{{tld}}/":             false,
		"https://user@example.com/":            false,
		"https://user:pass@example.com/":       false,
		"https://example.com\\@evil.com/":      false,
		"https://":                             false,
		"https:///path":                        false,
		"https://:80/":                         false,
		"https://a:b:c/":                       false,
		"https://example.com/a b":              false,
		"https://example.com/{{a":              false,
		"https://example.com/\"x":              false,
	} {
		raw, err := json.Marshal(link)
		if err != nil {
			t.Fatal(err)
		}
		_, err = dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}], "panels": [` +
			`{"type": "table", "columns": [{"column": "a", "link": ` + string(raw) + `}]}]}`))
		if (err == nil) != ok {
			t.Errorf("%q: %v", link, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "panels[0].columns[0].link: ") {
			t.Errorf("%q: %v", link, err)
		}
	}
}

// A field of a text has a format and a plus sign behind a bar; others are refused with what to write.
func TestFormatsInTexts(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"revenue": "", "revenue | currency_compact, sign": "", "aov|percent1|sign": "", "day | month": "", "orders | compact": "",
		"orders|sign": "",
		"revenue | signed": `{{orders.revenue | signed}} has "signed", which is neither a format nor "sign"; ` +
			`write {{orders.revenue | percent1, sign}}; formats: integer, `,
		"revenue | +":         `did you mean "sign"?`,
		"revenue | thousands": `did you mean "compact"?`,
		"revenue | money":     `did you mean "currency"?`,
		"revenue | .1%":       `did you mean "percent1"?`,
		"revenue | month":     `panels[0].markdown: "month" is for dates, and "revenue" is of type number`,
		"day | percent":       `panels[0].markdown: "percent" is for numbers, and "day" is of type date`,
		"country | sign":      `panels[0].markdown: "sign" is for numbers, and "country" is of type text`,
		"growth | percent":    `column "growth" is not returned by dataset "orders"`,
	} {
		raw, err := json.Marshal(map[string]string{"type": "text", "markdown": "Now {{orders." + field + "}}."})
		if err != nil {
			t.Fatal(err)
		}
		s, err := dashboard.Parse(document("", string(raw), `, "revenue": {"agg": "sum"}`))
		if err == nil {
			_, err = s.Check(checkColumns)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
}

// TestBareFields: a field of a text that names no dataset is of the dataset of data, or of the only one.
func TestBareFields(t *testing.T) {
	t.Parallel()
	one, two := `{"id": "a", "sql": "SELECT 1 AS n"}`, `{"id": "a", "sql": "SELECT 1 AS n"}, {"id": "b", "sql": "SELECT 2 AS n"}`
	for _, tc := range []struct{ datasets, members, want string }{
		{one, `"markdown": "{{n}} and {{ n | percent1, sign }}"`, "{{a.n}} and {{a.n | percent1, sign}}"},
		{two, `"markdown": "{{n}} of {{a.n}}", "data": "b"`, "{{b.n}} of {{a.n}}"},
		{two, `"markdown": "{{a.n}}", "data": "b"`, "{{a.n}}"},
		{two, `"markdown": "{{n}}"`, "panels[0].markdown: {{n}} must name a dataset and a column, such as {{orders.revenue}}"},
		{one, `"markdown": "{{}}"`, "panels[0].markdown: {{}} must name a dataset and a column, such as {{orders.revenue}}"},
		{one, `"markdown": "{{n}}", "data": "c"`, `panels[0].data: "c" is not the id of a dataset; datasets: a`},
	} {
		got := ""
		spec, err := dashboard.Parse([]byte(`{"datasets": [` + tc.datasets + `], "panels": [{"type": "text", ` + tc.members + `}]}`))
		if err == nil {
			got = spec.Panels[0].Markdown
		} else {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s\ngot  %s\nwant %s", tc.members, got, tc.want)
		}
	}
}
