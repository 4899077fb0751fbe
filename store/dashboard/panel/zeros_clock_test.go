package panel

import (
	"testing"
	"time"

	"service/store/dashboard/cube"
)

// TestZerosOfClockChanges: with "gaps": "zero", the hour that a clock shows twice is not filled with 0 beside the row of the other one,
// into which engines merge both, and times some hours apart are filled on the clock that their rows follow, also after it changes.
func TestZerosOfClockChanges(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		from, to time.Time
		next     func(time.Time) time.Time
		skip     func(i int, at time.Time) bool
		zeros    []string
	}{
		"hours, of which two are merged": {
			time.Date(2026, 10, 10, 0, 0, 0, 0, berlin), time.Date(2026, 10, 27, 0, 0, 0, 0, berlin),
			func(t time.Time) time.Time { return t.Add(time.Hour) },
			func(_ int, at time.Time) bool {
				return at.UTC().Format("01-02 15") == "10-25 00" || at.UTC().Format("01-02 15") == "10-25 05"
			},
			[]string{"2026-10-25T06:00:00+01:00"},
		},
		"hours, without both": {
			time.Date(2026, 10, 10, 0, 0, 0, 0, berlin), time.Date(2026, 10, 27, 0, 0, 0, 0, berlin),
			func(t time.Time) time.Time { return t.Add(time.Hour) },
			func(_ int, at time.Time) bool {
				return at.UTC().Format("01-02 15") == "10-25 00" || at.UTC().Format("01-02 15") == "10-25 01"
			},
			[]string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"},
		},
		"six hours on the clock": {
			time.Date(2026, 3, 10, 0, 0, 0, 0, berlin), time.Date(2026, 4, 16, 0, 0, 0, 0, berlin),
			func(t time.Time) time.Time {
				y, m, d := t.Date()
				return time.Date(y, m, d, t.Hour()+6, 0, 0, 0, berlin)
			},
			func(_ int, at time.Time) bool {
				return at.Format("01-02 15") == "04-10 06" || at.Format("01-02 15") == "03-20 12"
			},
			[]string{"2026-03-20T12:00:00+01:00", "2026-04-10T06:00:00+02:00"},
		},
		"six hours that pass": {
			time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 16, 0, 0, 0, 0, time.UTC),
			func(t time.Time) time.Time { return t.Add(6 * time.Hour) },
			func(_ int, at time.Time) bool { return at.UTC().Format("01-02 15") == "04-10 06" },
			[]string{"2026-04-10T08:00:00+02:00"},
		},
	} {
		var rows [][]any
		i := 0
		for at := tc.from; at.Before(tc.to); at = tc.next(at) {
			if i++; !tc.skip(i, at) {
				rows = append(rows, []any{at.UTC(), 1.0})
			}
		}
		v := tinySpec(t, `{"type": "line", "x": "at", "y": "n", "gaps": "zero", "grain": "hour"}`,
			[]string{"at instant", "n number sum"}, rows...)
		v.Spec.Timezone = "Europe/Berlin"
		p := open(v).Panel(0)
		var zeros []string
		for _, row := range p.Grid.Rows {
			if number(row[1]) == 0 {
				zeros = append(zeros, row[0].(cube.Category).Value.(time.Time).In(berlin).Format(time.RFC3339))
			}
		}
		if len(zeros) != len(tc.zeros) {
			t.Errorf("%s: zeros at %v, want %v", name, zeros, tc.zeros)
			continue
		}
		for i := range zeros {
			if zeros[i] != tc.zeros[i] {
				t.Errorf("%s: zeros at %v, want %v", name, zeros, tc.zeros)
			}
		}
	}
}
