package store

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/google"
)

// ErrUnreadable means that no key of this installation decrypts the target of a connection. Its owner
// can type it again, or delete the connection.
var ErrUnreadable = warehouse.Errorf(warehouse.Auth, "The address and password of this connection can no longer be read. Type them again.")

// testTime is how long the test of a connection may take.
const testTime = 10 * time.Second

// Kinds are the kinds of warehouse that this installation can reach, by name.
func (s Connections) Kinds() []string { return slices.Sorted(maps.Keys(s.opt.Warehouses)) }

// AddWarehouse adds a warehouse connection of m's in m's workspace, which must have a paid plan. The
// connection is untested until [Connections.TestConnection] makes it active. Without a password it gets a key pair, if it needs one: see
// [warehouse.Target.NeedsKey] and [Connections.KeySteps].
func (s Connections) AddWarehouse(ctx context.Context, m Member, kind, label string, t warehouse.Target) (Connection, error) {
	id := newID()
	makes := t.NeedsKey(kind)
	if makes {
		made, err := warehouse.NewKey()
		if err != nil {
			return Connection{}, err
		}
		t.Password = made
	}
	sealed, err := s.checkWarehouse(m, id, kind, label, t)
	if err == nil && makes { // its test is later; the target is checked now
		_, err = s.openTarget(kind, t, m.tenant())
	}
	if err != nil {
		return Connection{}, err
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			INSERT INTO connection (workspace_id, id, owner_id, kind, label, secret, status_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
			m.workspace, id, m.account, kind, strings.TrimSpace(label), sealed, s.now()); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "connection.add", Subject: id.String(),
			Detail: map[string]any{"kind": kind, "label": label},
		})
	})
	if err != nil {
		return Connection{}, err
	}
	return s.Connection(ctx, m, id)
}

// UpdateWarehouse changes label and target of m's warehouse connection. A new target must be tested again. An empty password keeps the
// stored one, unless host, port, user or TLS change: nobody can read a stored password, so nobody may send it to another host either.
func (s Connections) UpdateWarehouse(ctx context.Context, m Member, id uuid.UUID, label string, t warehouse.Target) (Connection, error) {
	c, before, sealed, err := s.checkUpdate(ctx, m, id, label, &t)
	if err != nil {
		return c, err
	}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			UPDATE connection SET label = $3, secret = $4,
			       status = CASE WHEN $5 THEN 'untested' ELSE status END,
			       status_reason = CASE WHEN $5 THEN '' ELSE status_reason END,
			       status_at = CASE WHEN $5 THEN $6 ELSE status_at END
			 WHERE workspace_id = $1 AND id = $2`, m.workspace, id, strings.TrimSpace(label), sealed, t != before, s.now()); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "connection.update", Subject: id.String(),
			Detail: map[string]any{"label": label, "before": c.Label, "target": t != before},
		})
	})
	if err != nil {
		return c, err
	}
	return s.Connection(ctx, m, id)
}

// checkUpdate checks a change of m's warehouse connection, and encrypts the target. It sets the stored password in t if that is kept.
func (s *core) checkUpdate(ctx context.Context, m Member, id uuid.UUID, label string, t *warehouse.Target) (
	c Connection, before warehouse.Target, sealed []byte, err error,
) {
	c, before, err = s.warehouseTarget(ctx, m, id)
	lost := errors.Is(err, ErrUnreadable)
	if err != nil && !lost {
		return c, before, nil, err
	}
	kept := t.Password == "" && before.Password != ""
	if kept {
		t.Password = before.Password
	}
	if sealed, err = s.checkWarehouse(m, id, c.Kind, label, *t); err != nil {
		return c, before, nil, err
	}
	if lost && t.Password == "" {
		return c, before, nil, message.Refuse("password must be typed again: the stored one can no longer be read")
	}
	if same := before; kept {
		same.Database, same.MaxBytes, same.MaxMonth = t.Database, t.MaxBytes, t.MaxMonth // the server is the same
		if !warehouse.Kinds[c.Kind].Issued {
			same.Place = t.Place
		} else if t.Place != before.Place {
			return c, before, nil, message.Refuse("password must be typed again when the token endpoint or its scopes change: " +
				"the stored one is for where the connection leads now")
		}
		if *t != same {
			return c, before, nil, message.Refuse("password must be typed again when host, port, user or TLS change: " +
				"the stored one is for where the connection leads now")
		}
	}
	return c, before, sealed, nil
}

// TryWarehouse checks a connection as [Connections.AddWarehouse] does, or, if id is not zero, as [Connections.UpdateWarehouse] does, and
// that the warehouse answers. It stores nothing. A warehouse that does not answer is a *[warehouse.Error]. A change that keeps the
// target is not tried.
func (s Connections) TryWarehouse(ctx context.Context, m Member, id uuid.UUID, kind, label string, t warehouse.Target) (Connection, error) {
	c := Connection{Kind: kind, WorkspaceID: m.workspace, Owner: m.account}
	if id == uuid.Nil {
		if _, err := s.checkWarehouse(m, id, kind, label, t); err != nil {
			return c, err
		}
	} else {
		stored, before, _, err := s.checkUpdate(ctx, m, id, label, &t)
		if c = stored; err != nil || t == before {
			return c, err
		}
	}
	source, err := s.openTarget(c.Kind, t, m.tenant())
	if err != nil {
		return c, err
	}
	_, err = pinged(ctx, limitTo(&s.sources, source, t, m.tenant()))
	if errors.Is(err, errBusy) {
		return c, message.Refuse("%s", errBusy.Message)
	}
	if _, told := errors.AsType[*warehouse.Error](err); err != nil && !told && ctx.Err() == nil {
		s.opt.Log.ErrorContext(ctx, "connection test failed", "kind", c.Kind, "err", err)
		return c, warehouse.Errorf(warehouse.Connect, sayUntested)
	}
	return c, err
}

// sayUntested is the reason of a test that failed for a reason that is not the warehouse's.
const sayUntested = "The connection could not be tested."

// checkWarehouse checks the input of a person and encrypts the target.
func (s *core) checkWarehouse(m Member, id uuid.UUID, kind, label string, t warehouse.Target) ([]byte, error) {
	if m.plan != "paid" {
		return nil, message.Refuse(`Warehouse connections need a paid plan, and workspace "%s" is on the free one. `+
			`Uploaded files and "self" need none. The operator of this service changes the plan: `+
			`service admin workspace plan %s paid`, m.slug, m.slug)
	}
	if _, ok := s.opt.Warehouses[kind]; !ok {
		return nil, message.Refuse(`kind "%s" is not a kind of warehouse that this installation can reach; the kinds are %s`,
			kind, strings.Join(slices.Sorted(maps.Keys(s.opt.Warehouses)), ", "))
	}
	if strings.TrimSpace(label) == "" {
		return nil, message.Refuse("label must not be empty")
	}
	if err := dashboard.CheckLine("label", label, dashboard.MaxName); err != nil {
		return nil, err
	}
	if err := t.Check(kind); err != nil {
		return nil, err
	}
	plain, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return s.opt.Keys.seal(plain, secretPlace(id))
}

// WarehouseTarget returns the target of m's warehouse connection without its password, which is never
// shown again. It returns [ErrUnreadable] when no key decrypts it.
func (s Connections) WarehouseTarget(ctx context.Context, m Member, id uuid.UUID) (warehouse.Target, error) {
	_, t, err := s.warehouseTarget(ctx, m, id)
	t.Password = ""
	return t, err
}

// KeySteps returns what an administrator runs so that the warehouse of m's connection accepts the public half of its key pair: a statement
// of SQL or commands, with that half. It is empty if the connection has no key pair.
func (s Connections) KeySteps(ctx context.Context, m Member, id uuid.UUID) (string, error) {
	c, t, err := s.warehouseTarget(ctx, m, id)
	switch {
	case err != nil:
		return "", err
	case warehouse.Kinds[c.Kind].Federated:
		return google.Steps(t), nil
	case warehouse.Kinds[c.Kind].MakesKeys:
		return snowflakeSteps(t), nil
	}
	return "", nil
}

// snowflakeSteps returns the statement that gives the public half of the key of t to its user. The connector writes the name of the user in
// capitals.
func snowflakeSteps(t warehouse.Target) string {
	key := warehouse.PublicKey(t.Password)
	if key == "" {
		return ""
	}
	name := strings.ToUpper(t.User)
	if !plainName.MatchString(name) {
		name = sqltext.Snowflake.Quote(name)
	}
	return "ALTER USER " + name + " SET RSA_PUBLIC_KEY = '" + key + "';"
}

var plainName = pattern.New(`^[A-Z_][A-Z0-9_]*$`)

func (s *core) warehouseTarget(ctx context.Context, m Member, id uuid.UUID) (Connection, warehouse.Target, error) {
	c, err := Connections{s}.Connection(ctx, m, id)
	if err != nil {
		return c, warehouse.Target{}, err
	}
	t, err := s.target(ctx, c)
	return c, t, err
}

// target decrypts the target of c.
func (s *core) target(ctx context.Context, c Connection) (t warehouse.Target, err error) {
	if c.secret == nil { // the upload kind has no target
		return t, ErrNotFound
	}
	plain, err := s.opt.Keys.open(c.secret, secretPlace(c.ID))
	if err != nil {
		s.opt.Log.ErrorContext(ctx, "the secret of a connection does not open", "connection", c.ID, "err", err)
		return t, ErrUnreadable
	}
	return t, json.Unmarshal(plain, &t)
}

// connector returns a connector to the warehouse of c.
func (s *core) connector(ctx context.Context, c Connection) (warehouse.Connector, error) {
	t, err := s.target(ctx, c)
	if err != nil {
		return nil, err
	}
	source, err := s.openTarget(c.Kind, t, c.tenant())
	if err != nil {
		return nil, err
	}
	limited := limitTo(&s.sources, s.opt.Traces.Source(source, c.Kind, c.WorkspaceID), t, c.tenant())
	if warehouse.Kinds[c.Kind].Counted {
		limited.budget = &budget{s, c.WorkspaceID, c.ID, t.MaxMonth}
	}
	return limited, nil
}

// openTarget returns a connector to a target for a tenant.
func (s *core) openTarget(kind string, t warehouse.Target, by warehouse.Tenant) (warehouse.Connector, error) {
	open, ok := s.opt.Warehouses[kind]
	if !ok {
		return nil, warehouse.Errorf(warehouse.Connect, "this installation cannot reach warehouses of the kind %s", kind)
	}
	source, err := open(t)
	if of, ok := source.(warehouse.Tenanted); ok && err == nil {
		return of.For(by), nil
	}
	return source, err
}

// ping checks that the warehouse of c answers. warning names rights that its user should not have.
func (s *core) ping(ctx context.Context, c Connection) (warning string, err error) {
	source, err := s.connector(ctx, c)
	if err != nil {
		return "", err
	}
	return pinged(ctx, source)
}

func pinged(ctx context.Context, source warehouse.Connector) (warning string, err error) {
	limited, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	if err := source.Ping(limited); err != nil {
		return "", err
	}
	if w, ok := source.(warehouse.Warner); ok {
		warning = w.Warning(limited)
	}
	return warning, nil
}

// TestConnection checks that the warehouse of m's connection answers, and makes the connection active,
// or failing with the reason in StatusReason. An active one has a StatusReason too if its user can do
// more than it should. The test is refused, and changes nothing, when too many queries run, or when the
// connection was changed or switched off during the test.
func (s Connections) TestConnection(ctx context.Context, m Member, id uuid.UUID) (Connection, error) {
	c, err := s.Connection(ctx, m, id)
	if err != nil {
		return c, err
	}
	if c.Kind == KindUpload {
		return c, nil // uploaded files need no test
	}
	if m.plan != "paid" {
		return c, message.ConnectionNotActive(c.Label, c.Status)
	}
	status := StatusActive
	reason, err := s.ping(ctx, c)
	if errors.Is(err, errBusy) {
		return c, message.Refuse("%s", errBusy.Message)
	}
	if err != nil {
		status, reason = StatusFailing, sayUntested
		if bad, ok := errors.AsType[*warehouse.Error](err); ok {
			reason = bad.Message
		} else if no, ok := message.As(err); ok {
			reason = no.Error()
		} else {
			s.opt.Log.ErrorContext(ctx, "connection test failed", "connection", id, "err", err)
		}
	}
	err = s.setStatus(ctx, m, id, status, reason, "connection.test", ` AND secret = $7 AND (status <> 'disabled' OR status_at = $8)`,
		c.secret, c.StatusAt)
	if errors.Is(err, ErrNotFound) {
		return c, message.Refuse("The connection was changed while it was tested. Test it again.")
	}
	if err != nil {
		return c, err
	}
	return s.Connection(ctx, m, id)
}

// DisableConnection switches m's connection off. A test switches it on again.
func (s Connections) DisableConnection(ctx context.Context, m Member, id uuid.UUID) error {
	return s.setStatus(ctx, m, id, StatusDisabled, "Switched off by its owner.", "connection.disable", "")
}

// setStatus sets the status of m's connection if it meets a condition, and returns [ErrNotFound]
// otherwise. The arguments of the condition begin at $7.
func (s *core) setStatus(ctx context.Context, m Member, id uuid.UUID, status, reason, action, condition string, args ...any) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var label string
		if err := tx.QueryRow(ctx, `
			UPDATE connection SET status = $4, status_reason = $5, status_at = $6, failures = 0
			 WHERE workspace_id = $1 AND id = $2 AND owner_id = $3 AND kind <> 'upload'`+condition+`
			RETURNING label`, append([]any{m.workspace, id, m.account, status, reason, s.now()}, args...)...).Scan(&label); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: action, Subject: id.String(),
			Detail: map[string]any{"label": label, "status": status},
		})
	})
}

// DeleteConnection deletes m's connection and its uploads. Dashboards bound to it stay, and show why they no longer refresh.
func (s Connections) DeleteConnection(ctx context.Context, m Member, id uuid.UUID) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		var label string
		if err := tx.QueryRow(ctx, `DELETE FROM connection WHERE workspace_id = $1 AND id = $2 AND owner_id = $3 RETURNING label`,
			m.workspace, id, m.account).Scan(&label); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "connection.delete", Subject: id.String(),
			Detail: map[string]any{"label": label},
		})
	})
}
