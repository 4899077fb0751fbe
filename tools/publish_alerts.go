package tools

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/alert"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
	"service/store/fault"
)

// checkChannels checks that the alerts, deliveries and row rules of a spec name channels of the workspace.
func (c call) checkChannels(ctx context.Context, s *dashboard.Spec) error {
	if len(s.Deliver) == 0 && len(s.Access) == 0 && !slices.ContainsFunc(s.Alerts, func(a dashboard.Alert) bool { return len(a.To) > 0 }) {
		return nil
	}
	all, err := c.Store.Messages.Channels(ctx, c.Member)
	if err != nil {
		return err
	}
	var slugs []string
	for _, ch := range all {
		slugs = append(slugs, ch.Slug)
	}
	return s.CheckRecipients(slugs)
}

// A triedAlert reports how an alert would have behaved with the rows of a dry run.
type triedAlert struct {
	ID    string `json:"id"`
	Would string `json:"would"`
}

// Limits of the lists of a triedAlert.
const (
	maxFirings = 10 // dates
	maxFiring  = 3  // values of one date
)

// tryAlerts replays the alerts of a spec over the rows of a dry run, and warns of alerts that are useless. Together they judge at most
// [alert.MostReplayed] values until ctx ends; each gets an equal share of the remaining values. If the replay of an alert panics, the
// answer reports a fault, and the others are tried.
func tryAlerts(ctx context.Context, log *slog.Logger, v page.View) (tried []triedAlert, warnings []dashboard.Warning) {
	in := alert.Input{Spec: v.Spec, Cubes: v.Cubes, Truncated: v.Truncated, AsOf: v.Now, LastGood: v.Now}
	left := alert.MostReplayed
	for i := range v.Spec.Alerts {
		a := &v.Spec.Alerts[i]
		if ctx.Err() != nil { // the caller is no longer waiting for the answer
			return tried, warnings
		}
		path := fmt.Sprintf("alerts[%d]", i)
		r, would, ok := tryAlert(ctx, log, in, a, left/(len(v.Spec.Alerts)-i))
		left -= min(r.Judged, left)
		if tried = append(tried, triedAlert{a.ID, would}); !ok {
			warnings = append(warnings, dashboard.Warnf(dashboard.WarnAlertNever, path,
				"it cannot be judged because of a fault in the service; an equivalent condition may work."))
		}
		switch {
		case r.Always:
			warnings = append(warnings, dashboard.Warnf(dashboard.WarnAlertAlways, path,
				"it holds always, in %s of the last %s, so it would fire all the time.", count(r.Periods, "period"), count(r.Days, "day")))
		case r.Never != "" && r.Never != alert.NoRows:
			warnings = append(warnings, dashboard.Warnf(dashboard.WarnAlertNever, path, "it cannot fire as the rows are: %s.", whyNot[r.Never]))
		case ok && isOfOld(a, r) && holding(r.Now) > 0:
			warnings = append(warnings, dashboard.Warnf(dashboard.WarnDoubtful, path,
				"it %s, because of %s: the last complete period with rows is checked, and the rows end there.",
				firesAfter(a), periodName(r.Now.Grain, r.Now.Findings[0].Period)))
		}
	}
	return tried, warnings
}

// tryAlert replays an alert and returns how it would have behaved. If that panics, it logs the stack, without values of
// the rows.
func tryAlert(
	ctx context.Context, log *slog.Logger, in alert.Input, a *dashboard.Alert, most int,
) (r alert.Replayed, would string, ok bool) {
	defer func() {
		if ok {
			return
		}
		if v := recover(); v != nil {
			log.ErrorContext(ctx, "an alert panicked", "alert", a.ID, "err", fault.Text(v), "stack", fault.Callers())
			r, would = alert.Replayed{}, "cannot be judged because of a fault in the service"
		}
	}()
	r = alert.ReplayUpTo(ctx, in, a, most)
	return r, wouldHave(a, r), true
}

// whyNot has the reasons why an alert could not be judged.
var whyNot = map[alert.Reason]string{
	alert.NoRows:    "there are no rows yet",
	alert.Failed:    "the refresh of its rows failed",
	alert.Truncated: "its rows are cut at a limit, so values would be wrong",
	alert.TooMany:   fmt.Sprintf("by has more than %d values", dashboard.MaxAlertValues),
	alert.NoGrain:   "the times are finer than a minute, so grain must name the periods",
	alert.NoPeriod:  "no period of x is complete",
	alert.Unclear:   "rows of a measure would be merged, and it is not defined how it adds up",
	alert.NoHistory: "there is too little before a period to compare it with",
	alert.NoValue:   "there is no value",
}

// wouldHave returns a text on how an alert would have behaved.
func wouldHave(a *dashboard.Alert, r alert.Replayed) string {
	text := behaved(a, r)
	if r.Cut && r.Periods > 0 {
		text += fmt.Sprintf(" (of %d days, only so many were tried: the periods and values of all alerts are too many for a dry run)",
			alert.ReplayDays)
	}
	return text
}

func behaved(a *dashboard.Alert, r alert.Replayed) string {
	switch {
	case a.Condition == dashboard.AlertFailing:
		if a.For == 1 {
			return "fires when a refresh fails"
		}
		return fmt.Sprintf("fires when %d refreshes fail in a row", a.For)
	case a.Condition == dashboard.AlertStale:
		return fmt.Sprintf("fires when no refresh has succeeded for %s", dashboard.LengthOf(a.Stale))
	case r.Never != "":
		return "cannot be judged: " + whyNot[r.Never]
	case a.X == "":
		return holdsNow(a, r.Now)
	case r.Periods == 0 && r.Cut:
		return "was not tried: the periods and values of all alerts are too many for a dry run; a coarser grain makes fewer"
	case isOfOld(a, r):
		return ofOld(a, r.Now)
	case r.Periods == 0:
		return fmt.Sprintf("the data have no period in the last %d days that could be judged", alert.ReplayDays)
	case r.Always:
		return fmt.Sprintf("holds always, in %s of the last %s", count(r.Periods, "period"), count(r.Days, "day"))
	case len(r.Fired) == 0:
		return fmt.Sprintf("would not have fired in the last %s", count(r.Days, "day"))
	}
	var dates []string
	for _, f := range r.Fired[:min(len(r.Fired), maxFirings)] {
		dates = append(dates, periodName(r.Now.Grain, f.Period)+firingNames(a, f))
	}
	more := ""
	if n := len(r.Fired) - len(dates); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("would have fired %s in the last %s: %s%s", count(len(r.Fired), "time"), count(r.Days, "day"),
		strings.Join(dates, ", "), more)
}

// isOfOld reports whether an alert judges the last period of data that end before the days of a replay.
func isOfOld(a *dashboard.Alert, r alert.Replayed) bool {
	return a.X != "" && r.Never == "" && r.Periods == 0 && !r.Cut && len(r.Now.Findings) > 0
}

// ofOld returns a text on an alert over data that end before the days of a replay.
func ofOld(a *dashboard.Alert, r alert.Reading) string {
	of := fmt.Sprintf("the data have no complete period in the last %d days; the last one, %s, is checked: ",
		alert.ReplayDays, periodName(r.Grain, r.Findings[0].Period))
	switch n := holding(r); {
	case n == 0:
		return of + "the condition does not hold there"
	case a.By == "":
		return of + "the condition holds there, so it " + firesAfter(a)
	default:
		return of + fmt.Sprintf("the condition holds there for %s, so it %s", count(n, "value"), firesAfter(a))
	}
}

// firesAfter returns a text on when an alert fires whose condition holds on the rows of a dry run.
func firesAfter(a *dashboard.Alert) string {
	if a.For == 1 {
		return "fires at the first refresh"
	}
	return fmt.Sprintf("fires after %d refreshes", a.For)
}

// holding returns the number of values for which the condition of an alert holds.
func holding(r alert.Reading) int {
	n := 0
	for _, f := range r.Findings {
		if f.Holds {
			n++
		}
	}
	return n
}

// holdsNow returns a text on whether an alert over all rows holds, and for how many
// values.
func holdsNow(a *dashboard.Alert, r alert.Reading) string {
	holds, first := holding(r), ""
	if i := slices.IndexFunc(r.Findings, func(f alert.Finding) bool { return f.Holds }); i >= 0 {
		first = valueName(r.Findings[i])
	}
	value := ""
	if a.By == "" && len(r.Findings) == 1 {
		if v, ok := cube.Float(r.Findings[0].Value); ok {
			value = fmt.Sprintf(": %s is %s", a.Value, strconv.FormatFloat(v, 'f', -1, 64))
		} else if a.Condition == dashboard.AlertRows {
			value = ": there are " + count(r.Findings[0].Rows, "row")
		}
	}
	switch {
	case holds == 0:
		return "does not hold at present" + value
	case a.By == "":
		return "holds at present" + value
	case holds == 1:
		return "holds at present for " + first
	}
	return fmt.Sprintf("holds at present for %s and %d more", first, holds-1)
}

// firingNames lists the values of by for which an alert would have begun to fire, in
// parentheses.
func firingNames(a *dashboard.Alert, f alert.Firing) string {
	if a.By == "" {
		return ""
	}
	var names []string
	for _, found := range f.Findings[:min(len(f.Findings), maxFiring)] {
		names = append(names, valueName(found))
	}
	if n := len(f.Findings) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// valueName returns a value of by, which is data from the source.
func valueName(f alert.Finding) string {
	if f.Name == nil {
		return "no value"
	}
	return quoted(clip(cube.Label(f.Name), 60))
}

// periodName names a period by the time at which it begins.
func periodName(g cube.Grain, t time.Time) string {
	switch g {
	case cube.Minutely, cube.Hourly:
		return t.Format("2 Jan 2006 15:04")
	case cube.Monthly:
		return t.Format("Jan 2006")
	case cube.Quarterly:
		return fmt.Sprintf("Q%d %d", (t.Month()+2)/3, t.Year())
	case cube.Yearly:
		return t.Format("2006")
	case cube.Weekly:
		return "the week of " + t.Format("2 Jan 2006")
	}
	return t.Format("2 Jan 2006")
}
