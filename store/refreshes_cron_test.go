package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/adhocore/gronx"
	"github.com/jackc/pgx/v5/pgconn"

	"service/store"
	"service/store/message"
	"service/store/migrations"
)

// Schedules run when gronx reports it, which looks at each minute by itself: in every field's forms, and where clocks change.
func TestSchedulesRunAsGronxSays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	list := func(low, high int) string {
		a := low + r.IntN(high-low+1)
		b := a + r.IntN(high-a+1)
		return one("*", "?", fmt.Sprint(a), fmt.Sprint(a, ",", b), fmt.Sprintf("%d-%d", a, b), fmt.Sprintf("*/%d", 2+r.IntN(9)),
			fmt.Sprintf("%d-%d/%d", a, b, 1+r.IntN(4)))
	}
	taken := 0
	for range 300 {
		fields := []string{
			one(fmt.Sprint(r.IntN(60)), "*/15", "0,30", "5-55/10"), list(0, 23),
			one(list(1, 28), list(1, 28), "L", "15W", "31"), one("*", "*", list(1, 12), "FEB,mar"),
			one(list(0, 7), list(0, 7), "MON-fri", "2#3", "5L"),
		}
		expression := strings.ReplaceAll(strings.Join(fields, " "), " ,", ",")
		zone, err := time.LoadLocation(one("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago",
			"Africa/Cairo", "America/Havana"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := store.ParseSchedule(expression, zone.String())
		if err != nil {
			continue
		}
		taken++
		from := time.Date(2026, 1, 1, 0, 0, 0, 0, zone).Add(time.Duration(r.IntN(365*24*60)) * time.Minute)
		if next := c.Next(from, 1)[0]; next.Sub(from) > 10*24*time.Hour {
			from = next.Add(-time.Hour) // not a minute at a time
		}
		var want []time.Time
		segments, err := gronx.Segments(expression)
		if err != nil {
			t.Fatal(err)
		}
		checker := gronx.New()
		for at := from.Truncate(time.Minute).Add(time.Minute); len(want) < 3 && at.Sub(from) < 20*24*time.Hour; at = at.Add(time.Minute) {
			checker.C.SetRef(at.In(zone))
			if due, err := checker.SegmentsDue(segments); due && err == nil {
				want = append(want, at.UTC())
			}
		}
		got := c.Next(from, len(want))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q in %s after %s:\n%v, want\n%v", expression, zone, from, got, want)
		}
		for i, at := range got {
			if last := c.Last(at.Add(time.Duration(i) * 20 * time.Second)); !last.Equal(at) {
				t.Errorf("%q in %s: the last up to %s is %s", expression, zone, at, last)
			}
			if i > 0 {
				if last := c.Last(at.Add(-time.Second)); !last.Equal(got[i-1]) {
					t.Errorf("%q in %s: the last before %s is %s, not %s", expression, zone, at, last, got[i-1])
				}
			}
		}
	}
	if taken < 100 {
		t.Errorf("%d schedules were taken", taken)
	}
}

// Runs are found, however rare: a 29th of February on a Saturday occurs every 28 years, and after 40 years across a year 2100, which has no
// such day.
func TestRareSchedulesRun(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{"0 0 29 2 */6": "2032-02-29", "30 12 ? 2 6#5": "2048-02-29", "0 0 L 2 */6": "2026-02-28"} {
		c, err := store.ParseSchedule(expression, "Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 1)[0].Add(2 * time.Hour).Format(time.DateOnly); got != want {
			t.Errorf("%s runs on %s, want %s", expression, got, want)
		}
	}
	c, err := store.ParseSchedule("0 0 ? 2 6#5", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Next(time.Date(2076, 3, 1, 0, 0, 0, 0, time.UTC), 1); len(got) != 1 || got[0].Format(time.DateOnly) != "2116-02-29" {
		t.Error(got)
	}
}

// An expression that gronx accepts and no clock shows has no run, and the search for one ends.
func TestSchedulesThatNeverRun(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		"60/1 * * * *", "60/5,61/2 * * * *", "0 24/1 * * *", "0 24/2,25/1 * * *", "60/1 24/1 * * *", "0 0 * 13/1 *", "0 0 30 2 *",
		"30 2 ? 3 0L", // when the clock is set forward
	} {
		_, err := store.ParseSchedule(expression, "Europe/Berlin")
		if want := `schedule "` + expression + `" never runs: no date fits it`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c, err := store.ParseSchedule("30 2 ? 3 0L", "Asia/Tokyo")
	if err != nil || c.Last(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		t.Error(err)
	}
}

// A schedule is refused by its length before anybody reads it, and so is a time zone.
func TestSchedulesHaveALength(t *testing.T) {
	t.Parallel()
	hourly := strings.Repeat("0,", 31_000) + "0 * * * *"
	longest := strings.Repeat("0,", (store.MaxSchedule-len("0 * * * *"))/2) + "0 * * * *"
	if _, err := store.ParseSchedule(longest, ""); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ expression, zone, want string }{
		{hourly, "", "schedule is too long: 62009 characters, and 200 are the most"},
		{longest + "00", "", "schedule is too long: 201 characters, and 200 are the most"},
		{"1h", strings.Repeat("é", 101), "timezone is too long: 101 characters, and 100 are the most"},
	} {
		_, err := store.ParseSchedule(tt.expression, tt.zone)
		if _, ok := message.As(err); !ok || err.Error() != tt.want {
			t.Errorf("%.300v, want %s", err, tt.want)
		}
	}
}

// A schedule that cannot be read holds up no other: its dashboard is refreshed once a day.
func TestUnreadableScheduleHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	hourly, err := store.ParseSchedule("1h", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{"bad", "good"} {
		b.finish(t, b.spec(t, b.owner, slug, `{}`), 1)
		if _, err := b.Refreshes.SetSchedule(t.Context(), b.owner, slug, hourly); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.pool.Exec(t.Context(), `UPDATE schedule SET expression = '0,, * * * *', next_run_at = next_run_at - interval '1 minute'
		 WHERE dashboard_id = (SELECT id FROM dashboard WHERE slug = 'bad')`); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if n, err := b.Refreshes.Tick(t.Context()); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	for slug, want := range map[string]time.Duration{"bad": 24 * time.Hour, "good": time.Hour} {
		if d, err := b.Dashboards.Dashboard(t.Context(), b.owner, slug); err != nil || d.NextRunAt == nil || !d.NextRunAt.Equal(now.Add(want)) {
			t.Errorf("%s: %v, %v", slug, d.NextRunAt, err)
		}
	}
}

// Migration 0016 sets schedules that are too long to off, and no others. The table then refuses such schedules.
func TestLongSchedulesAreSetOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hourly, err := store.ParseSchedule("1h", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{"long", "short"} {
		b.finish(t, b.spec(t, b.owner, slug, `{}`), 1)
		if _, err := b.Refreshes.SetSchedule(t.Context(), b.owner, slug, hourly); err != nil {
			t.Fatal(err)
		}
	}
	lengthen := func() error {
		_, err := b.pool.Exec(t.Context(), `UPDATE schedule SET expression = repeat('0,', 31000) || '0 * * * *'
			 WHERE dashboard_id = (SELECT id FROM dashboard WHERE slug = 'long')`)
		return err
	}
	refused := func(err error) bool {
		pg, ok := errors.AsType[*pgconn.PgError](err)
		return ok && pg.Code == "23514"
	}
	if err := lengthen(); !refused(err) {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), `
		ALTER TABLE schedule DROP CONSTRAINT schedule_expression_check, DROP CONSTRAINT schedule_timezone_check`); err != nil {
		t.Fatal(err)
	}
	if err := lengthen(); err != nil {
		t.Fatal(err)
	}
	sql, err := migrations.Files.ReadFile("0016_schedule_length.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(t.Context(), string(sql)); err != nil {
		t.Fatal(err)
	}
	for slug, off := range map[string]bool{"long": true, "short": false} {
		if d, err := b.Dashboards.Dashboard(t.Context(), b.owner, slug); err != nil || (d.NextRunAt == nil) != off {
			t.Errorf("%s: %v, %v", slug, d.NextRunAt, err)
		}
	}
}
