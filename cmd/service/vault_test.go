package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// canary is in everything that is written into the vault: no stranger's answer and no log may
// contain it. hiddenSlug is the slug of a dashboard there that no stranger's request names.
const (
	canary     = "zqcanary"
	hiddenSlug = "kept-apart"
)

// A vault is a running program with two workspaces. The data in vault are vic's and contain
// the canary; bob and mel are members too. Ada owns acme and is not a member of vault.
type vault struct {
	*site
	vic, ada, bob, mel *browser
	owner              *client // vic's, locked to vault

	own, none, legacy, member string // access tokens of ada's grants and of bob's, locked to vault

	there aim    // target of the strangers' calls
	files aim    // likewise, for a data file
	state string // of vault's tables
}

// An aim has the targets of a call.
type aim struct{ slug, version, connection, upload string }

// missing is an aim of the same length whose targets do not exist.
var missing = aim{
	"nothing", "0198c0de-5b1e-7c3a-9d2f-3f5a1c7e9b10", "0198c0de-77aa-4b01-8f00-4d1f2a3b4c5d", "0198c0de-77aa-4b01-8f00-4d1f2a3b4c5e",
}

func (a aim) pairs() []string {
	return []string{"<slug>", a.slug, "<version>", a.version, "<connection>", a.connection, "<upload>", a.upload}
}

// fill replaces the placeholders of a template by the aim.
func (a aim) fill(s string) string { return strings.NewReplacer(a.pairs()...).Replace(s) }

// hide replaces the strings of the call itself, so that answers can be compared.
func (a aim) hide(s string) string {
	pairs := a.pairs()
	slices.Reverse(pairs)
	return strings.NewReplacer(pairs...).Replace(s)
}

func newVault(t *testing.T, more ...string) *vault {
	t.Helper()
	v := &vault{site: startSite(t, append(more, "SERVICE_LOG_LEVEL=debug")...)}
	v.vic, v.ada, v.bob, v.mel = v.browser(t), v.browser(t), v.browser(t), v.browser(t)
	v.vic.signIn(v.app+"/", canary+"@example.com")
	v.vic.submit("/workspaces", url.Values{"name": {"Vault " + canary}, "slug": {"vault"}})
	v.ada.signIn(v.app+"/", "ada@example.com")
	v.ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	for name, b := range map[string]*browser{"bob": v.bob, "mel": v.mel} {
		v.admin(t, "member", "add", "vault", name+"@example.com")
		b.signIn(v.app+"/", name+"@example.com")
	}

	v.owner = v.connect(t, v.vic, "vault")
	v.fill(t)
	adas := v.connect(t, v.ada, "acme")
	v.own = adas.token.AccessToken
	if got := adas.call("publish_dashboard", map[string]any{"path": "mine", "body": "# Mine"}); got.failed {
		t.Fatal(got.text)
	}
	v.none = v.connect(t, v.ada, "").token.AccessToken
	v.legacy = v.grant(t, "ada@example.com", "legacy", "")
	v.member = v.grant(t, "bob@example.com", "workspace", "vault")
	v.state = v.fingerprint(t, "vault")
	return v
}

// fill writes the canary into every text of vault.
func (v *vault) fill(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sales.csv")
	if err := os.WriteFile(file,
		[]byte("day,region,amount\n2026-01-01,"+canary+" north,3\n2026-01-02,"+canary+" south,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v.admin(t, "upload", "add", "vault", canary+"@example.com", file)
	connection := v.owner.call("list_connections", nil).data["connections"].([]any)[0].(map[string]any)
	v.there = aim{
		slug: "secrets", connection: connection["id"].(string),
		upload: connection["uploads"].([]any)[0].(map[string]any)["id"].(string),
	}
	v.exec(t, `UPDATE connection SET label = 'Files of `+canary+`'`)
	v.exec(t, `UPDATE upload SET filename = '`+canary+`.csv'`)

	publish := func(args map[string]any) {
		t.Helper()
		maps.Copy(args, map[string]any{"name": "Name " + canary, "tags": []string{"tag " + canary}, "chart": "chart-" + canary})
		if got := v.owner.call("publish_dashboard", args); got.failed {
			t.Fatal(got.text)
		}
	}
	publish(map[string]any{"path": "secrets", "connection": v.there.connection, "upload": v.there.upload, "spec": map[string]any{
		"title":    "Title " + canary,
		"datasets": []any{map[string]any{"id": "d", "sql": "SELECT day, region, sum(amount) AS amount FROM upload GROUP BY 1, 2 -- " + canary}},
		"panels": []any{
			map[string]any{"type": "table", "columns": []string{"day", "region", "amount"}},
			map[string]any{"type": "text", "markdown": "Text " + canary},
		},
	}})
	v.owner.refreshed("secrets")
	publish(map[string]any{"path": "files/data.csv", "body": "a,b\n" + canary + ",1\n"})
	publish(map[string]any{"path": "former", "body": "# Body " + canary})
	for tool, args := range map[string]map[string]any{
		"update_dashboard":     {"slug": "former", "new_slug": hiddenSlug},
		"set_refresh_schedule": {"slug": "secrets", "schedule": "daily 03:00"},
	} {
		if got := v.owner.call(tool, args); got.failed {
			t.Fatal(got.text)
		}
	}
	for slug, a := range map[string]*aim{"secrets": &v.there, "files": &v.files} {
		versions := v.owner.call("list_dashboard_versions", map[string]any{"slug": slug}).data["versions"].([]any)
		a.slug, a.version = slug, versions[0].(map[string]any)["version_id"].(string)
	}
	if got := v.owner.call("update_dashboard_version",
		map[string]any{"slug": "secrets", "version_id": v.there.version, "name": "Version " + canary}); got.failed {
		t.Fatal(got.text)
	}
	table := map[string]any{"table": "upload", "connection": v.there.connection, "upload": v.there.upload}
	if got := v.owner.call("explore_data", table); got.failed || !strings.Contains(got.text, canary+" north") {
		t.Fatal(got.text) // the test would prove nothing
	}
}

// admin runs an operator's command while the server is running.
func (s *site) admin(t *testing.T, args ...string) {
	t.Helper()
	var errs bytes.Buffer
	if err := run(t.Context(), append([]string{"admin"}, args...), s.environ, io.Discard, &errs); err != nil {
		t.Fatalf("service admin %s: %v\n%s", strings.Join(args, " "), err, &errs)
	}
}

func (s *site) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := s.db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// grant makes a grant of the same client as the others with SQL, and returns an access token for it.
func (s *site) grant(t *testing.T, email, lock, workspace string) string {
	t.Helper()
	id := uuid.New()
	var n int
	err := s.db.QueryRow(t.Context(), `
		WITH g AS (
		  INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at)
		  SELECT $1, o.client_id, a.id, $3, (SELECT id FROM workspace WHERE slug = $4), o.scope, o.resource, now() + '1 day', now() + '1 day'
		    FROM (SELECT * FROM oauth_grant LIMIT 1) o, account a WHERE a.email = $2 RETURNING 1)
		SELECT count(*) FROM g`, id, email, lock, workspace).Scan(&n)
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	return s.accessToken(t, id, "30 minutes")
}

// accessToken makes an access token of a grant, which ends after a time.
func (s *site) accessToken(t *testing.T, grant uuid.UUID, ends string) string {
	t.Helper()
	secret := make([]byte, 32)
	rand.Read(secret)
	token := "svc_at_" + base64.RawURLEncoding.EncodeToString(secret)
	sum := sha256.Sum256([]byte(token))
	s.exec(t, `INSERT INTO oauth_token (hash, grant_id, kind, expires_at) VALUES ($1, $2, 'access', now() + $3::text::interval)`,
		sum[:], grant, ends)
	return token
}

// grantOf returns the grant of an access token.
func (s *site) grantOf(t *testing.T, token string) (id uuid.UUID) {
	t.Helper()
	sum := sha256.Sum256([]byte(token))
	if err := s.db.QueryRow(t.Context(), `SELECT grant_id FROM oauth_token WHERE hash = $1`, sum[:]).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// fingerprint returns the state of a workspace: its rows in every table with a column
// for the workspace. It leaves out grants and their log entries, which the strangers'
// access changes, and the views of its members, which are written later: only the
// favourites of dashboard_use are compared.
func (s *site) fingerprint(t *testing.T, workspace string) string {
	t.Helper()
	rows, _ := s.db.Query(t.Context(), `
		SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		 WHERE c.table_schema = 'public' AND c.column_name = 'workspace_id' AND t.table_type = 'BASE TABLE'
		   AND c.table_name NOT IN ('oauth_grant', 'audit', 'activity') ORDER BY 1`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	var all strings.Builder
	for _, table := range slices.Insert(tables, 0, "workspace") {
		column, row := "workspace_id", "r::text"
		switch table {
		case "workspace":
			column = "id"
		case "dashboard_use":
			row = "CASE WHEN starred_at IS NOT NULL THEN account_id || ' ' || dashboard_id END"
		}
		var sum string
		err := s.db.QueryRow(t.Context(), `
			SELECT count(`+row+`) || ' ' || coalesce(md5(string_agg(`+row+`, '|' ORDER BY `+row+`)), '') FROM `+table+` r
			WHERE `+column+` = (SELECT id FROM workspace WHERE slug = $1)`, workspace).Scan(&sum)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(table + " " + sum + "\n")
	}
	return all.String()
}

// A reply is an answer, byte for byte.
type reply struct {
	status int
	header http.Header
	body   string
}

// visible returns everything in a reply that a caller can see, except for request ids and the time.
func (r reply) visible() string {
	h := r.header.Clone()
	for _, name := range []string{"Date", "X-Request-Id"} {
		h.Del(name)
	}
	var b strings.Builder
	_ = h.Write(&b) // writes to memory
	return http.StatusText(r.status) + "\n" + b.String() + "\n" + r.body
}

// text returns a tool's text, and whether it refused. An error of JSON-RPC is returned with its code.
func (r reply) text(t *testing.T) (text string, refused bool) {
	t.Helper()
	var m struct {
		Result *struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal([]byte(r.body), &m); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
	switch {
	case m.Error != nil:
		t.Fatalf("not an answer of a tool: %d %s", m.Error.Code, m.Error.Message)
	case m.Result == nil || len(m.Result.Content) != 1:
		t.Fatalf("not one text: %s", r.body)
	}
	return m.Result.Content[0].Text, m.Result.IsError
}

// rpc makes one call with a token, without an SDK.
func (s *site) rpc(t *testing.T, token, method string, params any) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	return s.post(t, token, string(body))
}

// call calls a tool with arguments in JSON.
func (s *site) call(t *testing.T, token, tool, args string) reply {
	t.Helper()
	return s.rpc(t, token, "tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(args)})
}

func (s *site) post(t *testing.T, token, body string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return send(t, http.DefaultClient, req)
}

func send(t *testing.T, c *http.Client, req *http.Request) reply {
	t.Helper()
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}
