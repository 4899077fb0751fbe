package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// Lengths of the audit log: of a page, and of an export, which is of the newest.
const (
	eventsPerPage  = 50
	eventsExported = 10_000
)

// nouns are the kinds of things that the audit log tells of.
var nouns = []string{"dashboard", "version", "connection", "upload", "member", "grant", "workspace"}

// auditPage is a page of a workspace's audit log.
type auditPage struct {
	Events      []eventRow
	Kinds       []tagChip
	Next, First string // addresses of other pages; empty: there is none
	Export      string
	Zone        string
}

type eventRow struct {
	Sentence string
	At       time.Time // UTC
	Local    time.Time // in the person's zone
}

func (a *App) audit(v *visit) error {
	noun, after := v.r.URL.Query().Get("kind"), v.r.URL.Query().Get("after")
	q := store.AuditQuery{Noun: noun, Limit: eventsPerPage + 1}
	if noun != "" && !slices.Contains(nouns, noun) {
		return store.ErrNotFound
	}
	if after != "" {
		id, err := uuid.Parse(after)
		if err != nil {
			return store.ErrNotFound
		}
		q.Before = id
	}
	events, err := a.Store.AuditLog(v.r.Context(), *v.in, q)
	if err != nil {
		return err
	}
	base := "/w/" + v.in.Workspace() + "/audit"
	address := func(path, noun, after string) string {
		q := url.Values{}
		if noun != "" {
			q.Set("kind", noun)
		}
		if after != "" {
			q.Set("after", after)
		}
		return (&url.URL{Path: path, RawQuery: q.Encode()}).String()
	}
	zone := zoneOf(v)
	page := auditPage{Export: address(base+".csv", noun, ""), Zone: zone.String()}
	if len(events) > eventsPerPage {
		events = events[:eventsPerPage]
		page.Next = address(base, noun, events[eventsPerPage-1].ID.String())
	}
	if after != "" {
		page.First = address(base, noun, "")
	}
	for _, e := range events {
		page.Events = append(page.Events, eventRow{Sentence: sentence(e), At: e.At.UTC(), Local: e.At.In(zone)})
	}
	for _, name := range nouns {
		chip := tagChip{Name: name + "s", URL: address(base, name, ""), Current: name == noun}
		if chip.Current {
			chip.URL = base // chosen again: let go
		}
		page.Kinds = append(page.Kinds, chip)
	}
	return a.render(v, http.StatusOK, screen{name: "audit", title: "Audit log", tab: tabAudit, data: page})
}

// zoneOf is the person's time zone.
func zoneOf(v *visit) *time.Location {
	zone, err := time.LoadLocation(v.session.Account.Timezone)
	if err != nil {
		return time.UTC // checked when it was set; a zone can be given up
	}
	return zone
}

func (a *App) auditCSV(v *visit) error {
	noun := v.r.URL.Query().Get("kind")
	if noun != "" && !slices.Contains(nouns, noun) {
		return store.ErrNotFound
	}
	events, err := a.Store.AuditLog(v.r.Context(), *v.in, store.AuditQuery{Noun: noun, Limit: eventsExported})
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="audit-`+v.in.Workspace()+`.csv"`)
	out := csv.NewWriter(v.w)
	rows := [][]string{{"at", "who", "action", "subject", "detail"}}
	for _, e := range events {
		detail, err := json.Marshal(e.Detail)
		if err != nil {
			return err
		}
		rows = append(rows, []string{e.At.UTC().Format(time.RFC3339), harmless(who(e)), e.Action, harmless(e.Subject), harmless(string(detail))})
	}
	_ = out.WriteAll(rows) // or the reader has gone
	return nil
}

// harmless keeps spreadsheets from reading a cell as a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// who did it. What the service does on its own counts as the operator's.
func who(e store.AuditEntry) string {
	switch {
	case e.Operator:
		return "The operator"
	case e.Account == uuid.Nil:
		return "A deleted account"
	}
	return e.Who
}

// sentence tells an event in words.
func sentence(e store.AuditEntry) string {
	detail := func(key string) string {
		if value, ok := e.Detail[key]; ok && value != nil {
			return fmt.Sprint(value)
		}
		return ""
	}
	did := map[string]string{
		"dashboard.publish":  "published dashboard " + e.Subject,
		"dashboard.restore":  "restored a version of dashboard " + e.Subject,
		"dashboard.update":   "changed dashboard " + e.Subject,
		"dashboard.rename":   "renamed dashboard " + e.Subject,
		"dashboard.delete":   "deleted dashboard " + e.Subject,
		"dashboard.schedule": "set the schedule of dashboard " + e.Subject,
		"connection.add":     "added connection " + detail("label"),
		"connection.update":  "changed connection " + detail("label"),
		"connection.test":    "tested connection " + e.Subject + ": " + detail("status"),
		"connection.disable": "switched connection " + e.Subject + " off",
		"connection.delete":  "deleted connection " + e.Subject,
		"upload.add":         "uploaded " + detail("filename"),
		"upload.replace":     "replaced an upload by " + detail("filename"),
		"member.add":         "added " + e.Subject + " as " + detail("role"),
		"member.join":        e.Subject + " joined as " + detail("role"),
		"member.remove":      "removed " + e.Subject,
		"grant.create":       "allowed the client " + clientName(detail("client")),
		"grant.revoke":       "ended the access of a client: " + detail("reason"),
		"workspace.create":   "created the workspace",
		"workspace.rename":   "renamed the workspace to " + detail("name"),
		"workspace.plan":     "set the plan to " + detail("plan"),
	}[e.Action]
	switch {
	case e.Action == "version.name" && detail("name") == "":
		did = "took the name of a version of dashboard " + e.Subject + " away"
	case e.Action == "version.name":
		did = `named a version of dashboard ` + e.Subject + ` "` + detail("name") + `"`
	case e.Action == "member.join":
		return did
	case did == "":
		did = e.Action + " " + e.Subject
	}
	return who(e) + " " + did
}
