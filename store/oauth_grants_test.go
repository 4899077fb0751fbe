package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// TestOperatorChangesALock: the lock column alone is enough to remove a lock, and never enough to add one.
func TestOperatorChangesALock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	grant := uuid.New()
	later := time.Now().Add(time.Hour)
	if _, err := b.pool.Exec(ctx, `
			INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method) VALUES ('c', 'C', '{}', '{}', 'none')`); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at)
		VALUES ($1, 'c', $2, 'workspace', $3, 'dashboards', '', $4, $4)`, grant, b.owner.Account(), b.owner.WorkspaceID(), later); err != nil {
		t.Fatal(err)
	}
	if _, err := b.pool.Exec(ctx, `
			INSERT INTO oauth_token (hash, grant_id, kind, expires_at) VALUES ('h', $1, 'access', $2)`, grant, later); err != nil {
		t.Fatal(err)
	}
	g, err := b.OAuth.Verify(ctx, []byte("h"))
	if err != nil || g.Lock != store.LockWorkspace ||
		g.Member.Account() != b.owner.Account() || g.Member.WorkspaceID() != b.owner.WorkspaceID() {
		t.Fatalf("%+v, %v", g, err)
	}
	for _, lock := range []store.Lock{store.LockLegacy, store.LockNone} {
		if _, err := b.pool.Exec(ctx, `UPDATE oauth_grant SET lock = $1`, lock); err != nil {
			t.Fatal(err)
		}
		if g, err = b.OAuth.Verify(ctx, []byte("h")); err != nil || g.Lock != lock || g.Member != (store.Member{}) {
			t.Errorf("%s: %+v, %v", lock, g, err)
		}
	}
	if _, err := b.pool.Exec(ctx, `UPDATE oauth_grant SET lock = 'workspace'`); err == nil {
		t.Error("a lock to no workspace was taken")
	}
}

// TestGateIsOneStatement: a call is let in by one statement, and its use is written down by a second one once a
// minute.
func TestGateIsOneStatement(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.token(t, "h")
	b, seen := b.spied(t)
	for i, want := range []int{2, 1, 1} {
		g, err := b.OAuth.Verify(t.Context(), []byte("h"))
		if err == nil {
			err = b.OAuth.NoteCall(t.Context(), g)
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(seen.sent) != want {
			t.Errorf("call %d: %d statements, want %d", i+1, len(seen.sent), want)
		}
		seen.sent = nil
	}
}

// token adds an access token of a hash, of a grant that is locked to the bench's workspace.
func (b bench) token(t testing.TB, hash string) (grant uuid.UUID) {
	t.Helper()
	grant, later := uuid.New(), time.Now().Add(time.Hour)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method) VALUES ('c', 'C', '{}', '{}', 'none')`, nil},
		{`INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at)
		VALUES ($1, 'c', $2, 'workspace', $3, 'dashboards', '', $4, $4)`, []any{grant, b.owner.Account(), b.owner.WorkspaceID(), later}},
		{`INSERT INTO oauth_token (hash, grant_id, kind, expires_at) VALUES ($1::text::bytea, $2, 'access', $3)`, []any{hash, grant, later}},
	} {
		if _, err := b.pool.Exec(t.Context(), q.sql, q.args...); err != nil {
			t.Fatal(err)
		}
	}
	return grant
}

// BenchmarkVerify measures the cost of letting a call in, and that of the cheapest statement.
func BenchmarkVerify(b *testing.B) {
	s := setup(b)
	ctx := b.Context()
	grant, later := s.token(b, "h"), time.Now().Add(time.Hour)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO oauth_token (hash, grant_id, kind, expires_at) SELECT sha256(i::text::bytea), $1, 'access', $2
			FROM generate_series(1, 20000) i`, []any{grant, later}},
		{`ANALYZE`, nil},
	} {
		if _, err := s.pool.Exec(ctx, q.sql, q.args...); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if g, err := s.OAuth.Verify(ctx, []byte("h")); err != nil || g.Lock != store.LockWorkspace {
				b.Fatal(err)
			}
		}
	})
	b.Run("verify and note", func(b *testing.B) {
		for b.Loop() {
			g, err := s.OAuth.Verify(ctx, []byte("h"))
			if err == nil {
				err = s.OAuth.NoteCall(ctx, g)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("select 1", func(b *testing.B) {
		for b.Loop() {
			var n int
			if err := s.pool.QueryRow(ctx, "SELECT 1").Scan(&n); err != nil {
				b.Fatal(err)
			}
		}
	})
}
