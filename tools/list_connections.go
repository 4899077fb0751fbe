package tools

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/store/warehouse"
)

var listConnections = tool[listConnectionsArgs]{
	name:  "list_connections",
	title: "List connections",
	description: `Lists the sources of data in this workspace: the caller's own warehouse connections and uploaded files, each with id, ` +
		`label, kind, SQL dialect, status and whether it is usable, and the built-in metrics view "self", which needs no id and has no ` +
		`personal data. Only connections with status active are usable; others have the reason. Connections are created in the web app.`,
	hints:   hints{readOnly: true, idempotent: true},
	output:  connectionList{},
	scope:   connectionScope,
	viewers: true,
	run:     runListConnections,
}

type listConnectionsArgs struct{}

type connectionList struct {
	answer
	Workspace   string             `json:"workspace"`
	Connections []connectionDetail `json:"connections"`
	Self        json.RawMessage    `json:"self"` // a [connectionDetail]
	NextStep    string             `json:"next_step" schema:"-"`
}

// A connectionDetail is a connection as answers show it.
type connectionDetail struct {
	ID      string         `json:"id"`
	Label   string         `json:"label"`
	Kind    string         `json:"kind"`
	Dialect string         `json:"dialect"`
	Status  string         `json:"status"`
	Reason  string         `json:"status_reason,omitempty"`
	Usable  bool           `json:"usable"`
	Uploads []uploadDetail `json:"uploads,omitempty"`
}

type uploadDetail struct {
	ID        string   `json:"id"`
	Filename  string   `json:"filename"`
	Rows      *int     `json:"rows,omitempty"`
	Columns   []string `json:"columns"`
	CreatedAt string   `json:"created_at"`
	Sheets    []string `json:"sheets,omitempty" schema:"-"` // with rows, of a workbook that has several
}

// selfConnection is the built-in metrics view.
var selfConnection = connectionDetail{
	ID: self, Label: "Built-in metrics", Kind: self, Dialect: "duckdb", Status: store.StatusActive, Usable: true,
}

var selfJSON = encode(selfConnection)

func detail(c store.Connection) connectionDetail {
	out := connectionDetail{
		ID: c.ID.String(), Label: c.Label, Kind: c.Kind, Dialect: c.Dialect(), Status: c.Status,
		Reason: clip(c.StatusReason, 300), Usable: c.Status == store.StatusActive,
	}
	for _, u := range c.Uploads {
		out.Uploads = append(out.Uploads, uploadOf(u))
	}
	return out
}

func uploadOf(u store.Upload) uploadDetail {
	out := uploadDetail{ID: u.ID.String(), Filename: clip(u.Filename, 200), Rows: &u.Rows, Columns: []string{}, CreatedAt: stamp(u.CreatedAt)}
	for _, col := range u.Columns[:min(len(u.Columns), 50)] {
		out.Columns = append(out.Columns, clip(col.Name, 100))
	}
	for _, s := range u.Sheets {
		if s.State == warehouse.SheetRead {
			out.Sheets = append(out.Sheets, clip(s.Name, 100))
		}
	}
	if len(out.Sheets) < 2 {
		out.Sheets = nil
	}
	return out
}

func runListConnections(ctx context.Context, c call, _ listConnectionsArgs) (*reply, error) {
	var all []store.Connection
	if c.Edits() { // a viewer who was an editor may still have some
		var err error
		if all, err = c.Store.Connections.Connections(ctx, c.Member); err != nil {
			return nil, err
		}
	}
	out := connectionList{
		answer: answer{URL: c.url("")}, Workspace: c.Workspace(), Connections: []connectionDetail{}, Self: selfJSON,
		NextStep: "introspect_schema shows the tables of a connection, by its id, and of an upload, by the ids of both.",
	}
	if !c.Edits() {
		out.NextStep = ""
	}
	if len(all) == 0 {
		r := replyWith(&out, message.NoWarehouseConnections).structure()
		r.bare = true // the specification defines the whole text
		return r, nil
	}
	usable, files, space := 0, 0, room
	for _, found := range all {
		d := detail(found)
		if d.Usable {
			usable++
		}
		files += len(d.Uploads)
		uploads := d.Uploads
		d.Uploads = nil
		kept, left := fit([]connectionDetail{d}, &space)
		if left > 0 {
			break
		}
		kept[0].Uploads, _ = fit(uploads, &space)
		out.Connections = append(out.Connections, kept[0])
	}
	shown := 0
	for _, d := range out.Connections {
		shown += len(d.Uploads)
	}
	more := ""
	if len(out.Connections) < len(all) || shown < files {
		more = " Not all fit here: the web application shows every connection and upload."
	}
	return replyWith(&out, `%s in workspace "%s", %d usable, with %s; "self" is always usable: %s%s`,
		count(len(all), "connection"), c.Workspace(), usable, count(files, "uploaded file"), out.URL, more).structure(), nil
}

// connectionOf describes the connection of a binding as far as the caller may see it. The
// zero id means self.
func connectionOf(found store.Connection, id uuid.UUID) connectionDetail {
	if id == uuid.Nil {
		return selfConnection
	}
	d := detail(found)
	d.Uploads = nil
	return d
}
