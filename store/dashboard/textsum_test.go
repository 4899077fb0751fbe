package dashboard

import (
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// TestIsAmount has texts that warehouses write for money and intervals, and similar texts that are not amounts.
func TestIsAmount(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"$1,234.50": true, "-$1,234.50": true, "$-5": true, "-5,00 €": true, "£0.01": true, "-1'000.00\u00a0€": true, "¥100": true,
		"1 day": true, "-1 days": true, "-1 days +02:03:04": true, "02:03:04.5": true, "-00:05:00": true, "100:00:00": true,
		"1 year 2 mons -3 days": true, "1 month 2 days 00:00:01": true, "3 hours": true,
		"": false, "$": false, "-": false, "=1+1": false, "-5": false, "+49 170 1234": false, "-A1": false, "-1+2": false, "-$1+2": false,
		"--$1": false, "-1 days|' /C calc'!A0": false, "-@SUM(1)": false, "$$1": false, "1 day of rest": false, "2:03": false,
		"-$A$1": false, "days": false, "1 days 2": false, "-1 days =1": false, "$5-$3": false,
	} {
		if got := IsAmount(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

// Sums of types that are text here are hinted at wherever they are: where a measure is expected, and where it is not.
func TestTextSums(t *testing.T) {
	t.Parallel()
	const datasets = `{"datasets": [{"id": "d",
		"sql": "SELECT shop, sum(paid) AS total, avg(took) AS took, max(note) AS note FROM t GROUP BY 1"}], "panels": `
	spec, err := Parse([]byte(datasets + `[{"type": "table", "data": "d"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cols := []cube.Column{
		{Name: "shop", Type: cube.Text}, {Name: "total", Type: cube.Text}, {Name: "took", Type: cube.Text}, {Name: "note", Type: cube.Text},
	}
	warnings, err := spec.Check(map[string][]cube.Column{"d": cols})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range warnings {
		if strings.Contains(w.Message, castHint) {
			got = append(got, w.Code+" "+w.Path)
		}
	}
	if strings.Join(got, ", ") != "doubtful datasets[0].columns.total, doubtful datasets[0].columns.took" {
		t.Errorf("warnings %q of %v", got, warnings)
	}
	for _, panel := range []string{`{"type": "kpi", "value": "total"}`, `{"type": "bar", "x": "shop", "y": "took"}`} {
		spec, err := Parse([]byte(datasets + "[" + panel + "]}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spec.Check(map[string][]cube.Column{"d": cols}); err == nil || !strings.Contains(err.Error(), castHint) {
			t.Errorf("%s: %v", panel, err)
		}
	}
}

// A measure that is the extreme of lengths of time, or a column of them, is refused with the cast, whether the rows are known or not. Texts
// that are no amounts have no such hint if the rows are known.
func TestTextMeasures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		expr   string
		values []any // nil if the rows are unknown
		want   bool
	}{
		{"max(took)", nil, true},
		{"min(took)", nil, true},
		{"took", nil, false},
		{"max(took)", []any{"02:03:04", nil}, true},
		{"min(ended - started)", []any{"1 day 02:03:04"}, true},
		{"took", []any{"00:00:05"}, true},
		{"max(ended) - min(ended)", []any{"2 days"}, true},
		{"sum(took)", []any{nil}, true},
		{"max(note)", []any{"late"}, false},
		{"max(note)", []any{"00:00:05", "late"}, false},
		{"note", []any{nil}, false},
	} {
		for _, panel := range []string{`{"type": "kpi", "value": "v"}`, `{"type": "bar", "x": "shop", "y": "v"}`, `{"type": "table"}`} {
			columns := ""
			if panel == `{"type": "table"}` {
				columns = `, "columns": {"v": {"role": "measure"}}`
			}
			spec, err := Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT shop, ` + tc.expr + ` AS v FROM t GROUP BY 1"` + columns +
				`}], "panels": [` + panel + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			cols := map[string][]cube.Column{"d": {{Name: "shop", Type: cube.Text}, {Name: "v", Type: cube.Text}}}
			if tc.values == nil {
				_, err = spec.Check(cols)
			} else {
				b := cube.NewBuilder(cols["d"])
				for _, v := range tc.values {
					if err := b.Add([]any{"a", v}); err != nil {
						t.Fatal(err)
					}
				}
				_, err = spec.CheckRows(cols, map[string]*cube.Cube{"d": b.Cube()})
			}
			if err == nil || strings.Contains(err.Error(), castHint) != tc.want {
				t.Errorf("%s %v: %s: %v", tc.expr, tc.values, panel, err)
			}
		}
	}
}

// Values show types that the SQL does not: amounts that are not added up, and no times of a day.
func TestTextAmounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		values []string
		want   bool
	}{
		{[]string{"$1.00", "-$2.50", ""}, false},
		{[]string{"$1.00", "-$2.50"}, true},
		{[]string{"1 day", "02:00:00"}, true},
		{[]string{"10:11:12", "23:59:59.5"}, false},
		{[]string{"10:11:12", "30:00:00"}, true},
		{[]string{"1 day", "yesterday"}, false},
		{[]string{"2 weeks", "1 month"}, true},
		{[]string{"2 Weeks", "1 WEEK"}, true},
		{[]string{"2 wks", "3 hrs", "5 ms", "1 quarter"}, true},
		{[]string{"2 weeks, 3 days", "1 day and 2 hours"}, true},
		{[]string{"@ 1 hour 5 mins ago"}, true},
		{[]string{"PT5M", "P1Y2M3DT4H5M6.5S", "P-2W", "-P1D"}, true},
		{[]string{"14 00:00:00.000", "-3 04:05:06"}, true},
		{[]string{"1-2 3 4:5:6", "0-0 14 0:0:0"}, true},
		{[]string{"P", "PT"}, false},
		{[]string{"P1"}, false},
		{[]string{"P5M", "PARIS"}, false},
		{[]string{"PT5D"}, false},
		{[]string{"1-2", "3-4"}, false},
		{[]string{"2026-11-02 10:00:00"}, false},
		{[]string{"2 weeks of rest"}, false},
		{[]string{"2", "3"}, false},
		{[]string{"and", ","}, false},
		{nil, false},
	} {
		b := cube.NewBuilder([]cube.Column{{Name: "v", Type: cube.Text}})
		for _, v := range append([]any{nil}, anys(tc.values)...) {
			if err := b.Add([]any{v}); err != nil {
				t.Fatal(err)
			}
		}
		got := WarnTextAmounts(&Dataset{ID: "d", SQL: "SELECT v FROM t"}, 2, b.Cube())
		if len(got) == 1 != tc.want || len(got) == 1 && got[0].Path != "datasets[2].columns.v" {
			t.Errorf("%q: %v", tc.values, got)
		}
	}
}

func anys(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
