package panel

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/cube"
)

// calendarOf is a calendar of one value for each of the times.
func calendarOf(kind, agg string, times ...time.Time) Input {
	var rows [][]any
	for i, t := range times {
		rows = append(rows, []any{t, int64(i + 1)})
	}
	return tiny([]dashboard.Panel{{Type: dashboard.Calendar, X: "at", Value: "n"}}, []string{"at " + kind, "n integer " + agg}, rows...)
}

// TestCalendarCounts: the days of a calendar are those of the page's zone, and have the values that the test counts, also on days of clock
// changes.
func TestCalendarCounts(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		var times []time.Time
		for at := time.Date(2023, 11, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2025; at = at.Add(5*time.Hour + 37*time.Minute) {
			times = append(times, at)
		}
		want := map[string]int64{}
		for i, at := range times {
			want[at.In(loc).Format(time.DateOnly)] += int64(i + 1)
		}
		v := calendarOf("instant", "sum", times...)
		v.Spec.Timezone = zone
		p := open(v).Panel(0)
		if len(p.Grid.Rows) != len(want) || len(p.Content.(*calendarPanel).value) != len(want) {
			t.Errorf("%s: %d days, want %d", zone, len(p.Grid.Rows), len(want))
		}
		for _, row := range p.Grid.Rows {
			d := row[0].(cube.Category).Value.(time.Time).Format(time.DateOnly)
			if got, _ := cube.Float(row[1]); got != float64(want[d]) {
				t.Errorf("%s: %s has %v, want %d", zone, d, row[1], want[d])
			}
		}
	}
}

// TestCalendarPlaces: every day is in the row of its weekday and in one column with its week, for each first day of the week, and the
// script computes its row of the table from its place.
func TestCalendarPlaces(t *testing.T) {
	t.Parallel()
	var times []time.Time
	for at := day("2020-03-05"); at.Before(day("2026-02-10")); at = at.AddDate(0, 0, 1) {
		times = append(times, at)
	}
	for starts, first := range map[string]time.Weekday{"": time.Monday, "sunday": time.Sunday, "saturday": time.Saturday} {
		v := calendarOf("date", "sum", times...)
		v.Spec.WeekStarts = starts
		p := open(v).Panel(0)
		c := p.Content.(*calendarPanel)
		if n := len(c.years); n != calendarYears || c.years[0].first.Time().Year() != 2021 {
			t.Fatalf("%d years", n)
		}
		for i := range c.years {
			y := &c.years[i]
			before := -1
			for d := y.first; d < y.next; d++ {
				column, row := c.place(y, d)
				if want := int(d.Time().Weekday()-first+7) % 7; row != want {
					t.Fatalf("%s %s is in row %d", starts, d.Time(), row)
				}
				if row == 0 && d > y.first {
					before++
				}
				if column != max(before, 0) && column != before+1 || column >= 2*halfWeeks {
					t.Fatalf("%s %s is in column %d", starts, d.Time(), column)
				}
				k := y.row + 7*column + row
				if d < y.from || d > y.to {
					continue
				}
				if got := p.Grid.Rows[k][0].(cube.Category).Value; got != d.Time() {
					t.Fatalf("%s %s: row %d is %v", starts, d.Time(), k, got)
				}
			}
		}
		got := strings.Join(p.Notes, " ")
		if !strings.Contains(got, "The last 6 of 7 years are drawn.") || codes(v) != "cut panels[0].x" {
			t.Errorf("notes %q, warnings %q", got, codes(v))
		}
	}
}

// TestCalendarWithoutData: a day without data differs from one with zero, and years without data are left out, with a note. Each day is
// drawn once.
func TestCalendarWithoutData(t *testing.T) {
	t.Parallel()
	v := calendarOf("date", "sum", day("2019-06-30"), day("2026-07-01"), day("2026-07-03"))
	v.Cubes["d"] = tiny(nil, []string{"at date", "n integer sum"}, []any{day("2019-06-30"), int64(0)}, []any{day("2026-07-01"), int64(8)},
		[]any{day("2026-07-03"), int64(4)}, []any{day("2026-07-04"), nil}).Cubes["d"]
	r := &canvas.Recorder{}
	p := open(v).Panel(0)
	p.Content.Draw(r)
	days := map[string]int{}
	for _, m := range regexp.MustCompile(`shape of (\d+) rings, \d+ points color (\w+)`).FindAllStringSubmatch(r.String(), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		days[m[2]] += n
	}
	delete(days, "gray") // the lines between months
	if got, want := fmt.Sprint(days), "map[0:727 heat0:1 heat3:1 heat6:1]"; got != want {
		t.Errorf("drawn %s, want %s", got, want)
	}
	notes := strings.Join(p.Notes, " ")
	if want := "Years without data are not drawn. Gray: no data."; notes != want {
		t.Errorf("notes %q", notes)
	}
	if n := len(p.Grid.Rows); n != 185+184 { // June 30 to December 31, and January 1 to July 3
		t.Errorf("%d rows", n)
	}
}

// TestCalendarOfWhatDoesNotAddUp: a measure that cannot be merged over the rows of one day is not shown, but single rows are.
func TestCalendarOfWhatDoesNotAddUp(t *testing.T) {
	t.Parallel()
	v := calendarOf("timestamp", "none", day("2026-03-01").Add(time.Hour), day("2026-03-02"))
	if p := open(v).Panel(0); p.Problem != "" || len(p.Grid.Rows) != 2 {
		t.Errorf("one row a day: %s", p.Problem)
	}
	v = calendarOf("timestamp", "none", day("2026-03-01").Add(time.Hour), day("2026-03-01"))
	if p := open(v).Panel(0); !strings.HasPrefix(p.Problem, "A number here could be wrong") {
		t.Errorf("two rows a day: %q", p.Problem)
	}
	v = calendarOf("date", "sum", now) // today
	if notes := strings.Join(open(v).Panel(0).Notes, " "); !strings.Contains(notes, "Nov 20, 2026 is not over.") {
		t.Errorf("today: %q", notes)
	}
	v.Spec.Panels[0].X = "n"
	if p := open(v).Panel(0); p.Problem != "N has no dates." {
		t.Errorf("of numbers: %q", p.Problem)
	}
}

// TestCalendarLinks: days are links if a filter accepts days, also beyond the maximum of rows of other tables.
func TestCalendarLinks(t *testing.T) {
	t.Parallel()
	var times []time.Time
	for i := range 365 {
		times = append(times, day("2026-01-01").AddDate(0, 0, i))
	}
	v := calendarOf("date", "sum", times...)
	v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
	doc := string(render(t, v))
	if n := strings.Count(doc, `<th scope="row"><a href="?f.at=2026-`); n != 365 {
		t.Errorf("%d links", n)
	}
	if !strings.Contains(doc, `<a href="?f.at=2026-12-31">Dec 31, 2026</a></th><td>365</td>`) {
		t.Error("no link of the last day")
	}
}

// TestCalendarOfMonths: days of a few months are one block of these months, also over the turn of a year; each day is in the row of its
// weekday. The block of small plots is that of all of them.
func TestCalendarOfMonths(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to, first, last string
		weeks                 int // 0: years in halves
	}{
		{"2026-11-30", "2026-12-17", "2026-11-01", "2026-12-31", 10},
		{"2026-12-02", "2027-01-14", "2026-12-01", "2027-01-31", 9},
		{"2026-02-10", "2026-02-10", "2026-02-01", "2026-02-28", 5},
		{"2026-06-01", "2026-11-29", "2026-06-01", "2026-11-30", 27},
		{"2026-05-31", "2026-11-29", "2026-01-01", "2026-12-31", 0},
	} {
		var times []time.Time
		for at := day(tc.from); !at.After(day(tc.to)); at = at.AddDate(0, 0, 1) {
			times = append(times, at)
		}
		v := calendarOf("date", "sum", times...)
		c := open(v).Panel(0).Content.(*calendarPanel)
		y := c.years[0]
		if c.weeks != tc.weeks || !y.first.Time().Equal(day(tc.first)) || !(y.next - 1).Time().Equal(day(tc.last)) {
			t.Errorf("%s – %s: %d weeks, %s – %s", tc.from, tc.to, c.weeks, y.first.Time(), (y.next - 1).Time())
		}
		for i, at := range times {
			column, row := c.place(&y, cube.DayOf(at))
			if row != int(at.Weekday()+6)%7 || column >= 2*c.columns() {
				t.Errorf("%s is in column %d, row %d", at, column, row)
			}
			if k := y.row + 7*column + row; k != i {
				t.Errorf("%s has row %d of the grid, want %d", at, k, i)
			}
		}
	}
	r := &canvas.Recorder{}
	open(calendarOf("date", "sum", day("2026-12-02"), day("2027-01-14"))).Panel(0).Content.Draw(r)
	if got := r.String(); !strings.Contains(got, `"Jan 2027"`) || strings.Contains(got, "half") || !strings.Contains(got, "extent 9 by 7") {
		t.Error(got)
	}

	v := tiny([]dashboard.Panel{{Type: dashboard.Calendar, X: "at", Value: "n", Facet: "f"}}, []string{"at date", "f text", "n integer sum"},
		[]any{day("2026-03-02"), "a", int64(1)}, []any{day("2026-05-20"), "b", int64(2)})
	r = &canvas.Recorder{}
	open(v).Panel(0).Content.Draw(r)
	if got := r.String(); strings.Count(got, "extent 14 by 7") != 2 {
		t.Error(got)
	}
}
