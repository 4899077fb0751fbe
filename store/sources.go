package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"service/store/message"
	"service/store/warehouse"
)

// Source returns a connector to a source that m may describe and query: self if connection is zero,
// or m's own connection in m's workspace. upload is the file of a connection of the upload kind.
func (s *Store) Source(ctx context.Context, m Member, connection, upload uuid.UUID) (warehouse.Connector, error) {
	if connection == uuid.Nil {
		return s.selfSource(ctx, m.tenant())
	}
	c, err := s.CheckConnection(ctx, m, connection, upload, false)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, c, upload)
}

// CheckConnection looks up m's own connection, in m's workspace or anywhere, and checks that it can
// be used with upload (zero for none). A refusal is a *message.Refusal in the specification's words
// ("Connection resolution").
func (s *Store) CheckConnection(ctx context.Context, m Member, connection, upload uuid.UUID, anywhere bool) (Connection, error) {
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
		unnamed.Uploads = slices.DeleteFunc(slices.Clone(c.Uploads), func(u Upload) bool { return u.ID != upload })
		return c, Usable(unnamed, upload)
	}
	return c, Usable(c, upload)
}

// Usable refuses a connection that cannot be used with upload (zero for none).
func Usable(c Connection, upload uuid.UUID) error {
	switch isUpload := c.Kind == KindUpload; {
	case isUpload != (upload != uuid.Nil):
		if !isUpload {
			return message.Refuse(`upload goes only with a connection of the upload kind, and "%s" is a warehouse. `+
				`Omit upload, or pass the connection that list_connections shows for uploaded files.`, c.Label)
		}
		return uploadMissing(c)
	case isUpload:
		if _, ok := uploadOf(c, upload); !ok {
			return message.ConnectionNotFound(c.ID.String())
		}
	}
	if c.Status != StatusActive {
		return message.ConnectionNotActive(c.Label, c.Status)
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

// JobSource returns a connector to the source of a job's dashboard. The connection must be in the
// dashboard's workspace, and its owner must still be a member; otherwise it returns a
// *message.Refusal.
func (s *Store) JobSource(ctx context.Context, j Job) (warehouse.Connector, error) {
	if j.Connection == uuid.Nil {
		return s.selfSource(ctx, warehouse.Tenant{Account: j.Account, Workspace: j.Workspace})
	}
	c, err := s.connection(ctx, ` WHERE c.id = $1`, j.Connection)
	if errors.Is(err, ErrNotFound) {
		return nil, message.Refuse("The connection of this dashboard was deleted. Publish it again with another one.")
	}
	if err != nil {
		return nil, err
	}
	if why := Unbound(c, j.Workspace, j.Upload); why != "" {
		return nil, message.Refuse("%s", why)
	}
	if err := Usable(c, j.Upload); err != nil {
		return nil, err
	}
	return s.open(ctx, c, j.Upload)
}

// Unbound says why a dashboard of workspace that reads upload (zero for none) can never be refreshed
// through c. It is "" if it can.
func Unbound(c Connection, workspace, upload uuid.UUID) string {
	switch {
	case c.WorkspaceID != workspace:
		return "The connection belongs to another workspace than the dashboard, so it can never refresh it. " +
			"Publish again with a connection of this workspace."
	case !c.OwnerMember:
		return "The owner of the connection is no longer a member of the workspace. Publish again with a connection of your own."
	}
	if _, ok := uploadOf(c, upload); c.Kind == KindUpload && !ok {
		return "The uploaded file was deleted. Publish the dashboard again with another one."
	}
	return ""
}

// open returns a connector to a usable connection.
func (s *Store) open(ctx context.Context, c Connection, upload uuid.UUID) (warehouse.Connector, error) {
	if c.Kind != KindUpload {
		return s.connector(ctx, c)
	}
	u, _ := uploadOf(c, upload)
	read := func(ctx context.Context) ([]byte, error) { return s.blob(ctx, s.pool, c.WorkspaceID, u.SHA256) }
	return s.engine(c.tenant(), hex.EncodeToString(u.SHA256), []warehouse.DataTable{
		{Name: "upload", Format: "parquet", Columns: u.Columns, SHA256: u.SHA256, Read: read},
	})
}

func (s *Store) engine(tenant warehouse.Tenant, key string, tables []warehouse.DataTable) (warehouse.Connector, error) {
	if s.opt.Engine == nil {
		return nil, errors.New("no engine to query data files with")
	}
	return s.opt.Engine.Open(tenant, key, tables), nil
}

func uploadOf(c Connection, id uuid.UUID) (Upload, bool) {
	for _, u := range c.Uploads {
		if u.ID == id {
			return u, true
		}
	}
	return Upload{}, false
}
