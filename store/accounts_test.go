package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/store/storetest"
)

func TestEnsureAccount(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	ctx := t.Context()
	ana, err := s.Accounts.EnsureAccount(ctx, store.Identity{
		Issuer: "https://idp", Subject: "1", Email: " Ana@Example.com", Verified: true, Name: "Ana",
	})
	if err != nil || ana.Email != "ana@example.com" || ana.Name != "Ana" || ana.Timezone != "" || ana.Theme != "auto" {
		t.Fatalf("%+v, %v", ana, err)
	}
	again, err := s.Accounts.EnsureAccount(ctx, store.Identity{Issuer: "https://idp", Subject: "1", Email: "else@example.com"})
	if err != nil || again != ana {
		t.Errorf("an address that is not verified changed %+v to %+v, %v", ana, again, err)
	}
	other, err := s.Accounts.EnsureAccount(ctx, store.Identity{Issuer: "https://other", Subject: "1"})
	if err != nil || other.ID == ana.ID || other.Email != "" {
		t.Errorf("the same subject of another provider: %+v, %v", other, err)
	}
	if got, err := s.Accounts.Account(ctx, ana.ID); err != nil || got != ana {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Accounts.AccountByEmail(ctx, "ANA@example.com "); err != nil || got != ana {
		t.Errorf("%+v, %v", got, err)
	}
	for _, email := range []string{"", "nobody@example.com"} { // no account has the empty address
		if _, err := s.Accounts.AccountByEmail(ctx, email); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q: %v", email, err)
		}
	}
	if all, err := s.Accounts.ListAccounts(ctx); err != nil || len(all) != 2 || all[0].ID != ana.ID {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestInvitationsAreBound: a verified sign-in accepts all invitations of its address, and changes no existing membership.
func TestInvitationsAreBound(t *testing.T) {
	t.Parallel()
	s, pool := storetest.New(t)
	ctx := t.Context()
	owner := person(t, s, "owner@example.com")
	for _, slug := range []string{"one", "two"} {
		if _, err := s.Workspaces.CreateWorkspace(ctx, owner.ID, slug, slug); err != nil {
			t.Fatal(err)
		}
		if waits, err := s.Members.AddMember(ctx, owner.ID, slug, "bo@example.com", store.RoleEditor); err != nil || !waits {
			t.Fatalf("%v, %v", waits, err)
		}
	}
	bo := person(t, s, "bo@example.com")
	if got, err := s.Members.Memberships(ctx, bo.ID); err != nil || len(got) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	// An invitation that was left behind by a race does not demote an owner.
	if _, err := pool.Exec(ctx, `
			INSERT INTO invitation (workspace_id, email, role) SELECT id, 'owner@example.com', 'member' FROM workspace
			WHERE slug = 'one'`); err != nil {
		t.Fatal(err)
	}
	person(t, s, "owner@example.com")
	if m, err := s.Members.Member(ctx, owner.ID, "one"); err != nil || m.Role() != store.RoleOwner {
		t.Errorf("%+v, %v", m, err)
	}
	var left int
	if err := pool.QueryRow(ctx, `SELECT count(*) FROM invitation`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d invitations, %v", left, err)
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	ana := person(t, s, "ana@example.com")
	if ana.Timezone != "" {
		t.Errorf("a zone that nobody chose: %s", ana.Timezone)
	}
	if err := errors.Join(s.Accounts.SetTimezone(t.Context(), ana.ID, "Europe/Paris"),
		s.Accounts.SetTheme(t.Context(), ana.ID, "dark")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Accounts.Account(t.Context(), ana.ID); err != nil || got.Timezone != "Europe/Paris" || got.Theme != "dark" {
		t.Errorf("%+v, %v", got, err)
	}
	bo := person(t, s, "bo@example.com")
	for _, a := range []store.Account{ana, bo} {
		if err := s.Accounts.OfferTimezone(t.Context(), a.ID, "Asia/Tokyo"); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Accounts.Account(t.Context(), ana.ID); err != nil || got.Timezone != "Europe/Paris" {
		t.Errorf("an offer took the place of a choice: %+v, %v", got, err)
	}
	if got, err := s.Accounts.Account(t.Context(), bo.ID); err != nil || got.Timezone != "Asia/Tokyo" {
		t.Errorf("an offer where there was no choice: %+v, %v", got, err)
	}
	for _, bad := range []string{"", "Local", "Mars/Olympus", "../etc/passwd"} {
		if _, ok := message.As(s.Accounts.SetTimezone(t.Context(), ana.ID, bad)); !ok {
			t.Errorf("zone %s is not refused", bad)
		}
	}
	if _, ok := message.As(s.Accounts.SetTheme(t.Context(), ana.ID, "pink")); !ok {
		t.Error("a pink theme is not refused")
	}
	for _, err := range []error{
		s.Accounts.SetTimezone(t.Context(), uuid.New(), "UTC"), s.Accounts.OfferTimezone(t.Context(), uuid.New(), "UTC"),
		s.Accounts.SetTheme(t.Context(), uuid.New(), "auto"),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("nobody's preferences: %v", err)
		}
	}
}

// The things that end with an account are listed before it ends, and then end at once.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	ana, bo := b.owner.Account(), b.account(t, "bo@example.com")
	if _, err := b.Members.AddMember(ctx, ana, "acme", "bo@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	b.workspace(t, bo, "bos")
	b.workspace(t, bo, "also-bos")
	p := b.spec(t, b.owner, "sales", `{}`)
	later := time.Now().Add(time.Hour)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO connection (workspace_id, id, owner_id, kind, label, status, secret)
			VALUES ($1, $2, $2, 'postgres', 'Sales', 'active', '')`, []any{b.owner.WorkspaceID(), bo}},
		{`UPDATE version SET connection_id = $1`, []any{bo}},
		{`INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method) VALUES ('c', 'C', '{}', '{}', 'none')`, nil},
		{`INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at)
			VALUES ($1, 'c', $1, 'workspace', $2, '', '', $3, $3)`, []any{bo, b.owner.WorkspaceID(), later}},
		{`INSERT INTO oauth_token (hash, grant_id, kind, expires_at) VALUES ('h', $1, 'access', $2)`, []any{bo, later}},
		{`INSERT INTO web_session (hash, account_id, expires_at) VALUES ('s', $1, $2)`, []any{bo, later}},
	} {
		if _, err := b.pool.Exec(ctx, q.sql, q.args...); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.Accounts.AccountEnd(ctx, bo)
	want := store.AccountEnd{
		Memberships: 3, Grants: 1, Sessions: 1, Connections: 1, Bound: 1,
		Alone: []store.WorkspaceName{{Slug: "also-bos", Name: "ALSO-BOS"}, {Slug: "bos", Name: "BOS"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("what ends (-want +got):\n%s%v", diff, err)
	}
	got, err = b.Accounts.AccountEnd(ctx, ana)
	want = store.AccountEnd{Memberships: 1, Owned: []store.WorkspaceName{{Slug: "acme", Name: "ACME"}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("what ends of the last owner's (-want +got):\n%s%v", diff, err)
	}

	refusal(t, b.Accounts.DeleteAccount(ctx, ana, ana),
		`This account is the last owner of workspace "acme". Make somebody else an owner there first.`)
	refusal(t, b.Accounts.DeleteAccount(ctx, bo, bo, "bos"),
		`There is nobody else in workspace "also-bos", which would be deleted with the account. `+
			`Say so, or add an owner there first.`)
	if _, err := b.OAuth.Verify(ctx, []byte("h")); err != nil {
		t.Errorf("a refused deletion ended a grant: %v", err)
	}
	if err := b.Accounts.DeleteAccount(ctx, bo, bo, "bos", "also-bos", "acme"); err != nil {
		t.Fatal(err)
	}
	if err := b.Accounts.DeleteAccount(ctx, bo, bo); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a second time: %v", err)
	}
	var operators int
	if err := b.pool.QueryRow(ctx, `
			SELECT count(*) FROM audit WHERE action = 'workspace.delete' AND operator`).Scan(&operators); err != nil || operators > 0 {
		t.Errorf("%d workspaces deleted by the operator, %v", operators, err)
	}
	if _, err := b.Accounts.AccountEnd(ctx, bo); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what ends of nobody's: %v", err)
	}
	if _, err := b.OAuth.Verify(ctx, []byte("h")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its grant lives: %v", err)
	}
	if _, err := b.Sessions.Session(ctx, []byte("s")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its session lives: %v", err)
	}
	all, err := b.Workspaces.Workspaces(ctx)
	if err != nil || len(all) != 1 || all[0].Slug != "acme" || all[0].Members != 1 {
		t.Errorf("workspaces %+v, %v", all, err)
	}
	runs, err := b.Refreshes.Runs(ctx, b.owner, "sales", 1)
	if err != nil || len(runs) != 1 || runs[0].State != "cancelled" || runs[0].ID != p.Run.ID {
		t.Errorf("the refresh of its connection: %+v, %v", runs, err)
	}
	log, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Noun: "account", Limit: 5})
	if err != nil || len(log) != 1 || log[0].Action != "account.delete" || log[0].Subject != "bo@example.com" || log[0].Operator {
		t.Errorf("audit %+v, %v", log, err)
	}
}

// person is somebody who signed in with a verified address.
func person(t *testing.T, s *store.Store, email string) store.Account {
	t.Helper()
	a, err := s.Accounts.EnsureAccount(t.Context(),
		store.Identity{Issuer: "https://idp.example", Subject: email, Email: email, Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
