package alert

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestChangeAtItsLimit: a change by exactly the share of the alert holds, whatever the binary fractions of the numbers are. One that is a
// little smaller does not.
func TestChangeAtItsLimit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	exact := func(text string) *big.Rat { v, _ := new(big.Rat).SetString(text); return v }
	for range 300 {
		percent := int64(r.IntN(60) + 1)
		base := big.NewRat(r.Int64N(5000)+1, 100)
		change := new(big.Rat).Mul(base, big.NewRat(percent, 100))
		value := new(big.Rat).Add(base, change)
		by := exact(fmt.Sprintf("%d.%02d", percent/100, percent%100)).FloatString(2)
		if r.IntN(2) == 0 {
			value, by = new(big.Rat).Sub(base, change), "-"+by
		}
		short := new(big.Rat).Set(value) // of the limit
		if by[0] == '-' {
			short.Add(short, big.NewRat(1, 1_000_000))
		} else {
			short.Sub(short, big.NewRat(1, 1_000_000))
		}
		for _, v := range [...]*big.Rat{value, short} {
			number, _ := v.Float64()
			b, _ := base.Float64()
			for _, against := range [...]string{`"previous_period"`, `"mean", "of": 3`} {
				rows := []row{{"2026-11-16", "fr", number}}
				for day := range 3 {
					rows = append(rows, row{time.Date(2026, 11, 13+day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), "fr", b})
				}
				in, a := inputOf(t, `"value": "revenue", "x": "day", "change": {"against": `+against+`, "by": `+by+`}`, "",
					"2026-11-17 06:00", cubeOf(t, rows...))
				if f := Judge(in, a).Findings[0]; f.Holds != (v == value) || f.Unknown != "" {
					t.Fatalf("%v after %v by %s against %s: holds %t %s", number, b, by, against, f.Holds, f.Unknown)
				}
			}
		}
	}
}

// TestAnomalyOfEqualValues: values that differ only in their last binary digits are not unusual.
func TestAnomalyOfEqualValues(t *testing.T) {
	t.Parallel()
	tenth, fifth := 0.1, 0.2
	for value, want := range map[float64]bool{tenth + fifth: false, 0.3: false, 0.31: true, 0.29: true} {
		rows := []row{{"2026-11-16", "fr", value}}
		for week := 1; week <= 8; week++ {
			rows = append(rows, row{time.Date(2026, 11, 16-7*week, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), "fr", 0.3})
		}
		in, a := inputOf(t, `"value": "revenue", "x": "day", "grain": "day", "anomaly": "any"`, "", "2026-11-17 06:00", cubeOf(t, rows...))
		if f := Judge(in, a).Findings[0]; f.Holds != want {
			t.Errorf("%v: holds %t", value, f.Holds)
		}
	}
}

// TestLeapDayAYearBefore: the 29th of February is compared with the last day of February in the year before.
func TestLeapDayAYearBefore(t *testing.T) {
	t.Parallel()
	in, a := inputOf(t, `"value": "revenue", "x": "day", "change": {"against": "previous_year", "by": -0.2}`, "", "2028-03-01 06:00",
		cubeOf(t, row{"2027-02-28", "fr", 100.0}, row{"2027-03-01", "fr", 10.0}, row{"2028-02-29", "fr", 70.0}))
	if got := told(Judge(in, a)); strings.TrimSpace(got) != "70 2028-02-29 holds of 100" {
		t.Error(got)
	}
}

// TestPeriodWithoutRowsOfWhere: the judged period is the last complete one with rows. If where leaves none of these rows, there is no
// value; the value of an earlier period is not judged again.
func TestPeriodWithoutRowsOfWhere(t *testing.T) {
	t.Parallel()
	rows := cubeOf(t, row{"2026-11-10", "fr", 50.0}, row{"2026-11-10", "de", 5.0}, row{"2026-11-16", "de", 5.0})
	for _, tc := range [...]struct{ alert, want string }{
		{`"if": ">", "than": 10, "where": {"country": "fr"}`, "<nil> 2026-11-16 ? value"},
		{`"if": ">", "than": 10, "by": "country"`, "=fr <nil> 2026-11-16 ? value; =de 5 2026-11-16"},
		{`"change": {"against": "previous_period", "by": 0.1}, "where": {"country": "fr"}`, "<nil> 2026-11-16 ? value"},
		{`"if": ">", "than": 1, "where": {"country": "de"}`, "5 2026-11-16 holds"},
		{`"grain": "week", "if": ">", "than": 10, "where": {"country": "fr"}`, "50 2026-11-09 holds"},
		{`"if": ">", "than": 10, "where": {"country": "xx"}`, "unknown: period"},
	} {
		in, a := inputOf(t, `"value": "revenue", "x": "day", `+tc.alert, "", "2026-11-17 06:00", rows)
		if got := strings.TrimSpace(told(Judge(in, a))); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.alert, got, tc.want)
		}
	}
}
