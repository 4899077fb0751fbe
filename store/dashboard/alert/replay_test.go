package alert

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A replay returns the times at which an alert would have fired, only in the periods of the last 90 days.
func TestReplay(t *testing.T) {
	t.Parallel()
	var rows []row
	last := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	low := map[string]bool{"2026-07-01": true, "2026-09-01": true, "2026-10-02": true, "2026-10-03": true, "2026-11-16": true}
	for i := range 200 {
		day := last.AddDate(0, 0, -i).Format(time.DateOnly)
		revenue := 2000.0
		if low[day] {
			revenue = 800
		}
		rows = append(rows, row{day, "fr", revenue}, row{day, "de", 5000.0})
	}
	rows = append(rows, row{"2026-11-17", "fr", 1.0}) // today
	c := cubeOf(t, rows...)
	for alert, want := range map[string]string{
		`"value": "revenue", "x": "day", "where": {"country": "fr"}, "if": "<", "than": 1000`: "2026-09-01, 2026-10-02, 2026-11-16",
		`"value": "revenue", "x": "day", "by": "country", "if": "<", "than": 1000`:            "2026-09-01 =fr, 2026-10-02 =fr, 2026-11-16 =fr",
		`"value": "revenue", "x": "day", "by": "country", "if": "<", "than": 1000, "for": 2`:  "2026-10-03 =fr",
		`"value": "revenue", "x": "day", "if": "<", "than": 1000`:                             "",
		`"value": "revenue", "x": "day", "if": ">", "than": 1000`:                             "2026-08-19 always",
		`"value": "revenue", "if": ">", "than": 1000`:                                         "",
		`"value": "revenue", "x": "day", "change": {"against": "previous_year", "by": -0.1}`:  "never: history",
		`"rows": "none", "x": "day"`:                                                          "",
		`"failing": true`:                                                                     "",
	} {
		in, a := inputOf(t, alert, "", "2026-11-17 06:00", c)
		r := Replay(in, a)
		var got []string
		for _, f := range r.Fired {
			one := f.Period.Format(time.DateOnly)
			for _, found := range f.Findings {
				if found.Key != "" {
					one += " " + found.Key
				}
			}
			got = append(got, one)
		}
		said := strings.Join(got, ", ")
		if r.Always {
			said += " always"
		}
		if r.Never != "" {
			said += "never: " + string(r.Never)
		}
		if said != want {
			t.Errorf("%s:\n got %s\nwant %s", alert, said, want)
		}
		if a.X != "" && (r.Periods != 90 || r.Days != 90) {
			t.Errorf("%s: %d periods of %d days", alert, r.Periods, r.Days)
		}
	}
}

// Ten alerts of a thousand values each, over 90 days of them, at one refresh.
func BenchmarkJudge(b *testing.B) {
	for _, alert := range []string{
		`"value": "revenue", "x": "day", "by": "country", "if": "<", "than": 1000`,
		`"value": "revenue", "x": "day", "by": "country", "change": {"against": "previous_week", "by": -0.2}`,
		`"value": "revenue", "x": "day", "by": "country", "anomaly": "any"`,
	} {
		b.Run(alert[strings.LastIndex(alert[:len(alert)-6], ", ")+2:], func(b *testing.B) {
			builder := cube.NewBuilder([]cube.Column{
				{Name: "day", Type: cube.Date}, {Name: "country", Type: cube.Text}, {Name: "revenue", Type: cube.Number},
			})
			for i := range 90_000 {
				day := time.Date(2026, 8, 19, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%90)
				if err := builder.Add([]any{day, fmt.Sprint("value ", i/90), float64(i * 7919 % 2000)}); err != nil {
					b.Fatal(err)
				}
			}
			in, a := inputOf(b, alert, "", "2026-11-17 06:00", builder.Cube())
			for b.Loop() {
				for range 10 {
					if r := Judge(in, a); len(r.Findings) != dashboard.MaxAlertValues {
						b.Fatal(len(r.Findings), r.Unknown)
					}
				}
			}
		})
	}
}
