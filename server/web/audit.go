package web

import (
	"encoding/csv"
	"encoding/json"
	"errors"
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

// nouns are the kinds of things that the audit log tells of.
var nouns = []string{"dashboard", "version", "connection", "upload", "member", "grant", "workspace", "account"}

// operatorValue stands for the operator in the choice of a person.
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

// auditQuery reads what the log is narrowed by from the address. Its days are those of
// the person's time zone, the last one whole. An address that no form makes is
// [store.ErrNotFound].
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
			f.refuse(name, needsDate)
		}
		return at
	}
	q.Since = day("from")
	if q.Till = day("to"); !q.Till.IsZero() {
		q.Till = q.Till.AddDate(0, 0, 1)
	}
	if !f.Refused() && !q.Till.IsZero() && !q.Since.Before(q.Till) {
		f.refuse("from", needsOrder)
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

// auditCSV exports all events that the log is narrowed to, however many, as they are
// read. What breaks off is cut off, so that nobody takes it for whole.
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

// harmless keeps spreadsheets from reading a cell as a formula: by its first
// character, in any width.
func harmless(cell string) string {
	if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}
