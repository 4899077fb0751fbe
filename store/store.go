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

// A Store reads and writes the data of the service. It is safe for concurrent use.
type Store struct {
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
	s := &Store{process: newID(), opt: opt, cursorKey: opt.Keys.Derive("cursors")}
	s.gate = database{Pool: pool, failed: s.noteFull}
	s.pool = database{Pool: pool, failed: s.noteFull, slots: semaphore.NewWeighted(int64(max(1, pool.Config().MaxConns-1)))}
	return s, nil
}

// Pool is the store's pool.
func (s *Store) Pool() *pgxpool.Pool { return s.pool.Pool }

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.gate.Ping(ctx) }

// now is the store's time, at the database's precision.
func (s *Store) now() time.Time { return s.opt.Now().UTC().Truncate(time.Microsecond) }

// tx runs f in one transaction. f must use only the transaction, because taking a second connection can deadlock a full pool. After a
// deadlock in the database f runs again, so it must not depend on variables that it wrote before.
func (s *Store) tx(ctx context.Context, f func(pgx.Tx) error) error {
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
