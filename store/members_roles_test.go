package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"service/store"
	"service/store/message"
	"service/store/migrations"
	"service/store/storetest"
)

// Members and invitations of earlier releases become editors, and so do those that a replica of such a release still writes while replicas
// are replaced. No other role can be stored.
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
		if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", role); err != nil {
			t.Fatal(err)
		}
		m, err := b.Members.Member(ctx, bob, "acme")
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
		_, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", role)
		refusal(t, err, `role "`+role+`" must be owner, editor or viewer`)
		refusal(t, b.Members.SetRole(ctx, b.owner, bob, role), `role "`+role+`" must be owner, editor or viewer`)
	}
	m, err := b.Members.Member(ctx, bob, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := message.As(b.Members.RefuseViewer(ctx, m)); !ok {
		t.Error("there is no refusal for viewers")
	}
}

// Owners and the operator set attributes, which count at the next request.
func TestAttributes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	bob := b.account(t, "bob@example.com")
	if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	member := func() store.Member {
		t.Helper()
		m, err := b.Members.Member(ctx, bob, "acme")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	set := func(name string, values ...string) {
		t.Helper()
		if err := b.Members.SetAttribute(ctx, b.owner, bob, name, values); err != nil {
			t.Fatal(err)
		}
	}
	if member().Attributes() != nil {
		t.Error("a new member has attributes")
	}
	set("region", "EMEA", "APAC", "EMEA")
	set("team", "x")
	if diff := cmp.Diff(map[string][]string{"region": {"APAC", "EMEA"}, "team": {"x"}}, member().Attributes()); diff != "" {
		t.Error(diff)
	}
	all, err := b.Members.Memberships(ctx, bob)
	if err != nil || len(all) != 1 || all[0] != member() {
		t.Errorf("%+v, %v", all, err)
	}
	if err := b.Members.SetAttributeFor(ctx, "acme", " Bob@example.com", "team", nil); err != nil {
		t.Fatal(err)
	}
	people, err := b.Members.People(ctx, b.owner)
	if err != nil || len(people) != 2 || len(people[1].Attributes) != 1 || len(people[1].Attributes["region"]) != 2 {
		t.Errorf("%+v, %v", people, err)
	}
	refusal(t, b.Members.SetAttribute(ctx, member(), bob, "region", []string{"AMER"}),
		"Only an owner of the workspace can change its members.")
	refusal(t, b.Members.SetAttribute(ctx, b.owner, bob, "Region", nil),
		`attribute "Region" must begin with a small letter and have small letters, digits and _, at most 40`)
	for _, bad := range []string{"", "a\nb", strings.Repeat("x", 201)} {
		refusal(t, b.Members.SetAttribute(ctx, b.owner, bob, "region", []string{bad}),
			`a value of attribute "region" must be one line of 1 to 200 characters`)
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	refusal(t, b.Members.SetAttribute(ctx, b.owner, bob, "region", many), `attribute "region" has 101 values, over the limit of 100`)
	for i := range 19 {
		set(fmt.Sprint("a", i), "x")
	}
	refusal(t, b.Members.SetAttribute(ctx, b.owner, bob, "one_more", []string{"x"}), "A member has at most 20 attributes.")
	if err := b.Members.SetAttribute(ctx, b.owner, uuid.New(), "region", nil); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if err := b.Members.SetAttributeFor(ctx, "acme", "eve@example.com", "region", nil); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// A cut is by role, connection, attributes and rules; equal sets of values have one key.
func TestCut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	member := func(email, role string, regions ...string) store.Member {
		t.Helper()
		id := b.account(t, email)
		if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", email, role); err != nil {
			t.Fatal(err)
		}
		if err := b.Members.SetAttribute(ctx, b.owner, id, "region", regions); err != nil {
			t.Fatal(err)
		}
		m, err := b.Members.Member(ctx, id, "acme")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	editor, viewer := member("ed@example.com", store.RoleEditor, "EMEA", "APAC"), member("vic@example.com", store.RoleViewer, "APAC", "EMEA")
	nobody := member("no@example.com", store.RoleEditor)
	rules := []byte(`[{"column": "region", "is": "region", "channels": {"team": ["AMER"]}}]`)
	open, ruled := store.Dashboard{}, store.Dashboard{Access: rules}
	for _, m := range []store.Member{b.owner, editor, viewer, nobody} {
		if !m.Cut(open).All || m.Cut(open).Key() != "" {
			t.Errorf("%s gets some rows of a dashboard without rules", m.Role())
		}
		if owner := m == b.owner; m.Cut(ruled).All != owner || (m.Cut(ruled).Key() == "") != owner {
			t.Errorf("%s gets all rows: %v", m.Role(), !owner)
		}
		own := store.Dashboard{Access: rules, Reader: m.Account()}
		if whole := m != viewer; m.Cut(own).All != whole {
			t.Errorf("%s, who owns the connection, gets all rows: %v", m.Role(), !whole)
		}
		if cut := m.ForChannel("team").Cut(own); cut.All || !slices.Equal(cut.Rules[0].Values, []string{"AMER"}) {
			t.Errorf("%s for a channel: %+v", m.Role(), cut)
		}
		if cut := m.ForChannel("other").Cut(own); cut.All || len(cut.Rules[0].Values) != 0 {
			t.Errorf("%s for a channel without values: %+v", m.Role(), cut)
		}
	}
	if editor.Cut(ruled).Key() != viewer.Cut(ruled).Key() || editor.Cut(ruled).Key() == nobody.Cut(ruled).Key() {
		t.Error("keys are not by the set of values")
	}
	if cut := nobody.Cut(ruled); len(cut.Rules) != 1 || len(cut.Rules[0].Values) != 0 {
		t.Errorf("without an attribute: %+v", cut)
	}
	for _, broken := range []string{`[]`, `{`, `7`} {
		if editor.Cut(store.Dashboard{Access: []byte(broken)}).All {
			t.Errorf("rules that cannot be read, %s, let everybody see everything", broken)
		}
	}
}
