package panel

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
)

// reaches are axes of times, from seconds to all representable years.
var reaches = []struct{ from, to, column string }{
	{"2026-10-25T00:59:58.25Z", "2026-10-25T00:59:59Z", "instant"},
	{"2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z", "instant"},
	{"2026-09-05T04:00:00Z", "2026-09-08T03:00:00Z", "instant"},
	{"1900-01-01T00:00:00Z", "1999-01-01T00:00:00Z", "date"},
	{"1734-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "date"},
	{"1733-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "date"},
	{"1700-01-01T00:00:00Z", "2008-01-01T00:00:00Z", "date"},
	{"1700-01-01T00:00:00Z", "2008-01-01T12:00:00Z", "timestamp"},
	{"1000-06-01T00:00:00Z", "2026-10-25T02:00:00Z", "instant"},
	{"0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z", "date"},
	{"0001-01-02T00:00:00Z", "9999-12-30T23:59:59Z", "instant"},
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestSpans: for every range of an axis, its places are true to time, and its labels are at the times that they name: in lines, sparklines,
// trends and marks of events.
func TestSpans(t *testing.T) {
	t.Parallel()
	for _, span := range reaches {
		from, to := instant(t, span.from), instant(t, span.to)
		at := make([]time.Time, 5)
		for i, part := range []float64{0, 0.25, 0.5, 0.9, 1} {
			whole := partWay(from, to, part)
			if at[i] = whole; span.column == "date" {
				at[i] = cube.DayOf(whole).Time()
			}
		}
		rows := make([][]any, len(at))
		for i, t := range at {
			rows[i] = []any{t, "a", float64(i * i)}
		}
		v := tiny([]dashboard.Panel{
			{Type: dashboard.Line, X: "at", Y: []string{"n"}, Grain: "auto"},
			{Type: dashboard.KPI, Value: "n", Sparkline: "at"},
			{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n", Sparkline: "at"}}},
			{Type: dashboard.Bar, X: "at", Y: []string{"n"}, Grain: "auto"},
		}, []string{"at " + span.column, "name text", "n number sum"}, rows...)
		v.Spec.Timezone = "America/Santiago"
		v.Spec.Events.List = []dashboard.Event{{On: onWall(at[2].In(v.Spec.Location())), Label: "Middle"}}
		name := span.from + " to " + span.to
		p := open(v)
		line := p.Panel(0).Content.(*linePanel)
		places, _ := line.split.positions()
		for i, place := range places {
			want := seconds64(at[0], at[i]) / seconds64(at[0], at[len(at)-1])
			if math.Abs(place-want) > 1e-6 {
				t.Errorf("%s: place %d is %v, want %v", name, i, place, want)
			}
		}
		first, last := line.split.x[0].Value.(time.Time), line.split.x[len(at)-1].Value.(time.Time)
		for _, width := range []float64{300, 700, 1100} {
			labels := p.timeLabels(first, last, line.split.grain, width)
			if seconds64(first, last) > 3*366*chart.ADay && len(labels) < 2 {
				t.Errorf("%s, %v wide: labels %v", name, width, labels)
			}
			for i, l := range labels {
				if l.At < 0 || l.At > 1 || i > 0 && l.At <= labels[i-1].At {
					t.Errorf("%s, %v wide: labels %v", name, width, labels)
				}
				if year := 0; len(l.Text) == 4 {
					fmt.Sscan(l.Text, &year)
					want := seconds64(first, time.Date(year, 1, 1, 0, 0, 0, 0, first.Location())) / seconds64(first, last)
					if math.Abs(l.At-want) > 1e-4 {
						t.Errorf("%s: the label %s is at %v, want %v", name, l.Text, l.At, want)
					}
				}
			}
		}
		spark := p.Panel(1).Content.(*kpiPanel).line
		small := p.Panel(2).Content.(*tablePanel).trends
		var cell []canvas.Point
		for _, trend := range small {
			if trend != nil {
				cell = trend.rows[0].Points
			}
		}
		for which, points := range map[string][]canvas.Point{"small line": spark, "line of a cell": cell} {
			if len(points) != len(at) {
				t.Errorf("%s: %s of %d points", name, which, len(points))
				continue
			}
			for i, dot := range points {
				if want := seconds64(at[0], at[i]) / seconds64(at[0], at[len(at)-1]) * 1000; math.Abs(float64(dot.X)-want) > 1 {
					t.Errorf("%s: point %d of the %s is at %d, want %v", name, i, which, dot.X, want)
				}
			}
		}
		if marks := p.Panel(0).marks; len(marks) != 1 || math.Abs(marks[0].at-0.5) > 0.01 {
			t.Errorf("%s: marks %v", name, marks)
		}
		if problem := p.Panel(3).Problem; problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// partWay returns the time at a fraction of the way between two times, in microseconds.
func partWay(from, to time.Time, part float64) time.Time {
	whole := float64(to.UnixMicro()-from.UnixMicro()) * part
	return time.UnixMicro(from.UnixMicro() + int64(whole)).UTC()
}

func seconds64(from, to time.Time) float64 { return float64(to.UnixMicro()-from.UnixMicro()) / 1e6 }

// TestEventsOfCenturies: an event between two points of centuries is drawn between them.
func TestEventsOfCenturies(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"n"}}}, []string{"at date", "n number sum"},
		[]any{day("1000-01-01"), 1.0}, []any{day("2000-01-01"), 2.0})
	v.Spec.Events.List = []dashboard.Event{{On: day("1250-01-01"), Label: "Quarter"}, {On: day("1900-01-01"), Label: "Late"}}
	marks := open(v).Panel(0).marks
	if len(marks) != 2 || math.Abs(marks[0].at-0.25) > 0.01 || math.Abs(marks[1].at-0.9) > 0.01 {
		t.Errorf("marks %v", marks)
	}
}

// TestShapesAreThoseOfTheColumn: if a filter leaves only midnights, the times do not become dates.
func TestShapesAreThoseOfTheColumn(t *testing.T) {
	t.Parallel()
	table := dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "at"}, {Column: "n"}}}
	v := tiny([]dashboard.Panel{table}, []string{"at instant", "kind text", "n number sum"},
		[]any{instant(t, "2026-10-24T22:00:00Z"), "a", 1.0}, []any{instant(t, "2026-10-25T10:00:00.25Z"), "b", 2.0})
	v.Spec.Timezone = "Europe/Berlin"
	v.Spec.Filters = []dashboard.Filter{{Column: "kind"}}
	v.Query = map[string][]string{"f.kind": {"a"}}
	if got := csvOf(t, v, 0); len(got) != 2 || got[1][0] != "2026-10-25T00:00:00.000+02:00" {
		t.Errorf("%q", got)
	}
}

// TestAmountsInCSV: a text that is an amount gets no apostrophe, and one that may be a formula does.
func TestAmountsInCSV(t *testing.T) {
	t.Parallel()
	texts := []string{"-$1,234.50", "-1 days +02:03:04", "-00:05:00", "-1+1", "-5", "=$1"}
	want := []string{"-$1,234.50", "-1 days +02:03:04", "-00:05:00", "'-1+1", "'-5", "'=$1"}
	var rows [][]any
	for i, s := range texts {
		rows = append(rows, []any{s, float64(i)})
	}
	table := dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "name"}, {Column: "n"}}, Sort: "n"}
	v := tiny([]dashboard.Panel{table}, []string{"name text", "n number sum"}, rows...)
	var got []string
	for _, record := range csvOf(t, v, 0)[1:] {
		got = append(got, record[0])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
