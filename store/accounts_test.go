package store_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/store/storetest"
)

func TestEnsureAccount(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	ctx := t.Context()
	ana, err := s.EnsureAccount(ctx, store.Identity{Issuer: "https://idp", Subject: "1", Email: " Ana@Example.com", Verified: true, Name: "Ana"})
	if err != nil || ana.Email != "ana@example.com" || ana.Name != "Ana" || ana.Timezone != "UTC" || ana.Theme != "auto" {
		t.Fatalf("%+v, %v", ana, err)
	}
	again, err := s.EnsureAccount(ctx, store.Identity{Issuer: "https://idp", Subject: "1", Email: "else@example.com"})
	if err != nil || again != ana {
		t.Errorf("an address that is not verified changed %+v to %+v, %v", ana, again, err)
	}
	other, err := s.EnsureAccount(ctx, store.Identity{Issuer: "https://other", Subject: "1"})
	if err != nil || other.ID == ana.ID || other.Email != "" {
		t.Errorf("the same subject of another provider: %+v, %v", other, err)
	}
	if got, err := s.Account(ctx, ana.ID); err != nil || got != ana {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.AccountByEmail(ctx, "ANA@example.com "); err != nil || got != ana {
		t.Errorf("%+v, %v", got, err)
	}
	for _, email := range []string{"", "nobody@example.com"} { // nobody answers to the empty address
		if _, err := s.AccountByEmail(ctx, email); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q: %v", email, err)
		}
	}
	if all, err := s.ListAccounts(ctx); err != nil || len(all) != 2 || all[0].ID != ana.ID {
		t.Errorf("%+v, %v", all, err)
	}
}

// Every verified sign-in takes what waited for its address, and no membership
// that exists is changed by it.
func TestInvitationsAreBound(t *testing.T) {
	t.Parallel()
	s, pool := storetest.New(t)
	ctx := t.Context()
	owner := person(t, s, "owner@example.com")
	for _, slug := range []string{"one", "two"} {
		if _, err := s.CreateWorkspace(ctx, owner.ID, slug, slug); err != nil {
			t.Fatal(err)
		}
		if waits, err := s.AddMember(ctx, owner.ID, slug, "bo@example.com", store.RoleMember); err != nil || !waits {
			t.Fatalf("%v, %v", waits, err)
		}
	}
	bo := person(t, s, "bo@example.com")
	if got, err := s.Memberships(ctx, bo.ID); err != nil || len(got) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	// An invitation that was left behind by a race does not demote an owner.
	if _, err := pool.Exec(ctx, `INSERT INTO invitation (workspace_id, email, role) SELECT id, 'owner@example.com', 'member' FROM workspace WHERE slug = 'one'`); err != nil {
		t.Fatal(err)
	}
	person(t, s, "owner@example.com")
	if m, err := s.Member(ctx, owner.ID, "one"); err != nil || m.Role() != store.RoleOwner {
		t.Errorf("%+v, %v", m, err)
	}
	var left int
	if err := pool.QueryRow(ctx, `SELECT count(*) FROM invitation`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d invitations, %v", left, err)
	}
}

func TestSetPreferences(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	ana := person(t, s, "ana@example.com")
	if err := s.SetPreferences(t.Context(), ana.ID, "Europe/Paris", "dark"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Account(t.Context(), ana.ID); err != nil || got.Timezone != "Europe/Paris" || got.Theme != "dark" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range [][2]string{{"", "dark"}, {"Local", "dark"}, {"Mars/Olympus", "dark"}, {"../etc/passwd", "dark"}, {"UTC", "pink"}} {
		if _, ok := message.As(s.SetPreferences(t.Context(), ana.ID, bad[0], bad[1])); !ok {
			t.Errorf("%v is not refused", bad)
		}
	}
	if err := s.SetPreferences(t.Context(), uuid.New(), "UTC", "auto"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("nobody's preferences: %v", err)
	}
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	s, pool := storetest.New(t)
	ctx := t.Context()
	ana, bo := person(t, s, "ana@example.com"), person(t, s, "bo@example.com")
	if _, err := s.CreateWorkspace(ctx, ana.ID, "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddMember(ctx, ana.ID, "acme", "bo@example.com", store.RoleMember); err != nil {
		t.Fatal(err)
	}
	if _, ok := message.As(s.DeleteAccount(ctx, ana.ID)); !ok {
		t.Error("the last owner of a workspace can go")
	}
	if _, err := s.Account(ctx, ana.ID); err != nil {
		t.Errorf("a refused deletion: %v", err)
	}
	if err := s.DeleteAccount(ctx, bo.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteAccount(ctx, bo.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a second time: %v", err)
	}
	var rows int
	if err := pool.QueryRow(ctx, `SELECT count(*) FROM audit WHERE action = 'account.delete' AND subject = 'bo@example.com' AND workspace_id IS NOT NULL`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d audit rows, %v", rows, err)
	}
}

// person is somebody who signed in with a verified address.
func person(t *testing.T, s *store.Store, email string) store.Account {
	t.Helper()
	a, err := s.EnsureAccount(t.Context(), store.Identity{Issuer: "https://idp.example", Subject: email, Email: email, Verified: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
