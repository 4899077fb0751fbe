package dashboard

import (
	"encoding/json"
	"slices"
	"testing"
)

// Rows change with the clock if the SQL has a function of the current time, in any dialect, or a parameter that is relative to today.
func TestByClock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ sql, word string }{
		{"SELECT day, n FROM upload WHERE day >= current_date - 30", "current_date"},
		{"SELECT day, n FROM upload WHERE day >= Current_Date() - 30", "Current_Date"},
		{"SELECT date_diff('day', due, today()) AS overdue FROM upload", "today()"},
		{"SELECT * FROM t WHERE at > NOW() - INTERVAL 1 DAY", "NOW()"},
		{"SELECT * FROM t WHERE at > DATE_SUB(CURDATE(), INTERVAL 7 DAY)", "CURDATE()"},
		{"SELECT * FROM t WHERE at > toStartOfDay(now64(3))", "now64()"},
		{"SELECT age(born) AS years FROM t", "age()"},
		{"SELECT age(ended, begun) AS took FROM t", ""},
		{"SELECT age(coalesce(a, b)) AS took FROM t", "age()"},
		{"SELECT * FROM t WHERE day = 'today'::date", "'today'"},
		{"SELECT * FROM t WHERE day = DATE 'today'", "'today'"},
		{"SELECT * FROM t WHERE day = CAST('yesterday' AS date)", "'yesterday'"},
		{"SELECT * FROM t WHERE state = 'today'", ""},
		{"SELECT now, today FROM t -- now()", ""},
		{"SELECT t.current_date, 'now()' AS today FROM t", ""},
		{`SELECT "now" FROM t`, ""},
		{"SELECT unix_timestamp(at) FROM t", ""},
		{"SELECT unix_timestamp() FROM t", "unix_timestamp()"},
		{"SELECT * FROM t WHERE day >= {{since.start}}", "{{since.start}}"},
		{"SELECT * FROM t WHERE day >= {{fixed.start}} AND day < {{fixed.end}}", ""},
		{"SELECT * FROM t WHERE day = {{on}}", "{{on}}"},
		{"SELECT * FROM t WHERE word = {{word}} AND day >= {{ever.start}}", ""},
	} {
		s := Spec{
			Params: []Param{
				{ID: "since", Type: ParamRange, Default: json.RawMessage(`"last_90_days"`)},
				{ID: "fixed", Type: ParamRange, Default: json.RawMessage(`"2026-01-01/2026-03-31"`)},
				{ID: "ever", Type: ParamRange, Default: json.RawMessage(`"all"`)},
				{ID: "on", Type: ParamDate, Default: json.RawMessage(`"today"`)},
				{ID: "word", Type: ParamText, Default: json.RawMessage(`"today"`)},
			},
			Datasets: []Dataset{{ID: "first", SQL: "SELECT 1 AS n"}, {ID: "d", SQL: tc.sql}},
		}
		s.Datasets = append(s.Datasets, s.Datasets[1])
		var want []Clocked
		if tc.word != "" {
			want = []Clocked{{1, tc.word}, {2, tc.word}}
		}
		if got := s.ByClock(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tc.sql, got, want)
		}
	}
}
