package tools

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/store/warehouse"
)

// self is the built-in metrics view, which is used when no connection is given.
const self = "self"

// source is the pair of parameters that say where data comes from. Every tool
// that takes a connection embeds it.
type source struct {
	Connection connectionArg `json:"connection"`
	Upload     uploadArg     `json:"upload"`
}

// connectionArg is self or a connection's id: the zero UUID is self.
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
	return `"self" (built-in metrics) or a connection id (UUID) from list_connections. Default: "self".`,
		"self"
}

// uploadArg is the id of an uploaded file; the zero UUID is none.
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
	return "Id (UUID) of an uploaded file, with a connection of the upload kind only. Default: none.", "0198c0de-77aa-7b01-8f00-4d1f2a3b4c5d"
}

// name is the name of the connection in answers: self or its id.
func (s source) name() string { return connectionName(s.Connection.UUID) }

func connectionName(id uuid.UUID) string {
	if id == uuid.Nil {
		return self
	}
	return id.String()
}

// open returns the connector of a source. It looks the connection up among the member's own
// in the call's workspace, then checks that it is usable, then checks the upload.
func (c call) open(ctx context.Context, s source) (warehouse.Connector, error) {
	if err := s.checkSelf(); err != nil {
		return nil, err
	}
	connector, err := c.Store.Source(ctx, c.Member, s.Connection.UUID, s.Upload.UUID)
	_, worded := refusal(err)
	if lost := errors.Is(err, store.ErrUnreadable); err == nil || worded && !lost || s.Connection.UUID == uuid.Nil {
		return connector, err
	}
	// The connection exists, but its credentials cannot be decrypted or its file is
	// missing. The answer is that of a failed look-up.
	c.Log.ErrorContext(ctx, "connection cannot be opened", "connection", s.Connection.UUID, "err", err)
	return nil, message.ConnectionUnverified("it was found and could not be opened. Test it in the web application.")
}

// checkSelf refuses an upload together with the built-in metrics view.
func (s source) checkSelf() error {
	if s.Connection.UUID == uuid.Nil && s.Upload.UUID != uuid.Nil {
		return message.Refuse(`upload goes only with a connection of the upload kind, and "self" is the built-in metrics view. ` +
			`Pass the connection that list_connections shows for uploaded files, or omit upload.`)
	}
	return nil
}
