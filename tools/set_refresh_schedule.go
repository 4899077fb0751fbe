package tools

import (
	"context"
	"errors"
	"time"

	"service/store"
	"service/store/message"
)

var setRefreshSchedule = tool[setRefreshScheduleArgs]{
	name:  "set_refresh_schedule",
	title: "Set refresh schedule",
	description: `Sets, changes or removes the schedule of a refreshable dashboard; the shortest interval is 5 minutes by default. The ` +
		`response has the next three times. The schedule is not part of the spec: publishing another spec keeps it, a static body removes ` +
		`it. A static dashboard is refused.`,
	hints:  hints{destructive: true, idempotent: true},
	output: refreshSchedule{},
	scope:  dashboardScope,
	run:    runSetRefreshSchedule,
}

type setRefreshScheduleArgs struct {
	Slug     slug   `json:"slug" arg:"required"`
	Schedule string `json:"schedule" arg:"required"`
	Timezone string `json:"timezone" doc:"IANA time zone that the times are in." default:"\"UTC\"" eg:"Europe/Berlin"`
	inWorkspace
}

func (setRefreshScheduleArgs) explain(name string) (doc, example string) {
	if name == "schedule" {
		return `off, 5m, 15m, 1h, 6h, "daily HH:MM", "weekly <day> HH:MM", "monthly <day> HH:MM" (1 to 31, 31: last; first ` +
			`monday, last weekday), or five cron fields. No default.`, "daily 07:30"
	}
	return "", ""
}

type refreshSchedule struct {
	answer
	Workspace string   `json:"workspace"`
	Slug      string   `json:"slug"`
	Enabled   bool     `json:"enabled"`
	Schedule  string   `json:"schedule"`
	Timezone  string   `json:"timezone"`
	NextRuns  []string `json:"next_runs"` // the next three, in UTC; empty if off
	Warnings  []string `json:"warnings,omitempty"`
}

func runSetRefreshSchedule(ctx context.Context, c call, in setRefreshScheduleArgs) (*reply, error) {
	s, err := c.Store.Refreshes.ParseSchedule(in.Schedule, in.Timezone)
	if err != nil {
		return nil, err
	}
	found, err := c.Store.Dashboards.DetailWith(ctx, c.Member, string(in.Slug), store.PartSource)
	d := found.Dashboard
	if err == nil {
		_, err = c.Store.Refreshes.SetSchedule(ctx, c.Member, d.Slug, s)
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, message.NoDashboardNamed(string(in.Slug))
	case errors.Is(err, store.ErrStatic):
		return nil, staticRefusal(d)
	case err != nil:
		return nil, err
	}
	out := refreshSchedule{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug,
		Enabled: !s.Off(), Schedule: s.Expression, Timezone: s.Timezone, NextRuns: []string{}, Warnings: c.scheduleWarnings(ctx, found, s),
	}
	runs := s.Next(c.Now(), 3)
	for _, t := range runs {
		out.NextRuns = append(out.NextRuns, stamp(t))
	}
	if len(runs) == 0 {
		return replyWith(&out, `"%s" no longer refreshes by itself: %s`, d.Slug, out.URL).structure(), nil
	}
	warnings := ""
	for _, w := range out.Warnings {
		warnings += " " + w
	}
	return replyWith(&out, `"%s" refreshes on the schedule "%s" (%s), next at %s, %s: %s%s`,
		d.Slug, s.Expression, s.Timezone, local(runs[0], s.Timezone), ago(c.Now(), runs[0]), out.URL, warnings).structure(), nil
}

// local returns t in a time zone, with the zone's name.
func local(t time.Time, timezone string) string {
	if l, err := time.LoadLocation(timezone); err == nil {
		t = t.In(l)
	}
	return t.Format("Mon 2006-01-02 15:04 MST")
}
