package dashboard_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

func dollar(n int) string    { return "$" + strconv.Itoa(n) }
func question(int) string    { return "?" }
func day(s string) time.Time { t, _ := time.Parse(time.DateOnly, s); return t }

func TestBind(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"timezone": "Asia/Tokyo",
		"params": [
			{"id": "since", "type": "date_range", "default": "last_7_days"}, {"id": "q1", "type": "date_range",
			 "default": ["2026-01-01", "2026-03-31"]},
			{"id": "ever", "type": "date_range", "default": "all"}, {"id": "on", "type": "date", "default": "today"},
			{"id": "at", "type": "date", "default": "2026-02-28"},
			{"id": "who", "type": "text", "default": "x'); DROP TABLE t; --"}, {"id": "n", "type": "number", "default": 7},
			{"id": "f", "type": "number", "default": 0.5}],
		"datasets": [
			{"id": "a", "sql": "SELECT date_trunc({{who}}, d) FROM t WHERE d >= {{since.start}} AND d < {{ since.end }} ` +
		`GROUP BY date_trunc({{who}}, d)"},
			{"id": "b", "sql": "SELECT {{q1.start}}, {{q1.end}}, {{ever.start}}, {{ever.end}}, {{on}}, {{at}}, {{n}}, {{f}} -- é\n, 'é$1?'"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		dataset     string
		placeholder func(int) string
		sql         string
		args        []any
	}{
		{
			"a", dollar,
			"SELECT date_trunc($1, d) FROM t WHERE d >= $2 AND d < $3 GROUP BY date_trunc($1, d)",
			[]any{"x'); DROP TABLE t; --", day("2026-11-16"), day("2026-11-23")}, // in Tokyo it is the 22nd
		},
		{
			"a", question,
			"SELECT date_trunc(?, d) FROM t WHERE d >= ? AND d < ? GROUP BY date_trunc(?, d)",
			[]any{"x'); DROP TABLE t; --", day("2026-11-16"), day("2026-11-23"), "x'); DROP TABLE t; --"},
		},
		{
			"b", dollar,
			"SELECT $1, $2, $3, $4, $5, $6, $7, $8 -- é\n, 'é$1?'",
			[]any{day("2026-01-01"), day("2026-04-01"), day("1000-01-01"), day("3000-01-01"), day("2026-11-22"), day("2026-02-28"), int64(7), 0.5},
		},
	} {
		sql, args, err := s.Dataset(tc.dataset).Bind(s, testNow, tc.placeholder)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.sql, sql); diff != "" {
			t.Errorf("SQL (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(tc.args, args); diff != "" {
			t.Errorf("args (-want +got):\n%s", diff)
		}
	}
}

func TestBindSQL(t *testing.T) {
	t.Parallel()
	_, _, err := dashboard.BindSQL("SELECT '{{n}}', {{m}}",
		[]dashboard.Param{{ID: "n", Type: "number", Default: []byte("1")}}, time.UTC, testNow, dollar)
	want := `sql: {{n}} (line 1, column 9) is inside a quoted string: it is a bound value, so write it without the quotes
sql: {{m}} (line 1, column 17) names no parameter; params: n`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if sql, args, err := dashboard.BindSQL("SELECT 1", nil, time.UTC, testNow, dollar); sql != "SELECT 1" || args != nil || err != nil {
		t.Errorf("got %q, %v, %v", sql, args, err)
	}
	_, _, err = dashboard.BindSQL("SELECT {{n}}", []dashboard.Param{{ID: "n", Type: "date_range"}, {ID: "x"}}, time.UTC, testNow, dollar)
	if err == nil {
		t.Error("bound a date range without part")
	}
	if _, _, err := dashboard.BindSQL("SELECT "+strings.Repeat("{{n}},", 1001),
		[]dashboard.Param{{ID: "n", Type: "number", Default: []byte("1")}}, time.UTC, testNow, dollar); err == nil ||
		err.Error() != "sql: has more than 1000 placeholders" {
		t.Errorf("with 1001 placeholders: %v", err)
	}
}

// Bind and Parse report the same problems of placeholders.
func TestBindAsParse(t *testing.T) {
	t.Parallel()
	s, parsed := dashboard.Parse([]byte(`{"datasets": [{"id": "a", "sql": "SELECT 1"}, {"id": "b", "sql": "SELECT '{{n}}', {{m}}"}]}`))
	_, _, bound := s.Datasets[1].Bind(s, testNow, dollar)
	if parsed == nil || bound == nil || parsed.Error() != bound.Error() {
		t.Errorf("Parse says %v, Bind says %v", parsed, bound)
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	definition := func(timezone, def, sql, more string) []byte {
		s, err := dashboard.Parse([]byte(`{"title": "` + more + `", "timezone": "` + timezone + `",
			"params": [{"id": "p", "type": "date_range", "default": ` + def + `}, {"id": "unused", "type": "text", "default": "` + more + `"}],
			"datasets": [{"id": "d", "sql": "` + sql + `", "row_limit": 5, "columns": {"a": {"label": "` + more + `"}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return s.Datasets[0].Definition(s)
	}
	base := definition("UTC", `"last_7_days"`, "SELECT a, {{p.start}}", "x")
	if len(base) != 32 {
		t.Errorf("%d bytes", len(base))
	}
	for name, tc := range map[string]struct {
		got  []byte
		same bool
	}{
		"what rows do not depend on": {definition("UTC", `"last_7_days"`, "SELECT a, {{p.start}}", "y"), true},
		"SQL":                        {definition("UTC", `"last_7_days"`, "SELECT b, {{p.start}}", "x"), false},
		"parameter":                  {definition("UTC", `"today"`, "SELECT a, {{p.start}}", "x"), false},
		"zone of a relative date":    {definition("Asia/Tokyo", `"last_7_days"`, "SELECT a, {{p.start}}", "x"), false},
	} {
		if bytes.Equal(base, tc.got) != tc.same {
			t.Errorf("%s: same is %v", name, !tc.same)
		}
	}
	fixed := `["2026-01-01", "2026-01-31"]`
	if bytes.Equal(definition("UTC", fixed, "SELECT {{p.end}}", "x"), definition("Asia/Tokyo", fixed, "SELECT {{p.end}}", "x")) {
		t.Error("the zone by whose clock the SQL is run does not count")
	}
	if !bytes.Equal(definition("UTC", `"today"`, "SELECT 1", "x"), definition("UTC", `"all"`, "SELECT 1", "x")) {
		t.Error("an unused parameter counts")
	}
}

func TestDateRange(t *testing.T) {
	t.Parallel()
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name     string
		loc      *time.Location
		from, to string
	}{
		{"today", time.UTC, "2026-11-21", "2026-11-21"},
		{"today", tokyo, "2026-11-22", "2026-11-22"},
		{"last_7_days", time.UTC, "2026-11-15", "2026-11-21"},
		{"last_30_days", time.UTC, "2026-10-23", "2026-11-21"},
		{"last_90_days", time.UTC, "2026-08-24", "2026-11-21"},
		{"last_365_days", time.UTC, "2025-11-22", "2026-11-21"},
		{"this_month", time.UTC, "2026-11-01", "2026-11-21"},
		{"last_month", time.UTC, "2026-10-01", "2026-10-31"},
		{"this_year", time.UTC, "2026-01-01", "2026-11-21"},
		{"yesterday", time.UTC, "2026-11-20", "2026-11-20"},
		{"this_week", time.UTC, "2026-11-16", "2026-11-21"},
		{"last_week", time.UTC, "2026-11-09", "2026-11-15"},
		{"this_quarter", time.UTC, "2026-10-01", "2026-11-21"},
		{"last_quarter", time.UTC, "2026-07-01", "2026-09-30"},
		{"last_year", time.UTC, "2025-01-01", "2025-12-31"},
		{"last_1_days", tokyo, "2026-11-22", "2026-11-22"},
		{"last_14_days", time.UTC, "2026-11-08", "2026-11-21"},
		{"last_4_weeks", time.UTC, "2026-10-25", "2026-11-21"},
		{"last_12_months", time.UTC, "2025-11-22", "2026-11-21"},
		{"last_2_quarters", time.UTC, "2026-05-22", "2026-11-21"},
		{"last_3_years", time.UTC, "2023-11-22", "2026-11-21"},
		{"last_7_full_days", time.UTC, "2026-11-14", "2026-11-20"},
		{"last_4_full_weeks", time.UTC, "2026-10-19", "2026-11-15"},
		{"last_12_full_months", time.UTC, "2025-11-01", "2026-10-31"},
		{"last_4_full_quarters", time.UTC, "2025-10-01", "2026-09-30"},
		{"last_2_full_years", time.UTC, "2024-01-01", "2025-12-31"},
	} {
		from, to, ok := dashboard.DateRange(tc.name, tc.loc, 0, testNow)
		if !ok || !from.Equal(day(tc.from)) || !to.Equal(day(tc.to)) {
			t.Errorf("%s: %v to %v, %v", tc.name, from, to, ok)
		}
	}
	leap := time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC)
	from, to, ok := dashboard.DateRange("last_month", time.UTC, 0, leap)
	if !ok || !from.Equal(day("2024-02-01")) || !to.Equal(day("2024-02-29")) {
		t.Errorf("last_month in a leap year: %v to %v", from, to)
	}
	if from, to, ok := dashboard.DateRange("all", time.UTC, 0, testNow); !ok || !from.IsZero() || !to.IsZero() {
		t.Errorf("all: %v to %v, %v", from, to, ok)
	}
	for _, name := range []string{
		"tomorrow", "this_day", "last_day", "last_0_days", "last_07_days", "last_-1_days", "last_7_day", "last__days", "last_full_months",
		"last_3_full", "last_36526_days", "last_101_years", "last_9_full_", "this_3_months", "", "last_", "last_7_fulldays",
	} {
		if _, _, ok := dashboard.DateRange(name, time.UTC, 0, testNow); ok {
			t.Errorf("%s is no range", name)
		}
	}
	// Weeks begin on the day that the spec sets; a short month ends early.
	for _, tc := range []struct {
		name     string
		week     cube.Weekday
		now      string
		from, to string
	}{
		{"this_week", 6, "2026-11-21", "2026-11-15", "2026-11-21"}, // from a Sunday
		{"last_week", 5, "2026-11-21", "2026-11-14", "2026-11-20"}, // from a Saturday
		{"last_2_full_weeks", 6, "2026-11-22", "2026-11-08", "2026-11-21"},
		{"last_1_months", 0, "2026-03-31", "2026-03-01", "2026-03-31"},
		{"last_1_months", 0, "2026-02-28", "2026-01-29", "2026-02-28"},
		{"last_1_years", 0, "2028-02-29", "2027-03-01", "2028-02-29"},
		{"last_3_full_months", 0, "2026-03-31", "2025-12-01", "2026-02-28"},
		{"last_quarter", 0, "2026-01-01", "2025-10-01", "2025-12-31"},
		{"last_year", 0, "2025-03-01", "2024-01-01", "2024-12-31"},
	} {
		from, to, ok := dashboard.DateRange(tc.name, time.UTC, tc.week, day(tc.now))
		if !ok || !from.Equal(day(tc.from)) || !to.Equal(day(tc.to)) {
			t.Errorf("%s of %s, weeks from %d: %v to %v, %v", tc.name, tc.now, tc.week, from, to, ok)
		}
	}
	for values, want := range map[string]bool{
		"": true, "all": true, "2026-01-01/2026-01-01": true, "2026-01-02/2026-01-01": false, "2026-01-01": false, "a/b": false, "a/b/c": false,
	} {
		var list []string
		if values != "" {
			list = strings.Split(values, "/")
		}
		if _, _, ok := dashboard.Period(list, time.UTC, 0, testNow); ok != want {
			t.Errorf("Period(%q) is %v", values, ok)
		}
	}
}
