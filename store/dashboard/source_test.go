package dashboard

import (
	"strings"
	"testing"
)

func TestSources(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(`{"source": {"name": " Federal Bureau ", "url": "https://example.org/data?id=7"},
		"datasets": [{"id": "d", "sql": "SELECT a FROM t"}], "panels": [{"type": "kpi", "value": "a", "source": {"name": "Own count"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if *s.Source != (Source{"Federal Bureau", "https://example.org/data?id=7"}) || *s.Panels[0].Source != (Source{Name: "Own count"}) {
		t.Errorf("%+v, %+v", s.Source, s.Panels[0].Source)
	}
	if _, _, err := ParseReport([]byte(`{"source": {"name": "A"}, "datasets": [{"id": "d", "rows": [{"a": 1}]}]}`)); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct{ page, panel, want string }{
		{`"source": "self",`, ``, `source: is {"name": …, "url": …}: whose data it is; connection names a connection`},
		{``, `"source": "d"`, `panels[0].source: is {"name": …, "url": …}: whose data it is; data names a dataset`},
		{``, `"source": {"url": "https://example.com"}`, `panels[0].source.name: is missing`},
		{``, `"source": {"name": " "}`, `panels[0].source.name: is empty`},
		{``, `"source": {"name": "A", "url": "http://example.com"}`, `panels[0].source.url: "http://example.com" is not an address`},
		{``, `"source": {"name": "A", "url": "javascript:alert(1)"}`, `panels[0].source.url: "javascript:alert(1)" is not an address`},
		{``, `"source": {"name": "A", "url": "https://example.com/{{a}}"}`, `is not an address; write one that begins with https://`},
		{``, `"source": {"name": "A", "href": "https://example.com"}`, `did you mean "url"?`},
		{``, `"credits": "A"`, `did you mean "source"?`},
		{``, `"caption": "A"`, `"description" is a sentence for readers`},
		{`"footnote": "A",`, ``, `"source": {"name", "url"} names whose data it is`},
		{``, `"type": "section", "value": null, "title": "T", "source": {"name": "A"}`, `"source" is not a key of a panel of type section`},
	} {
		panel := `{"type": "kpi", "value": "a"`
		if strings.Contains(tc.panel, `"type"`) {
			panel = `{`
		} else if tc.panel != "" {
			panel += `, `
		}
		_, err := Parse([]byte(`{` + tc.page + `"datasets": [{"id": "d", "sql": "SELECT a FROM t"}], "panels": [` + panel + tc.panel + `}]}`))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s:\n%v\nwant %s", tc.page, tc.panel, err, tc.want)
		}
	}
}
