package dashboard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// fromSpec is a spec of the datasets.
func fromSpec(datasets string) []byte {
	return []byte(`{"title": "T", "currency": "EUR", "timezone": "Europe/Berlin", "datasets": [` + datasets + `]}`)
}

func TestFrom(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse(fromSpec(`{"id": "a", "from": "investors/mrr"}, {"id": "b", "from": ["c", "support/tickets"], "sql": "SELECT 1"},
		{"id": "c", "sql": "SELECT 1", "shared": true, "description": "Of all."}, {"id": "d", "from": ["b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for _, d := range s.Datasets {
		refs = append(refs, fmt.Sprint(d.ID, d.From, d.AsStored()))
	}
	if diff := cmp.Diff([]string{"a[investors/mrr] true", "b[c support/tickets] false", "c[] false", "d[b] true"}, refs); diff != "" {
		t.Error(diff)
	}
	var stages []string
	for _, stage := range s.Stages() {
		text := ""
		for _, run := range stage {
			text += run.ID
		}
		stages = append(stages, text)
	}
	if got := strings.Join(stages, " "); got != "c ab d" {
		t.Error(got)
	}
	if got := string(s.Offers()); got != `[{"id":"c","description":"Of all."}]` {
		t.Error(got)
	}
	if !s.Reads() || !s.Queries() || len(s.Tables()) != 0 {
		t.Error(s.Reads(), s.Queries(), s.Tables())
	}
}

func TestFromProblems(t *testing.T) {
	t.Parallel()
	const form = `write "slug/dataset", such as "investors/mrr", or the id of another dataset of this spec`
	eleven := strings.TrimSuffix(strings.Repeat(`"a/b", `, 11), ", ")
	for dataset, want := range map[string]string{
		`"from": 7`:                `datasets[0].from: must be a string, not a number`,
		`"from": []`:               `datasets[0].from: is empty; ` + form,
		`"from": "Sales Page/mrr"`: `datasets[0].from: "Sales Page/mrr" does not name a dataset; ` + form,
		`"from": "a/b/c"`:          `datasets[0].from: "a/b/c" does not name a dataset; ` + form,
		`"from": "/mrr"`:           `datasets[0].from: "/mrr" does not name a dataset; ` + form,
		`"from": ["a/x", "b/x"], "sql": "S"`: `datasets[0].from[1]: "x" is the id of two datasets, and the tables of the SQL are ` +
			`called by the ids`,
		`"from": ["a/x", "b/X"], "sql": "S"`: `datasets[0].from[1]: "X" is the id of two datasets, and the tables of the SQL are ` +
			`called by the ids`,
		`"from": ["a/x", "b/y"]`: `datasets[0].sql: is missing: without sql, from names one dataset, whose rows are taken ` +
			`as they are`,
		`"from": "a/pg_x", "sql": "S"`: `datasets[0].from: "pg_x" begins like a table of the query engine's own, so no SQL can ` +
			`read it`,
		`"from": "a/x", "row_limit": 5`: `datasets[0].row_limit: is of sql; without sql the rows come as they are stored`,
		`"from": "other"`: `datasets[0].from[0]: "other" is not the id of a dataset of this spec; one of another ` +
			`dashboard is written "slug/dataset"; datasets: d, e`,
		`"from": "d"`:                          `datasets[0].from: reads itself: d → d`,
		`"from": "e"`:                          `datasets[0].from: reads itself: d → e → d`,
		`"from": [` + eleven + `], "sql": "S"`: `datasets[0].from: has 11 members, over the limit of 10`,
		`"sql": "SELECT 1", "shared": true`: `datasets[0].description: is missing: "shared": true offers the dataset to other ` +
			`dashboards, and the description says what its rows mean`,
		`"sql": "SELECT 1", "of": "a/x"`:       `the rows of other datasets are read by "from"`,
		`"sql": "SELECT 1", "source": "a/x"`:   `the rows of other datasets are read by "from"`,
		`"sql": "SELECT 1", "ref": "a/x"`:      `the rows of other datasets are read by "from"`,
		`"sql": "SELECT 1", "tables": ["a/x"]`: `the rows of other datasets are read by "from"`,
		`"sql": "SELECT 1", "join": ["a/x"]`:   `the rows of other datasets are read by "from"`,
		`"from": "a/x", "upload": "` + aFile + `"`: `datasets[0].upload: does not go with from: another dataset reads the file, and from ` +
			`can name it`,
	} {
		_, err := dashboard.Parse(fromSpec(`{"id": "d", ` + dataset + `}, {"id": "e", "from": "d"}`))
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", dataset, got, want)
		}
	}
}

// fed is a dataset with the currency USD and days of UTC.
func fed(t *testing.T) dashboard.Fed {
	t.Helper()
	s, err := dashboard.Parse([]byte(`{"title": "S", "datasets": [{"id": "mrr", "sql": "SELECT day, sum(mrr) AS mrr, sum(n) AS n FROM t ` +
		`GROUP BY 1", "columns": {
		"mrr": {"label": "Recurring revenue", "format": "currency", "decimals": 3, "agg": "last", "along": "day"}, "n": {"hidden": true},
		"each": {"ratio": ["mrr", "n"], "format": "currency2"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cols := []cube.Column{{Name: "day", Type: cube.Date}, {Name: "mrr", Type: cube.Number}, {Name: "n", Type: cube.Integer}}
	d := s.Dataset("mrr")
	return dashboard.Fed{
		Ref: dashboard.Ref{Slug: "investors", Dataset: "mrr"}, SQL: d.SQL, Columns: d.Resolve(cols), Currency: s.Currency, Timezone: s.Timezone,
	}
}

// Rows that are copied keep all descriptions of their spec, and the reader's own settings take precedence.
func TestFromKeepsColumns(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse(fromSpec(`{"id": "a", "from": "investors/mrr", "columns": {"mrr": {"label": "MRR"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	source := fed(t)
	said := s.Datasets[0].Say([]dashboard.Fed{source}, []string{"day", "mrr", "n"})
	heard := s.Heard(map[string]dashboard.Said{"a": dashboard.ReadSaid(said.Stored())})
	want := append([]dashboard.Column{}, source.Columns...)
	want[1].Label, want[1].Format, want[3].Format = "MRR", "currency3@USD", "currency2@USD"
	got := heard.Datasets[0].Resolve([]cube.Column{{Name: "day", Type: cube.Date}, {Name: "mrr", Type: cube.Number}, {
		Name: "n",
		Type: cube.Integer,
	}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.Datasets[0].Columns) != 1 {
		t.Error("the spec itself was changed")
	}
}

// TestFromWithSQLKeepsPlainColumns: columns that SQL returns unchanged keep label, format, unit and currency; all else is derived from this
// SQL.
func TestFromWithSQLKeepsPlainColumns(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT day, mrr FROM mrr":                        "Day||; Recurring revenue|currency3@USD|none",
		"SELECT m.day AS day, m.mrr AS income FROM mrr m": "Day||; Recurring revenue|currency3@USD|none",
		"SELECT day, sum(mrr) AS mrr FROM mrr GROUP BY 1": "Day||; MRR||sum",
		"SELECT day, mrr * 2 AS mrr FROM mrr":             "Day||; MRR||none",
	} {
		raw := fromSpec(fmt.Sprintf(`{"id": "a", "from": "investors/mrr", "sql": %q}`, sql))
		s, err := dashboard.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		name := "mrr"
		if strings.Contains(sql, "income") {
			name = "income"
		}
		said := s.Datasets[0].Say([]dashboard.Fed{fed(t)}, []string{"day", name})
		var got []string
		for _, c := range s.Heard(map[string]dashboard.Said{"a": said}).Datasets[0].Resolve([]cube.Column{
			{Name: "day", Type: cube.Date}, {Name: name, Type: cube.Number},
		}) {
			got = append(got, c.Label+"|"+c.Format+"|"+string(c.Agg))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s: got %s, want %s", sql, text, want)
		}
	}
}

func TestFromWarnings(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse(fromSpec(`{"id": "a", "from": "investors/mrr"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range s.FromWarnings(map[string][]dashboard.Fed{"a": {fed(t)}}) {
		got = append(got, w.String())
	}
	want := []string{
		`[currency] datasets[0].from: "mrr" of "investors/mrr" is in USD, and this page in EUR: the column keeps its currency as it is, and ` +
			`what SQL computes of it gets none but this page's.`,
		`[zone] datasets[0].from: "day" of "investors/mrr" was cut in the time zone UTC, and this page has Europe/Berlin: its days stay as ` +
			`they are.`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
