package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
	"service/store/storetest"
)

func TestMembershipGates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	eve := b.account(t, "eve@example.com")
	if _, err := b.Members.Member(ctx, eve, "acme"); !errors.Is(err, store.ErrNotMember) {
		t.Error(err)
	}
	if _, err := b.Members.Member(ctx, eve, "nowhere"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	m, err := b.Members.Member(ctx, b.owner.Account(), "acme")
	if err != nil || m != b.owner {
		t.Errorf("%+v, %v; want %+v", m, err, b.owner)
	}
	all, err := b.Members.Memberships(ctx, b.owner.Account())
	if err != nil || len(all) != 1 || all[0] != b.owner {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestRemovingMembers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	bob := b.account(t, "bob@example.com")
	if waits, err := b.Members.AddMember(ctx, b.owner.Account(), "acme", " Bob@Example.com ", store.RoleEditor); waits || err != nil {
		t.Fatal(waits, err)
	}
	if waits, err := b.Members.AddMember(ctx, b.owner.Account(), "acme", "zoe@example.com", store.RoleEditor); !waits || err != nil {
		t.Fatal(waits, err)
	}
	people, err := b.Members.People(ctx, b.owner)
	if err != nil || len(people) != 3 || people[2].Email != "zoe@example.com" || people[2].Account != uuid.Nil {
		t.Errorf("%+v, %v", people, err)
	}
	if err := b.Members.RemoveMember(ctx, "acme", "bob@example.com"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.Member(ctx, bob, "acme"); !errors.Is(err, store.ErrNotMember) {
		t.Error(err)
	}
	if err := b.Members.RemoveMember(ctx, "acme", "zoe@example.com"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.Member(ctx, b.account(t, "zoe@example.com"), "acme"); !errors.Is(err, store.ErrNotMember) {
		t.Error("an invitation that was taken back still opens:", err)
	}
	if err := b.Members.RemoveMember(ctx, "acme", "nobody@example.com"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	refusal(t, b.Members.RemoveMember(ctx, "acme", "ada@example.com"),
		`ada@example.com is the last owner of workspace "acme". Make somebody else an owner first.`)
	if _, err := b.Members.Member(ctx, b.owner.Account(), "acme"); err != nil {
		t.Error("a refused removal removed:", err)
	}
}

func TestWorkspaceNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for slug, want := range map[string]string{
		"":             `workspace slug "" must be 1 to 63 characters of a-z, 0-9 and -, and neither start nor end with -`,
		"-a":           `workspace slug "-a" must be 1 to 63 characters of a-z, 0-9 and -, and neither start nor end with -`,
		"Acme":         `workspace slug "Acme" must be 1 to 63 characters of a-z, 0-9 and -, and neither start nor end with -`,
		"a.b":          `workspace slug "a.b" must be 1 to 63 characters of a-z, 0-9 and -, and neither start nor end with -`,
		"mcp":          `workspace slug "mcp" is reserved`,
		"xn--acme-gra": `workspace slug "xn--acme-gra" is reserved: names with "--" in the third and fourth place stand for other letters`,
		"ab--c":        `workspace slug "ab--c" is reserved: names with "--" in the third and fourth place stand for other letters`,
		"00--00":       `workspace slug "00--00" is reserved: names with "--" in the third and fourth place stand for other letters`,
		"app":          `workspace slug "app" is reserved`,
		"acme":         `workspace slug "acme" is already taken`,
		"fine-one":     `name must be a non-empty string`,
	} {
		name := "Name"
		if slug == "fine-one" {
			name = "  "
		}
		_, err := b.Workspaces.CreateWorkspace(t.Context(), b.owner.Account(), slug, name)
		refusal(t, err, want)
	}
}

// TestWorkspacesPerAccount: one account owns at most 20 workspaces that it created, also with concurrent requests.
func TestWorkspacesPerAccount(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	ada := person(t, s, "ada@example.com")
	var wg sync.WaitGroup
	var made atomic.Int32
	for i := range 24 {
		wg.Go(func() {
			_, err := s.Workspaces.CreateWorkspace(t.Context(), ada.ID, fmt.Sprintf("w%d", i), "W")
			if err == nil {
				made.Add(1)
			} else if _, ok := message.As(err); !ok {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 20 {
		t.Errorf("%d workspaces were made", made.Load())
	}
	_, err := s.Workspaces.CreateWorkspace(t.Context(), ada.ID, "another", "Another")
	refusal(t, err, "You own 20 workspaces, and one account can own 20. Delete one or make somebody else its owner, then try again.")
	if err := s.Workspaces.CreateWorkspaceFor(t.Context(), "another", "Another", "ada@example.com"); err != nil {
		t.Error("the operator has the limit too:", err)
	}
}

// TestWorkspaceHasAnOwner: an operator's workspace whose owner is refused does not exist.
func TestWorkspaceHasAnOwner(t *testing.T) {
	t.Parallel()
	s, db := storetest.New(t)
	ada := person(t, s, "ada@example.com")
	if _, err := db.Exec(t.Context(), "UPDATE account SET removed_at = now() WHERE id = $1", ada.ID); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"", "ann", "@example.com", "ada@example.com"} {
		if err := s.Workspaces.CreateWorkspaceFor(t.Context(), "acme", "Acme", email); err == nil {
			t.Errorf("the owner %s is taken", email)
		}
	}
	list, err := s.Workspaces.Workspaces(t.Context())
	if err != nil || len(list) != 0 {
		t.Errorf("workspaces without an owner: %v, %v", list, err)
	}
	if err := s.Workspaces.CreateWorkspaceFor(t.Context(), "acme", "Acme", "ann@example.com"); err != nil {
		t.Error(err)
	}
}

func TestPlanAndWorkspaceEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.spec(t, b.owner, "s", `{}`)
	if err := b.Workspaces.SetPlan(ctx, "acme", "paid"); err != nil {
		t.Fatal(err)
	}
	m, _ := b.Members.Member(ctx, b.owner.Account(), "acme")
	if m.Plan() != "paid" {
		t.Error(m.Plan())
	}
	refusal(t, b.Workspaces.SetPlan(ctx, "acme", "gold"), `plan "gold" must be free or paid`)
	all, err := b.Workspaces.Workspaces(ctx)
	if err != nil || len(all) != 1 || all[0].Members != 1 || all[0].Dashboards != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if err := b.Workspaces.DeleteWorkspace(ctx, m); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.Member(ctx, b.owner.Account(), "acme"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// TestRateIsFixedAndShared counts with two stores on one database, as two
// replicas would.
func TestRateIsFixedAndShared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	// A count that is not completed in time allows the use: on a busy machine there may be some.
	var untold atomic.Int32
	var replicas [2]*store.Store
	for i := range replicas {
		var err error
		if replicas[i], err = store.New(b.pool, store.Options{LimiterFailed: func() { untold.Add(1) }}); err != nil {
			t.Fatal(err)
		}
	}
	rate := store.Rate{Surface: "test", Ceiling: 20}
	var mu sync.Mutex
	var wg sync.WaitGroup
	allowed := 0
	for i := range 50 {
		wg.Go(func() {
			if ok, _ := replicas[i%2].Rates.Allow(ctx, rate, "ada"); ok {
				mu.Lock()
				allowed++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if allowed < 20 || allowed > 20+int(untold.Load()) {
		t.Errorf("%d of 50 were allowed, want 20; of %d it is not known", allowed, untold.Load())
	}
	if ok, left := b.Rates.Allow(ctx, rate, "bob"); !ok || left != 19 {
		t.Error("another subject shares the count:", ok, left)
	}
	if ok, _ := b.Rates.Allow(ctx, store.Rate{Surface: "other", Ceiling: 20}, "ada"); !ok {
		t.Error("another surface shares the count")
	}
	if left := b.Rates.Left(ctx, rate, "ada"); left != 0 {
		t.Error(left)
	}
	if _, err := b.pool.Exec(ctx, `UPDATE rate_counter SET started_at = started_at - interval '61 s'`); err != nil {
		t.Fatal(err)
	}
	if ok, left := b.Rates.Allow(ctx, rate, "ada"); !ok || left != 19 {
		t.Error("a new window did not open after 60 seconds:", ok, left)
	}
}

func TestRateLimiterFailsOpen(t *testing.T) {
	t.Parallel()
	failed := 0
	s, pool := storetest.New(t, func(o *store.Options) { o.LimiterFailed = func() { failed++ } })
	if _, err := pool.Exec(t.Context(), `DROP TABLE rate_counter`); err != nil {
		t.Fatal(err)
	}
	if ok, _ := s.Rates.Allow(t.Context(), store.RatePublish, "ada"); !ok || failed != 1 {
		t.Errorf("ok %t, counted %d times", ok, failed)
	}
	// A database that does not answer costs a caller a quarter of a second.
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), `CREATE TABLE rate_counter (key text PRIMARY KEY, started_at timestamptz, used integer)`); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if ok, _ := s.Rates.Allow(t.Context(), store.RatePublish, "ada"); !ok || failed != 2 || time.Since(start) > 5*time.Second {
		t.Errorf("ok %t, counted %d times, after %s", ok, failed, time.Since(start))
	}
}

func TestConnectionScopeIsFixed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	eve := b.account(t, "eve@example.com")
	other := b.workspace(t, eve, "eves")
	id := uuid.New()
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO connection (workspace_id, id, owner_id, kind, label, status, secret)
		VALUES ($1, $2, $3, 'postgres', 'Sales', 'active', '\x00')`,
		b.owner.WorkspaceID(), id, b.owner.Account()); err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{"owner_id", "workspace_id"} {
		to := map[string]uuid.UUID{"owner_id": eve, "workspace_id": other.WorkspaceID()}[column]
		if _, err := b.pool.Exec(ctx, `UPDATE connection SET `+column+` = $1`, to); err == nil {
			t.Errorf("%s of a connection was changed", column)
		}
	}
	_, err := b.Connections.CheckConnection(ctx, other, id, nil, true)
	refusal(t, err, `Connection "`+id.String()+`" was not found among your connections. Manage warehouses in the web application, `+
		`and use an active connection id or "self".`)
	// The plan decides over the status.
	_, err = b.Connections.CheckConnection(ctx, b.owner, id, nil, false)
	refusal(t, err, `Connection "Sales" is not active (status: disabled). Test it in the web application and retry once it is active.`)
	if err := b.Workspaces.SetPlan(ctx, "acme", "paid"); err != nil {
		t.Fatal(err)
	}
	owner, err := b.Members.Member(ctx, b.owner.Account(), "acme") // the plan is of the moment of this check
	if err != nil {
		t.Fatal(err)
	}
	if _, err = b.Connections.CheckConnection(ctx, owner, id, nil, false); err != nil {
		t.Error(err)
	}
}

func TestWhoMayChangeMembers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	ada, bob, eve := b.owner.Account(), b.account(t, "bob@example.com"), b.account(t, "eve@example.com")
	if _, err := b.Members.AddMember(ctx, ada, "acme", "bob@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.AddMember(ctx, ada, "acme", "later@example.com", store.RoleOwner); err != nil {
		t.Fatal(err)
	}
	const no = "Only an owner of the workspace can change its members."
	for _, actor := range []uuid.UUID{bob, eve} {
		_, err := b.Members.AddMember(ctx, actor, "acme", "eve@example.com", store.RoleOwner)
		refusal(t, err, no)
	}
	member, err := b.Members.Member(ctx, bob, "acme")
	if err != nil {
		t.Fatal(err)
	}
	kept := func(m store.Member) {
		t.Helper()
		refusal(t, b.Members.EndMembership(ctx, m, ada), no)
		refusal(t, b.Members.SetRole(ctx, m, bob, store.RoleOwner), no)
		refusal(t, b.Members.WithdrawInvitation(ctx, m, "later@example.com"), no)
		refusal(t, b.Members.LinkInvitation(ctx, m, "later@example.com", []byte("hash")), no)
	}
	kept(member)
	_, err = b.Members.AddMember(ctx, ada, "acme", "ada@example.com", store.RoleEditor) // which would change a role in passing
	refusal(t, err, "ada@example.com is already a member. You can change their role in the list.")
	_, err = b.Members.AddMember(ctx, uuid.Nil, "acme", "ada@example.com", store.RoleEditor)
	refusal(t, err, `ada@example.com is the last owner of workspace "acme". Make somebody else an owner first.`)
	if m, err := b.Members.Member(ctx, ada, "acme"); err != nil || m.Role() != store.RoleOwner {
		t.Error("a refused change changed:", m.Role(), err)
	}
	if err := b.Members.EndMembership(ctx, member, bob); err != nil {
		t.Error("a member cannot leave:", err)
	}
	kept(member) // a Member whose membership has ended
	refusal(t, b.Members.EndMembership(ctx, b.owner, ada),
		`ada@example.com is the last owner of workspace "acme". Make somebody else an owner first.`)
}

func TestInvitationLinks(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	if _, err := b.Members.AddMember(ctx, b.owner.Account(), "acme", "zoe@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	if err := b.Members.LinkInvitation(ctx, b.owner, "zoe@example.com", []byte("hash")); err != nil {
		t.Fatal(err)
	}
	if err := b.Members.LinkInvitation(ctx, b.owner, "nobody@example.com", []byte("other")); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	now = now.AddDate(0, 0, 8)
	if _, err := b.Members.Invitation(ctx, []byte("hash")); !errors.Is(err, store.ErrNotFound) {
		t.Error("an old link opens:", err)
	}
	now = now.AddDate(0, 0, -3)
	if _, err := b.Members.AcceptInvitation(ctx, b.owner.Account(), []byte("hash")); !errors.Is(err, store.ErrMember) {
		t.Error("whoever made the link joins:", err)
	}
	zoe := b.account(t, "zoe.private@example.net")
	in, err := b.Members.AcceptInvitation(ctx, zoe, []byte("hash"))
	if err != nil || in.Workspace != "acme" || in.Role != store.RoleEditor {
		t.Fatal(in, err)
	}
	if _, err := b.Members.Member(ctx, zoe, "acme"); err != nil {
		t.Error(err)
	}
	if _, err := b.Members.AcceptInvitation(ctx, b.account(t, "eve@example.com"), []byte("hash")); !errors.Is(err, store.ErrNotFound) {
		t.Error("a link opens twice:", err)
	}
	log, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Noun: "member", Limit: 10})
	if err != nil || len(log) != 3 || log[0].Action != "member.join" || log[0].Who != "zoe.private@example.net" ||
		log[1].Action != "member.link" || log[1].Who != "ada@example.com" {
		t.Errorf("%+v, %v", log, err)
	}
	older, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Before: log[2].ID, Limit: 10})
	if err != nil || len(older) != 1 || older[0].Action != "workspace.create" {
		t.Errorf("%+v, %v", older, err)
	}
	other := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	if log, err := b.Audit.AuditLog(ctx, other, store.AuditQuery{Limit: 10}); err != nil || len(log) != 1 {
		t.Errorf("the log of another workspace: %+v, %v", log, err)
	}
}

// Two owners who leave at the same moment do not both succeed: the second would be the last owner. The same is true of roles, and of
// accounts that are deleted.
func TestTheLastOwnerOfTwo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(b bench, m store.Member) error{
		"leave": func(b bench, m store.Member) error { return b.Members.EndMembership(t.Context(), m, m.Account()) },
		"step": func(b bench, m store.Member) error {
			return b.Members.SetRole(t.Context(), m, m.Account(), store.RoleEditor)
		},
		"by name": func(b bench, m store.Member) error {
			return b.Members.RemoveMember(t.Context(), "acme", map[bool]string{true: "ada@example.com", false: "bob@example.com"}[m == b.owner])
		},
		"mixed": func(b bench, m store.Member) error {
			if m == b.owner {
				return b.Members.EndMembership(t.Context(), m, m.Account())
			}
			return b.Accounts.DeleteAccount(t.Context(), m.Account(), m.Account())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ctx := t.Context()
			if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "carla@example.com", store.RoleEditor); err != nil {
				t.Fatal(err)
			}
			b.account(t, "carla@example.com")
			bob := b.account(t, "bob@example.com")
			if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", store.RoleOwner); err != nil {
				t.Fatal(err)
			}
			second, err := b.Members.Member(ctx, bob, "acme")
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			var went, refused atomic.Int32
			for _, m := range []store.Member{b.owner, second} {
				wg.Go(func() {
					err := end(b, m)
					if err == nil {
						went.Add(1)
					} else if _, ok := message.As(err); ok {
						refused.Add(1)
					} else {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if went.Load() != 1 || refused.Load() != 1 {
				t.Errorf("%d went, %d were refused", went.Load(), refused.Load())
			}
			var owners int
			if err := b.pool.QueryRow(ctx, `SELECT count(*) FROM membership WHERE role = 'owner'`).Scan(&owners); err != nil || owners != 1 {
				t.Errorf("%d owners are left, %v", owners, err)
			}
		})
	}
}

// Members are distinguished by their membership: some have no verified address, and some share one.
func TestMembersWithoutAnAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	var nameless []uuid.UUID
	for i, id := range []store.Identity{
		{Subject: "1", Email: "x@example.com"},
		{Subject: "2", Name: "Nora"},
		{Subject: "3", Email: "twin@example.com", Verified: true},
		{Subject: "4", Email: "twin@example.com", Verified: true},
	} {
		id.Issuer = "https://id.example"
		a, err := b.Accounts.EnsureAccount(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		nameless = append(nameless, a.ID)
		hash := []byte{byte(i)}
		email := fmt.Sprintf("link%d@example.com", i)
		if _, err := b.Members.AddMember(ctx, b.owner.Account(), "acme", email, store.RoleEditor); err != nil {
			t.Fatal(err)
		}
		if err := b.Members.LinkInvitation(ctx, b.owner, email, hash); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Members.AcceptInvitation(ctx, a.ID, hash); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Members.SetRole(ctx, b.owner, nameless[2], store.RoleOwner); err != nil {
		t.Fatal(err)
	}
	roles := map[uuid.UUID]string{}
	people, err := b.Members.People(ctx, b.owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range people {
		roles[p.Account] = p.Role
	}
	if roles[nameless[2]] != store.RoleOwner || roles[nameless[3]] != store.RoleEditor {
		t.Errorf("of the twins one is an owner: %v", roles)
	}
	if err := b.Members.SetRole(ctx, b.owner, nameless[2], store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	// An unverified address is not used as a name, and members cannot change other members.
	m, err := b.Members.Member(ctx, nameless[0], "acme")
	if err != nil {
		t.Fatal(err)
	}
	refusal(t, b.Members.EndMembership(ctx, m, nameless[1]), "Only an owner of the workspace can change its members.")
	refusal(t, b.Members.SetRole(ctx, m, nameless[0], store.RoleOwner), "Only an owner of the workspace can change its members.")
	refusal(t, b.Members.SetRole(ctx, b.owner, nameless[0], "king"), `role "king" must be owner, editor or viewer`)
	for _, account := range nameless {
		if err := b.Members.EndMembership(ctx, b.owner, account); err != nil {
			t.Error(err)
		}
		if err := b.Members.EndMembership(ctx, b.owner, account); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("twice: %v", err)
		}
	}
	log, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Noun: "member", Limit: 4})
	if err != nil || len(log) != 4 || log[3].Subject != "Somebody without an e-mail address" || log[2].Subject != "Nora" ||
		log[0].Subject != "twin@example.com" {
		t.Errorf("%+v, %v", log, err)
	}

	if _, err := b.Members.AddMember(ctx, b.owner.Account(), "acme", "zoe@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	if err := b.Members.WithdrawInvitation(ctx, b.owner, "Zoe@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := b.Members.WithdrawInvitation(ctx, b.owner, "zoe@example.com"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if _, err := b.Members.Member(ctx, b.account(t, "zoe@example.com"), "acme"); !errors.Is(err, store.ErrNotMember) {
		t.Error(err)
	}
}
