package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/locale"
	"service/store/message"
	"service/store/pattern"
)

// scheduleView is the form of the schedule, with the next runs of the stored schedule.
type scheduleView struct {
	Form    form           // rhythm, at, timezone, schedule
	Says    string         // the stored schedule in words; empty if it is off
	Zone    *time.Location // zone of the stored schedule
	Next    []time.Time
	Rhythms []optionGroup
}

// Zones returns the suggested time zones.
func (scheduleView) Zones() []string { return zones }

// zones are the time zones that forms suggest. People can type others.
var zones = []string{
	"UTC", "America/Chicago", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Shanghai",
	"Asia/Singapore", "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin", "Europe/London", "Europe/Paris",
}

// The choices of a schedule in addition to [rhythms] and the intervals of [store.ParseSchedule].
const (
	scheduleOff      = "off"
	scheduleWeekdays = "weekdays"
	scheduleOther    = "other" // five cron fields, typed as text

	everyMinute = "1m" // offered where the operator allows it
)

// An interval is a schedule without a time of day.
type interval struct {
	expression string
	name       locale.Key
}

var intervals = []interval{
	{everyMinute, locale.Key("Every minute")},
	{"5m", locale.Key("Every 5 minutes")},
	{"15m", locale.Key("Every 15 minutes")},
	{"1h", locale.Key("Every hour")},
	{"6h", locale.Key("Every 6 hours")},
}

func intervalOf(expression string) (name locale.Key, ok bool) {
	i := slices.IndexFunc(intervals, func(i interval) bool { return i.expression == expression })
	if i < 0 {
		return "", false
	}
	return intervals[i].name, true
}

// scheduleChoices returns the choices of the form: off, intervals of at least the length given, days of the week and of the month at a
// time, and cron.
func scheduleChoices(l *locale.Locale, least time.Duration) []optionGroup {
	often := optionGroup{Options: []option{{scheduleOff, l.Text("No schedule")}}}
	for _, i := range intervals {
		if i.expression == everyMinute && least > time.Minute {
			continue
		}
		often.Options = append(often.Options, option{i.expression, l.Text(i.name)})
	}
	days, timed := rhythms(l), []option{{dashboard.EveryDay, l.Text("Every day")}, {scheduleWeekdays, l.Text("Monday to Friday")}}
	often.Options = append(often.Options, timed...)
	month := days[2]
	month.Options = month.Options[:len(month.Options)-1] // cron cannot express the last day
	return []optionGroup{often, days[1], month, {Name: l.Text("Other"), Options: []option{{scheduleOther, l.Text("Five cron fields")}}}}
}

// expressionOf returns the expression for [store.ParseSchedule] of a choice of [scheduleChoices]. For a form without a
// choice it returns the text of the schedule.
func expressionOf(f *form) (expression string, problem locale.Key) {
	choice := f.Typed("rhythm")
	_, isInterval := intervalOf(choice)
	switch {
	case choice == "" || choice == scheduleOther:
		f.typed["rhythm"] = scheduleOther
		return f.Typed("schedule"), ""
	case choice == scheduleOff || isInterval:
		return choice, ""
	}
	weekdays := choice == scheduleWeekdays
	if weekdays {
		choice = dashboard.EveryDay
	}
	r, problem := rhythmOf(choice, f.Typed("at"))
	if problem != "" {
		return "", problem
	}
	at := strconv.Itoa(r.Minute%60) + " " + strconv.Itoa(r.Minute/60)
	switch {
	case weekdays:
		return at + " * * 1-5", ""
	case r.Every == dashboard.EveryDay:
		return "daily " + r.Clock(), ""
	case r.Every == dashboard.EveryWeek:
		return "weekly " + dashboard.Weekdays[r.Day] + " " + r.Clock(), ""
	case r.Every == dashboard.EveryMonth:
		return at + " " + strconv.Itoa(r.Day) + " * *", ""
	}
	return f.Typed("rhythm"), "" // not a choice of the form; the store refuses it
}

var (
	namedTime = pattern.New(`^(daily|weekly ([a-z]{3})[a-z]*) (\d\d:\d\d)$`)
	cronTime  = pattern.New(`^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|[0-6]|1-5)$`)
)

// choiceOf returns the choice for a schedule, and its rhythm if that has a time of day.
func choiceOf(expression string) (choice string, r dashboard.Rhythm) {
	if m := namedTime.FindStringSubmatch(expression); m != nil {
		r.Minute, _ = dashboard.ParseClock(m[3])
		if r.Every = dashboard.EveryDay; m[2] == "" {
			return r.Every, r
		}
		r.Every, r.Day = dashboard.EveryWeek, slices.Index(dashboard.Weekdays, m[2])
		return rhythmValue(r.Every, r.Day), r
	}
	if m := cronTime.FindStringSubmatch(strings.Join(strings.Fields(expression), " ")); m != nil {
		minute, _ := strconv.Atoi(m[1])
		hour, _ := strconv.Atoi(m[2])
		day, _ := strconv.Atoi(m[3])
		r.Minute = hour*60 + minute
		switch {
		case m[3] == "*" && m[4] == "1-5":
			r.Every = dashboard.EveryDay
			return scheduleWeekdays, r
		case m[3] == "*" && m[4] == "*":
			r.Every = dashboard.EveryDay
			return r.Every, r
		case m[3] == "*":
			r.Every = dashboard.EveryWeek
			r.Day, _ = strconv.Atoi(m[4])
			return rhythmValue(r.Every, r.Day), r
		case m[4] == "*" && day <= 28:
			r.Every, r.Day = dashboard.EveryMonth, day
			return rhythmValue(r.Every, r.Day), r
		}
	}
	if _, ok := intervalOf(expression); ok || expression == scheduleOff {
		return expression, r
	}
	return scheduleOther, r
}

// scheduleWords returns a schedule in words, such as "Every day at 07:00
// (Europe/Berlin)".
func scheduleWords(l *locale.Locale, expression, zone string) string {
	choice, r := choiceOf(expression)
	switch {
	case choice == scheduleOther:
		return expression + " (" + zone + ")"
	case choice == scheduleWeekdays:
		return l.Text("Monday to Friday at %s (%s)", r.Clock(), zone)
	case r.Every != "":
		return says(l, r, zone)
	}
	if name, ok := intervalOf(expression); ok {
		return l.Text(name)
	}
	return l.Text("No schedule")
}

// scheduleOf returns the form with the stored schedule of d, or with the typed values.
func (a *App) scheduleOf(v *visit, d store.Dashboard, typed *form) (scheduleView, error) {
	c, err := a.Store.Refreshes.Schedule(v.r.Context(), *v.in, d)
	if err != nil {
		return scheduleView{}, err
	}
	s := scheduleView{Next: c.Next(a.Now(), 3), Rhythms: scheduleChoices(v.Locale, a.Store.Refreshes.MinSchedule())}
	if s.Zone, err = time.LoadLocation(c.Timezone); err != nil {
		return s, err
	}
	choice, r := choiceOf(c.Expression)
	s.Form = filled("rhythm", choice, "at", "07:00", "timezone", c.Timezone, "schedule", "")
	switch {
	case c.Off():
		s.Form.typed["timezone"] = zoneOf(v).String()
	case choice == scheduleOther:
		s.Form.typed["schedule"] = c.Expression
	case r.Every != "":
		s.Form.typed["at"] = r.Clock()
	}
	if !c.Off() {
		s.Says = scheduleWords(v.Locale, c.Expression, c.Timezone)
	}
	if typed != nil {
		s.Form = *typed
	}
	return s, nil
}

// setSchedule sets the schedule. A refused form is shown again as it was typed.
func (a *App) setSchedule(v *visit) error {
	f := typedIn(v, "rhythm", "at", "schedule", "timezone")
	expression, problem := expressionOf(&f)
	if problem != "" {
		f.refuse("at", v.Text(problem))
		return a.showDashboard(v, mend{schedule: &f})
	}
	c, err := a.Store.Refreshes.ParseSchedule(expression, f.Typed("timezone"))
	if refusal, ok := message.As(err); ok {
		field := "schedule"
		if strings.HasPrefix(refusal.Error(), "timezone ") {
			field = "timezone"
		} else {
			f.typed["rhythm"] = scheduleOther // the text is there
		}
		f.refuse(field, refusal.Error())
		return a.showDashboard(v, mend{schedule: &f})
	}
	return a.change("refresh", func(v *visit, slug string) (string, error) {
		if _, err := a.Store.Refreshes.SetSchedule(v.r.Context(), *v.in, slug, c); err != nil {
			return "", err
		}
		if c.Off() {
			return v.Text("The schedule is off."), nil
		}
		return v.Text("The schedule is set: %s.", scheduleWords(v.Locale, c.Expression, c.Timezone)), nil
	})(v)
}
