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
)

// eventsPerPage is how many events a page of the audit log shows.
const eventsPerPage = 50

// nouns are the kinds of things that events are about.
var nouns = []string{"dashboard", "version", "connection", "upload", "member", "grant", "workspace", "account"}

// operatorValue is the value of the operator in the form's list of people.
const operatorValue = "operator"

// auditPage is a page of a workspace's audit log.
type auditPage struct {
	Form        form // kind, who, from, to: what the log is narrowed by
	Kinds       []string
	People      []actorOption
	Narrowed    bool
	Base        string
	Events      []eventRow
	Next, First string // addresses of other pages; empty: there is none
	Export      string
}

type actorOption struct{ Value, Name string }

type eventRow struct {
	Sentence string
	At       time.Time
}

// auditQuery reads the filters from the query of the address. Days are days in the
// person's time zone, and the last day is included. It returns [store.ErrNotFound]
// for a query that the page's form cannot produce.
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
			f.refuse(name, "Write a date as year-month-day, such as 2026-03-01.")
		}
		return at
	}
	q.Since = day("from")
	if q.Till = day("to"); !q.Till.IsZero() {
		q.Till = q.Till.AddDate(0, 0, 1)
	}
	if !f.Refused() && !q.Till.IsZero() && !q.Since.Before(q.Till) {
		f.refuse("from", "The first day is after the last one.")
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
	page := auditPage{Form: f, Kinds: nouns, Base: "/w/" + v.in.Workspace() + "/audit"}
	actors, err := a.Store.Actors(ctx, *v.in)
	if err != nil {
		return err
	}
	for _, actor := range actors {
		option := actorOption{actor.Account.String(), actor.Who}
		if actor.Account == uuid.Nil {
			option = actorOption{operatorValue, theOperator}
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
		events, err := a.Store.AuditLog(ctx, *v.in, q)
		if err != nil {
			return err
		}
		if len(events) > eventsPerPage {
			events = events[:eventsPerPage]
			narrowed.Set("after", events[eventsPerPage-1].ID.String())
			page.Next = address(page.Base)
		}
		for _, e := range events {
			page.Events = append(page.Events, eventRow{event(e), e.At})
		}
	}
	return a.renderForm(v, f, screen{name: "audit", title: tabAudit, tab: tabAudit, data: page})
}

// auditCSV streams all events that match the filters. When reading fails midway it
// cuts the connection, so that the file is not taken for a complete one.
func (a *App) auditCSV(v *visit) error {
	q, f, err := auditQuery(v)
	if err != nil {
		return err
	}
	if f.Refused() {
		return store.ErrNotFound // the form's page says what is wrong
	}
	out := csv.NewWriter(v.w)
	begun := false
	begin := func() error {
		begun = true
		v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		v.w.Header().Set("Content-Disposition", `attachment; filename="audit-`+v.in.Workspace()+`.csv"`)
		return out.Write([]string{"at", "who", "action", "subject", "detail"})
	}
	err = a.Store.EachAudit(v.r.Context(), *v.in, q, func(e store.AuditEntry) error {
		if !begun {
			if err := begin(); err != nil {
				return err
			}
		}
		detail, err := json.Marshal(e.Detail)
		if err != nil {
			return err
		}
		return out.Write([]string{e.At.UTC().Format(time.RFC3339), harmless(who(e)), e.Action, harmless(e.Subject), harmless(string(detail))})
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

// harmless keeps spreadsheets from reading a cell as a formula, which they tell by
// its first character, in normal or full width.
func harmless(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}

const theOperator = "The operator"

// event describes an event of the audit log in a sentence.
func event(e store.AuditEntry) string {
	detail := func(key string) string {
		if value, ok := e.Detail[key]; ok && value != nil {
			return fmt.Sprint(value)
		}
		return ""
	}
	own := e.Detail["self"] == true // the actor ended their own grant or membership
	client := clientName(detail("client"))
	var changed []string
	list, _ := e.Detail["changed"].([]any)
	for _, what := range list {
		changed = append(changed, fmt.Sprint(what))
	}
	did := map[string]string{
		"account.delete":     "deleted the account of " + e.Subject,
		"dashboard.publish":  "published dashboard " + e.Subject,
		"dashboard.restore":  "restored a version of dashboard " + e.Subject,
		"dashboard.update":   "changed dashboard " + e.Subject + ": " + strings.Join(changed, ", "),
		"dashboard.rename":   "renamed dashboard " + e.Subject + " to " + detail("slug"),
		"dashboard.delete":   "deleted dashboard " + e.Subject,
		"dashboard.schedule": "set the schedule of dashboard " + e.Subject + ": " + detail("schedule") + " (" + detail("timezone") + ")",
		"connection.add":     "added connection " + detail("label"),
		"connection.update":  "changed connection " + detail("label"),
		"connection.test":    "tested connection " + detail("label") + ": " + detail("status"),
		"connection.disable": "switched connection " + detail("label") + " off",
		"connection.delete":  "deleted connection " + detail("label"),
		"upload.add":         "uploaded " + detail("filename"),
		"upload.delete":      "deleted the file " + detail("filename"),
		"upload.replace":     "replaced " + detail("before") + " by " + detail("filename"),
		"member.add":         "added " + e.Subject + " as " + detail("role"),
		"member.role":        "made " + e.Subject + " " + aRole(detail("role")),
		"member.remove":      "removed " + e.Subject,
		"member.link":        "made an invitation link for " + e.Subject + ": whoever opens it can become " + aRole(detail("role")),
		"member.withdraw":    "withdrew the invitation of " + e.Subject,
		"grant.create":       "allowed the client " + client,
		"grant.revoke":       "ended the access of " + client + " for " + detail("person"),
		"workspace.create":   "created the workspace",
		"workspace.rename":   "renamed the workspace to " + detail("name"),
		"workspace.plan":     "set the plan to " + detail("plan"),
	}[e.Action]
	switch {
	// The subject is the actor: the log keeps a subject's name after the account is deleted.
	case e.Action == "account.delete" && !e.Operator:
		return e.Subject + " deleted their account"
	case e.Action == "member.remove" && own:
		return e.Subject + " left the workspace"
	case e.Action == "member.join":
		did = "joined"
		if role := detail("role"); role != "" {
			did += " as " + role
		}
		if e.Who != e.Subject {
			did += " (invited as " + e.Subject + ")"
		}
	case e.Action == "grant.revoke" && detail("reason") == store.LeftWorkspace && own:
		did = "ended the access of " + client + " by leaving the workspace"
	case e.Action == "grant.revoke" && detail("reason") == store.LeftWorkspace:
		did += ", who left the workspace"
	case e.Action == "grant.revoke" && own:
		did = "ended the access of " + client
	case e.Action == "grant.revoke" && detail("reason") != store.AskedFor:
		did += ": " + detail("reason")
	case e.Action == "connection.update" && detail("before") != detail("label"):
		did = "renamed connection " + detail("before") + " to " + detail("label")
		if e.Detail["target"] == true {
			did += " and changed it"
		}
	case e.Action == "dashboard.rename" && len(changed) > 1: // the slug is the first
		did += " and changed its " + strings.Join(changed[1:], ", ")
	case e.Action == "dashboard.schedule" && detail("schedule") == "off":
		did = "switched the schedule of dashboard " + e.Subject + " off"
	case e.Action == "version.name" && detail("name") == "":
		did = "took the name of a version of dashboard " + e.Subject + " away"
	case e.Action == "version.name":
		did = `named a version of dashboard ` + e.Subject + ` "` + detail("name") + `"`
	case did == "":
		did = e.Action + " " + e.Subject
	}
	return who(e) + " " + did
}

// who names the actor of an event. The log stores what the service did by itself as
// the operator's doing, so the reason tells the two apart.
func who(e store.AuditEntry) string {
	switch reason := e.Detail["reason"]; {
	case e.Operator && e.Action == "grant.revoke" && reason != store.AskedFor && reason != store.LeftWorkspace:
		return "The service"
	case e.Operator:
		return theOperator
	case e.Who == "":
		return "A deleted account"
	}
	return e.Who
}
