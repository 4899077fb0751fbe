package web

import (
	"errors"
	"strings"
	"time"

	"service/store"
	"service/store/dashboard/alert"
	"service/store/dashboard/locale"
	"service/store/message"
)

// eventsShown is the number of events on the screen of alerts.
const eventsShown = 50

// alertsPage lists the alerts of a workspace with their states, and their latest events.
type alertsPage struct {
	Alerts []alertRow
	Pages  pages
	Firing int
	Events []alertEventRow
	Mutes  []muteOption
}

type alertRow struct {
	store.Alert
	State  locale.Key
	Tone   string // tone of the state
	Why    string // reason why the alert could not be judged; empty if it could
	Tells  string // the people and channels that it notifies
	Muted  bool
	Always bool // it is muted until somebody unmutes it
	More   int  // number of firing values that are not listed
}

type alertEventRow struct {
	store.AlertEvent
	What locale.Key
	Tone string
	Told string
}

// A muteOption is a length of time for which an alert can be muted.
type muteOption struct {
	Value string
	Name  locale.Key
}

// mutes are the lengths of time for which alerts are muted.
var mutes = []muteOption{
	{Value: "1h", Name: "For an hour"},
	{Value: "24h", Name: "For a day"},
	{Value: "168h", Name: "For a week"},
	{Value: "forever", Name: "Until it is unmuted"},
}

// severityNames are the names of the severities.
var severityNames = map[string]locale.Key{"critical": "Critical", "warning": "Warning", "info": "Information"}

// severityTones are the tones of the badges of firing alerts.
var severityTones = map[string]string{"critical": "bad", "warning": "warn", "info": "plain"}

// whyUnknown has the reasons why an alert could not be judged.
var whyUnknown = map[alert.Reason]locale.Key{
	alert.NoRows:    "There are no rows of this refresh.",
	alert.Failed:    "The last refresh failed.",
	alert.Truncated: "The rows were cut at a limit, so values would be wrong.",
	alert.TooMany:   "There are more values than an alert takes.",
	alert.NoGrain:   "The times are finer than a minute: the spec must name the grain.",
	alert.NoPeriod:  "No period is complete yet.",
	alert.Unclear:   "Rows would be merged, and it is not defined how they add up.",
	alert.NoHistory: "There is too little before to compare with.",
	alert.NoValue:   "There is no value.",
}

func (a *App) alerts(v *visit) error {
	ctx := v.r.Context()
	all, err := a.Store.Alerts.Alerts(ctx, *v.in)
	if err != nil {
		return err
	}
	events, err := a.Store.Alerts.AlertEvents(ctx, *v.in, eventsShown)
	if err != nil {
		return err
	}
	page := alertsPage{Mutes: mutes}
	for _, al := range all {
		if al.Firing > 0 {
			page.Firing++
		}
	}
	all, page.Pages = cut(v, a.readerOf(v), alertsURL(v), all, func(al store.Alert) string { return al.Slug + "/" + al.ID })
	for _, al := range all {
		page.Alerts = append(page.Alerts, a.alertRow(v, al))
	}
	for _, e := range events {
		page.Events = append(page.Events, a.alertEventRow(v, e))
	}
	return a.renderForm(v, form{}, screen{name: "alerts", title: v.Text(tabAlerts), tab: tabAlerts, data: page})
}

func (a *App) alertRow(v *visit, al store.Alert) alertRow {
	now := a.readerOf(v).Now()
	row := alertRow{Alert: al, Muted: al.Muted(now), More: al.Firing - len(al.Texts)}
	row.Always = row.Muted && !al.MutedUntil.Before(store.Forever)
	switch {
	case al.Firing > 0:
		row.State, row.Tone = severityNames[al.Severity], severityTones[al.Severity]
	case al.CheckedAt == nil:
		row.State, row.Tone = "Not judged yet", "plain"
	case al.Unknown != "":
		row.State, row.Tone = "Not judged", "plain"
		if key, ok := whyUnknown[alert.Reason(al.Unknown)]; ok {
			row.Why = v.Text(key)
		}
	default:
		row.State, row.Tone = "Quiet", "good"
	}
	switch {
	case len(al.Channels) == 0 && al.Publisher == "":
		row.Tells = v.Text("Nobody is notified: the person who published the dashboard is no longer a member.")
	case len(al.Channels) == 0:
		row.Tells = v.Text("Notifies %s, who published the dashboard.", al.Publisher)
	default:
		row.Tells = v.Text("Notifies %s.", strings.Join(al.Channels, ", "))
	}
	if len(al.Missing) > 0 {
		row.Tells += " " + v.Text("There is no channel called %s.", strings.Join(al.Missing, ", "))
	}
	return row
}

func (a *App) alertEventRow(v *visit, e store.AlertEvent) alertEventRow {
	row := alertEventRow{AlertEvent: e}
	switch e.Event {
	case store.NoticeRecovered:
		row.What, row.Tone = "Over", "good"
	case store.NoticeAgain:
		row.What, row.Tone = "Still", severityTones[e.Severity]
	default:
		row.What, row.Tone = severityNames[e.Severity], severityTones[e.Severity]
	}
	switch {
	case e.Muted:
		row.Told = v.Text("It was muted.")
	case e.Told == 0:
		row.Told = v.Text("Nobody was notified.")
	}
	return row
}

// muteAlert mutes an alert for a time, or unmutes it.
func (a *App) muteAlert(v *visit) error {
	f := typedIn(v, "dashboard", "alert", "for")
	var until *time.Time
	said := v.Text("The alert sends notifications again.")
	switch long := f.Typed("for"); long {
	case "":
	case "forever":
		until, said = &store.Forever, v.Text("The alert sends no notifications until it is unmuted.")
	default:
		d, err := time.ParseDuration(long)
		if err != nil || d <= 0 || d > 31*24*time.Hour {
			return store.ErrNotFound
		}
		until = new(a.readerOf(v).Now().Add(d))
		said = v.Text("The alert sends no notifications for that time.")
	}
	err := a.Store.Alerts.MuteAlert(v.r.Context(), *v.in, f.Typed("dashboard"), f.Typed("alert"), until)
	if _, ok := message.As(err); ok || errors.Is(err, store.ErrNotFound) {
		return store.ErrNotFound
	}
	if err != nil {
		return err
	}
	return a.redirect(v, alertsURL(v), said)
}

func alertsURL(v *visit) string { return "/w/" + v.in.Workspace() + "/alerts" }
