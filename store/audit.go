package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// An Event is one row of the audit log.
type Event struct {
	ID        uuid.UUID
	Workspace uuid.UUID // zero: about an account only
	Account   uuid.UUID // who did it; zero: the operator
	Action    string    // noun.verb, such as dashboard.publish
	Subject   string    // slug, e-mail or id of what it was done to
	Detail    map[string]any
	At        time.Time
}

// audit writes e with the change it tells of: q is the change's transaction.
func (s *Store) audit(ctx context.Context, q querier, e Event) error {
	detail := []byte("{}")
	if e.Detail != nil {
		var err error
		if detail, err = json.Marshal(e.Detail); err != nil {
			return err
		}
	}
	_, err := q.Exec(ctx, `
		INSERT INTO audit (id, workspace_id, account_id, action, subject, detail, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		newID(), optional(e.Workspace), optional(e.Account), e.Action, e.Subject, detail, s.now())
	return err
}

// optional is id, or NULL for the zero id.
func optional(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
