package store_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"service/store"
	"service/store/message"
	"service/store/migrations"
	"service/store/storetest"
)

// Members and invitations of earlier releases become editors, and so does what a replica of such a release still writes while replicas are
// replaced. No other role can be stored.
func TestMembersBecomeEditors(t *testing.T) {
	t.Parallel()
	pool := storetest.Empty(t)
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	const before = 21 // the last one without viewers
	if _, err := provider.UpTo(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	exec := func(sql string, args ...any) error { _, err := pool.Exec(t.Context(), sql, args...); return err }
	workspace, people := uuid.New(), [4]uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New()}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(exec(`INSERT INTO workspace (id, slug, name) VALUES ($1, 'acme', 'Acme')`, workspace))
	for i, id := range people {
		must(exec(`INSERT INTO account (id, issuer, subject, email) VALUES ($1, 'x', $2, '')`, id, id.String()))
		if i < 2 {
			must(exec(`INSERT INTO membership (account_id, workspace_id, role) VALUES ($1, $2, $3)`, id, workspace, []string{"owner", "member"}[i]))
		}
	}
	must(exec(`INSERT INTO invitation (workspace_id, email, role) VALUES ($1, 'old@x.org', 'member'), ($1, 'own@x.org', 'owner')`, workspace))
	must(migrate(t.Context(), pool))

	must(exec(`INSERT INTO membership (account_id, workspace_id, role) VALUES ($1, $2, 'member')`, people[2], workspace))
	must(exec(`INSERT INTO membership (account_id, workspace_id) VALUES ($1, $2)`, people[3], workspace))
	must(exec(`INSERT INTO invitation (workspace_id, email, role) VALUES ($1, 'new@x.org', 'member')`, workspace))
	must(exec(`UPDATE membership SET role = 'member' WHERE account_id = $1`, people[3]))
	for _, table := range []string{"membership", "invitation"} {
		var roles string
		must(pool.QueryRow(t.Context(), `SELECT string_agg(role, ' ' ORDER BY role) FROM `+table).Scan(&roles))
		if want := map[string]string{"membership": "editor editor editor owner", "invitation": "editor editor owner"}[table]; roles != want {
			t.Errorf("%s has the roles %s, want %s", table, roles, want)
		}
		for role, taken := range map[string]bool{"viewer": true, "admin": false, "": false, "Owner": false} {
			if err := exec(`UPDATE `+table+` SET role = $1 WHERE role <> 'owner'`, role); (err == nil) != taken {
				t.Errorf("%s with the role %q: %v", table, role, err)
			}
		}
	}
}

// The rights of a role, and its names.
func TestRoles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	bob := b.account(t, "bob@example.com")
	for role, want := range map[string]struct {
		stored string
		edits  bool
	}{
		"owner": {"owner", true}, "editor": {"editor", true}, "member": {"editor", true}, "viewer": {"viewer", false},
	} {
		if _, err := b.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", role); err != nil {
			t.Fatal(err)
		}
		m, err := b.Member(ctx, bob, "acme")
		if err != nil || m.Role() != want.stored || m.Edits() != want.edits {
			t.Errorf("%s: role %q, edits %v, %v", role, m.Role(), m.Edits(), err)
		}
		for by, may := range map[uuid.UUID]bool{bob: want.edits, b.owner.Account(): want.stored == "owner", uuid.Nil: want.stored == "owner"} {
			if m.MayRemove(store.Dashboard{CreatedBy: by}) != may {
				t.Errorf("%s: may remove what %s published: %v", role, by, !may)
			}
		}
	}
	if (store.Member{}).Edits() {
		t.Error("no role edits")
	}
	for _, role := range []string{"", "Viewer", "admin"} {
		_, err := b.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", role)
		refusal(t, err, `role "`+role+`" must be owner, editor or viewer`)
		refusal(t, b.SetRole(ctx, b.owner, bob, role), `role "`+role+`" must be owner, editor or viewer`)
	}
	m, err := b.Member(ctx, bob, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := message.As(b.RefuseViewer(ctx, m)); !ok {
		t.Error("there is no refusal for viewers")
	}
}
