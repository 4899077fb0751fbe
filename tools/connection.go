package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
	"service/store/warehouse"
)

// self is the built-in metrics view, which is used when no connection is given.
const self = "self"

// source has the parameters that name a data source. Every tool that takes a connection
// embeds it.
type source struct {
	Connection connectionArg `json:"connection"`
	Upload     uploadArg     `json:"upload"`
	Sheet      sheetArg      `json:"sheet"`
	Uploads    uploadsArg    `json:"uploads"`
}

// origin returns the data source that the parameters name.
func (s source) origin() origin {
	return origin{s.Connection.UUID, store.NewFiles(s.Upload.UUID, string(s.Sheet), s.Uploads)}
}

// checkSheet refuses a sheet without the file that has it.
func (s source) checkSheet() error {
	if s.Sheet != "" && s.Upload.UUID == uuid.Nil {
		return message.Refuse(`sheet needs upload, the id of a workbook; with uploads, write {"budget": {"id": "<id>", "sheet": "Actuals"}}`)
	}
	return nil
}

// An origin is a connection, zero for self, with the uploaded files that are read.
type origin struct {
	Connection uuid.UUID
	Files      store.Files
}

// connectionArg is self or a connection's id: the zero UUID means self.
type connectionArg struct {
	uuid.UUID
	given bool
}

// set checks the form of the argument, before any look-up (specification, "Connection
// resolution").
func (c *connectionArg) set(_ string, raw json.RawMessage) error {
	if raw[0] != '"' {
		return message.ConnectionNotString()
	}
	c.given = true
	value := text(raw)
	if value == self {
		return nil
	}
	id, ok := parseUUID(value)
	if !ok {
		return message.ConnectionShape(clip(value, 200))
	}
	c.UUID = id
	return nil
}

func (connectionArg) jsonType() (string, string) { return "string", "" }

func (connectionArg) describe() (doc, example string) {
	return `"self" or a connection's UUID. Default: "self".`,
		"self"
}

// uploadArg is the id of an uploaded file; the zero UUID means no file.
type uploadArg struct{ uuid.UUID }

func (u *uploadArg) set(name string, raw json.RawMessage) error {
	id, ok := parseUUID(text(raw))
	if !ok {
		return message.Refuse(`%s must be the id of an uploaded file, a UUID from list_connections (got %s)`, name, clip(string(raw), 60))
	}
	u.UUID = id
	return nil
}

func (uploadArg) jsonType() (string, string) { return "string", "" }

func (uploadArg) describe() (doc, example string) {
	return "UUID of a file: the table upload. Default: none.", "0198c0de-…"
}

// sheetArg is the name of a sheet of the uploaded file; "" is the first one with rows.
type sheetArg string

func (s *sheetArg) set(name string, raw json.RawMessage) error {
	if raw[0] != '"' || strings.TrimSpace(text(raw)) == "" {
		return message.Refuse(`%s must be the name of a sheet of the upload, as introspect_schema lists them (got %s)`, name,
			clip(string(raw), 60))
	}
	*s = sheetArg(text(raw))
	return nil
}

func (sheetArg) jsonType() (string, string) { return "string", "" }

func (sheetArg) describe() (doc, example string) {
	return "Of upload. Default: first.", "Actuals"
}

// uploadsArg are uploaded files by the names of their tables.
type uploadsArg []dashboard.Upload

func (u *uploadsArg) set(_ string, raw json.RawMessage) error {
	parsed, err := dashboard.ParseUploads(raw)
	*u = parsed
	return err
}

func (uploadsArg) jsonType() (string, string) { return "object", "" }

func (uploadsArg) describe() (doc, example string) {
	return "Files by table: ids or {id, sheet}. Default: none.", `{"rain": "0198c0de-…"}`
}

// name returns the name of the connection in answers: self or its id.
func (o origin) name() string { return connectionName(o.Connection) }

func connectionName(id uuid.UUID) string {
	if id == uuid.Nil {
		return self
	}
	return id.String()
}

// open returns the source that o names. It looks the connection up among the member's own
// in the call's workspace, then checks that it is usable, then checks the files.
func (c call) open(ctx context.Context, o origin) (store.Source, error) {
	if err := o.checkSelf(); err != nil {
		return store.Source{}, err
	}
	src, err := c.Store.Connections.Source(ctx, c.Member, o.Connection, o.Files)
	_, worded := refusal(err)
	if lost := errors.Is(err, store.ErrUnreadable); err == nil || worded && !lost || o.Connection == uuid.Nil {
		return src, err
	}
	// The connection exists, but its credentials cannot be decrypted or its file is
	// missing. The answer is the same as for a failed look-up.
	c.Log.ErrorContext(ctx, "connection cannot be opened", "connection", o.Connection, "err", err)
	return store.Source{}, message.ConnectionUnverified("it was found and could not be opened. Test it in the web application.")
}

// placed returns o with the connection of the member's uploaded files if files are named without a connection: a member has one such
// connection, and self has no files. given reports whether a connection is named.
func (c call) placed(ctx context.Context, o origin, given bool) (origin, error) {
	if given || o.Connection != uuid.Nil || len(o.Files) == 0 {
		return o, nil
	}
	all, err := c.Store.Connections.Connections(ctx, c.Member)
	if err != nil {
		return o, err
	}
	if i := slices.IndexFunc(all, func(own store.Connection) bool { return own.Kind == store.KindUpload }); i >= 0 {
		o.Connection = all[i].ID
	}
	return o, nil
}

// agreed returns the source of a publish, as [agree] and [call.placed] do.
func (c call) agreed(ctx context.Context, arg source, s *dashboard.Spec) (origin, error) {
	o, err := agree(arg, s)
	if err != nil {
		return o, err
	}
	return c.placed(ctx, o, s.Connection != "" || arg.Connection.given)
}

// openOne is [call.open] for queries outside datasets. It completes s as [call.placed] does.
func (c call) openOne(ctx context.Context, s *source) (warehouse.Connector, error) {
	if err := s.checkSheet(); err != nil {
		return nil, err
	}
	o, err := c.placed(ctx, s.origin(), s.Connection.given)
	if err != nil {
		return nil, err
	}
	s.Connection.UUID = o.Connection
	src, err := c.open(ctx, s.origin())
	return src.For(""), err
}

// checkSelf refuses files together with the built-in metrics view.
func (o origin) checkSelf() error {
	if o.Connection == uuid.Nil && len(o.Files) > 0 {
		return message.Refuse(`upload needs a connection of the upload kind, and "self" is the built-in metrics view. Pass ` +
			`the connection that list_connections shows for uploaded files, or omit upload.`)
	}
	return nil
}

// boundFiles are the uploaded files of a spec, for answers.
type boundFiles struct {
	Upload  string                `json:"upload,omitempty"`
	Sheet   string                `json:"sheet,omitempty" schema:"-"`
	Uploads map[string]boundTable `json:"uploads,omitempty"` // by table name
}

// A boundTable is a file with a table name, as a spec has it: its id, or an object of id and sheet.
type boundTable struct{ id, sheet string }

func (b boundTable) MarshalJSON() ([]byte, error) {
	if b.sheet == "" {
		return json.Marshal(b.id)
	}
	return json.Marshal(map[string]string{"id": b.id, "sheet": b.sheet})
}

// filesShown returns the files that all datasets read. The file of a single dataset is in its spec.
func filesShown(files store.Files) (out boundFiles) {
	for _, f := range files.Of("") {
		if f.Table == dashboard.UploadTable {
			out.Upload, out.Sheet = f.Upload.String(), f.Sheet
			continue
		}
		if out.Uploads == nil {
			out.Uploads = map[string]boundTable{}
		}
		out.Uploads[f.Table] = boundTable{f.Upload.String(), f.Sheet}
	}
	return out
}
