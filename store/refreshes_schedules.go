package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
	"service/store/pattern"
)

// MinSchedule is the shortest time between two runs of a schedule, unless [Options] have another; that is at least [LeastSchedule].
const (
	MinSchedule   = 5 * time.Minute
	LeastSchedule = time.Minute
)

// A Schedule is when a dashboard is refreshed.
type Schedule struct {
	Expression string // off, 1m, 5m, 15m, 1h, 6h, daily HH:MM, weekly <day> HH:MM, monthly <day> HH:MM, or a 5-field cron
	Timezone   string // IANA name
	cron       *cron  // nil for off
	location   *time.Location
}

// The maximal lengths of a schedule and of the name of a time zone, in characters. Each element of a list is evaluated for each value of
// its field, so that these bound the cost of a schedule. The table has the same limits.
const (
	MaxSchedule = 200
	maxZone     = 100
)

// Off reports whether the schedule never runs.
func (c Schedule) Off() bool { return c.cron == nil }

var (
	dailyForm  = pattern.New(`^daily ([01]\d|2[0-3]):([0-5]\d)$`)
	weeklyForm = pattern.New(`^weekly (mon|tue|wed|thu|fri|sat|sun|` +
		`monday|tuesday|wednesday|thursday|friday|saturday|sunday) ([01]\d|2[0-3]):([0-5]\d)$`)
	monthlyForm = pattern.New(`^monthly ([1-9]|1\d|2[0-8]|31|[a-zA-Z0-9]+(?: [a-zA-Z]+){1,2}) ([01]\d|2[0-3]):([0-5]\d)$`)
	weekdays    = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
)

// ParseSchedule reads a schedule. An empty timezone is UTC. Its errors are
// refusals that name the forms. A store refuses some of the schedules: see [Refreshes.ParseSchedule].
func ParseSchedule(expression, timezone string) (Schedule, error) {
	c, err := readSchedule(expression, timezone)
	if err == nil && !c.Off() && len(c.firstRuns(1)) == 0 {
		return Schedule{}, message.Refuse(`schedule "%s" never runs: no date fits it`, expression)
	}
	return c, err
}

// firstRuns are the first n runs of the year in which this was written.
func (c Schedule) firstRuns(n int) []time.Time {
	return c.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), n)
}

// ParseSchedule is the function of this name, and refuses a schedule that runs more often than the operator allows.
func (s Refreshes) ParseSchedule(expression, timezone string) (Schedule, error) {
	c, err := ParseSchedule(expression, timezone)
	if err != nil {
		return c, err
	}
	runs := c.firstRuns(200)
	for i := 1; i < len(runs); i++ {
		if runs[i].Sub(runs[i-1]) >= s.opt.MinSchedule {
			continue
		}
		every := strconv.FormatFloat(s.opt.MinSchedule.Minutes(), 'f', -1, 64) + " minutes"
		return Schedule{}, message.Refuse(`schedule "%s" runs more often than every %s, the most that the operator of this service allows`,
			expression, every)
	}
	return c, nil
}

// MinSchedule is the shortest time between two runs of a schedule of this store.
func (s Refreshes) MinSchedule() time.Duration { return s.opt.MinSchedule }

// readSchedule reads a schedule as [ParseSchedule] does. It does not check the runs, because those of a stored schedule were checked.
func readSchedule(expression, timezone string) (Schedule, error) {
	if timezone == "" {
		timezone = "UTC"
	}
	if n := utf8.RuneCountInString(timezone); n > maxZone {
		return Schedule{}, message.Refuse(`timezone is too long: %d characters, and %d are the most`, n, maxZone)
	}
	if n := utf8.RuneCountInString(expression); n > MaxSchedule {
		return Schedule{}, message.Refuse(`schedule is too long: %d characters, and %d are the most`, n, MaxSchedule)
	}
	location, err := time.LoadLocation(timezone)
	if err != nil || timezone == "Local" {
		return Schedule{}, message.Refuse(`timezone "%s" is not an IANA time zone such as "Europe/Berlin" or "UTC"`, timezone)
	}
	c := Schedule{Expression: expression, Timezone: timezone, location: location}
	fields := strings.Fields(expression)
	monthly, ok := dashboard.Rhythm{Every: dashboard.EveryMonth}, false
	switch {
	case expression == "off":
		return c, nil
	case expression == "1m":
		fields = strings.Fields("* * * * *")
	case expression == "5m":
		fields = strings.Fields("*/5 * * * *")
	case expression == "15m":
		fields = strings.Fields("*/15 * * * *")
	case expression == "1h":
		fields = strings.Fields("0 * * * *")
	case expression == "6h":
		fields = strings.Fields("0 */6 * * *")
	case dailyForm.MatchString(expression):
		at := dailyForm.FindStringSubmatch(expression)
		fields = []string{at[2], at[1], "*", "*", "*"}
	case weeklyForm.MatchString(expression):
		at := weeklyForm.FindStringSubmatch(expression)
		fields = []string{at[3], at[2], "*", "*", strconv.Itoa(slices.Index(weekdays, at[1][:3]))}
	case monthlyForm.MatchString(expression):
		at := monthlyForm.FindStringSubmatch(expression)
		if monthly.Day, ok = monthDay(at[1]); ok {
			fields = []string{at[3], at[2], "*", "*", "*"}
		}
	}
	if c.cron, ok = parseCron(fields); ok && monthly.Day != 0 {
		c.cron.monthly = monthly
	}
	if !ok || strings.Contains(expression, "=") {
		return Schedule{}, message.Refuse(`schedule "%s" is not one of: off, 5m, 15m, 1h, 6h, "daily HH:MM", "weekly <day> HH:MM", `+
			`"monthly <day> HH:MM" with a day such as 1, 31 for the last, first monday, or last weekday, `+
			`or a cron expression of five fields such as "0 7 * * 1-5"`, expression)
	}
	return c, nil
}

// monthDay reads a day of each month, as deliveries name it: a number, where 31 is the last, or words.
func monthDay(text string) (day int, ok bool) {
	if day, err := strconv.Atoi(text); err == nil {
		return day, true
	}
	return dashboard.ParseMonthDay(text)
}

// Next returns the next n times after a time at which the schedule runs. It returns none for a
// schedule that is off or that matches no date.
func (c Schedule) Next(after time.Time, n int) (runs []time.Time) {
	if c.Off() {
		return nil
	}
	for len(runs) < n {
		if after = c.cron.after(after, c.location); after.IsZero() {
			break
		}
		runs = append(runs, after.UTC())
	}
	return runs
}

// Last returns the last time up to t at which the schedule ran, or zero for none.
func (c Schedule) Last(t time.Time) time.Time {
	if c.Off() {
		return time.Time{}
	}
	return c.cron.before(t, c.location).UTC()
}

// SetSchedule sets when the dashboard called slug is refreshed. It returns
// [ErrStatic] for a dashboard without a spec. A schedule that is set already is not set again, and not logged.
func (s Refreshes) SetSchedule(ctx context.Context, m Member, slug string, c Schedule) (Dashboard, error) {
	var d Dashboard
	err := s.tx(ctx, func(tx pgx.Tx) (err error) {
		if d, err = lockDashboard(ctx, tx, m.workspace, slug); err != nil {
			return err
		}
		if !d.Refreshable() {
			return ErrStatic
		}
		before, err := storedSchedule(ctx, tx, m, d)
		if err != nil || before.Expression == c.Expression && (c.Off() || before.Timezone == c.Timezone) {
			return err
		}
		if c.Off() {
			_, err = tx.Exec(ctx, `DELETE FROM schedule WHERE workspace_id = $1 AND dashboard_id = $2`, m.workspace, d.ID)
		} else {
			_, err = tx.Exec(ctx, `
				INSERT INTO schedule (workspace_id, dashboard_id, expression, timezone, next_run_at, updated_by, updated_at)
				VALUES ($1, $2, $3, $4, $5, $6, $7)
				ON CONFLICT (workspace_id, dashboard_id) DO UPDATE
				   SET expression = excluded.expression, timezone = excluded.timezone, next_run_at = excluded.next_run_at,
				       updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
				m.workspace, d.ID, c.Expression, c.Timezone, c.Next(s.jobNow(), 1)[0], m.account, s.jobNow())
		}
		if err != nil {
			return err
		}
		if err := s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "dashboard.schedule", Subject: d.Slug,
			Detail: map[string]any{"schedule": c.Expression, "timezone": c.Timezone},
		}); err != nil {
			return err
		}
		d, err = findDashboard(ctx, tx, m.workspace, slug)
		return err
	})
	return d, err
}

// Schedule returns the schedule of d, or one that is off.
func (s Refreshes) Schedule(ctx context.Context, m Member, d Dashboard) (Schedule, error) {
	c, err := storedSchedule(ctx, s.pool, m, d)
	if err != nil || c.Expression == "off" {
		return c, err
	}
	return readSchedule(c.Expression, c.Timezone)
}

// storedSchedule is the schedule of d as it was set, or off. It is not parsed.
func storedSchedule(ctx context.Context, q querier, m Member, d Dashboard) (Schedule, error) {
	c := Schedule{Expression: "off", Timezone: "UTC"}
	err := q.QueryRow(ctx, `SELECT expression, timezone FROM schedule WHERE workspace_id = $1 AND dashboard_id = $2`,
		m.workspace, d.ID).Scan(&c.Expression, &c.Timezone)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return c, err
}

// Tick queues up to 100 refreshes that are due, and sets when they are due next. Several missed times
// are one run. Several replicas may call it at once.
func (s Refreshes) Tick(ctx context.Context) (queued int, err error) {
	type due struct {
		Workspace, Dashboard, Version uuid.UUID
		Expression, Timezone          string
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		queued = 0
		rows, _ := tx.Query(ctx, `
			SELECT c.workspace_id, c.dashboard_id, d.version_id, c.expression, c.timezone
			  FROM schedule c JOIN dashboard d ON d.workspace_id = c.workspace_id AND d.id = c.dashboard_id
			 WHERE c.next_run_at <= $1 ORDER BY c.next_run_at LIMIT 100 FOR UPDATE OF c SKIP LOCKED`, s.jobNow())
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[due])
		if err != nil {
			return err
		}
		for _, c := range all {
			if _, _, err := s.enqueue(ctx, tx, c.Workspace, c.Dashboard, c.Version, uuid.Nil, CauseSchedule); err != nil {
				return err
			}
			queued++
			next := s.jobNow().Add(24 * time.Hour)
			if parsed, err := readSchedule(c.Expression, c.Timezone); err != nil { // the time zone no longer exists: try again tomorrow
				s.opt.Log.WarnContext(ctx, "a stored schedule cannot be read: it runs once a day",
					"workspace_id", c.Workspace, "dashboard_id", c.Dashboard, "err", err)
			} else if runs := parsed.Next(s.jobNow(), 1); len(runs) > 0 {
				next = runs[0]
			}
			if _, err := tx.Exec(ctx, `UPDATE schedule SET next_run_at = $3 WHERE workspace_id = $1 AND dashboard_id = $2`,
				c.Workspace, c.Dashboard, next); err != nil {
				return err
			}
		}
		return nil
	})
	return queued, err
}
