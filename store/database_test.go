package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/storetest"
)

// TestGateIsLeftAConnection: while all calls of a process wait for a locked table, it still identifies callers, and another call is refused
// because there is no connection.
func TestGateIsLeftAConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.note(t, "note", "# Note")
	cfg := b.pool.Config()
	cfg.MaxConns = 3
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s, err := store.New(pool, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tx, err := b.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `LOCK TABLE dashboard`); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	const many = 6
	errs := make(chan error, many)
	for range many {
		calls.Go(func() {
			_, err := s.Dashboards.Dashboard(ctx, b.owner, "note")
			errs <- err
		})
	}
	for range many - 2 { // two wait for the lock, the others for a connection
		if err := <-errs; !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("a call without a connection: %v", err)
		}
	}
	if _, err := s.OAuth.Verify(ctx, hash("nobody")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the gate: %v", err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
	for range 2 {
		if err := <-errs; err != nil {
			t.Errorf("a call that waited for the lock: %v", err)
		}
	}
	for range 2 * many { // every connection was released
		if _, err := s.Dashboards.Dashboard(ctx, b.owner, "note"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCallsOfOneTokenWaitForEachOther: thousands of calls with one token or session do not keep other callers from being identified. While
// they wait for a locked table, those of a token use one connection and those of a session two, and the call of another gets one more.
func TestCallsOfOneTokenWaitForEachOther(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, locks string
		atOnce      int32
		ask         func(ctx context.Context, s *store.Store, hash []byte) error
	}{
		{"token", "oauth_token", 1, func(ctx context.Context, s *store.Store, hash []byte) error {
			_, err := s.OAuth.Verify(ctx, hash)
			return err
		}},
		{"session", "web_session", 2, func(ctx context.Context, s *store.Store, hash []byte) error {
			_, err := s.Sessions.Session(ctx, hash)
			return err
		}},
		{"visit", "host_session", 2, func(ctx context.Context, s *store.Store, hash []byte) error {
			_, err := s.Sessions.HostVisit(ctx, hash, "acme.example", "acme", "sales", true)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, pool := storetest.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig) // outside the pool, which the crowd could fill
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(context.Background())
			if _, err := conn.Exec(ctx, `BEGIN; LOCK TABLE `+tt.locks); err != nil {
				t.Fatal(err)
			}
			const crowd = 2000
			var asking sync.WaitGroup
			defer asking.Wait()
			defer cancel()
			for range crowd {
				asking.Go(func() {
					for ctx.Err() == nil { // again after a few seconds, when the call ends
						_ = tt.ask(ctx, s, hash("one of many"))
					}
				})
			}
			state := func() (waiting int, connections, opening int32) {
				of := pool.Stat()
				return s.Asking(hash("one of many")), of.AcquiredConns(), of.ConstructingConns()
			}
			for waiting, connections, opening := state(); waiting < crowd*9/10 || connections < tt.atOnce || opening > 0; {
				runtime.Gosched()
				waiting, connections, opening = state()
			}
			other := make(chan error, 1)
			go func() { other <- tt.ask(ctx, s, hash("alone")) }()
			for _, connections, _ := state(); connections <= tt.atOnce && len(other) == 0; {
				runtime.Gosched()
				_, connections, _ = state()
			}
			if waiting, connections, _ := state(); connections != tt.atOnce+1 {
				t.Errorf("the call of another waits for the table while %d wait: %d connections are in use, want %d", waiting, connections, tt.atOnce+1)
			}
			if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
				t.Fatal(err)
			}
			if err := <-other; !errors.Is(err, store.ErrNotFound) {
				t.Error("the call of another:", err)
			}
		})
	}
}

// TestOutage distinguishes temporary errors from faults of ours.
func TestOutage(t *testing.T) {
	t.Parallel()
	_, refused := pgconn.Connect(t.Context(), "host=127.0.0.1 port=1 user=nobody database=none")
	_, pool := storetest.New(t)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, held := conn.Exec(late, "SELECT pg_sleep(60)")
	<-late.Done()
	for _, test := range []struct{ err, want error }{
		{nil, nil},
		{errors.New("a fault of ours"), nil},
		{store.ErrNotFound, nil},
		{context.Canceled, nil},
		{&pgconn.PgError{Code: "23505"}, nil},
		{&pgconn.PgError{Code: "53100"}, store.ErrStorageFull},
		{&fs.PathError{Op: "write", Err: syscall.ENOSPC}, store.ErrStorageFull},
		{&pgconn.PgError{Code: "53300"}, store.ErrUnavailable},
		{&pgconn.PgError{Code: "57P01"}, store.ErrUnavailable},
		{&pgconn.PgError{Code: "55P03"}, store.ErrUnavailable},
		{&pgconn.PgError{Code: "57014"}, store.ErrUnavailable},
		{&pgconn.PgError{Code: "40P01"}, store.ErrUnavailable},
		{refused, store.ErrUnavailable},
		{held, store.ErrUnavailable},
		{late.Err(), nil},
	} {
		err := test.err
		if err != nil {
			err = fmt.Errorf("publish_dashboard: %w", err)
		}
		if got := store.Outage(err); !errors.Is(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
	}
}

// TestFullStorage: a write that fails because the storage is full returns that error, and readiness reports it for a minute.
func TestFullStorage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	s, pool := storetest.New(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	if _, err := pool.Exec(ctx, `
		CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''53100''; END';
		CREATE TRIGGER full_disk BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION full_disk()`); err != nil {
		t.Fatal(err)
	}
	if err := s.Room(ctx); err != nil {
		t.Errorf("before: %v", err)
	}
	_, err := s.Accounts.EnsureAccount(ctx, store.Identity{Issuer: "https://id.example", Subject: "a"})
	if !errors.Is(store.Outage(err), store.ErrStorageFull) {
		t.Errorf("the write: %v", err)
	}
	if err := s.Room(ctx); !errors.Is(err, store.ErrStorageFull) {
		t.Errorf("after: %v", err)
	}
	now = now.Add(time.Minute)
	if err := s.Room(ctx); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}
