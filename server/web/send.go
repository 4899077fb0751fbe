package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/locale"
	"service/store/message"
)

// sendPage asks when to send a dashboard, and to whom.
type sendPage struct {
	Dashboard store.Dashboard
	Base      string // address of the dashboard's page
	Action    string // address to which the form is sent
	Changes   bool   // it changes an existing subscription
	Form      form   // rhythm, at, attach, to
	Changed   bool
	Rhythms   []optionGroup
	Receivers []option
	Attach    []option
	Query     string   // the filters, as in the page's address
	Filters   []string // the filters in words
	Zone      string   // time zone of the spec
	Scheduled bool     // the dashboard has a refresh schedule
	Unknown   bool     // the person has no verified address
}

type optionGroup struct {
	Name    string
	Options []option
}

type option struct{ Value, Name string }

// A deliveryRow is a subscription as the dashboard's page lists it.
type deliveryRow struct {
	store.Subscription
	To      string
	When    string
	Filters []string
	Mine    bool // the person may change and end it
}

// rhythms returns the choices of a rhythm: after each refresh, every day, and a day of each week and month.
func rhythms(l *locale.Locale) []optionGroup {
	often := optionGroup{Options: []option{{dashboard.EveryDay, l.Text("Every day")}, {dashboard.EveryRefresh, l.Text("After each refresh")}}}
	week := optionGroup{Name: l.Text("Every week")}
	for i := range 7 {
		day := (i + 1) % 7 // Monday first
		week.Options = append(week.Options, option{rhythmValue(dashboard.EveryWeek, day), week.Name + ": " + l.Weekday(weekday(day), false)})
	}
	month := optionGroup{Name: l.Text("Every month")}
	for day := 1; day <= 28; day++ {
		month.Options = append(month.Options, option{rhythmValue(dashboard.EveryMonth, day), l.Text("Day %s of the month", strconv.Itoa(day))})
	}
	month.Options = append(month.Options, option{rhythmValue(dashboard.EveryMonth, 31), l.Text("Last day of the month")})
	return []optionGroup{often, week, month}
}

func weekday(day int) time.Weekday { return time.Weekday(day) }

func rhythmValue(every string, day int) string { return every + "-" + strconv.Itoa(day) }

// rhythmOf parses a choice of [rhythms] and the time of day.
func rhythmOf(value, at string) (r dashboard.Rhythm, problem locale.Key) {
	every, day, _ := strings.Cut(value, "-")
	r.Every = every
	var err error
	switch every {
	case dashboard.EveryRefresh, dashboard.EveryDay:
	case dashboard.EveryWeek:
		if r.Day, err = strconv.Atoi(day); err != nil || r.Day < 0 || r.Day > 6 {
			r.Every = ""
		}
	case dashboard.EveryMonth:
		if r.Day, err = strconv.Atoi(day); err != nil || r.Day < 1 || r.Day > 31 {
			r.Every = ""
		}
	default:
		r.Every = ""
	}
	if r.Every == "" || !r.Timed() {
		return r, ""
	}
	ok := false
	if r.Minute, ok = dashboard.ParseClock(at); !ok {
		problem = "Write a time of the day, such as 08:00."
	}
	return r, problem
}

// says returns a rhythm in words.
func says(l *locale.Locale, r dashboard.Rhythm, zone string) string {
	switch {
	case r.Every == dashboard.EveryRefresh:
		return l.Text("After each refresh")
	case r.Every == dashboard.EveryDay:
		return l.Text("Every day at %s (%s)", r.Clock(), zone)
	case r.Every == dashboard.EveryWeek:
		return l.Text("Weekly on %s at %s (%s)", l.Weekday(weekday(r.Day), false), r.Clock(), zone)
	case r.Day > 31:
		nth, day, _ := dashboard.SplitMonthWeekday(r.Day)
		last := nth == len(dashboard.Ordinals)-1
		switch {
		case last && day == dashboard.AnyWeekday:
			return l.Text("Monthly on the last working day, Monday to Friday, at %s (%s)", r.Clock(), zone)
		case day == dashboard.AnyWeekday:
			return l.Text("Monthly on working day %s, Monday to Friday, at %s (%s)", strconv.Itoa(nth+1), r.Clock(), zone)
		case last:
			return l.Text("Monthly: the last %s of the month at %s (%s)", l.Weekday(weekday(day), false), r.Clock(), zone)
		}
		return l.Text("Monthly: %s no. %s of the month at %s (%s)", l.Weekday(weekday(day), false), strconv.Itoa(nth+1), r.Clock(), zone)
	case r.Day > 28:
		return l.Text("Monthly on the last day at %s (%s)", r.Clock(), zone)
	}
	return l.Text("Monthly on day %s at %s (%s)", strconv.Itoa(r.Day), r.Clock(), zone)
}

// filterWords returns the filters of a query in words, if the spec has them.
func filterWords(spec *dashboard.Spec, query url.Values) []string {
	var out []string
	for _, f := range spec.Filters {
		name := f.Label
		if name == "" {
			name = dashboard.Label(f.Column)
		}
		values := slices.Clone(query["f."+f.Column])
		if from, to := query.Get("f."+f.Column+".from"), query.Get("f."+f.Column+".to"); from+to != "" {
			values = []string{from + " – " + to}
		}
		if len(values) > 0 {
			out = append(out, name+": "+strings.ReplaceAll(strings.Join(values, ", "), "_", " "))
		}
	}
	return out
}

// send shows the form for sending the dashboard, with the filters of the address.
func (a *App) send(v *visit) error {
	return a.showSend(v, filled("rhythm", rhythmValue(dashboard.EveryWeek, 1), "at", "08:00"), false, v.r.URL.Query())
}

// changeSend is [App.send] for an existing subscription.
func (a *App) changeSend(v *visit) error {
	_, u, err := a.subscription(v)
	if err != nil {
		return err
	}
	if u.Proposed {
		return store.ErrNotFound
	}
	return a.showSend(v, formOf(u), u.Changed, nil)
}

func formOf(u store.Subscription) form {
	value, at := u.Rhythm.Every, "08:00"
	if u.Rhythm.Every == dashboard.EveryWeek || u.Rhythm.Every == dashboard.EveryMonth {
		value = rhythmValue(value, u.Rhythm.Day)
	}
	if u.Rhythm.Timed() {
		at = u.Rhythm.Clock()
	}
	return filled("rhythm", value, "at", at, "attach", u.Attach)
}

// subscription returns the subscription in the address.
func (a *App) subscription(v *visit) (d store.Dashboard, u store.Subscription, err error) {
	id, err := uuid.Parse(v.param("subscription"))
	if err != nil {
		return d, u, store.ErrNotFound
	}
	if d, err = a.Store.Dashboards.Dashboard(v.r.Context(), *v.in, v.param("dashboard")); err != nil {
		return d, u, err
	}
	u, err = a.Store.Messages.Subscription(v.r.Context(), *v.in, d, id)
	return d, u, err
}

// showSend shows the form: for a new subscription with the filters of a query, or for the one in the address.
func (a *App) showSend(v *visit, f form, changed bool, query url.Values) error {
	ctx := v.r.Context()
	d, err := a.Store.Dashboards.Dashboard(ctx, *v.in, v.param("dashboard"))
	if err != nil {
		return err
	}
	if !d.Refreshable() {
		return message.Refuse("%s", v.Text(sayStatic))
	}
	content, err := a.Store.Dashboards.Content(ctx, *v.in, d)
	if err != nil {
		return err
	}
	spec, err := dashboard.ParseStored(content)
	if err != nil {
		return fmt.Errorf("version %s: %w", d.VersionID, err)
	}
	page := sendPage{
		Dashboard: d, Base: dashboardURL(v, d.Slug), Form: f, Changed: changed, Rhythms: rhythms(v.Locale), Zone: spec.Timezone,
		Scheduled: d.NextRunAt != nil, Unknown: v.session.Account.Email == "",
		Attach:    []option{{"", v.Text("No file")}, {"csv", "CSV"}, {"xlsx", "XLSX"}, {dashboard.AttachPDF, "PDF"}},
		Receivers: []option{{"", v.Text("Me, %s", v.session.Account.Email)}},
	}
	page.Action = page.Base + "/send"
	if v.param("subscription") != "" {
		_, u, err := a.subscription(v)
		if err != nil {
			return err
		}
		if query, err = url.ParseQuery(u.Query); err != nil {
			return err
		}
		page.Changes, page.Action = true, page.Action+"/"+u.ID.String()
		if u.Channel != uuid.Nil {
			page.Receivers = []option{{"", u.ChannelName}}
		}
	} else if v.in.Role() == store.RoleOwner {
		channels, err := a.Store.Messages.Channels(ctx, *v.in)
		if err != nil {
			return err
		}
		for _, c := range channels {
			page.Receivers = append(page.Receivers, option{c.ID.String(), v.Text("Channel %s", c.Name)})
		}
	}
	kept := url.Values{}
	for name, values := range query {
		if strings.HasPrefix(name, "f.") {
			kept[name] = values
		}
	}
	page.Query, page.Filters = kept.Encode(), filterWords(spec, kept)
	return a.renderForm(v, f, screen{name: "send", title: v.Text("Send %s", d.Name), tab: tabDashboards, narrow: true, data: page})
}

// wish parses the form of a subscription. The returned form has a problem if that fails.
func wish(v *visit) (store.Wish, form) {
	f := typedIn(v, "rhythm", "at", "attach", "to", "query")
	w := store.Wish{Changed: v.r.PostForm.Get("changed") != "", Attach: f.Typed("attach")}
	var problem locale.Key
	if w.Rhythm, problem = rhythmOf(f.Typed("rhythm"), f.Typed("at")); w.Rhythm.Every == "" {
		f.refuse("rhythm", v.Text("Choose one of the list."))
	} else if problem != "" {
		f.refuse("at", v.Text(problem))
	}
	if !slices.Contains(store.Attachments, w.Attach) {
		f.refuse("attach", v.Text("Choose one of the list."))
	}
	var err error
	if to := f.Typed("to"); to != "" {
		if w.Channel, err = uuid.Parse(to); err != nil {
			f.refuse("to", v.Text("Choose one of the list."))
		}
	}
	if w.Query, err = url.ParseQuery(f.Typed("query")); err != nil {
		w.Query = url.Values{}
	}
	return w, f
}

// subscribe subscribes the person, or a channel.
func (a *App) subscribe(v *visit) error {
	w, f := wish(v)
	if f.Refused() {
		return a.showSend(v, f, w.Changed, w.Query)
	}
	if w.Channel == uuid.Nil && v.session.Account.Email == "" {
		return message.Refuse("%s", v.Text(sayUnknown))
	}
	return a.sending(v, func() (string, error) {
		return v.Text("The dashboard will be sent: %s.", says(v.Locale, w.Rhythm, v.Text("time zone of the dashboard"))),
			a.Store.Messages.Subscribe(v.r.Context(), *v.in, v.param("dashboard"), w)
	})
}

// changeSubscription changes an existing subscription.
func (a *App) changeSubscription(v *visit) error {
	_, u, err := a.subscription(v)
	if err != nil {
		return err
	}
	w, f := wish(v)
	if f.Refused() {
		return a.showSend(v, f, w.Changed, nil)
	}
	return a.sending(v, func() (string, error) {
		return v.Text("The change is saved."), a.Store.Messages.ChangeSubscription(v.r.Context(), *v.in, v.param("dashboard"), u.ID, w)
	})
}

func (a *App) endSubscription(v *visit) error {
	_, u, err := a.subscription(v)
	if err != nil {
		return err
	}
	return a.sending(v, func() (string, error) {
		return v.Text("It is no longer sent."), a.Store.Messages.EndSubscription(v.r.Context(), *v.in, v.param("dashboard"), u.ID)
	})
}

func (a *App) allowSubscription(v *visit) error {
	_, u, err := a.subscription(v)
	if err != nil {
		return err
	}
	return a.sending(v, func() (string, error) {
		return v.Text("From now on, %s receives the dashboard.", u.ChannelName),
			a.Store.Messages.AllowSubscription(v.r.Context(), *v.in, v.param("dashboard"), u.ID)
	})
}

// sending applies do, a change of subscriptions, and redirects to the list of subscriptions on
// the dashboard's page.
func (a *App) sending(v *visit, do func() (flash string, err error)) error {
	flash, err := do()
	switch refusal, refused := message.As(err); {
	case refused:
		return a.showDashboard(v, mend{problem: refusal.Error()})
	case errors.Is(err, store.ErrStatic):
		return a.showDashboard(v, mend{problem: v.Text(sayStatic)})
	case err != nil:
		return err
	}
	return a.redirect(v, dashboardURL(v, v.param("dashboard"))+"#send", flash)
}

// deliveries lists the subscriptions of a dashboard: the person's own and those of channels.
func (a *App) deliveries(v *visit, d store.Dashboard, spec *dashboard.Spec) ([]deliveryRow, error) {
	all, err := a.Store.Messages.Subscriptions(v.r.Context(), *v.in, d)
	if err != nil {
		return nil, err
	}
	var out []deliveryRow
	for _, u := range all {
		row := deliveryRow{Subscription: u, To: v.Text("You"), When: says(v.Locale, u.Rhythm, u.Timezone)}
		row.Mine = u.Channel == uuid.Nil || v.in.Role() == store.RoleOwner
		if u.Channel != uuid.Nil {
			row.To = u.ChannelName
		}
		if query, err := url.ParseQuery(u.Query); err == nil {
			row.Filters = filterWords(spec, query)
		}
		out = append(out, row)
	}
	return out, nil
}

// unsubscribePage asks whether to end the subscription of a mail's link, or confirms that it has ended.
type unsubscribePage struct {
	store.Unsubscription
	Token string
	Done  bool
}

// unsubscribing answers the link of a mail, for everybody who has it. A GET changes nothing, because
// programs that check mails follow links.
func (a *App) unsubscribing(v *visit) error { return a.showUnsubscribe(v, false) }

// unsubscribe ends the subscription of the link. A mail program sends the request with one click,
// without cookies.
func (a *App) unsubscribe(v *visit) error { return a.showUnsubscribe(v, true) }

func (a *App) showUnsubscribe(v *visit, end bool) error {
	page := unsubscribePage{Token: v.r.URL.Query().Get("token"), Done: end}
	var err error
	if page.Unsubscription, err = a.Store.Messages.Unsubscription(v.r.Context(), page.Token); err != nil {
		return err
	}
	if end {
		if err := a.Store.Messages.Unsubscribe(v.r.Context(), page.Token); err != nil {
			return err
		}
	}
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	return a.render(v, http.StatusOK, screen{name: "unsubscribe", title: v.Text("Unsubscribe"), narrow: true, bare: true, data: page})
}

const (
	sayStatic  locale.Key = "This dashboard is static. It never changes, so there is nothing new to send."
	sayUnknown locale.Key = "Your identity provider has not verified your e-mail address, so nothing can be sent to you."
)
