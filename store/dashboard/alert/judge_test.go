package alert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A row is a day, a country and its revenue; nil for none.
type row struct {
	day     string
	country string
	revenue any
}

// cubeOf has the rows.
func cubeOf(t testing.TB, rows ...row) *cube.Cube {
	t.Helper()
	b := cube.NewBuilder([]cube.Column{
		{Name: "day", Type: cube.Date}, {Name: "country", Type: cube.Text}, {Name: "revenue", Type: cube.Number},
	})
	for _, r := range rows {
		d, err := time.Parse(time.DateOnly, r.day)
		if err != nil {
			t.Fatal(err)
		}
		var country any = r.country
		if r.country == "" {
			country = nil
		}
		if err := b.Add([]any{d, country, r.revenue}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Cube()
}

// specOf is a spec with one alert over the rows of [cubeOf].
func specOf(t testing.TB, alert, more string) *dashboard.Spec {
	t.Helper()
	during := ""
	if strings.Contains(more, "params") {
		during = " WHERE day >= {{p.start}} AND day < {{p.end}}"
	}
	s, err := dashboard.Parse([]byte(`{` + more + `"datasets": [{"id": "d",
		"sql": "SELECT day, country, sum(amount) AS revenue FROM t` + during + ` GROUP BY 1, 2"}], "alerts": [{"id": "a", ` + alert + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func inputOf(t testing.TB, alert, more, asOf string, c *cube.Cube) (Input, *dashboard.Alert) {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04", asOf)
	if err != nil {
		t.Fatal(err)
	}
	s := specOf(t, alert, more)
	return Input{Spec: s, Cubes: map[string]*cube.Cube{"d": c}, AsOf: at, LastGood: at}, &s.Alerts[0]
}

// told describes the findings of a reading.
func told(r Reading) string {
	if r.Unknown != "" {
		return "unknown: " + string(r.Unknown)
	}
	var out []string
	for _, f := range r.Findings {
		s := fmt.Sprint(f.Key, " ", f.Value)
		if r.Alert.Condition == dashboard.AlertRows {
			s = fmt.Sprint(f.Key, " ", f.Rows, " rows")
		}
		if !f.Period.IsZero() {
			s += " " + f.Period.Format(time.DateOnly)
		}
		switch {
		case f.Unknown != "":
			s += " ? " + string(f.Unknown)
		case f.Holds:
			s += " holds"
		}
		if f.Base != 0 {
			s += fmt.Sprint(" of ", f.Base)
		}
		out = append(out, strings.TrimSpace(s))
	}
	return strings.Join(out, "; ")
}

// Each condition is judged by the last complete period, or by all rows.
func TestJudge(t *testing.T) {
	t.Parallel()
	rows := cubeOf(t,
		row{"2026-11-09", "fr", 100.0},
		row{"2026-11-09", "de", 50.0},
		row{"2026-11-15", "fr", 90.0},
		row{"2026-11-15", "de", 0.1},
		row{"2026-11-16", "fr", 80.0},
		row{"2026-11-16", "de", 60.5},
		row{"2026-11-16", "es", 7.0},
		row{"2026-11-17", "fr", 1.0},
	)
	none := cubeOf(t)
	for _, tc := range []struct {
		alert, more string
		rows        *cube.Cube
		want        string
	}{
		{`"value": "revenue", "if": "<", "than": 400`, "", rows, "388.6 holds"},
		{`"value": "revenue", "if": "<", "than": 388.6`, "", rows, "388.6"},
		{`"value": "revenue", "if": "<=", "than": 388.6`, "", rows, "388.6 holds"},
		{`"value": "revenue", "if": "=", "than": 388.6`, "", rows, "388.6 holds"},
		{`"value": "revenue", "if": ">", "than": 388.6`, "", rows, "388.6"},
		{`"value": "revenue", "x": "day", "if": ">=", "than": 147.5`, "", rows, "147.5 2026-11-16 holds"},
		{`"value": "revenue", "x": "day", "if": "<", "than": 10, "where": {"country": "es"}`, "", rows, "7 2026-11-16 holds"},
		{`"value": "revenue", "x": "day", "if": "<", "than": 10, "where": {"country": "xx"}`, "", rows, "unknown: period"},
		{
			`"value": "revenue", "x": "day", "if": "<", "than": 70, "by": "country"`, "", rows,
			"=fr 80 2026-11-16; =de 60.5 2026-11-16 holds; =es 7 2026-11-16 holds",
		},
		{`"value": "revenue", "x": "day", "grain": "week", "if": "<", "than": 1000`, "", rows, "240.1 2026-11-09 holds"},
		{`"value": "revenue", "x": "day", "grain": "month", "if": "<", "than": 1000`, "", rows, "unknown: period"},
		{
			`"value": "revenue", "x": "day", "change": {"against": "previous_period", "by": -0.2}, "by": "country"`, "", rows,
			"=fr 80 2026-11-16 of 90; =de 60.5 2026-11-16 of 0.1; =es 7 2026-11-16 ? history",
		},
		{
			`"value": "revenue", "x": "day", "change": {"against": "previous_week", "by": -0.2}, "by": "country"`, "", rows,
			"=fr 80 2026-11-16 holds of 100; =de 60.5 2026-11-16 of 50; =es 7 2026-11-16 ? history",
		},
		{
			`"value": "revenue", "x": "day", "change": {"against": "mean", "of": 2, "by": 0.5}, "by": "country"`, "", rows,
			"=fr 80 2026-11-16 of 95; =de 60.5 2026-11-16 holds of 25.05; =es 7 2026-11-16 ? history",
		},
		{`"value": "revenue", "x": "day", "change": {"against": "previous_year", "by": -0.2}`, "", rows, "147.5 2026-11-16 ? history"},
		{`"value": "revenue", "x": "day", "anomaly": "any"`, "", rows, "147.5 2026-11-16 ? history"},
		{`"rows": "any"`, "", rows, "8 rows holds"},
		{`"rows": "any"`, "", none, "0 rows"},
		{`"rows": "none"`, "", none, "0 rows holds"},
		{`"rows": "none", "where": {"country": "xx"}`, "", rows, "0 rows holds"},
		{`"rows": "any", "x": "day"`, "", rows, "3 rows 2026-11-16 holds"},
		{`"rows": "any", "by": "country", "where": {"country": ["es", "de"]}`, "", rows, "=de 3 rows holds; =es 1 rows holds"},
		{`"rows": "none", "x": "day", "by": "country"`, "", rows, "=fr 1 rows 2026-11-16; =de 1 rows 2026-11-16; =es 1 rows 2026-11-16"},
		{`"value": "revenue", "if": "<", "than": 1`, "", none, "? value"},
		{`"value": "revenue", "x": "day", "if": "<", "than": 1`, "", none, "unknown: period"},
		{`"value": "revenue", "x": "day", "if": "<", "than": 1`, "", nil, "unknown: rows"},
		// The week in which the parameter begins is cut by it, and is not judged.
		{
			`"value": "revenue", "x": "day", "grain": "week", "if": "<", "than": 1000`,
			`"params": [{"id": "p", "type": "date_range", "default": "2026-11-10/2026-11-15"}],`,
			cubeOf(t, row{"2026-11-10", "fr", 1.0}), "unknown: period",
		},
	} {
		in, a := inputOf(t, tc.alert, tc.more, "2026-11-17 06:00", tc.rows)
		if tc.rows == nil {
			in.Cubes = nil
		}
		got := strings.ReplaceAll(told(Judge(in, a)), "<nil> ", "")
		if got = strings.TrimPrefix(got, "<nil>"); strings.TrimSpace(got) != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.alert, got, tc.want)
		}
	}
}

// An anomaly is judged by its definition, which this test computes day by day.
func TestAnomalyAgainstItsDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 40 {
		var rows []row
		values := map[string]map[time.Time]float64{"fr": {}, "de": {}}
		last := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
		for i := range 300 {
			for _, country := range []string{"fr", "de"} {
				if r.IntN(10) == 0 {
					continue
				}
				day := last.AddDate(0, 0, -i)
				v := float64(r.IntN(20)) / 4
				if round%4 == 0 {
					v = float64(r.IntN(8) / 7) // most are equal
				}
				rows = append(rows, row{day.Format(time.DateOnly), country, v})
				values[country][day] = v
			}
		}
		kind := []string{"low", "high", "any"}[round%3]
		in, a := inputOf(t, `"value": "revenue", "x": "day", "by": "country", "anomaly": "`+kind+`", "k": 1.5`, "", "2026-11-17 09:00",
			cubeOf(t, rows...))
		for _, f := range Judge(in, a).Findings {
			v, ok := values[f.Name.(string)][last]
			if !ok {
				if f.Unknown != NoValue {
					t.Errorf("%s has no value, and is judged", f.Name)
				}
				continue
			}
			var before []float64
			for week := 1; week < 45 && len(before) < 26; week++ {
				if b, ok := values[f.Name.(string)][last.AddDate(0, 0, -7*week)]; ok {
					before = append(before, b)
				}
			}
			middle := middleOf(before)
			var far []float64
			mean := 0.0
			for _, b := range before {
				far = append(far, math.Abs(b-middle))
				mean += math.Abs(b-middle) / float64(len(before))
			}
			half := 1.5 * middleOf(far)
			if half == 0 {
				half = 1.5 * mean
			}
			if math.Abs(f.Low-(middle-half)) > 1e-9 || math.Abs(f.High-(middle+half)) > 1e-9 {
				t.Fatalf("round %d: the band is %v to %v, want %v ± %v", round, f.Low, f.High, middle, half)
			}
			want := v < f.Low && kind != "high" || v > f.High && kind != "low"
			if f.Holds != want {
				t.Errorf("round %d: %v in %v to %v: %v, want %v", round, v, f.Low, f.High, f.Holds, want)
			}
		}
	}
}

func middleOf(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Hours are compared with the same hour of days before, by the clock of the page.
func TestAnomalyOfHours(t *testing.T) {
	t.Parallel()
	b := cube.NewBuilder([]cube.Column{{Name: "at", Type: cube.Instant}, {Name: "n", Type: cube.Integer}})
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for day := range 12 {
		for hour := range 24 {
			at := time.Date(2026, 10, 20+day, hour, 0, 0, 0, zone) // the clock is put back on the 25th
			n := int64(hour * 10)
			if day == 11 && hour == 9 {
				n = 10
			}
			if err := b.Add([]any{at, n}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := dashboard.Parse([]byte(`{"timezone": "Europe/Berlin",
		"datasets": [{"id": "d", "sql": "SELECT at, sum(n) AS n FROM t GROUP BY 1"}],
		"alerts": [{"id": "a", "value": "n", "x": "at", "anomaly": "low"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for hour, want := range map[int]string{9: "80 in 80 – 80", 10: "10 in 90 – 90 holds", 11: "100 in 100 – 100"} {
		in := Input{Spec: s, Cubes: map[string]*cube.Cube{"d": b.Cube()}, AsOf: time.Date(2026, 10, 31, hour, 30, 0, 0, zone)}
		r := Judge(in, &s.Alerts[0])
		if r.Unknown != "" {
			t.Fatal(r.Unknown)
		}
		f := r.Findings[0]
		got := fmt.Sprint(f.Value, " in ", f.Low, " – ", f.High)
		if f.Holds {
			got += " holds"
		}
		if got != want || f.Period.In(zone).Hour() != hour-1 {
			t.Errorf("at %d:30: %s of %s, want %s", hour, got, f.Period, want)
		}
	}
}

// Rows that were cut, values that do not add up and too many of them are not judged.
func TestNotJudged(t *testing.T) {
	t.Parallel()
	many := make([]row, dashboard.MaxAlertValues+1)
	for i := range many {
		many[i] = row{"2026-11-16", fmt.Sprint("c", i), 1.0}
	}
	const by = `"value": "revenue", "by": "country", "if": "<", "than": 5`
	in, a := inputOf(t, by, "", "2026-11-17 09:00", cubeOf(t, many...))
	if got := told(Judge(in, a)); got != "unknown: values" {
		t.Error(got)
	}
	in, a = inputOf(t, by, "", "2026-11-17 09:00", cubeOf(t, many[1:]...))
	if r := Judge(in, a); len(r.Findings) != dashboard.MaxAlertValues || r.Unknown != "" {
		t.Errorf("%d values: %s", len(r.Findings), r.Unknown)
	}
	in.Truncated = map[string]bool{"d": true}
	if got := told(Judge(in, a)); got != "unknown: truncated" {
		t.Error(got)
	}
	any, rows := inputOf(t, `"rows": "any"`, "", "2026-11-17 09:00", cubeOf(t, many...))
	any.Truncated = map[string]bool{"d": true}
	if got := told(Judge(any, rows)); got != "1001 rows holds" {
		t.Error(got)
	}
	in, a = inputOf(t, by, "", "2026-11-17 09:00", cubeOf(t, row{"2026-11-16", "fr", 1.0}, row{"2026-11-15", "fr", 2.0}))
	in.Spec.Datasets[0].Columns = []dashboard.Meta{{Name: "revenue", Agg: dashboard.None}}
	if got := told(Judge(in, a)); got != "unknown: unclear" {
		t.Error(got)
	}
}

// Without rows of a dataset the reason is that its refresh failed, where it did; rows of the other datasets are judged.
func TestNotJudgedWithoutRows(t *testing.T) {
	t.Parallel()
	full := cubeOf(t, row{"2026-11-16", "fr", 1.0})
	for _, tc := range []struct {
		alert  string
		rows   *cube.Cube
		failed bool
		want   string
	}{
		{`"value": "revenue", "if": "<", "than": 5`, nil, false, "unknown: rows"},
		{`"value": "revenue", "if": "<", "than": 5`, nil, true, "unknown: failed"},
		{`"value": "revenue", "x": "day", "by": "country", "if": "<", "than": 5`, nil, true, "unknown: failed"},
		{`"value": "revenue", "x": "day", "change": {"against": "mean", "by": -0.2}`, nil, true, "unknown: failed"},
		{`"value": "revenue", "x": "day", "anomaly": "any"`, nil, true, "unknown: failed"},
		{`"rows": "none"`, nil, true, "unknown: failed"},
		{`"rows": "any"`, nil, true, "unknown: failed"},
		{`"rows": "any"`, full, true, "1 rows holds"},
	} {
		in, a := inputOf(t, tc.alert, "", "2026-11-17 09:00", tc.rows)
		in.Failed = tc.failed
		if got := told(Judge(in, a)); got != tc.want {
			t.Errorf("%s, failed %t: %s, want %s", tc.alert, tc.failed, got, tc.want)
		}
	}
}

// The refreshes themselves.
func TestJudgeRefresh(t *testing.T) {
	t.Parallel()
	in, a := inputOf(t, `"failing": true`, "", "2026-11-17 09:00", nil)
	if got := told(Judge(in, a)); got != "<nil>" {
		t.Error(got)
	}
	in.Failed = true
	if got := told(Judge(in, a)); got != "<nil> holds" {
		t.Error(got)
	}
	in, a = inputOf(t, `"stale": "26h"`, "", "2026-11-17 09:00", nil)
	for ago, want := range map[time.Duration]bool{26*time.Hour - time.Second: false, 26 * time.Hour: true, 27 * time.Hour: true} {
		in.LastGood = in.AsOf.Add(-ago)
		if got := Judge(in, a).Findings[0].Holds; got != want {
			t.Errorf("%s ago: %v", ago, got)
		}
	}
}

// Days on which there never are rows are not missed, and others are.
func TestNoRowsOfThePeriod(t *testing.T) {
	t.Parallel()
	var rows []row
	first, end := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 14, 0, 0, 0, 0, time.UTC)
	for d := first; d.Before(end); d = d.AddDate(0, 0, 1) {
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			rows = append(rows, row{d.Format(time.DateOnly), "fr", 1.0})
		}
	}
	for asOf, want := range map[string]string{ // the 14th is a Saturday
		"2026-11-14 09:00": "1 rows 2026-11-13", "2026-11-16 09:00": "1 rows 2026-11-13", "2026-11-17 00:00": "0 rows 2026-11-16 holds",
	} {
		in, a := inputOf(t, `"rows": "none", "x": "day"`, "", asOf, cubeOf(t, rows...))
		if got := told(Judge(in, a)); got != want {
			t.Errorf("at %s: %s, want %s", asOf, got, want)
		}
	}
}

// For a stock, the latest time of a period counts, whichever rows an alert is about. A value without a row at that time is not judged.
func TestStocksAreJudged(t *testing.T) {
	t.Parallel()
	c := cubeOf(t, row{"2026-01-01", "Pro", 100.0}, row{"2026-01-01", "Old", 40.0}, row{"2026-03-01", "Pro", 110.0},
		row{"2026-03-01", "Old", 30.0},
		row{"2026-04-01", "Pro", 120.0}, row{"2026-06-01", "Pro", 150.0}, row{"2026-07-01", "Pro", 5.0})
	for alert, want := range map[string]string{
		`"x": "day", "grain": "month", "value": "revenue", "if": ">", "than": 100`: "150 2026-06-01 holds",
		`"x": "day", "grain": "month", "by": "country", ` +
			`"value": "revenue", "if": ">", "than": 100`: "=Old <nil> 2026-06-01 ? value; =Pro 150 2026-06-01 holds",
		`"x": "day", "grain": "quarter", "value": "revenue", "if": ">", "than": 100`: "150 2026-04-01 holds",
		`"x": "day", "grain": "quarter", ` +
			`"value": "revenue", "change": {"against": "previous_period", "by": 0.05}`: "150 2026-04-01 holds of 140",
		`"x": "day", "grain": "quarter", "value": "revenue", "where": {"country": "Old"}, "if": ">", "than": 1`: "<nil> 2026-04-01 ? value",
		`"by": "country", ` +
			`"value": "revenue", "if": "<", "than": 100`: "=Old <nil> ? value; =Pro 5 holds",
		`"value": "revenue", "where": {"country": "Old"}, "if": ">", "than": 1`: "<nil> ? value",
	} {
		in, a := inputOf(t, alert, "", "2026-07-15 09:00", c)
		in.Spec.Datasets[0].Columns = []dashboard.Meta{{Name: "revenue", Agg: dashboard.Last}}
		if got := told(Judge(in, a)); !equalFindings(got, want) {
			t.Errorf("%s: %s, want %s", alert, got, want)
		}
	}
}

// equalFindings compares findings in any order.
func equalFindings(a, b string) bool {
	x, y := strings.Split(a, "; "), strings.Split(b, "; ")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}
