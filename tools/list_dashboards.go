package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

var listDashboards = tool[listDashboardsArgs]{
	name:  "list_dashboards",
	title: "List dashboards",
	description: `Lists the dashboards of the workspace, newest first: slug, name, URL, tags, chart, time of the last update. A ` +
		`refreshable one also has its connection, the tables that its SQL reads, its last good refresh, state (of the newest refresh), ` +
		`failing_since, firing alerts, schedule (or off) and next run. next_cursor is the cursor of the next page.`,
	hints:   hints{readOnly: true, idempotent: true},
	meta:    alwaysLoad,
	output:  dashboardList{},
	scope:   dashboardScope,
	viewers: true,
	run:     runListDashboards,
}

type listDashboardsArgs struct {
	Cursor string `json:"cursor" doc:"next_cursor of the page before, unchanged. Default: the first page." eg:"AAYX2k9b…"`
	Limit  int    `json:"limit" doc:"How many dashboards a page has at most." default:"50" min:"1" max:"200" eg:"20"`
	Query  string `json:"query" doc:"Text to find in slug or name; case is ignored. Default: all." eg:"sales"`
	Tag    string `json:"tag" doc:"A tag that the dashboards have, exactly as written. Default: any." eg:"weekly"`
	inWorkspace
}

type dashboardList struct {
	answer
	Workspace  string             `json:"workspace"`
	Dashboards []dashboardSummary `json:"dashboards"`
	Left       int                `json:"left"` // after this page; store.MaxLeft means at least that many
	NextCursor string             `json:"next_cursor,omitempty"`
}

// A dashboardSummary is a dashboard as listings show it.
type dashboardSummary struct {
	Slug        string   `json:"slug"`
	Name        string   `json:"name"`
	URL         string   `json:"url"`
	Tags        []string `json:"tags"`
	Chart       string   `json:"chart"`
	Refreshable bool     `json:"refreshable"`
	Connection  string   `json:"connection,omitempty"` // of a refreshable dashboard
	UpdatedAt   string   `json:"updated_at"`
	LastRefresh string   `json:"last_refresh,omitempty"` // the last good one
	State       string   `json:"state,omitempty"`        // of the newest refresh
	Failing     string   `json:"failing_since,omitempty"`
	Alerts      int      `json:"alerts_firing,omitempty"`
	Schedule    string   `json:"schedule,omitempty"` // of a refreshable dashboard; "off": none
	Timezone    string   `json:"timezone,omitempty"` // of the schedule
	NextRunAt   string   `json:"next_run_at,omitempty"`
	Tables      []string `json:"tables,omitempty"` // that its SQL reads
}

func runListDashboards(ctx context.Context, c call, in listDashboardsArgs) (*reply, error) {
	q := store.DashboardQuery{Search: in.Query, Tag: in.Tag, Cursor: in.Cursor, Limit: in.Limit}
	page, err := c.Store.Dashboards.ListDashboards(ctx, []store.Member{c.Member}, q)
	if errors.Is(err, store.ErrCursor) {
		return nil, message.Refuse("cursor is not valid here: pass next_cursor of the page before unchanged, with the same workspace, " +
			"or omit it for the first page")
	}
	if err != nil {
		return nil, err
	}
	out := dashboardList{answer: answer{URL: c.url("")}, Workspace: c.Workspace()}
	for _, d := range page.Dashboards {
		s, err := c.summary(ctx, d)
		if err != nil {
			return nil, err
		}
		out.Dashboards = append(out.Dashboards, s)
	}
	left, space := 0, room
	if in.Limit <= 50 { // the default
		space = briefRoom
	}
	if out.Dashboards, left = fit(out.Dashboards, &space); left > 0 { // they do not all fit: the page is shorter
		page = page.Cut(len(out.Dashboards))
	}
	out.Left, out.NextCursor = page.Left, page.Next
	switch {
	case len(out.Dashboards) == 0 && (in.Query != "" || in.Tag != ""):
		return replyWith(&out, `No dashboard of workspace "%s" (%s) matches; without query and tag all are listed.`,
			c.Workspace(), out.URL).structure(), nil
	case len(out.Dashboards) == 0 && in.Cursor != "":
		return replyWith(&out, `Workspace "%s" (%s) has no more dashboards.`, c.Workspace(), out.URL).structure(), nil
	case len(out.Dashboards) == 0:
		first := " publish_dashboard makes one."
		if !c.Edits() {
			first = ""
		}
		return replyWith(&out, `Workspace "%s" (%s) has no dashboards yet.%s`, c.Workspace(), out.URL, first).structure(), nil
	case out.NextCursor != "":
		more := fmt.Sprint(out.Left)
		if out.Left == store.MaxLeft {
			more = fmt.Sprint("at least ", out.Left)
		}
		return replyWith(&out, `%s of workspace "%s" (%s), and %s more: pass next_cursor as cursor, or narrow with query or tag.`,
			count(len(out.Dashboards), "dashboard"), c.Workspace(), out.URL, more).structure(), nil
	}
	return replyWith(&out, `%s of workspace "%s" (%s); that is the last page.`,
		count(len(out.Dashboards), "dashboard"), c.Workspace(), out.URL).structure(), nil
}

func (c call) summary(ctx context.Context, d store.Dashboard) (dashboardSummary, error) {
	s := dashboardSummary{
		Slug: d.Slug, Name: d.Name, URL: c.url(d.Slug), Tags: list(d.Tags), Chart: d.Chart,
		Refreshable: d.Refreshable(), Connection: d.ConnectionName(), UpdatedAt: stamp(d.UpdatedAt),
		LastRefresh: when(d.RefreshedAt), Failing: when(d.FailingSince), NextRunAt: when(d.NextRunAt), Alerts: d.Firing,
	}
	if d.RunState != nil {
		s.State = *d.RunState
	}
	if !d.Refreshable() {
		return s, nil
	}
	s.Schedule, s.Timezone = cmp.Or(d.Schedule, "off"), d.Timezone
	if !c.Edits() {
		s.Connection = ""
		return s, nil
	}
	tables, err := c.tables(ctx, d)
	for _, t := range tables[:min(len(tables), maxTables)] {
		s.Tables = append(s.Tables, clip(t, 100))
	}
	return s, err
}

// maxTables is the limit of tables that a listing names for a dashboard.
const maxTables = 12

// tables returns the tables that a refreshable dashboard reads. They are stored with each
// version; for versions of release 0.6.0, they are determined and stored at the first
// request.
func (c call) tables(ctx context.Context, d store.Dashboard) ([]string, error) {
	if d.Tables != nil {
		return d.Tables, nil
	}
	s, err := c.specOf(ctx, d)
	if _, unread := errors.AsType[*dashboard.Unread](err); unread { // it does not hide the other dashboards
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tables := s.Tables()
	return tables, c.Store.Dashboards.SetTables(ctx, c.Member, d, tables)
}
