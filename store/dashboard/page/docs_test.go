package page

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// exampleSQL is the dataset that the reference's panels use.
const exampleSQL = `{"datasets": [{"id": "orders", 
	"sql": "SELECT day, country, channel, sum(amount) AS revenue, count(*) AS orders FROM sales GROUP BY 1, 2, 3",
	"columns": {"aov": {"ratio": ["revenue", "orders"]}}}], "filters": [{"column": "day", "default": "all"}], "panels": [%s]}`

// exampleVisits is the dataset whose rows are not grouped.
const exampleVisits = `{"datasets": [{"id": "visits", "sql": "SELECT day, page, minutes FROM visit"}], "panels": [%s]}`

const examplePrices = `{"datasets": [{"id": "prices", "sql": "SELECT day, open, high, low, close, volume FROM quote"}], "panels": [%s]}`

const exampleProjects = `{"datasets": [{"id": "projects", "sql": "SELECT project, team, started, ended FROM project"}], "panels": [%s]}`

// TestExamplesOfTheReference draws every example in the reference of specs: each shows something, without warnings.
func TestExamplesOfTheReference(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../../docs/spec/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	var text []byte
	for _, file := range pages {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, page...)
	}
	drawn := map[string]bool{}
	for _, m := range regexp.MustCompile("(?s)```json (\\w+)\n(.*?)```").FindAllSubmatch(text, -1) {
		kind, example := string(m[1]), m[2]
		v := View{Header: Header{Workspace: "Acme", Slug: "example", Name: "Example", State: "succeeded", AsOf: now}, Now: now}
		switch kind {
		case "report":
			v.Spec, v.Cubes, err = dashboard.ParseReport(example)
		case "panel":
			document := fmt.Appendf(nil, exampleSQL, example)
			if strings.Contains(string(example), `"visits"`) {
				document = fmt.Appendf(nil, exampleVisits, example)
			}
			if strings.Contains(string(example), `"prices"`) {
				document = fmt.Appendf(nil, examplePrices, example)
			}
			if strings.Contains(string(example), `"projects"`) {
				document = fmt.Appendf(nil, exampleProjects, example)
			}
			v.Spec, err = dashboard.Parse(document)
		case "spec":
			v.Spec, err = dashboard.Parse(example)
		default:
			t.Fatalf("an example of kind %s", kind)
		}
		if err != nil {
			t.Fatalf("%s\n%v", example, err)
		}
		if v.Cubes == nil {
			v.Cubes = map[string]*cube.Cube{}
			for i := range v.Spec.Datasets {
				v.Cubes[v.Spec.Datasets[i].ID] = exampleRows(t, v.Spec.Datasets[i].ID)
			}
		}
		for _, s := range Summaries(v) {
			drawn[s.Type] = true
			if s.Problem != "" || s.Empty {
				t.Errorf("%s\npanel %d says: %s%s", example, s.Index, s.Problem, s.Text)
			}
		}
		safe(t, render(t, v))
	}
	for _, kind := range dashboard.PanelTypes() {
		if !drawn[kind] {
			t.Errorf("no example of a %s was drawn", kind)
		}
	}
}

// exampleRows returns rows that fit a dataset of the reference.
func exampleRows(t *testing.T, id string) *cube.Cube {
	t.Helper()
	var cols []cube.Column
	for name := range strings.FieldsSeq(map[string]string{
		"orders":    "day country channel revenue orders",
		"daily":     "day dashboard views",
		"tickets":   "opened_on team tickets hours longest customers",
		"signups":   "day launched signups",
		"sales":     "day country revenue",
		"mrr":       "day country mrr seats",
		"harvest":   "day country weight minutes revenue",
		"delivery":  "country country_rank late orders",
		"medians":   "month team median_hours",
		"visits":    "day page minutes",
		"customers": "customer last_order revenue",
		"prices":    "day open high low close volume",
		"projects":  "project team started ended",
		"plan":      "month budget actual",
		"staff":     "team people",
	}[id]) {
		c := cube.Column{Name: name, Type: cube.Number}
		switch name {
		case "day", "month", "opened_on", "last_order", "started", "ended":
			c.Type = cube.Date
		case "launched":
			c.Type = cube.Boolean
		case "country", "channel", "dashboard", "team", "page", "customer", "project":
			c.Type = cube.Text
		}
		cols = append(cols, c)
	}
	if cols == nil {
		t.Fatalf("no rows for dataset %s", id)
	}
	b := cube.NewBuilder(cols)
	for i := range 360 {
		var row []any
		for _, c := range cols {
			switch {
			case id == "prices" && c.Type == cube.Date:
				row = append(row, now.AddDate(0, 0, -i))
			case id == "prices":
				row = append(row, float64(i%7)+map[string]float64{"low": 1, "open": 2, "close": 3, "high": 5, "volume": 900}[c.Name])
			case id == "medians" && c.Type == cube.Date:
				row = append(row, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).AddDate(0, -i/6, 0))
			case id == "medians" && c.Type == cube.Text:
				row = append(row, []string{"blue", "red", "green", "gray", "pink", "black"}[i%6])
			case c.Type == cube.Date:
				row = append(row, now.AddDate(0, 0, -i/6))
			case c.Type == cube.Boolean:
				row = append(row, i%2 == 0)
			case c.Name == "channel":
				row = append(row, []string{"web", "store"}[i/3%2])
			case c.Type == cube.Text && len(cols) == 5:
				row = append(row, []string{"DE", "FR", "US"}[i%3])
			case c.Type == cube.Text:
				row = append(row, fmt.Sprintf("%c", 'A'+i%6))
			default:
				row = append(row, float64(i%7+1))
			}
		}
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return b.Cube()
}
