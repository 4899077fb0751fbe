package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store/dashboard"
	"service/store/message"
	"service/store/warehouse"
)

// A Source answers the queries of a spec. The zero Source has no connectors.
type Source struct {
	all warehouse.Connector
	own map[string]warehouse.Connector // of datasets with a file of their own
}

// For returns the connector of a dataset; "" is the name for queries outside datasets.
func (s Source) For(dataset string) warehouse.Connector {
	if own := s.own[dataset]; own != nil {
		return own
	}
	return s.all
}

// MonthLimit returns how many bytes the queries of a month may read, or 0 for no limit.
func (s Source) MonthLimit() int64 {
	if c, ok := s.all.(limited); ok && c.budget != nil {
		return c.budget.most
	}
	return 0
}

// In returns the source for queries in a time zone: see [warehouse.In].
func (s Source) In(zone *time.Location) Source {
	in := Source{warehouse.In(s.all, zone), map[string]warehouse.Connector{}}
	for dataset, c := range s.own {
		in.own[dataset] = warehouse.In(c, zone)
	}
	return in
}

// Source returns a source that m may describe and query: self if connection is zero, or m's own
// connection in m's workspace. files are those of a connection of the upload kind.
func (s Connections) Source(ctx context.Context, m Member, connection uuid.UUID, files Files) (Source, error) {
	if connection == uuid.Nil {
		c, err := s.selfSource(ctx, m.tenant())
		return Source{all: c}, err
	}
	c, err := s.CheckConnection(ctx, m, connection, files, false)
	if err != nil {
		return Source{}, err
	}
	return s.open(ctx, c, files)
}

// CheckConnection looks up m's own connection, in m's workspace or anywhere, and checks that it can
// be used with files. A refusal is a *message.Refusal in the specification's words
// ("Connection resolution").
func (s Connections) CheckConnection(ctx context.Context, m Member, connection uuid.UUID, files Files, anywhere bool) (Connection, error) {
	look := s.Connection
	if anywhere {
		look = s.OwnConnection
	}
	c, err := look(ctx, m, connection)
	switch {
	case errors.Is(err, ErrNotFound):
		return c, message.ConnectionNotFound(connection.String())
	case err != nil:
		s.opt.Log.ErrorContext(ctx, "connection look-up failed", "connection", connection, "err", err)
		return c, message.ConnectionUnverified("the database did not answer. Try again in a moment.")
	}
	if c.WorkspaceID != m.workspace { // its label must not be shown in this workspace
		unnamed := c
		unnamed.Label = c.ID.String()
		unnamed.Uploads = slices.DeleteFunc(slices.Clone(c.Uploads), func(u Upload) bool { return !files.Has(u.ID) })
		return c, Usable(unnamed, files)
	}
	return c, Usable(c, files)
}

// Usable refuses a connection that cannot be used with files.
func Usable(c Connection, files Files) error {
	switch isUpload := c.Kind == KindUpload; {
	case isUpload && len(files) == 0:
		return uploadMissing(c)
	case !isUpload && len(files) > 0:
		return message.Refuse(`upload needs a connection of the upload kind, and "%s" is a warehouse. `+
			`Omit upload, or pass the connection that list_connections shows for uploaded files. `+
			`To join it with files, publish a dashboard of the warehouse's rows first: a dashboard of files reads its dataset by `+
			`"from": "<slug>/<dataset id>".`, c.Label)
	case isUpload:
		for _, f := range files {
			if _, ok := uploadOf(c, f.Upload); !ok {
				return message.ConnectionNotFound(c.ID.String())
			}
		}
	}
	if c.Status != StatusActive {
		return message.ConnectionNotActive(c.Label, c.Status)
	}
	return checkSheets(c, files)
}

// checkSheets refuses files of c whose sheets cannot be read.
func checkSheets(c Connection, files Files) error {
	for _, f := range files {
		if u, ok := uploadOf(c, f.Upload); ok {
			if err := u.checkSheet(f.Sheet); err != nil {
				return err
			}
		}
	}
	return nil
}

// uploadMissing is the refusal of a connection of the upload kind that was given without a file. It
// is not [message.ConnectionNotFound] because the connection exists.
func uploadMissing(c Connection) error {
	const most = 5
	if len(c.Uploads) == 0 {
		return message.Refuse(`Connection "%s" is for uploaded files, and an "upload" id is missing. list_connections shows the files it has; `+
			`files are uploaded in the web application.`, c.Label)
	}
	var files []string
	for _, u := range c.Uploads[:min(len(c.Uploads), most)] {
		files = append(files, fmt.Sprintf("%s (%.100s)", u.ID, u.Filename))
	}
	more := ""
	if n := len(c.Uploads) - most; n > 0 {
		more = fmt.Sprintf(" and %d more, which list_connections shows", n)
	}
	return message.Refuse(`Connection "%s" is for uploaded files, and an "upload" id is missing: pass one of %s%s.`,
		c.Label, strings.Join(files, ", "), more)
}

// JobSource returns the source of a job's dashboard. The connection must be in the
// dashboard's workspace, and its owner must still be a member; otherwise it returns a
// *message.Refusal.
func (s Connections) JobSource(ctx context.Context, j Job) (Source, error) {
	if j.Connection == uuid.Nil {
		c, err := s.selfSource(ctx, warehouse.Tenant{Account: j.Account, Workspace: j.Workspace})
		return Source{all: c}, err
	}
	c, err := s.refreshedThrough(ctx, j.Workspace, j.Connection, j.Files)
	if err != nil {
		return Source{}, err
	}
	return s.open(ctx, c, j.Files)
}

// refreshedThrough returns the connection through which a dashboard of workspace that reads files is refreshed. It returns a
// *message.Refusal if no refresh can succeed at present.
func (s *core) refreshedThrough(ctx context.Context, workspace, connection uuid.UUID, files Files) (Connection, error) {
	c, err := s.connection(ctx, `b.id = $1`, connection)
	if errors.Is(err, ErrNotFound) {
		return c, message.Refuse("The connection of this dashboard was deleted. Publish it again with another one.")
	}
	if err != nil {
		return c, err
	}
	if why := Unbound(c, workspace, files); why != "" {
		return c, message.Refuse("%s", why)
	}
	return c, Usable(c, files)
}

// checkTrigger refuses to refresh d if the refresh would fail before its first query. The refusal is a *message.Refusal.
func (s *core) checkTrigger(ctx context.Context, d Dashboard) error {
	if d.Connection == uuid.Nil {
		return nil
	}
	c, err := s.refreshedThrough(ctx, d.WorkspaceID, d.Connection, d.Files)
	if err != nil || c.Kind == KindUpload {
		return err
	}
	_, err = s.connector(ctx, c)
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		return message.ConnectionUnverified(bad.Message)
	}
	return err
}

// Unbound returns why a dashboard of workspace that reads files can never be refreshed through c, or "" if it can.
func Unbound(c Connection, workspace uuid.UUID, files Files) string {
	switch {
	case c.WorkspaceID != workspace:
		return "The connection belongs to another workspace than the dashboard, so it can never refresh it. " +
			"Publish again with a connection of this workspace."
	case !c.OwnerMember:
		return "The owner of the connection is no longer a member of the workspace. Publish again with a connection of your own."
	}
	if c.Kind != KindUpload {
		return ""
	}
	for _, f := range files {
		u, ok := uploadOf(c, f.Upload)
		switch {
		case ok && u.checkSheet(f.Sheet) != nil: // only its owner may see its words
			return fmt.Sprintf(`The uploaded file has no sheet "%.100s" with rows. Replace it by one that has, or publish the dashboard again `+
				`with another sheet.`, f.Sheet)
		case ok:
		case len(files) == 1 && f.Table == dashboard.UploadTable:
			return "The uploaded file was deleted. Publish the dashboard again with another one."
		default:
			return fmt.Sprintf(`The uploaded file of table "%s" was deleted. Publish the dashboard again with another one.`, f.Table)
		}
	}
	return ""
}

// open returns the source of a usable connection.
func (s *core) open(ctx context.Context, c Connection, files Files) (Source, error) {
	var src Source
	var err error
	if c.Kind != KindUpload {
		src.all, err = s.connector(ctx, c)
		return src, err
	}
	if src.all, err = s.tables(c, files.Of("")); err != nil {
		return src, err
	}
	src.own = map[string]warehouse.Connector{}
	for _, f := range files {
		if f.Dataset == "" {
			continue
		}
		if src.own[f.Dataset], err = s.tables(c, files.Of(f.Dataset)); err != nil {
			return src, err
		}
	}
	return src, nil
}

// tables returns a connector over the files of one dataset. Those with the same files share workers.
func (s *core) tables(c Connection, files Files) (warehouse.Connector, error) {
	var tables []warehouse.DataTable
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Table, b.Table) })
	for _, f := range files {
		u, _ := uploadOf(c, f.Upload)
		if f.Sheet != "" {
			found, _ := u.sheet(f.Sheet) // which Usable has checked
			u.Columns, u.SHA256 = nil, found.SHA256
		}
		read := func(ctx context.Context) ([]byte, error) { return s.blob(ctx, s.pool, c.WorkspaceID, u.SHA256) }
		tables = append(tables, warehouse.DataTable{Name: f.Table, Format: "parquet", Columns: u.Columns, SHA256: u.SHA256, Read: read})
	}
	return s.engine(c.tenant(), "uploads", tables)
}

func (s *core) engine(tenant warehouse.Tenant, key string, tables []warehouse.DataTable) (warehouse.Connector, error) {
	if s.opt.Engine == nil {
		return nil, errors.New("no engine to query data files with")
	}
	return s.opt.Traces.Source(s.opt.Engine.Open(tenant, key, tables), "worker", tenant.Workspace), nil
}

// feeds is the key of workers over stored rows.
const feeds = "feeds"

// JobFeedSource returns a source over the rows that a dataset of a job reads.
func (s Connections) JobFeedSource(j Job, tables []warehouse.DataTable) (warehouse.Connector, error) {
	return s.engine(warehouse.Tenant{Account: j.Account, Workspace: j.Workspace}, feeds, tables)
}

// FeedSource returns a source over rows that m may read.
func (s Connections) FeedSource(m Member, tables []warehouse.DataTable) (warehouse.Connector, error) {
	return s.engine(m.tenant(), feeds, tables)
}

func uploadOf(c Connection, id uuid.UUID) (Upload, bool) {
	for _, u := range c.Uploads {
		if u.ID == id {
			return u, true
		}
	}
	return Upload{}, false
}
