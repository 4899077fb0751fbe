package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

// signIn signs a person in whose identity provider names groups.
func (b bench) signIn(t testing.TB, name string, p store.Provided) store.Account {
	t.Helper()
	a, err := b.Sessions.StartSession(t.Context(), store.Identity{
		Issuer: "https://id.example.com", Subject: name, Email: name + "@example.com", Verified: true, Provided: p,
	}, hash(name+uuid.NewString()), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// roleOf is the role of an account in acme; empty for none.
func (b bench) roleOf(t testing.TB, account uuid.UUID) string {
	t.Helper()
	m, err := b.Members.Member(t.Context(), account, "acme")
	if err != nil && !errors.Is(err, store.ErrNotMember) {
		t.Fatal(err)
	}
	return m.Role()
}

func (b bench) wantRoles(t testing.TB, step string, want map[uuid.UUID]string) {
	t.Helper()
	for account, role := range want {
		if got := b.roleOf(t, account); got != role {
			t.Errorf("%s: role %q, want %q", step, got, role)
		}
	}
}

// People follow their groups: at a sign-in and when a group is mapped, they join, change their role and leave.
func TestGroups(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	owner := b.owner.Account()
	bob := b.signIn(t, "bob", store.Provided{Groups: []string{"readers", "writers"}}).ID
	eve := b.signIn(t, "eve", store.Provided{Groups: []string{"Readers", "others"}}).ID
	if err := b.Members.MapGroup(ctx, owner, "acme", "readers", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	b.wantRoles(t, "a group is mapped", map[uuid.UUID]string{bob: "viewer", eve: ""})
	if err := b.Members.MapGroup(ctx, uuid.Nil, "acme", "writers", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	b.wantRoles(t, "another group", map[uuid.UUID]string{bob: "editor", eve: ""})
	maps, err := b.Members.GroupMaps(ctx, "acme")
	if err != nil || len(maps) != 2 || maps[0].Group != "readers" || maps[0].People != 1 || maps[1].Role != "editor" {
		t.Errorf("%+v, %v", maps, err)
	}
	b.signIn(t, "bob", store.Provided{Groups: []string{"readers"}})
	b.wantRoles(t, "bob left one group", map[uuid.UUID]string{bob: "viewer"})
	zoe := b.signIn(t, "zoe", store.Provided{Groups: []string{"writers"}}).ID
	b.wantRoles(t, "zoe signs in", map[uuid.UUID]string{zoe: "editor"})
	if err := b.Members.UnmapGroup(ctx, owner, "acme", "writers"); err != nil {
		t.Fatal(err)
	}
	b.wantRoles(t, "a group is removed", map[uuid.UUID]string{bob: "viewer", zoe: ""})
	if err := b.Members.UnmapGroup(ctx, owner, "acme", "writers"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	b.signIn(t, "bob", store.Provided{})
	b.wantRoles(t, "bob left every group", map[uuid.UUID]string{bob: "", owner: "owner"})
}

// The end of a group's membership ends the person's grants and the refreshes of their connections in the workspace.
func TestLeavingAGroupEndsGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	if err := b.Members.MapGroup(ctx, uuid.Nil, "acme", "team", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bob := b.signIn(t, "bob", store.Provided{Groups: []string{"team"}}).ID
	m, err := b.Members.Member(ctx, bob, "acme")
	if err != nil {
		t.Fatal(err)
	}
	b.owner = m
	b.token(t, "bob's")
	if _, err := b.OAuth.Verify(ctx, []byte("bob's")); err != nil {
		t.Fatal(err)
	}
	b.signIn(t, "bob", store.Provided{Groups: []string{"team"}})
	if _, err := b.OAuth.Verify(ctx, []byte("bob's")); err != nil {
		t.Error("a sign-in with the group ended a grant:", err)
	}
	b.signIn(t, "bob", store.Provided{Groups: []string{"another"}})
	if _, err := b.OAuth.Verify(ctx, []byte("bob's")); !errors.Is(err, store.ErrNotFound) {
		t.Error("the grant outlives the group:", err)
	}
	b.signIn(t, "bob", store.Provided{Groups: []string{"team"}})
	if _, err := b.OAuth.Verify(ctx, []byte("bob's")); !errors.Is(err, store.ErrNotFound) {
		t.Error("the grant came back with the group:", err)
	}
}

// TestGroupsTouchOnlyTheirOwn: groups change neither members who were added by hand, nor people who were removed by hand, nor the last
// owner.
func TestGroupsTouchOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	owner := b.owner.Account()
	if err := b.Members.MapGroup(ctx, owner, "acme", "team", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	hand := b.signIn(t, "hand", store.Provided{}).ID
	if _, err := b.Members.AddMember(ctx, owner, "acme", "hand@example.com", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	b.signIn(t, "hand", store.Provided{Groups: []string{"team"}})
	b.wantRoles(t, "added by hand, in the group", map[uuid.UUID]string{hand: "editor"})
	b.signIn(t, "hand", store.Provided{})
	b.wantRoles(t, "added by hand, out of the group", map[uuid.UUID]string{hand: "editor"})

	bob := b.signIn(t, "bob", store.Provided{Groups: []string{"team"}}).ID
	refusal(t, b.Members.SetRole(ctx, b.owner, bob, store.RoleOwner), "bob@example.com has this role by a group of the identity provider. "+
		"Change the role of the group, or remove and add them by hand.")
	if err := b.Members.EndMembership(ctx, b.owner, bob); err != nil {
		t.Fatal(err)
	}
	b.signIn(t, "bob", store.Provided{Groups: []string{"team"}})
	b.wantRoles(t, "removed by hand, in the group", map[uuid.UUID]string{bob: ""})
	if err := b.Members.MapGroup(ctx, owner, "acme", "team", store.RoleOwner); err != nil {
		t.Fatal(err)
	}
	b.wantRoles(t, "removed by hand, the group is owner", map[uuid.UUID]string{bob: ""})
	if _, err := b.Members.AddMember(ctx, owner, "acme", "bob@example.com", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	b.signIn(t, "bob", store.Provided{})
	b.wantRoles(t, "added again by hand", map[uuid.UUID]string{bob: "viewer"})

	ann := b.signIn(t, "ann", store.Provided{Groups: []string{"team"}}).ID
	b.wantRoles(t, "a second owner", map[uuid.UUID]string{ann: "owner"})
	if err := b.Members.EndMembership(ctx, b.owner, owner); err != nil {
		t.Fatal(err)
	}
	b.signIn(t, "ann", store.Provided{})
	b.wantRoles(t, "the last owner left the group", map[uuid.UUID]string{ann: "owner"})
	if err := b.Members.MapGroup(ctx, uuid.Nil, "acme", "team", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	b.signIn(t, "ann", store.Provided{Groups: []string{"team"}})
	b.wantRoles(t, "the last owner's group is of viewers now", map[uuid.UUID]string{ann: "owner"})
	b.signIn(t, "kim", store.Provided{})
	if _, err := b.Members.AddMember(ctx, ann, "acme", "kim@example.com", store.RoleOwner); err != nil {
		t.Fatal(err)
	}
	b.signIn(t, "ann", store.Provided{})
	b.wantRoles(t, "there is another owner", map[uuid.UUID]string{ann: ""})
}

// Nobody but owners and the operator maps groups, and names are exact.
func TestWhoMayMapGroups(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	eve := b.signIn(t, "eve", store.Provided{Groups: []string{"team"}}).ID
	for _, role := range []string{store.RoleEditor, store.RoleViewer} {
		if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "eve@example.com", role); err != nil {
			t.Fatal(err)
		}
		refusal(t, b.Members.MapGroup(ctx, eve, "acme", "team", store.RoleOwner), "Only an owner of the workspace can change its members.")
		refusal(t, b.Members.UnmapGroup(ctx, eve, "acme", "team"), "Only an owner of the workspace can change its members.")
	}
	b.wantRoles(t, "eve tried", map[uuid.UUID]string{eve: "viewer"})
	for _, group := range []string{"", "  ", "a\nb", "a\x00"} {
		if _, ok := message.As(b.Members.MapGroup(ctx, uuid.Nil, "acme", group, store.RoleViewer)); !ok {
			t.Errorf("group %q is taken", group)
		}
	}
	if _, ok := message.As(b.Members.MapGroup(ctx, uuid.Nil, "acme", "team", "admin")); !ok {
		t.Error("role admin is taken")
	}
	if err := b.Members.MapGroup(ctx, uuid.Nil, "nowhere", "team", store.RoleViewer); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// Attributes of the identity provider count in every workspace, until an owner gives another value there, and follow each sign-in.
func TestProvidedAttributes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	want := func(step string, account uuid.UUID, want ...string) {
		t.Helper()
		m, err := b.Members.Member(ctx, account, "acme")
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Attributes()["region"]; !slices.Equal(got, want) {
			t.Errorf("%s: region %q, want %q", step, got, want)
		}
		all, err := b.Members.Memberships(ctx, account)
		if err != nil || len(all) != 1 || all[0] != m {
			t.Errorf("%s: %+v, %v; want %+v", step, all, err, m)
		}
	}
	provided := func(values ...string) store.Provided {
		return store.Provided{Attributes: map[string][]string{"region": values}}
	}
	bob := b.signIn(t, "bob", provided("EMEA", "APAC", "EMEA")).ID
	if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", store.RoleViewer); err != nil {
		t.Fatal(err)
	}
	want("added after the sign-in", bob, "APAC", "EMEA")
	b.signIn(t, "bob", provided("AMER"))
	want("signed in again", bob, "AMER")
	if err := b.Members.SetAttribute(ctx, b.owner, bob, "region", []string{"LATAM"}); err != nil {
		t.Fatal(err)
	}
	want("an owner gave another", bob, "LATAM")
	if err := b.Members.SetAttribute(ctx, b.owner, bob, "region", nil); err != nil {
		t.Fatal(err)
	}
	want("the owner's is gone", bob, "AMER")
	b.signIn(t, "bob", provided("AMER", "a\nb")) // one value cannot be used: none counts
	want("not usable", bob)
	b.signIn(t, "bob", provided("AMER"))
	b.signIn(t, "bob", store.Provided{})
	want("the provider names none", bob)
}
