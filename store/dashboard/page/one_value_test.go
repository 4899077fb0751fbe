package page

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/alert"
	"service/store/dashboard/cube"
)

// A leveled is a row of a random table: a time, and a value at that time. Both may be NULL.
type leveled struct{ at, v any }

// randomValue returns a value of a type; of wide numbers, one of 20 digits. Times of a table are often equal.
func randomValue(r *rand.Rand, kind cube.Type, wide bool) any {
	switch {
	case r.IntN(5) == 0:
		return nil
	case kind == cube.Integer:
		return r.Int64N(2000) - 1000
	case kind == cube.Number && wide:
		return cube.Decimal(fmt.Sprintf("%d12345678901234567.%d1", r.IntN(9)+1, r.IntN(9)+1))
	case kind == cube.Number:
		return float64(r.IntN(2000)-1000) / 4
	case kind == cube.Date:
		return day("2026-03-27").AddDate(0, 0, r.IntN(4))
	}
	return day("2026-03-28").Add(time.Duration(r.IntN(6)) * 7 * time.Hour)
}

// less reports whether a value of a column is before or less than another.
func less(a, b any) bool {
	if t, ok := a.(time.Time); ok {
		return t.Before(b.(time.Time))
	}
	order, _ := cube.Compare(a, b)
	return order < 0
}

// inSQL computes the aggregate that SQL returns: min(v), max(v), or the sum(v) of the rows whose time is the latest, or the earliest, at
// which v is not NULL.
func inSQL(agg string, rows []leveled) any {
	var v, at any
	for _, row := range rows {
		switch {
		case row.v == nil:
		case agg == "min" && (v == nil || less(row.v, v)), agg == "max" && (v == nil || less(v, row.v)):
			v = row.v
		case row.at == nil:
		case agg == "first" && (at == nil || less(row.at, at)), agg == "last" && (at == nil || less(at, row.at)):
			at = row.at
		}
	}
	if at == nil || agg == "min" || agg == "max" {
		return v
	}
	sum := new(big.Rat)
	for _, row := range rows {
		if row.v == nil || row.at == nil || less(row.at, at) || less(at, row.at) {
			continue
		}
		n, _ := new(big.Rat).SetString(cube.Label(row.v))
		sum.Add(sum, n)
	}
	return cube.Decimal(sum.FloatString(2))
}

// TestOneValueIsThatOfSQL: the least, the largest, the first and the last of random rows is that of SQL in a kpi, a text, an alert, the
// totals of a table and a pivot, and in CSV, for numbers and times, with NULLs, equal times, one row and no row.
func TestOneValueIsThatOfSQL(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20, 26))
	tag := regexp.MustCompile(`<[^>]*>`)
	for n := range 240 {
		kind := []cube.Type{cube.Integer, cube.Number, cube.Date, cube.Timestamp, cube.Instant}[n%5]
		along := []cube.Type{cube.Date, cube.Timestamp, cube.Instant, cube.Integer}[r.IntN(4)]
		agg := []string{"min", "max", "first", "last"}[r.IntN(4)]
		pivot, alerts := `, {"type": "pivot", "rows": ["plan"], "values": ["v"]}`, `"alerts": [{"id": "a", "value": "v", "if": ">", "than": 0}],`
		if kind.IsTime() { // which tables, texts and a kpi show
			agg, pivot, alerts = []string{"min", "max"}[r.IntN(2)], "", ""
		}
		b := cube.NewBuilder([]cube.Column{{Name: "plan", Type: cube.Text}, {Name: "year", Type: along}, {Name: "v", Type: kind}})
		wide := r.IntN(2) == 0
		var rows []leveled
		for range r.IntN(7) {
			rows = append(rows, leveled{randomValue(r, along, false), randomValue(r, kind, wide)})
			if err := b.Add([]any{string(rune('A' + r.IntN(3))), rows[len(rows)-1].at, rows[len(rows)-1].v}); err != nil {
				t.Fatal(err)
			}
		}
		spec, err := dashboard.Parse([]byte(`{"version": 1, "title": "T", "timezone": "Europe/Berlin", "datasets": [{"id": "d",
			"sql": "SELECT plan, year, x AS v FROM t", "columns": {"v": {"agg": "` + agg + `"}, "year": {"role": "dimension"}}}], ` + alerts + `
			"panels": [{"type": "kpi", "value": "v"}, {"type": "text", "markdown": "It is {{d.v}}."},
				{"type": "table", "columns": ["plan", "v"], "total": true}` + pivot + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		cubes := map[string]*cube.Cube{"d": b.Cube()}
		if _, err := spec.Check(map[string][]cube.Column{"d": cubes["d"].Columns()}); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s of %s along %s: %v", agg, kind, along, rows)
		v := View{Spec: spec, Cubes: cubes, Header: Header{AsOf: now, State: "succeeded"}, Now: now}
		p := open(v)
		p.workOut()
		want := inSQL(agg, rows)
		is := func(got any) bool {
			return got == want || got != nil && want != nil && !less(got, want) && !less(want, got)
		}
		kpi := p.panels[0]
		var shown any
		if kpi.Grid != nil {
			shown = kpi.Grid.Rows[0][0]
		}
		if !is(shown) {
			t.Errorf("%s: kpi: %v, want %v", name, shown, want)
			continue
		}
		text := "–"
		if want != nil {
			text = kpi.Env.Cell(*kpi.Data.Column("v"), cube.Exact, shown)
		}
		if got := p.panels[1].Summary; got != "It is "+text+"." {
			t.Errorf("%s: text: %s, want %s", name, got, text)
		}
		if alerts != "" {
			found := alert.Judge(alert.Input{Spec: spec, Cubes: cubes, AsOf: now, LastGood: now}, &spec.Alerts[0]).Findings
			if len(found) != 1 || !is(found[0].Value) {
				t.Errorf("%s: alert: %v, want %v", name, found, want)
			}
		}
		if len(rows) == 0 {
			continue
		}
		written := ""
		if !kind.IsTime() && want != nil {
			written = cube.Label(shown)
		}
		if body, err := CSV(v, 0); err != nil || !kind.IsTime() && string(body) != "V\n"+written+"\n" {
			t.Errorf("%s: csv: %q %v, want %s", name, body, err, written)
		}
		doc, err := Render(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		short := func(s string) string { // a column has one number of decimals
			if whole, part, ok := strings.Cut(s, "."); ok && kind == cube.Number {
				return strings.TrimSuffix(whole+"."+strings.TrimRight(part, "0"), ".")
			}
			return s
		}
		var totals []string
		for _, foot := range strings.Split(string(doc), "<tfoot>")[1:] {
			foot, _, _ = strings.Cut(foot, "</tfoot>")
			totals = append(totals, short(strings.TrimSpace(strings.Replace(tag.ReplaceAllString(foot, " "), "Total", "", 1))))
		}
		if len(totals) == 0 || slices.ContainsFunc(totals, func(s string) bool { return s != short(text) }) {
			t.Errorf("%s: totals: %q, want %q", name, totals, text)
		}
	}
}
