package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

var getSourceConfig = tool[getSourceConfigArgs]{
	name:  "get_source_config",
	title: "Get source configuration",
	description: `Shows the source of a refreshable dashboard: the connection (id, label, kind, SQL dialect, status, whether it is ` +
		`usable and of the same workspace), the uploaded file, if any, the SQL and row limit of each dataset, and the schedule. ` +
		`can_refresh is true if a refresh can succeed; otherwise blockers lists the reasons, each with a fix. failing_since is the time ` +
		`since which refreshes fail. It shows neither rows nor secrets.`,
	hints: hints{readOnly: true, idempotent: true},
	scope: dashboardScope,
	run:   runGetSourceConfig,
}

type getSourceConfigArgs struct{ target }

type sourceConfig struct {
	answer
	Workspace   string           `json:"workspace"`
	Slug        string           `json:"slug"`
	Refreshable bool             `json:"refreshable"`
	Connection  *boundConnection `json:"connection,omitempty"`
	Upload      *readUpload      `json:"upload,omitempty"`
	Uploads     []namedUpload    `json:"uploads,omitempty"` // the uploaded files by table name
	Datasets    []datasetConfig  `json:"datasets"`
	Left        int              `json:"datasets_left,omitempty"` // datasets that are not in this answer
	Schedule    *scheduleDetail  `json:"schedule,omitempty"`
	CanRefresh  bool             `json:"can_refresh"`
	Blockers    []string         `json:"blockers"`
	Failing     string           `json:"failing_since,omitempty"`
}

type boundConnection struct {
	connectionDetail
	SameWorkspace bool `json:"same_workspace"`
}

// A namedUpload is an uploaded file under the name of its table, or of one dataset.
type namedUpload struct {
	Table   string `json:"table"`
	Dataset string `json:"dataset,omitempty"` // the only one that reads it
	readUpload
}

// A readUpload is an uploaded file that a dashboard reads.
type readUpload struct {
	uploadDetail
	Sheet string `json:"sheet,omitempty" schema:"-"` // of a workbook, if it is not the first one with rows
}

type datasetConfig struct {
	ID       string   `json:"id"`
	SQL      string   `json:"sql"`
	From     []string `json:"from,omitempty"` // the datasets whose rows it reads
	Cut      bool     `json:"sql_cut,omitempty"`
	RowLimit int      `json:"row_limit"`
}

type scheduleDetail struct {
	Enabled   bool   `json:"enabled"`
	Schedule  string `json:"schedule"`
	Timezone  string `json:"timezone"`
	NextRunAt string `json:"next_run_at,omitempty"`
}

// maxSQL is the limit of the SQL that is shown of one dataset, in characters.
const maxSQL = 4000

func runGetSourceConfig(ctx context.Context, c call, in getSourceConfigArgs) (*reply, error) {
	d, err := c.Store.Dashboards.Detail(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.NoDashboardNamed(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	out := sourceConfig{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Refreshable: d.Refreshable(),
		Datasets: []datasetConfig{}, Blockers: []string{},
	}
	if !d.Refreshable() {
		out.Blockers = []string{"The dashboard is static: it has no spec. derive_dashboard_spec drafts one."}
		return replyWith(&out, `"%s" is static and reads no source: %s. derive_dashboard_spec drafts a spec that could.`, d.Slug, out.URL), nil
	}
	b := c.bindingTo(d.Dashboard, d.Bound)
	out.Connection, out.Blockers = b.connection, b.blockers
	out.Upload, out.Uploads = b.shown()
	out.CanRefresh = len(out.Blockers) == 0
	out.Failing = when(d.FailingSince)
	declared, err := c.specOf(ctx, d.Dashboard)
	if err != nil {
		return nil, err
	}
	for _, set := range declared.Datasets {
		sql := clip(set.SQL, maxSQL)
		out.Datasets = append(out.Datasets, datasetConfig{set.ID, sql, refsShown(set.From), sql != set.SQL, set.Rows})
	}
	space := room
	out.Datasets, out.Left = fit(out.Datasets, &space)
	out.Schedule = &scheduleDetail{d.Schedule != "", cmp.Or(d.Schedule, "off"), cmp.Or(d.Timezone, "UTC"), when(d.NextRunAt)}
	more := ""
	if out.Left > 0 {
		more = fmt.Sprintf(" The SQL of %s is not shown here; get_dashboard_spec with a pointer has it.", count(out.Left, "more dataset"))
	}
	if !out.CanRefresh {
		return replyWith(&out, `"%s" (%s) reads %s from "%s" and cannot refresh: %s%s`,
			d.Slug, out.URL, count(len(declared.Datasets), "dataset"), d.ConnectionName(), out.Blockers[0], more), nil
	}
	can := "can refresh."
	if out.Failing != "" {
		can = "nothing here prevents a refresh, but refreshes have failed since " + out.Failing +
			": get_refresh_status shows why."
	}
	return replyWith(&out, `"%s" (%s) reads %s from "%s" and %s%s`,
		d.Slug, out.URL, count(len(declared.Datasets), "dataset"), d.ConnectionName(), can, more), nil
}

// A binding is the source of a refreshable dashboard, and the reasons why refreshes cannot work, if any.
type binding struct {
	connection *boundConnection
	files      []namedUpload
	blockers   []string
}

// shown separates the file that all datasets read as the table upload from the other
// files.
func (b binding) shown() (plain *readUpload, others []namedUpload) {
	for _, f := range b.files {
		if f.Table == dashboard.UploadTable && f.Dataset == "" {
			plain = &f.readUpload
			continue
		}
		others = append(others, f)
	}
	return plain, others
}

// bindingTo returns the source of a refreshable dashboard. bound is its connection, or nil if that was
// deleted. For a connection in another workspace, the source has only the id, because the grant's lock
// does not cover that workspace.
func (c call) bindingTo(d store.Dashboard, bound *store.Connection) binding {
	if d.Connection == uuid.Nil {
		return binding{connection: &boundConnection{selfConnection, true}, blockers: []string{}}
	}
	if bound == nil {
		gone := connectionDetail{ID: d.ConnectionName(), Status: "deleted"}
		const why = "The connection was deleted. Publish again with another one; list_connections shows those there are."
		return binding{connection: &boundConnection{gone, false}, blockers: []string{why}}
	}
	found := *bound
	why := store.Unbound(found, c.WorkspaceID(), d.Files)
	if found.WorkspaceID != c.WorkspaceID() {
		unknown := connectionDetail{ID: d.ConnectionName(), Status: "unknown"}
		return binding{connection: &boundConnection{unknown, false}, blockers: []string{why}}
	}
	b := binding{connection: &boundConnection{connectionOf(found, d.Connection), true}, blockers: []string{}}
	for _, f := range d.Files {
		for _, u := range found.Uploads {
			if u.ID == f.Upload {
				file := readUpload{uploadOf(u), f.Sheet}
				if found.Owner != c.Account() && c.Role() != store.RoleOwner {
					file.Rows = nil // row rules may hide some of them
				}
				b.files = append(b.files, namedUpload{f.Table, f.Dataset, file})
			}
		}
	}
	if err := store.Usable(found, d.Files); err != nil && why == "" {
		why = err.Error()
	}
	if why != "" {
		b.connection.Usable = false
		b.blockers = []string{why}
	}
	return b
}

// specOf returns the current spec of a refreshable dashboard. The spec is shared and must
// not be modified.
func (c call) specOf(ctx context.Context, d store.Dashboard) (*dashboard.Spec, error) {
	return c.Views.Spec(ctx, c.Member, d)
}
