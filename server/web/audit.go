package web

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/locale"
)

// eventsPerPage is the number of events on a page of the audit log.
const eventsPerPage = 50

// nouns are the kinds of subjects of events.
var nouns = []string{
	"dashboard", "version", "connection", "upload", "channel", "member", "grant", "workspace", "account", "subscription", "alert",
}

// nounNames are the plural names of nouns on screens.
var nounNames = []locale.Key{
	"dashboards", "versions", "connections", "uploads", "channels", "members", "grants", "workspaces", "accounts",
	"subscriptions", "alerts",
}

// operatorValue is the value of the operator in the form's list of people.
const operatorValue = "operator"

// auditPage is a page of a workspace's audit log.
type auditPage struct {
	Form        form // the filters: kind, who, from, to
	Kinds       []nounOption
	People      []actorOption
	Narrowed    bool
	Base        string
	Events      []eventRow
	Next, First string // addresses of other pages; may be empty
	Export      string
}

type nounOption struct {
	Noun string
	Name locale.Key
}

type actorOption struct{ Value, Name string }

type eventRow struct {
	Sentence string
	Client   string // the client that acted for the person; may be empty
	Link     string // address of the subject; empty if it has no page, or no longer exists
	At       time.Time
}

// auditQuery reads the filters from the query of the address. Days are days in the
// person's time zone, and the last day is included. It returns [store.ErrNotFound] for a
// query that the form of the page cannot produce.
func auditQuery(v *visit) (store.AuditQuery, form, error) {
	query := v.r.URL.Query()
	f := filled("kind", query.Get("kind"), "who", query.Get("who"), "from", query.Get("from"), "to", query.Get("to"))
	q := store.AuditQuery{Noun: f.Typed("kind")}
	if q.Noun != "" && !slices.Contains(nouns, q.Noun) {
		return q, f, store.ErrNotFound
	}
	if by := f.Typed("who"); by == operatorValue {
		q.By = new(uuid.UUID)
	} else if by != "" {
		account, err := uuid.Parse(by)
		if err != nil {
			return q, f, store.ErrNotFound
		}
		q.By = &account
	}
	day := func(name string) time.Time {
		if f.Typed(name) == "" {
			return time.Time{}
		}
		at, err := time.ParseInLocation(time.DateOnly, f.Typed(name), zoneOf(v))
		if err != nil {
			f.refuse(name, v.Text("Write a date as year-month-day, such as 2026-03-01."))
		}
		return at
	}
	q.Since = day("from")
	if q.Till = day("to"); !q.Till.IsZero() {
		q.Till = q.Till.AddDate(0, 0, 1)
	}
	if !f.Refused() && !q.Till.IsZero() && !q.Since.Before(q.Till) {
		f.refuse("from", v.Text("The first day is after the last one."))
	}
	return q, f, nil
}

func (a *App) audit(v *visit) error {
	ctx := v.r.Context()
	q, f, err := auditQuery(v)
	if err != nil {
		return err
	}
	after := v.r.URL.Query().Get("after")
	if after != "" {
		if q.Before, err = uuid.Parse(after); err != nil {
			return store.ErrNotFound
		}
	}
	page := auditPage{Form: f, Base: "/w/" + v.in.Workspace() + "/audit"}
	for i, noun := range nouns {
		page.Kinds = append(page.Kinds, nounOption{noun, nounNames[i]})
	}
	actors, err := a.Store.Audit.Actors(ctx, *v.in)
	if err != nil {
		return err
	}
	for _, actor := range actors {
		option := actorOption{actor.Account.String(), actor.Who}
		if actor.Account == uuid.Nil {
			option = actorOption{operatorValue, v.Text(theOperator)}
		}
		page.People = append(page.People, option)
	}
	narrowed := url.Values{}
	for _, name := range []string{"kind", "who", "from", "to"} {
		if value := f.Typed(name); value != "" {
			narrowed.Set(name, value)
		}
	}
	page.Narrowed = len(narrowed) > 0
	address := func(path string) string { return (&url.URL{Path: path, RawQuery: narrowed.Encode()}).String() }
	page.Export = address(page.Base + ".csv")
	if after != "" {
		page.First = address(page.Base)
	}
	if !f.Refused() {
		q.Limit = eventsPerPage + 1
		events, err := a.Store.Audit.AuditLog(ctx, *v.in, q)
		if err != nil {
			return err
		}
		if len(events) > eventsPerPage {
			events = events[:eventsPerPage]
			narrowed.Set("after", events[eventsPerPage-1].ID.String())
			page.Next = address(page.Base)
		}
		there, err := a.Store.Audit.Subjects(ctx, *v.in, events)
		if err != nil {
			return err
		}
		for _, e := range events {
			row := eventRow{Sentence: event(v.Locale, e), Link: subjectURL(v, e, there), At: e.At}
			if e.Client != "" {
				row.Client = clientOf(v.Locale, e.Client)
			}
			page.Events = append(page.Events, row)
		}
	}
	s := screen{name: "audit", title: v.Text(tabAudit), tab: tabAudit, data: page}
	if f.Refused() {
		s.err = v.Text("Nothing is shown. Correct the marked field and try again.")
	}
	return a.renderForm(v, f, s)
}

// auditMemory is the memory that auditCSV uses at a time, in bytes: a batch of events, most of which are short.
const auditMemory = 1 << 20

// auditCSV streams all events that match the filters. If reading fails midway, it closes
// the connection, so that the file does not look complete.
func (a *App) auditCSV(v *visit) error {
	q, f, err := auditQuery(v)
	if err != nil {
		return err
	}
	if f.Refused() {
		return store.ErrNotFound // the form's page shows the problem
	}
	out, english := csv.NewWriter(v.w), locale.For("en") // programs read the file too
	begun := false
	begin := func() error {
		begun = true
		a.Kept(v.r.Context(), auditMemory)
		v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		v.w.Header().Set("Content-Disposition", `attachment; filename="audit-`+v.in.Workspace()+`.csv"`)
		return out.Write([]string{"at", "who", "action", "subject", "detail", "client"})
	}
	err = a.Store.Audit.EachAudit(v.r.Context(), *v.in, q, func(e store.AuditEntry) error {
		if !begun {
			if err := begin(); err != nil {
				return err
			}
		}
		detail, err := json.Marshal(e.Detail)
		if err != nil {
			return err
		}
		return out.Write([]string{
			e.At.UTC().Format(time.RFC3339), harmless(who(english, e)), e.Action, harmless(e.Subject), harmless(string(detail)),
			harmless(e.Client),
		})
	})
	if err == nil && !begun {
		err = begin()
	}
	if err != nil && !begun {
		return err
	}
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil {
		a.Log.WarnContext(v.r.Context(), "export cut off", "err", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// harmless prevents spreadsheets from reading a cell as a formula. They recognize
// formulas by the first character, in normal or full width.
func harmless(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}

// subjectURL returns the address of an event's subject, if the map there has it.
func subjectURL(v *visit, e store.AuditEntry, there map[string]string) string {
	home := "/w/" + v.in.Workspace()
	switch noun, _, _ := strings.Cut(e.Action, "."); noun {
	case "dashboard", "version", "subscription":
		if slug, ok := there[e.Subject]; ok {
			return dashboardURL(v, slug)
		}
	case "connection":
		if _, ok := there[e.Subject]; ok {
			return home + "/connections/" + e.Subject
		}
	case "upload":
		if _, ok := there[e.Subject]; ok {
			return home + "/uploads/" + e.Subject
		}
	case "channel":
		return home + "/channels"
	case "member":
		return home + "/members"
	case "grant":
		return home + "/clients"
	case "alert":
		return home + "/alerts"
	}
	return ""
}

// A teller writes the sentences of events in a language.
type teller struct {
	*locale.Locale
	who string
}

// did returns a sentence about an action; the first argument of the text is the actor.
func (t teller) did(english locale.Key, args ...string) string {
	return t.Text(english, append([]string{t.who}, args...)...)
}

// subject is the placeholder of the event's subject in the list of details of its sentence.
const subject = ""

// A tale is the sentence of an event, with the details, or [subject], that it names after the actor.
type tale struct {
	said locale.Key
	with []string
}

func tells(said locale.Key, with ...string) tale { return tale{said, with} }

// tales are the sentences that are the same for every event of an action.
var tales = map[string]tale{
	"alert.mute":          tells("%s muted alert %s", subject),
	"alert.unmute":        tells("%s unmuted alert %s", subject),
	"channel.add":         tells("%s added channel %s", subject),
	"channel.delete":      tells("%s deleted channel %s", subject),
	"channel.leave":       tells("%s left channel %s", subject),
	"channel.test":        tells("%s tested channel %s", subject),
	"channel.update":      tells("%s changed channel %s", subject),
	"connection.add":      tells("%s added connection %s", "label"),
	"connection.delete":   tells("%s deleted connection %s", "label"),
	"connection.disable":  tells("%s switched connection %s off", "label"),
	"dashboard.delete":    tells("%s deleted dashboard %s", subject),
	"dashboard.erase":     tells("%s erased dashboard %s", subject),
	"dashboard.publish":   tells("%s published dashboard %s", subject),
	"member.unmap":        tells("%s removed the group %s", subject),
	"member.withdraw":     tells("%s withdrew the invitation of %s", subject),
	"subscription.allow":  tells("%s allowed channel %s to receive dashboard %s", "channel", subject),
	"subscription.change": tells("%s changed when dashboard %s is sent", subject),
	"upload.add":          tells("%s uploaded %s", "filename"),
	"upload.dates":        tells("%s set the order of day and month of %s", "filename"),
	"upload.delete":       tells("%s deleted the file %s", "filename"),
	"upload.restore":      tells("%s went back from %s to %s", "before", "filename"),
	"workspace.create":    tells("%s created the workspace"),
	"workspace.plan":      tells("%s set the plan to %s", "plan"),
	"workspace.rename":    tells("%s renamed the workspace to %s", "name"),
}

// event returns a sentence about an event of the audit log.
func event(l *locale.Locale, e store.AuditEntry) string {
	detail := func(key string) string {
		if value, ok := e.Detail[key]; ok && value != nil {
			return fmt.Sprint(value)
		}
		return ""
	}
	var changed []string
	list, _ := e.Detail["changed"].([]any)
	for _, what := range list {
		changed = append(changed, word(l, fmt.Sprint(what)))
	}
	t, role, label := teller{l, who(l, e)}, detail("role"), detail("label")
	if plain, ok := tales[e.Action]; ok {
		args := []string{t.who}
		for _, name := range plain.with {
			if name == subject {
				args = append(args, e.Subject)
			} else {
				args = append(args, detail(name))
			}
		}
		return l.Text(plain.said, args...)
	}
	switch e.Action {
	case "account.delete":
		if !e.Operator { // the subject is the actor: the log keeps its name after the account is deleted
			return l.Text("%s deleted their account", e.Subject)
		}
		return t.did("%s deleted the account of %s", e.Subject)
	case "dashboard.update":
		return t.did("%s changed dashboard %s: %s", e.Subject, strings.Join(changed, ", "))
	case "dashboard.rename":
		if len(changed) > 1 { // the slug is the first
			return t.did("%s renamed dashboard %s to %s and changed its %s", e.Subject, detail("slug"), strings.Join(changed[1:], ", "))
		}
		return t.did("%s renamed dashboard %s to %s", e.Subject, detail("slug"))
	case "dashboard.restore":
		if e.Detail["deleted"] == true {
			return t.did("%s brought the deleted dashboard %s back", e.Subject)
		}
		return t.did("%s restored a version of dashboard %s", e.Subject)
	case "dashboard.duplicate":
		return t.did("%s duplicated dashboard %s as %s", e.Subject, detail("workspace")+"/"+detail("slug"))
	case "dashboard.schedule":
		if detail("schedule") == "off" {
			return t.did("%s switched the schedule of dashboard %s off", e.Subject)
		}
		return t.did("%s set the schedule of dashboard %s: %s (%s)", e.Subject, detail("schedule"), detail("timezone"))
	case "subscription.add":
		if e.Detail["channel"] == true {
			return t.did("%s subscribed a channel to dashboard %s", e.Subject)
		}
		return t.did("%s subscribed to dashboard %s", e.Subject)
	case "subscription.end":
		if e.Detail["channel"] == true {
			return t.did("%s ended the deliveries of dashboard %s to a channel", e.Subject)
		}
		return t.did("%s unsubscribed from dashboard %s", e.Subject)
	case "version.name":
		if detail("name") == "" {
			return t.did("%s took the name of a version of dashboard %s away", e.Subject)
		}
		return t.did(`%s named a version of dashboard %s "%s"`, e.Subject, detail("name"))
	case "connection.update":
		switch before := detail("before"); {
		case before == label:
			return t.did("%s changed connection %s", label)
		case e.Detail["target"] == true:
			return t.did("%s renamed connection %s to %s and changed it", before, label)
		default:
			return t.did("%s renamed connection %s to %s", before, label)
		}
	case "connection.test":
		return t.did("%s tested connection %s: %s", label, word(l, detail("status")))
	case "channel.mute":
		if detail("until") == "" {
			return t.did("%s unmuted channel %s", e.Subject)
		}
		return t.did("%s muted channel %s", e.Subject)
	case "upload.replace":
		if broken, _ := e.Detail["despite"].(float64); broken > 0 {
			return l.Count(int(broken), "%s replaced %s by %s, which breaks %d dashboard", "%s replaced %s by %s, which breaks %d dashboards",
				t.who, detail("before"), detail("filename"))
		}
		return t.did("%s replaced %s by %s", detail("before"), detail("filename"))
	}
	return peopleEvent(t, e, role, detail)
}

// peopleEvent is [event] for events of members and their clients.
func peopleEvent(t teller, e store.AuditEntry, role string, detail func(string) string) string {
	own := e.Detail["self"] == true // the actor ended their own grant or membership
	client := clientOf(t.Locale, detail("client"))
	switch e.Action {
	case "member.add":
		return t.did(byRole(role, "%s added %s as owner", "%s added %s as editor", "%s added %s as viewer"), e.Subject)
	case "member.role":
		return t.did(byRole(role, "%s made %s an owner", "%s made %s an editor", "%s made %s a viewer"), e.Subject)
	case "member.map":
		return t.did("%s gave the group %s the role %s", e.Subject, word(t.Locale, role))
	case "member.attribute":
		return t.did("%s set the attribute %s of %s", detail("name"), e.Subject)
	case "member.remove":
		if own {
			return t.Text("%s left the workspace", e.Subject)
		}
		return t.did("%s removed %s", e.Subject)
	case "member.join":
		said := t.did("%s joined")
		if role != "" {
			said = t.did(byRole(role, "%s joined as owner", "%s joined as editor", "%s joined as viewer"))
		}
		if e.Who != e.Subject && e.Detail["groups"] != true {
			said += " " + t.Text("(invited as %s)", e.Subject)
		}
		return said
	case "member.link":
		return t.did(byRole(role, "%s made an invitation link for %s: the person who opens it can become an owner",
			"%s made an invitation link for %s: the person who opens it can become an editor",
			"%s made an invitation link for %s: the person who opens it can become a viewer"), e.Subject)
	case "grant.trust":
		return t.did("%s lets tokens of %s act for %s", detail("issuer"), detail("person"))
	case "grant.distrust":
		return t.did("%s ended that tokens of %s act for %s", detail("issuer"), detail("person"))
	case "grant.create":
		return t.did("%s allowed the client %s", client)
	case "grant.revoke":
		switch reason := detail("reason"); {
		case reason == store.LeftWorkspace && own:
			return t.did("%s ended the access of %s by leaving the workspace", client)
		case reason == store.LeftWorkspace:
			return t.did("%s ended the access of %s for %s, who left the workspace", client, detail("person"))
		case own:
			return t.did("%s ended the access of %s", client)
		case reason != store.AskedFor:
			return t.did("%s ended the access of %s for %s: %s", client, detail("person"), reason)
		}
		return t.did("%s ended the access of %s for %s", client, detail("person"))
	}
	return t.who + " " + e.Action + " " + e.Subject
}

// who names the actor of an event. The log stores actions of the service itself under
// the operator, so the reason distinguishes the two.
func who(l *locale.Locale, e store.AuditEntry) string {
	switch reason := e.Detail["reason"]; {
	case e.Operator && e.Action == "grant.revoke" && reason != store.AskedFor && reason != store.LeftWorkspace:
		return l.Text("The service")
	case e.Operator && e.Detail["groups"] == true:
		return l.Text("The identity provider")
	case e.Operator:
		return l.Text(theOperator)
	case e.Who == "":
		return l.Text("A deleted account")
	}
	return e.Who
}

const theOperator locale.Key = "The operator"
