package auth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Secrets, used or not, are in no table and not in the log (RFC 9700, sections 4.2 and 4.3).
func TestNothingInClear(t *testing.T) {
	t.Parallel()
	w := setup(t)
	secrets := map[string]string{}
	b := w.signedIn(t, "ana@example.com")
	if a := b.follow(b.get("http://acme." + w.domain + "/x")); a.StatusCode != http.StatusOK {
		t.Fatal(a.body)
	}
	for _, origin := range []string{w.app, "http://acme." + w.domain} {
		u, err := url.Parse(origin)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range b.c.Jar.Cookies(u) {
			secrets["cookie "+c.Name] = c.Value
		}
	}
	out := w.browser(t)
	secrets["state"] = out.get(w.app + "/sign-in").to(t).Query().Get("state")
	other := b.get("http://other." + w.domain + "/x").Header.Get("Location")
	_, secrets["ticket"], _ = strings.Cut(b.get(other).Header.Get("Location"), "ticket=")

	c := w.client(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"client_secret_post"}`)
	secrets["client secret"], secrets["verifier"] = c.secret, c.verifier
	secrets["handle"] = c.handle()
	secrets["code"] = b.allow(secrets["handle"], "").to(t).Query().Get("code")
	one := c.pair(c.redeem(secrets["code"]))
	two := c.pair(c.refresh(one.refresh))
	secrets["first access"], secrets["first refresh"], secrets["access"], secrets["refresh"] = one.access, one.refresh, two.access, two.refresh
	w.call(t, two.access)
	c.redeem(secrets["code"]) // a replay, which is logged

	rows, _ := w.pool.Query(t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 20 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		var all string
		if err := w.pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(to_json(x)::text, ' '), '') ||
			coalesce(string_agg(encode(x::text::bytea, 'escape'), ' '), '')
			FROM `+pgx.Identifier{table}.Sanitize()+` x`).Scan(&all); err != nil {
			t.Fatal(err)
		}
		for name, secret := range secrets {
			if len(secret) < 20 {
				t.Fatalf("%s is %q", name, secret)
			}
			if strings.Contains(all, secret) {
				t.Errorf("%s is in table %s", name, table)
			}
		}
	}
	for name, secret := range secrets {
		if strings.Contains(w.logs.String(), secret) {
			t.Errorf("%s is in the log", name)
		}
	}
}
