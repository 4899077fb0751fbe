package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// calendarOf is a calendar of one value for each of the times.
func calendarOf(kind, agg string, times ...time.Time) View {
	var rows [][]any
	for i, t := range times {
		rows = append(rows, []any{t, int64(i + 1)})
	}
	return tiny([]dashboard.Panel{{Type: dashboard.Calendar, X: "at", Value: "n"}}, []string{"at " + kind, "n integer " + agg}, rows...)
}

// clickDays points at days of a calendar and follows them: each leads to its own day, also in the second half of the year. A day that the
// table does not list leads nowhere.
func clickDays(b browser) {
	b.Helper()
	at := func(d string, then string) string { // the position of a day of 2026, in weeks from Monday
		n := int(cube.DayOf(day(d)) - cube.DayOf(day("2025-12-29")))
		return fmt.Sprintf(`(() => { const all = document.querySelectorAll('.half'), s = all[%d], r = s.getBoundingClientRect();
			all.forEach(e => e.dispatchEvent(new PointerEvent('pointerleave')));
			const over = type => s.dispatchEvent(new PointerEvent(type, {bubbles: true,
				clientX: r.left + r.width * %v, clientY: r.top + r.height * %v}));
			over('pointermove'); %s; return s.closest('.card').querySelector('.tip:not([hidden])')?.textContent ?? '' })()`,
			n/7/27, (float64(n/7%27)+0.5)/27, (float64(n%7)+0.5)/7, then) // 27 weeks are half a year
	}
	for _, width := range []int64{390, 1360} {
		b.open("/days?f.at=all", width)
		for d, want := range map[string]string{
			"2026-03-03": "Mar 3, 2026\n62", "2026-06-30": "Jun 30, 2026\n181", "2026-07-16": "Jul 16, 2026\n197", "2026-01-01": "Jan 1, 2026\n1",
			"2025-12-31": "", "2026-12-31": "",
		} {
			if got := evaluate[string](b, at(d, "")); got != want {
				b.Errorf("%s at %d pixels says %q, want %q", d, width, got, want)
			}
		}
		b.inPlace(func() { evaluate[string](b, at("2026-07-16", "over('click')")) })
		if got := evaluate[string](b, `location.search`); got != "?f.at=2026-07-16" {
			b.Errorf("a day at %d pixels led to %s", width, got)
		}
	}
}

// numberedDays is a calendar of the days of 2026 up to October, numbered.
func numberedDays() View {
	var times []time.Time
	for i := range 300 {
		times = append(times, day("2026-01-01").AddDate(0, 0, i))
	}
	v := calendarOf("date", "sum", times...)
	v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
	return v
}

// TestSketchOfYearHasNoGap: the halves of a year are side by side in characters without a gap, which would look like lost data.
func TestSketchOfYearHasNoGap(t *testing.T) {
	t.Parallel()
	for _, locale := range []string{"en-US", "ja-JP", "ar"} {
		var rows [][]any
		for d := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() == 2025; d = d.AddDate(0, 0, 1) {
			rows = append(rows, []any{d, int64(d.YearDay())})
		}
		v := tiny([]dashboard.Panel{{Type: dashboard.Calendar, X: "at", Value: "n"}}, []string{"at date", "n integer sum"}, rows...)
		v.Spec.Locale = locale
		full := 0
		for _, line := range strings.Split(Summaries(v)[0].Sketch, "\n") {
			cells := strings.TrimFunc(line, func(r rune) bool { return !strings.ContainsRune("·-+░▒▓█", r) })
			if n := len([]rune(cells)); n == 52 || n == 53 {
				full++
				if strings.Contains(cells, " ") {
					t.Errorf("%s: a gap in %q", locale, line)
				}
			}
		}
		if full != 7 {
			t.Errorf("%s: %d weekdays with 52 or 53 days:\n%s", locale, full, Summaries(v)[0].Sketch)
		}
	}
}
