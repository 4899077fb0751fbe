package store

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"service/store/limit"
	"service/store/tracing"
	"service/store/warehouse"
)

// Errors of store methods. Any error that is neither one of these nor a *message.Refusal is the
// database's, and only for the log.
var (
	ErrNotFound  = errors.New("not found")
	ErrNotMember = errors.New("not a member")
	ErrTaken     = errors.New("already taken")
)

// Options configure a [Store]. The zero value works.
type Options struct {
	Now            func() time.Time // the clock; time.Now by default
	Log            *slog.Logger     // slog.Default by default
	Engine         Engine           // queries self and uploads; nil refuses such queries
	DefaultPlan    string           // of a new workspace: free (default) or paid
	Creators       Creators         // people who may make workspaces; by default, everybody with a verified address
	Quotas         map[string]int   // bytes that a workspace of each plan may store; without one, any amount
	RefreshBudget  int              // triggers per workspace and minute; 60 by default
	AuditRetention time.Duration    // how long the audit log is kept; AuditRetention by default
	MinSchedule    time.Duration    // between two runs of a schedule: MinSchedule by default, at least LeastSchedule
	Bin            time.Duration    // how long deleted dashboards are kept; BinRetention by default, below zero not at all
	LimiterFailed  func()           // called when the rate limiter fails open
	Retried        func()           // called when a transaction is tried again after a deadlock
	Keys           *Keys            // encrypt credentials and cursors; the same on all replicas. By default random
	Warehouses     map[string]Open  // opens each kind of warehouse; other kinds cannot be added
	Traces         *tracing.Tracer  // nil: the queue and sources are not traced
}

// An Engine answers queries over data files, in a process of its own.
type Engine interface {
	// Open returns a connector over tables of a tenant's workspace. Equal keys mean equal
	// data.
	Open(tenant warehouse.Tenant, key string, tables []warehouse.DataTable) warehouse.Connector
	// Ingest infers the types of a tenant's data file and converts it to Parquet.
	Ingest(ctx context.Context, tenant warehouse.Tenant, f warehouse.DataFile) (*warehouse.Ingested, error)
}

// Open makes a connector to a warehouse. It does not connect.
type Open func(warehouse.Target) (warehouse.Connector, error)

// A Store reads and writes the data of the service. Its fields have the methods of a subject each. It is safe for concurrent use.
type Store struct {
	*core

	Accounts    Accounts    // people, and their settings
	Sessions    Sessions    // sign-ins and sessions of browsers
	OAuth       OAuth       // clients, their requests, grants and tokens, and trusts
	Workspaces  Workspaces  // workspaces, and the bytes that they store
	Members     Members     // memberships, invitations, groups and attributes
	Scim        Scim        // people and groups that an identity provider makes
	Dashboards  Dashboards  // dashboards, their versions and rows
	Refreshes   Refreshes   // runs, their queue and schedules, and feeds
	Jobs        Jobs        // leases of the jobs that a process works on
	Connections Connections // connections, and the warehouses behind them
	Uploads     Uploads     // uploaded files
	Messages    Messages    // channels, subscriptions, and the queue of messages
	Alerts      Alerts      // alerts, their states and events
	Rates       Rates       // rate limits
	Audit       Audit       // the audit log
}

// The subjects of a [Store]. All of them use its core.
type (
	// Accounts are the methods of a [Store] for people, and their settings.
	Accounts struct{ *core }
	// Sessions are the methods of a [Store] for sign-ins and sessions of browsers.
	Sessions struct{ *core }
	// OAuth are the methods of a [Store] for clients, their requests, grants and tokens, and trusts.
	OAuth struct{ *core }
	// Workspaces are the methods of a [Store] for workspaces, and the bytes that they store.
	Workspaces struct{ *core }
	// Members are the methods of a [Store] for memberships, invitations, groups and attributes.
	Members struct{ *core }
	// Scim are the methods of a [Store] for people and groups that an identity provider makes.
	Scim struct{ *core }
	// Dashboards are the methods of a [Store] for dashboards, their versions and rows.
	Dashboards struct{ *core }
	// Refreshes are the methods of a [Store] for runs, their queue and schedules, and feeds.
	Refreshes struct{ *core }
	// Jobs are the methods of a [Store] for leases of the jobs that a process works on.
	Jobs struct{ *core }
	// Connections are the methods of a [Store] for connections, and the warehouses behind them.
	Connections struct{ *core }
	// Uploads are the methods of a [Store] for uploaded files.
	Uploads struct{ *core }
	// Messages are the methods of a [Store] for channels, subscriptions, and the queue of messages.
	Messages struct{ *core }
	// Alerts are the methods of a [Store] for alerts, their states and events.
	Alerts struct{ *core }
	// Rates are the methods of a [Store] for rate limits.
	Rates struct{ *core }
	// Audit are the methods of a [Store] for the audit log.
	Audit struct{ *core }
)

// A core is the state that the subjects of a store share.
type core struct {
	pool      database
	gate      database // the same pool, with its reserved connection
	opt       Options
	cursorKey []byte
	views     views
	selfs     selfs
	sources   limit.Keyed[string]               // queries, by workspace and server, and by account
	askers    limit.Keyed[string]               // requests that identify their caller, by the hash of their session
	checks    limit.Shared[string, Grant]       // of tokens, by their hash
	notes     limit.Shared[uuid.UUID, struct{}] // of calls, by their grant
	counting  limit.Keyed[string]               // uses of rates, by key
	counted   atomic.Int64                      // uses of rates, of all keys: while it grows, the database counts
	process   uuid.UUID                         // the id of this process among those that refresh
	ahead     atomic.Int64                      // by how much this clock is ahead of the database's, in ns
	fullAt    atomic.Int64                      // when the storage last refused a write, in ns since 1970; 0: never
}

// New returns a store on a migrated database.
func New(pool *pgxpool.Pool, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	if opt.DefaultPlan == "" {
		opt.DefaultPlan = "free"
	}
	if opt.RefreshBudget == 0 {
		opt.RefreshBudget = 60
	}
	if opt.AuditRetention == 0 {
		opt.AuditRetention = AuditRetention
	}
	if opt.MinSchedule == 0 {
		opt.MinSchedule = MinSchedule
	}
	if opt.Bin == 0 {
		opt.Bin = BinRetention
	}
	if opt.LimiterFailed == nil {
		opt.LimiterFailed = func() {}
	}
	if opt.Retried == nil {
		opt.Retried = func() {}
	}
	if opt.Keys == nil {
		key := make([]byte, KeySize)
		rand.Read(key) // never fails
		opt.Keys = &Keys{keys: [][]byte{key}}
	}
	c := &core{process: newID(), opt: opt, cursorKey: opt.Keys.Derive("cursors")}
	c.gate = database{Pool: pool, failed: c.noteFull}
	c.pool = database{Pool: pool, failed: c.noteFull, slots: semaphore.NewWeighted(int64(max(1, pool.Config().MaxConns-1)))}
	return &Store{
		core:     c,
		Accounts: Accounts{c}, Sessions: Sessions{c}, OAuth: OAuth{c}, Workspaces: Workspaces{c}, Members: Members{c},
		Scim: Scim{c}, Dashboards: Dashboards{c}, Refreshes: Refreshes{c}, Jobs: Jobs{c}, Connections: Connections{c},
		Uploads: Uploads{c}, Messages: Messages{c}, Alerts: Alerts{c}, Rates: Rates{c}, Audit: Audit{c},
	}, nil
}

// Pool is the store's pool.
func (s *Store) Pool() *pgxpool.Pool { return s.pool.Pool }

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.gate.Ping(ctx) }

// now is the store's time, at the database's precision.
func (s *core) now() time.Time { return s.opt.Now().UTC().Truncate(time.Microsecond) }

// tx runs f in one transaction. f must use only the transaction, because taking a second connection can deadlock a full pool. After a
// deadlock in the database f runs again, so it must not depend on variables that it wrote before.
func (s *core) tx(ctx context.Context, f func(pgx.Tx) error) error {
	for try := 1; ; try++ {
		err := s.pool.begin(ctx, f)
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "40P01" || try == maxDeadlocks {
			return err
		}
		s.opt.Retried()
		s.opt.Log.InfoContext(ctx, "store: a transaction was ended by a deadlock and is tried again", "try", try)
		select { // a moment in which the other transactions of the deadlock take the released locks
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try)*10*time.Millisecond + mathrand.N(10*time.Millisecond)):
		}
	}
}

// maxDeadlocks is how often a transaction is tried. Each deadlock ends one transaction, so that the
// others proceed and the next try is likely to succeed.
const maxDeadlocks = 5

// querier is a pool or a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// plain translates the database's errors into the store's.
func plain(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "23505" {
		return ErrTaken
	}
	return err
}

// newID returns a UUIDv7, so that ids sort by time.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
