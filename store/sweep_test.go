package store_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/store"
	"service/store/storetest"
)

func hash(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// grant is a code that account allowed to a client of that name.
func grant(t *testing.T, s *store.Store, account uuid.UUID, client, workspace string) []byte {
	t.Helper()
	request, code := hash("request "+client), hash("code "+client)
	if err := s.OAuth.RegisterClient(t.Context(), store.Client{
		ID: client, Name: client, RedirectURIs: []string{"https://c.example"}, GrantTypes: []string{"authorization_code"}, AuthMethod: "none",
		CreatedAt: start,
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.OAuth.StoreRequest(t.Context(), request, store.Request{
		ClientID: client, RedirectURI: "https://c.example", Challenge: "x",
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OAuth.ApproveRequest(t.Context(), request, account, workspace, code); err != nil {
		t.Fatal(err)
	}
	return code
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Where one table cannot be swept, the later ones are.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	s, pool := storetest.New(t)
	for _, sql := range []string{
		`INSERT INTO rate_counter (key, used, started_at) VALUES ('old', 1, now() - interval '2 days')`, `ALTER TABLE delivery RENAME TO gone`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := s.Sweep(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "sweep delivery: ") || gone != 1 {
		t.Errorf("%d rows, %v", gone, err)
	}
}

// Expired records are deleted in time; those that a client may still use stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	s, pool := storetest.New(t, func(o *store.Options) { o.Now = func() time.Time { return start.Add(time.Duration(passed.Load())) } })
	ctx := t.Context()
	ana := person(t, s, "ana@example.com")
	code := grant(t, s, ana.ID, "authorized", "")
	if _, err := s.OAuth.RedeemCode(ctx, store.CodeExchange{
		Code: code, ClientID: "authorized", Challenge: "x", Access: hash("access"), Refresh: hash("refresh"),
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.OAuth.RegisterClient(ctx, store.Client{
		ID: "unused", Name: "unused", RedirectURIs: []string{"x"}, GrantTypes: []string{"x"}, AuthMethod: "none", CreatedAt: start,
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Sessions.StartSignIn(ctx, hash("state"), hash("browser"), store.SignIn{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sessions.StartSession(ctx, store.Identity{Issuer: ana.Issuer, Subject: ana.Subject}, hash("session"), nil, ""); err != nil {
		t.Fatal(err)
	}
	for _, ticket := range []string{"kept", "spent"} {
		if err := s.Sessions.IssueTicket(ctx, hash(ticket), hash("session"),
			store.Ticket{Host: "h", Nonce: hash("nonce"), ReturnTo: "/"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Sessions.RedeemTicket(ctx, hash("spent"), "h", hash("nonce"), hash("host session")); err != nil {
		t.Fatal(err)
	}

	rows := func() map[string]int {
		t.Helper()
		got := map[string]int{}
		for _, table := range []string{
			"oauth_client", "oauth_request", "oauth_grant", "oauth_token", "sign_in", "web_session", "host_ticket", "host_session",
		} {
			var n int
			if err := pool.QueryRow(ctx, `SELECT count(*) FROM `+table).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				got[table] = n
			}
		}
		return got
	}
	const day = 24 * time.Hour
	ends := store.GrantIdle // of the grant, which is not refreshed
	for _, step := range []struct {
		after time.Duration
		gone  int64
		left  map[string]int
	}{
		{0, 0, map[string]int{
			"oauth_client": 2, "oauth_request": 1, "oauth_grant": 1, "oauth_token": 3, "sign_in": 1, "web_session": 1, "host_ticket": 1,
			"host_session": 1,
		}},
		{10 * time.Minute, 2, map[string]int{
			"oauth_client": 2, "oauth_request": 1, "oauth_grant": 1, "oauth_token": 3, "web_session": 1, "host_session": 1,
		}},
		{50 * time.Minute, 2, map[string]int{"oauth_client": 2, "oauth_grant": 1, "oauth_token": 2, "web_session": 1, "host_session": 1}},
		{2 * day, 1, map[string]int{"oauth_client": 2, "oauth_grant": 1, "oauth_token": 1, "web_session": 1, "host_session": 1}},
		{7 * day, 1, map[string]int{"oauth_client": 2, "oauth_grant": 1, "oauth_token": 1}},
		{30 * day, 1, map[string]int{"oauth_client": 2, "oauth_grant": 1}},
		{90*day - time.Second, 0, map[string]int{"oauth_client": 2, "oauth_grant": 1}},
		{90 * day, 1, map[string]int{"oauth_client": 1, "oauth_grant": 1}},
		{ends + 90*day, 1, map[string]int{"oauth_client": 1}},
		{ends + 400*day - time.Second, 1, map[string]int{"oauth_client": 1}}, // what went is its event of the audit log
	} {
		passed.Store(int64(step.after))
		gone, err := s.Sweep(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.left, rows()); diff != "" || gone != step.gone {
			t.Errorf("after %v: %d rows went, want %d; left (-want +got):\n%s", step.after, gone, step.gone, diff)
		}
	}
	if c, err := s.OAuth.Client(ctx, "authorized"); err != nil || c.Name != "authorized" {
		t.Errorf("a registration that was allowed once: %+v, %v", c, err)
	}
	passed.Store(int64(ends + 400*day))
	if gone, err := s.Sweep(ctx); err != nil || gone != 1 {
		t.Errorf("400 days after its last grant ended: %d rows went, %v", gone, err)
	}
	if _, err := s.OAuth.Client(ctx, "authorized"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a registration that was not used for 400 days: %v", err)
	}
}

func TestListGrants(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	ctx := t.Context()
	ana, bo := person(t, s, "ana@example.com"), person(t, s, "bo@example.com")
	m, err := s.Workspaces.CreateWorkspace(ctx, ana.ID, "acme", "Acme")
	if err != nil {
		t.Fatal(err)
	}
	grant(t, s, ana.ID, "a", "acme")
	grant(t, s, ana.ID, "b", "")
	grant(t, s, bo.ID, "c", "")
	names := func(account, workspace uuid.UUID) string {
		t.Helper()
		list, err := s.OAuth.ListGrants(ctx, account, workspace)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, g := range list {
			out += fmt.Sprintf("%s %s %s%s; ", g.Email, g.ClientName, g.Lock, g.Workspace)
		}
		return out
	}
	for _, test := range []struct {
		account, workspace uuid.UUID
		want               string
	}{
		{want: "bo@example.com c none; ana@example.com b none; ana@example.com a workspaceacme; "},
		{account: ana.ID, want: "ana@example.com b none; ana@example.com a workspaceacme; "},
		{workspace: m.WorkspaceID(), want: "ana@example.com a workspaceacme; "},
		{account: bo.ID, workspace: m.WorkspaceID()},
	} {
		if got := names(test.account, test.workspace); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	list, err := s.OAuth.ListGrants(ctx, bo.ID, uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.OAuth.RevokeGrant(ctx, uuid.Nil, list[0].ID); err != nil { // the operator
		t.Fatal(err)
	}
	if got := names(bo.ID, uuid.Nil); got != "" {
		t.Errorf("a revoked grant is listed: %s", got)
	}
}

// TestKindsAreApart: the store refuses a token of another kind and a ticket of another host, even if all else is valid.
func TestKindsAreApart(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t, func(o *store.Options) { o.Now = func() time.Time { return start } })
	ctx := t.Context()
	ana := person(t, s, "ana@example.com")
	code := grant(t, s, ana.ID, "client", "")
	for _, h := range [][]byte{code, hash("refresh")} {
		if _, err := s.OAuth.Verify(ctx, h); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("verified by another kind: %v", err)
		}
	}
	seal := func(store.Issued) ([]byte, error) { return nil, nil }
	if _, _, err := s.OAuth.Refresh(ctx, store.RefreshExchange{
		Token: code, ClientID: "client", Access: hash("a"), Refresh: hash("b"), Seal: seal,
	}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("refreshed with a code: %v", err)
	}
	if _, err := s.OAuth.RedeemCode(ctx, store.CodeExchange{
		Code: code, ClientID: "client", Challenge: "x", Access: hash("access"), Refresh: hash("refresh"),
	}); err != nil {
		t.Fatal(err)
	}
	if g, err := s.OAuth.Verify(ctx, hash("access")); err != nil || g.Lock != store.LockNone || g.Account != ana.ID {
		t.Errorf("%+v, %v", g, err)
	}
	if _, err := s.OAuth.Verify(ctx, hash("refresh")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("verified by a refresh token: %v", err)
	}
	if _, err := s.OAuth.RedeemCode(ctx, store.CodeExchange{
		Code: hash("refresh"), ClientID: "client", Challenge: "x", Access: hash("c"),
	}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("redeemed a refresh token: %v", err)
	}

	if _, err := s.Sessions.StartSession(ctx, store.Identity{Issuer: ana.Issuer, Subject: ana.Subject}, hash("session"), nil, ""); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ host, nonce string }{{"other", "nonce"}, {"host", "other"}} {
		if err := s.Sessions.IssueTicket(ctx, hash("ticket"), hash("session"), store.Ticket{
			Host: "host", Nonce: hash("nonce"), ReturnTo: "/",
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sessions.RedeemTicket(ctx, hash("ticket"), wrong.host, hash(wrong.nonce), hash("h")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%v: %v", wrong, err)
		}
		if _, err := s.Sessions.RedeemTicket(ctx, hash("ticket"), "host", hash("nonce"), hash("h")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a ticket that was shown as %v is good again: %v", wrong, err)
		}
	}
}
