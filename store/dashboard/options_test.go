package dashboard

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

const optionsSpec = `{"params": [
	{"id": "n", "type": "number", "options": [15, "30", 60.5], "default": 30},
	{"id": "since", "type": "date_range", "options": ["last_7_days", ["2026-01-01", "2026-03-31"]], "default": "last_7_days"},
	{"id": "kind", "type": "text", "options": ["a b", "c&d"], "default": "a b", "label": "Kind of order"},
	{"id": "fixed", "type": "number", "default": 1}],
	"datasets": [
		{"id": "x", "sql": "SELECT a FROM t WHERE b > {{n}} AND c >= {{since.start}} AND c < {{since.end}}"},
		{"id": "y", "sql": "SELECT a FROM t WHERE kind = {{kind}} AND b > {{fixed}}"}, {"id": "z", "sql": "SELECT a FROM t"}]}`

// A dataset runs once for each combination of the options that its SQL names, and each run has ids, values and a definition of its own.
func TestRuns(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(optionsSpec))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	definitions := map[string]bool{}
	values := map[string]any{}
	for _, run := range s.Runs() {
		ids = append(ids, run.ID)
		if DatasetOf(run.ID) != run.Dataset.ID {
			t.Errorf("%s is of dataset %s", run.ID, run.Dataset.ID)
		}
		definitions[string(run.Dataset.Definition(run.Spec(s)))] = true
		_, args, err := run.Dataset.Bind(run.Spec(s), time.Now(), func(int) string { return "?" })
		if err != nil {
			t.Fatal(err)
		}
		if len(args) > 0 {
			values[run.ID] = args[0]
		}
	}
	const want = "x x?n=15 x?n=60.5 x?since=2026-01-01%2F2026-03-31 x?n=15&since=2026-01-01%2F2026-03-31 " +
		"x?n=60.5&since=2026-01-01%2F2026-03-31 y y?kind=c%26d z"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("runs %s, want %s", got, want)
	}
	if len(definitions) != len(ids) {
		t.Errorf("%d runs have %d definitions", len(ids), len(definitions))
	}
	if values["x"] != int64(30) || values["x?n=15"] != int64(15) || values["x?n=60.5"] != 60.5 || values["y"] != "a b" ||
		values["y?kind=c%26d"] != "c&d" {
		t.Errorf("bound: %v", values)
	}
	for query, want := range map[string]string{
		"": "x", "p.n=30": "x", "p.n=15": "x?n=15", "p.n=16": "x", "p.n=16&p.n=15": "x?n=15", "p.kind=c%26d": "x", "p.fixed=2": "x",
		"p.n=15&p.since=2026-01-01/2026-03-31": "x?n=15&since=2026-01-01%2F2026-03-31",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.ChosenRun(&s.Datasets[0], q); got != want {
			t.Errorf("%s chooses %s, want %s", query, got, want)
		}
	}
	const words = `A refresh runs the SQL of "x" 6 times, of "y" 2 times, once for each combination of options. ` +
		"Each run costs as much as one query."
	if got := s.RunWords(); got != words {
		t.Errorf("%s, want %s", got, words)
	}
	plain, err := Parse([]byte(`{"params": [{"id": "n", "type": "number", "default": 3}],
		"datasets": [{"id": "x", "sql": "SELECT {{n}} AS a"}]}`))
	if err != nil || len(plain.Runs()) != 1 || plain.Runs()[0].ID != "x" || plain.RunWords() != "" {
		t.Errorf("without options: %v", err)
	}
}

func TestOptionProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ params, sql, want string }{
		{`{"id": "n", "type": "number", "options": [1, 2], "default": 3}`, ``, `params[0].default: is not one of the options`},
		{`{"id": "n", "type": "number", "options": [1, "x"], "default": 1}`, ``, `params[0].options[1]: must be a number`},
		{`{"id": "n", "type": "number", "options": [1, 2, 1], "default": 1}`, ``, `params[0].options[2]: is there twice; keep one`},
		{`{"id": "n", "type": "number", "options": [1], "default": 1}`, ``, `params[0].options: are at least two`},
		{`{"id": "n", "type": "number", "options": 1, "default": 1}`, ``, `params[0].options: must be a list, not a number`},
		{`{"id": "n", "type": "number", "options": [1,2,3,4,5,6,7,8,9,10,11,12,13], "default": 1}`, ``, `over the limit of 12`},
		{`{"id": "n", "type": "text", "options": ["", "a"], "default": "a"}`, ``, `params[0].options[0]: is empty`},
		{`{"id": "n", "type": "date", "options": ["today", "soon"], "default": "today"}`, ``, `params[0].options[1]: must be a date`},
		{
			`{"id": "n", "type": "date_range", "options": ["all", "ever"], "default": "all"}`, ``,
			`params[0].options[1]: "ever" is not a date range`,
		},
		{`{"id": "n", "type": "choice", "options": [1, 2], "default": 1}`, ``, `"choice" is not a type: "options": [15, 30] lets viewers choose`},
		{`{"id": "n", "type": "number", "values": [1, 2], "default": 1}`, ``, `did you mean "options"?`},
		{
			`{"id": "n", "type": "number", "options": [1,2,3,4], "default": 1}, {"id": "m", "type": "number", "options": [1,2,3,4], "default": 1}`,
			`{{n}} + {{m}}`, `datasets[0].sql: names parameters with 16 combinations of options, over the limit of 12`,
		},
	} {
		sql := tc.sql
		if sql == "" {
			sql = "{{n}}"
		}
		_, err := Parse([]byte(`{"params": [` + tc.params + `], "datasets": [{"id": "d", "sql": "SELECT ` + sql + ` AS a"}]}`))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s:\n%v\nwant %s", tc.params, err, tc.want)
		}
	}
	var sets []string
	for _, id := range []string{"a", "b", "c", "d"} {
		sets = append(sets, `{"id": "`+id+`", "sql": "SELECT {{n}} AS a"}`)
	}
	_, err := Parse([]byte(`{"params": [{"id": "n", "type": "number", "options": [1,2,3,4,5,6,7,8,9,10,11], "default": 1}], "datasets": [` +
		strings.Join(sets, ",") + `]}`))
	if err == nil || !strings.Contains(err.Error(), "params: make 44 runs of SQL at each refresh, over the limit of 40") {
		t.Error(err)
	}
}
