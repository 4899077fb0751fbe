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
