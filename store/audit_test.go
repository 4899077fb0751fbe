package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
)

// The log is filtered by kind, person and time, is complete however long it is, and has no events of another workspace.
func TestAuditQueries(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	other := b.workspace(t, b.account(t, "eve@example.com"), "eves")
	if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", store.RoleEditor); err != nil { // the operator
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	bob := b.account(t, "bob@example.com") // who joins
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO audit (id, workspace_id, account_id, action, subject, at)
		SELECT gen_random_uuid(), $1, $2, 'upload.add', i::text, $3::timestamptz + i / 2 * interval '1 s' FROM generate_series(1, 2500) i`,
		b.owner.WorkspaceID(), b.owner.Account(), now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	each := func(m store.Member, q store.AuditQuery) (subjects map[string]int, inOrder bool) {
		t.Helper()
		subjects, inOrder = map[string]int{}, true
		last := now.Add(1000 * time.Hour)
		if err := b.Audit.EachAudit(ctx, m, q, func(e store.AuditEntry) error {
			subjects[e.Subject]++
			inOrder = inOrder && !e.At.After(last)
			last = e.At
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return subjects, inOrder
	}
	all, inOrder := each(b.owner, store.AuditQuery{})
	if len(all) != 2502 || !inOrder { // acme is created, bob is added and joins: two subjects
		t.Errorf("%d subjects, in order: %t", len(all), inOrder)
	}
	for subject, n := range all {
		if n != 1 && subject != "bob@example.com" {
			t.Errorf("%s is told %d times", subject, n)
		}
	}
	nobody := uuid.Nil
	for name, test := range map[string]struct {
		q    store.AuditQuery
		want map[string]int
	}{
		"by bob":          {store.AuditQuery{By: &bob}, map[string]int{"bob@example.com": 1}},
		"by the operator": {store.AuditQuery{By: &nobody}, map[string]int{"bob@example.com": 1}},
		"the first hour":  {store.AuditQuery{Till: now}, map[string]int{"acme": 1, "bob@example.com": 1}},
		"the second":      {store.AuditQuery{Since: now, Till: now.Add(time.Hour)}, map[string]int{"bob@example.com": 1}},
		"a kind of it":    {store.AuditQuery{Noun: "workspace"}, map[string]int{"acme": 1}},
		"three at once":   {store.AuditQuery{Noun: "member", By: &bob, Since: now.Add(time.Second)}, map[string]int{}},
	} {
		if got, _ := each(b.owner, test.q); !cmp.Equal(test.want, got) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	if got, _ := each(other, store.AuditQuery{}); !cmp.Equal(map[string]int{"eves": 1}, got) {
		t.Errorf("another workspace: %v", got)
	}
	// The last event of a page is looked for in the workspace that is asked about.
	mine, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := each(other, store.AuditQuery{Before: mine[0].ID}); len(got) != 0 {
		t.Errorf("before an event of another workspace: %v", got)
	}
	// Actions of an account are never attributed to the operator, though the account is gone.
	if err := b.Members.EndMembership(ctx, b.owner, bob); err != nil {
		t.Fatal(err)
	}
	actors, err := b.Audit.Actors(ctx, b.owner)
	want := []store.Actor{{}, {Account: b.owner.Account(), Who: "ada@example.com"}, {Account: bob, Who: "bob@example.com"}}
	if diff := cmp.Diff(want, actors); diff != "" || err != nil {
		t.Errorf("actors (-want +got):\n%s%v", diff, err)
	}
	if err := b.Accounts.DeleteAccount(ctx, bob, bob); err != nil {
		t.Fatal(err)
	}
	log, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Noun: "member", Till: now.Add(time.Second), Limit: 10})
	var operator []bool
	for _, e := range log {
		operator = append(operator, e.Operator)
	}
	if diff := cmp.Diff([]bool{false, false, true}, operator); diff != "" || err != nil { // removed by ada, joined, added
		t.Errorf("the operator's of %+v, %v", log, err)
	}
}

// An operator's export contains all events of all workspaces once, oldest first, however many there are.
func TestExportAudit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	b.workspace(t, b.account(t, "eve@example.com"), "eves")
	if _, err := b.pool.Exec(ctx, `
		INSERT INTO audit (id, workspace_id, account_id, action, subject, detail, at)
		SELECT gen_random_uuid(), $1, $2, 'upload.add', i::text, '{"rows": 3}', $3::timestamptz + i / 2 * interval '1 s'
		  FROM generate_series(1, 2500) i`, b.owner.WorkspaceID(), b.owner.Account(), now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Members.AddMember(ctx, uuid.Nil, "acme", "bob@example.com", store.RoleEditor); err != nil { // the operator
		t.Fatal(err)
	}
	export := func(since time.Time, workspace string) (list []store.ExportedEvent) {
		t.Helper()
		if err := b.Audit.ExportAudit(ctx, since, workspace, func(e store.ExportedEvent) error {
			list = append(list, e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return list
	}
	all := export(time.Time{}, "")
	if len(all) != 2503 { // two workspaces, a member, and the uploads
		t.Errorf("%d events", len(all))
	}
	seen := map[uuid.UUID]bool{}
	for i, e := range all {
		if seen[e.ID] || i > 0 && e.At.Before(all[i-1].At) {
			t.Fatalf("event %d is told again, or out of order: %+v", i, e)
		}
		seen[e.ID] = true
		if e.Action == "upload.add" && (e.Workspace != "acme" || e.By == "" || e.Detail["rows"] != 3.0) {
			t.Fatalf("%+v", e)
		}
		if (e.Action == "member.add") != (e.Operator && e.By == "") {
			t.Errorf("%+v", e)
		}
	}
	log, err := b.Audit.AuditLog(ctx, b.owner, store.AuditQuery{Noun: "upload", Limit: 1})
	if err != nil || len(log) != 1 || len(log[0].Detail) != 0 { // members do not get the number of rows of others' files
		t.Errorf("what members get: %+v, %v", log, err)
	}
	if got := export(now.Add(time.Hour), "acme"); len(got) != 2500 {
		t.Errorf("since then: %d", len(got))
	}
	if got := export(time.Time{}, "eves"); len(got) != 1 || got[0].Workspace != "eves" || got[0].By != "eve@example.com" {
		t.Errorf("of one workspace: %+v", got)
	}
	if err := b.Audit.ExportAudit(ctx, now, "nothing", nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of none: %v", err)
	}
	enough := errors.New("enough")
	if err := b.Audit.ExportAudit(ctx, time.Time{}, "", func(store.ExportedEvent) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("stopped: %v", err)
	}
}
