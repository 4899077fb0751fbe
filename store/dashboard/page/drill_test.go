package page

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"service/store/dashboard"
)

// linksOf returns the targets of the links in a panel's card, in order.
func linksOf(t *testing.T, v View) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(render(t, v))))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" || n.Parent.Data == "nav" ||
			slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "download" }) {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" && (strings.HasPrefix(a.Val, "/") || strings.HasPrefix(a.Val, "https://")) {
				out = append(out, a.Val)
			}
		}
	}
	return out
}

// TestDrill: the targets of marks and cells, with their values, including hostile ones.
func TestDrill(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-03-02"), "a&b=c", 1.0, int64(1)},
		{day("2026-03-03"), nil, 2.0, int64(2)},
		{day("2026-03-11"), "~x", 4.0, int64(3)},
		{day("2026-03-12"), `"><script>`, 8.0, int64(4)},
	}
	const names = "/sales?f.name=%22%3E%3Cscript%3E /sales?f.name=~~x /sales?f.name=a%26b%3Dc /sales?f.name=~null"
	for name, tc := range map[string]struct {
		panel dashboard.Panel
		want  string
	}{
		"bars": {
			dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"size"}, Sort: "size", Link: "sales?name={{name}}"},
			"/sales?f.name=a%26b%3Dc /sales?f.name=~null /sales?f.name=~~x /sales?f.name=%22%3E%3Cscript%3E",
		},
		"a list, and behind it": {
			dashboard.Panel{
				Type: dashboard.Bar, X: "name", Y: []string{"size"}, Horizontal: true, Limit: 1, Other: true, Link: "sales?who={{name}}",
			},
			"/sales?f.who=%22%3E%3Cscript%3E /sales?f.who=%22%3E%3Cscript%3E",
		},
		"weeks": {
			dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"size"}, Grain: "week", Link: "/sales?day={{day}}&name=Ada+L&name=~null"},
			"/sales?f.day=2026-03-02..2026-03-08&f.name=Ada+L&f.name=~null /sales?f.day=2026-03-09..2026-03-15&f.name=Ada+L&f.name=~null",
		},
		"elsewhere": {
			dashboard.Panel{Type: dashboard.Line, X: "day", Y: []string{"size"}, Grain: "month", Link: "https://x.example/{{day}}?q=1"},
			"https://x.example/2026-03-01?q=1",
		},
		"cells": {
			dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"size"}, Value: "amount", Link: "sales?day={{day}}&size={{size}}"},
			"/sales?f.day=2026-03-02&f.size=1 /sales?f.day=2026-03-03&f.size=2 /sales?f.day=2026-03-11&f.size=3 /sales?f.day=2026-03-12&f.size=4",
		},
		"cells by their row": {
			dashboard.Panel{Type: dashboard.Heatmap, X: "day", Y: []string{"size"}, Value: "amount", Link: "sales?size={{size}}"},
			"/sales?f.size=1 /sales?f.size=2 /sales?f.size=3 /sales?f.size=4",
		},
		"without a value": {dashboard.Panel{Type: dashboard.Bar, X: "name", Y: []string{"size"}, Link: "sales?name={{other}}"}, ""},
		"switched off, but with a link": {
			dashboard.Panel{Type: dashboard.Pie, Label: "name", Value: "amount", Click: "none", Link: "sales?name={{name}}", Limit: 1},
			"/sales?f.name=%22%3E%3Cscript%3E /sales?f.name=%22%3E%3Cscript%3E",
		},
		"a table": {
			dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name", Link: "sales?name={{name}}"}}}, names,
		},
		"a table's other column": {
			dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{
				{Column: "day", Link: "sales?name={{name}}&day={{day}}"}, {Column: "amount", Link: "https://x.example/?d={{day}}"},
			}, Limit: 1},
			"/sales?f.name=a%26b%3Dc&f.day=2026-03-02 https://x.example/?d=2026-03-02",
		},
	} {
		v := tiny([]dashboard.Panel{tc.panel}, zooColumns, rows...)
		v.Spec.Datasets[0].Columns[3].Role, v.Spec.Datasets[0].Columns[3].Agg = "", ""
		if !strings.HasPrefix(name, "cells") {
			v.Spec.Datasets[0].Columns[3].Agg = dashboard.Sum
		} else {
			v.Spec.Datasets[0].Columns[3].Role = dashboard.Dimension
		}
		if got := strings.Join(linksOf(t, v), " "); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}
