package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// dryRun publishes a spec without writing and returns the refusal, or "", and the
// warnings.
func (w *world) dryRun(spec any, source ...any) (no string, warnings []string) {
	w.t.Helper()
	r := w.call("publish_dashboard", object(append([]any{"path", "draft", "dry_run", true, "spec", spec}, source...)...))
	if r.IsError || r.Internal != "" {
		return r.Text + r.Internal, nil
	}
	data, _ := jsonOf(r.Text)
	var out struct{ Warnings []string }
	w.must(json.Unmarshal(data, &out))
	return "", out.Warnings
}

// A draft can be published unchanged.
func TestDraftsCanBePublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	orders := w.warehouse("ada@acme", "orders", "db.example")
	added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], "weather.csv",
		[]byte("day,City,rain,avg_temp,station_id\n2026-01-01,Berlin,1.5,3.2,7\n2026-01-02,Paris,3,4.1,8\n"))
	w.must(err)
	upload := []any{"connection", added.Connection.ID, "upload", added.Upload.ID}
	header, line := make([]string, 150), make([]string, 150)
	for i := range header {
		header[i], line[i] = fmt.Sprintf("sales_%d_of_a_column_with_a_rather_long_name", i), fmt.Sprint(i)
	}
	header[1] = "sales_1"
	added, err = w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], "wide.csv",
		[]byte("day,"+strings.Join(header, ",")+"\n2026-01-01,"+strings.Join(line, ",")+"\n"))
	w.must(err)
	wide := []any{"connection", added.Connection.ID, "upload", added.Upload.ID}
	for name, c := range map[string]struct {
		args []any
		want []string // in the draft or its note
		none bool
	}{
		"a limit was for looking": {
			args: []any{"sql", "SELECT day, event, count FROM metrics ORDER BY 1 LIMIT 10 OFFSET 2; -- look"},
			want: []string{"ORDER BY 1\\n) AS t", `leaves out "LIMIT 10 OFFSET 2"`},
		},
		"prices of units are averaged too": {
			args: []any{"sql", "SELECT DATE '2026-01-01' AS day, 2.5 AS unit_price, 2 AS units"},
			want: []string{`"ratio":["unit_price_sum","unit_price_count"]`, "sum(t.units)"},
		},
		"prices are averaged": {
			args: []any{"sql", "SELECT DATE '2026-01-01' AS day, 2.5 AS price, 2 AS quantity"},
			want: []string{"sum(t.price) AS price_sum, count(t.price) AS price_count", `"ratio":["price_sum","price_count"]`, "sum(t.quantity)"},
		},
		"the only measure": {
			args: []any{"sql", "SELECT event, avg(count) AS avg_count FROM metrics GROUP BY 1"},
			want: []string{`"y":"avg_count"`, "own grain"},
		},
		"no column that SQL can name": {args: []any{"sql", `SELECT 'x' AS "a{{b}}"`}, none: true},
		"one line for each row": {
			args: []any{"sql", "SELECT 'id ' || i AS reference, 'c' || (i % 3) AS class, i AS amount FROM range(100) t(i)"},
			want: []string{"SELECT t.class, sum(t.amount)"},
		},
		"a wide file":     {args: append([]any{"table", "upload"}, wide...), want: []string{"sum(t.sales_1)"}},
		"a table of self": {args: []any{"table", "metrics"}},
		"another":         {args: []any{"table", "refreshes"}},
		"what adds up leads, and ids do not group": {
			args: []any{"sql", "SELECT DATE '2026-01-01' + CAST(i % 9 AS INTEGER) AS day, i % 7 AS customer_id, 'c' || (i % 3) AS country, " +
				"2.5 AS price, i AS revenue FROM range(100) t(i)"},
			want: []string{
				`GROUP BY 1, 2"`, "t.country",
				`[{"type":"kpi","data":"data","value":"revenue"},{"type":"kpi","data":"data","value":"avg_price"}`,
			},
		},
		"ids group where nothing else does": {
			args: []any{"sql", "SELECT i % 7 AS customer_id, i AS amount FROM range(100) t(i)"},
			want: []string{"SELECT t.customer_id, sum(t.amount)"},
		},
		"without a measure":   {args: []any{"sql", "SELECT dashboard, refreshable FROM dashboards"}},
		"without a dimension": {args: []any{"sql", "SELECT 1.5 AS one, 2 AS two"}},
		"grouped already":     {args: []any{"sql", "SELECT day, event, sum(count) AS n FROM metrics GROUP BY 1, 2"}},
		"ends in a semicolon": {args: []any{"sql", "SELECT day, count FROM metrics;  "}},
		"averages are left out": {args: []any{"sql", "SELECT event, duration_ms_avg, count FROM " +
			"metrics"}, want: []string{`do not add up: "duration_ms_avg".`}},
		"timestamps become days":    {args: []any{"sql", "SELECT TIMESTAMP '2026-01-01 10:00:00' AS at, 1 AS n"}},
		"many dimensions":           {args: []any{"sql", "SELECT 'a' AS a, 'b' AS b, 'c' AS c, 'd' AS d, DATE '2026-01-01' AS e, 1 AS n"}},
		"an upload":                 {args: append([]any{"table", "upload"}, upload...)},
		"a warehouse":               {args: []any{"table", "orders", "connection", orders}},
		"names that need quotes":    {args: []any{"sql", `SELECT 1 AS "a b", 'x' AS "C", 2 AS n`}, want: []string{`t.\"C\"`, `a b_sum`}},
		"a comment hides no clause": {args: []any{"sql", "SELECT day, count FROM metrics -- all of it"}},
	} {
		r := w.call("explore_data", object(c.args...))
		if r.IsError {
			t.Errorf("%s: %s", name, r.Text)
			continue
		}
		var out struct {
			Draft json.RawMessage
			Note  string `json:"draft_note"`
		}
		w.must(json.Unmarshal(r.Structured, &out))
		if out.Draft == nil && c.none {
			if out.Note == "" {
				t.Errorf("%s: there is no draft, and no reason", name)
			}
			continue
		}
		if out.Draft == nil {
			t.Errorf("%s: there is no draft: %s", name, r.Structured)
			continue
		}
		no, warnings := w.dryRun(out.Draft)
		if no != "" {
			t.Errorf("%s: the draft is refused: %s\n%s", name, no, out.Draft)
		}
		for _, warning := range warnings {
			if !strings.Contains(out.Note, warning) {
				t.Errorf("%s: the draft's note does not have the warning %q: %q", name, warning, out.Note)
			}
		}
		for _, want := range c.want {
			if !strings.Contains(string(out.Draft)+out.Note, want) {
				t.Errorf("%s: the draft has no %q: %s %q", name, want, out.Draft, out.Note)
			}
		}
	}
}

// A publish accepts a derived spec that is marked as checked.
func TestDerivedSpecsCanBePublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	orders := w.warehouse("ada@acme", "orders", "db.example")
	for slug, body := range map[string]string{
		"text": "# Findings\n\nUse {{braces}} with <b>care</b>.\n",
		"report": `{"title":"Orders","datasets":[{"id":"o","rows":[{"day":"2026-03-01","country":"DE","amount":10.5}],` +
			`"columns":{"amount":{"agg":"sum","format":"currency"},"share":{"ratio":["amount","amount"]}}}],"filters":[{"column":"day"}],` +
			`"panels":[{"type":"line","x":"day","y":"amount","series":"country"},{"type":"kpi","value":"share"},` +
			`{"type":"text","markdown":"{{o.amount}}"}]}`,
		"strange": `{"title":"Strange","datasets":[{"id":"a","rows":[{"a b":"x","n":1}]},` +
			`{"id":"b","rows":[{"zzz":"x"}]}],"panels":[{"type":"table","data":"a"},{"type":"table","data":"b"}]}`,
	} {
		if r := w.call("publish_dashboard", object("path", slug, "body", body)); r.IsError {
			t.Fatal(r.Text)
		}
		for _, source := range [][]any{nil, {"connection", orders}} {
			r := w.call("derive_dashboard_spec", object(append(source, "slug", slug)...))
			if r.IsError || r.Internal != "" {
				t.Errorf("%s: %s%s", slug, r.Text, r.Internal)
				continue
			}
			data, _ := jsonOf(r.Text)
			var out struct {
				Spec       json.RawMessage
				Checked    bool
				Unresolved []string
			}
			w.must(json.Unmarshal(data, &out))
			no, warnings := w.dryRun(out.Spec)
			if strings.Contains(string(out.Spec), "NULL AS") && out.Checked {
				t.Errorf("%s from %v: the placeholder of missing columns counts as checked: %s", slug, source, out.Spec)
			}
			for _, warning := range warnings {
				if !strings.Contains(strings.Join(out.Unresolved, "\n"), warning) {
					t.Errorf("%s from %v: the draft does not warn of %q: %q", slug, source, warning, out.Unresolved)
				}
			}
			if slug != "text" && !strings.Contains(string(out.Spec), "(VALUES (") && source == nil {
				t.Errorf("%s: its rows are gone: %s", slug, out.Spec)
			}
			if out.Checked != (no == "") {
				t.Errorf("%s from %v: checked is %v, and the publish reports %q\n%s", slug, source, out.Checked, no, out.Spec)
			}
			if !out.Checked && len(out.Unresolved) == 0 {
				t.Errorf("%s: the draft is not checked, and nothing is to be decided", slug)
			}
			if slug == "report" && source != nil && !out.Checked {
				t.Errorf("a report over a table with its columns is not checked: %q\n%s", out.Unresolved, out.Spec)
			}
		}
	}
}
