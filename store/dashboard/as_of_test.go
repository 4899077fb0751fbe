package dashboard_test

import (
	"bytes"
	"testing"
	"time"

	"service/store/dashboard"
)

// TestAsOf: the last day of the data is "today" for relative dates, is over, and has no effect if it is not before the time of reading.
func TestAsOf(t *testing.T) {
	t.Parallel()
	spec := func(top string) *dashboard.Spec {
		s, err := dashboard.Parse([]byte(`{` + top + `"timezone": "Asia/Tokyo",
			"params": [{"id": "since", "type": "date_range", "default": "last_7_days"}, {"id": "on", "type": "date", "default": "today"}],
			"datasets": [{"id": "a", "sql": "SELECT 1 WHERE d >= {{since.start}} AND d < {{since.end}} AND e = {{on}}"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tc := range []struct {
		as        string
		from, end time.Time
		over      string
	}{
		{"", day("2026-11-16"), day("2026-11-23"), ""},
		{`"as_of": "2025-06-30", `, day("2025-06-24"), day("2025-07-01"), "2025-07-01T00:00:00+09:00"},
		{`"as_of": "2031-01-01", `, day("2026-11-16"), day("2026-11-23"), ""},
	} {
		s := spec(tc.as)
		_, args, err := s.Dataset("a").Bind(s, testNow, dollar)
		if err != nil || args[0] != tc.from || args[1] != tc.end || args[2] != tc.end.AddDate(0, 0, -1) {
			t.Errorf("%s: %v, %v", tc.as, args, err)
		}
		at := s.DataEnd(testNow)
		if tc.over == "" && !at.Equal(testNow) || tc.over != "" && at.Format(time.RFC3339) != tc.over {
			t.Errorf("%s: the data end at %s", tc.as, at)
		}
		if r := s.Ranges(s.Dataset("a"), at); len(r) != 1 || r[0][1].Time() != tc.end.AddDate(0, 0, -1) {
			t.Errorf("%s: the range is %v", tc.as, r)
		}
	}
	old, fixed := spec(""), spec(`"as_of": "2025-06-30", `)
	if bytes.Equal(old.Dataset("a").Definition(old), fixed.Dataset("a").Definition(fixed)) {
		t.Error("rows of another day are kept")
	}
	_, err := dashboard.Parse([]byte(`{"as_of": "June 2025", "datasets": [{"id": "a", "sql": "SELECT 1"}]}`))
	if got := errorText(err); got != `as_of: "June 2025" is not a day; write the last one of the data, as "2026-01-31"` {
		t.Error(got)
	}
}
