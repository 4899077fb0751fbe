package scim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/server/scim"
	"service/store"
	"service/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	token  = "0123456789abcdef0123456789abcdef"
	issuer = "https://id.example.com"
)

// world is a service with a workspace acme, and a strict client for SCIM: it checks the form of every answer.
type world struct {
	t     *testing.T
	store *store.Store
	pool  *pgxpool.Pool
	url   string
	owner store.Member
}

func setup(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	w.store, w.pool = storetest.New(t)
	server := httptest.NewUnstartedServer(nil)
	w.url = "http://" + server.Listener.Addr().String() + "/scim/v2"
	handler, err := scim.New(scim.Config{
		Store: w.store, Tokens: []string{"another token that is good for a while", token}, Issuer: issuer, URL: w.url,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(server.Close)
	owner := w.signIn("owner", store.Identity{Email: "owner@example.com", Verified: true})
	if w.owner, err = w.store.Workspaces.CreateWorkspace(t.Context(), owner.ID, "acme", "Acme"); err != nil {
		t.Fatal(err)
	}
	return w
}

func hash(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// signIn starts the session called by the subject.
func (w *world) signIn(subject string, id store.Identity) store.Account {
	w.t.Helper()
	a, err := w.trySignIn(subject, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) trySignIn(subject string, id store.Identity) (store.Account, error) {
	id.Issuer, id.Subject = issuer, subject
	if id.External == "" {
		id.External = subject
	}
	return w.store.Sessions.StartSession(w.t.Context(), id, hash(subject+uuid.NewString()), nil, "")
}

// send sends a request, and checks the requirements of RFC 7644 for every answer.
func (w *world) send(method, path string, body any, status int) map[string]any {
	w.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	target := path
	if !strings.HasPrefix(path, "http") {
		target = w.url + path
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, target, bytes.NewReader(raw))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/scim+json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if res.StatusCode != status {
		w.t.Fatalf("%s %s: status %d, want %d: %s", method, path, res.StatusCode, status, got)
	}
	if status == http.StatusNoContent {
		if len(got) > 0 {
			w.t.Errorf("%s %s: 204 with a body: %s", method, path, got)
		}
		return nil
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil || kind != "application/scim+json" {
		w.t.Errorf("%s %s: type %s", method, path, res.Header.Get("Content-Type"))
	}
	var v map[string]any
	if err := json.Unmarshal(got, &v); err != nil {
		w.t.Fatalf("%s %s: %v: %s", method, path, err, got)
	}
	schemas, _ := v["schemas"].([]any)
	if len(schemas) == 0 {
		w.t.Errorf("%s %s: no schemas: %s", method, path, got)
	}
	if status >= 400 {
		if schemas[0] != "urn:ietf:params:scim:api:messages:2.0:Error" || v["status"] != http.StatusText(0)+itoa(status) {
			w.t.Errorf("%s %s: not an error of SCIM: %s", method, path, got)
		}
		return v
	}
	if id, ok := v["id"].(string); ok && !strings.Contains(path, "Schemas") && !strings.Contains(path, "ResourceTypes") {
		m, _ := v["meta"].(map[string]any)
		location, _ := m["location"].(string)
		if !strings.HasPrefix(location, w.url+"/") || !strings.HasSuffix(location, "/"+id) || m["resourceType"] == nil {
			w.t.Errorf("%s %s: meta %v", method, path, m)
		}
		for _, name := range []string{"created", "lastModified"} {
			if _, err := time.Parse(time.RFC3339, m[name].(string)); err != nil {
				w.t.Errorf("%s %s: %s: %v", method, path, name, err)
			}
		}
		if _, ok := v["password"]; ok {
			w.t.Errorf("%s %s: a password is returned", method, path)
		}
	}
	return v
}

func itoa(n int) string {
	raw, _ := json.Marshal(n)
	return string(raw)
}

type object = map[string]any

const (
	userURN  = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupURN = "urn:ietf:params:scim:schemas:core:2.0:Group"
	patchURN = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
)

func user(name string, more object) object {
	u := object{"schemas": []string{userURN}, "userName": name, "externalId": "ext-" + name, "active": true}
	for k, v := range more {
		u[k] = v
	}
	return u
}

// person provisions a user, and returns its id.
func (w *world) person(name string, more object) string {
	w.t.Helper()
	return w.send("POST", "/Users", user(name, more), http.StatusCreated)["id"].(string)
}

func (w *world) group(name string, members ...string) string {
	w.t.Helper()
	return w.send("POST", "/Groups", object{"schemas": []string{groupURN}, "displayName": name, "members": values(members)},
		http.StatusCreated)["id"].(string)
}

func values(ids []string) []object {
	out := []object{}
	for _, id := range ids {
		out = append(out, object{"value": id})
	}
	return out
}

func patch(operations ...object) object {
	return object{"schemas": []string{patchURN}, "Operations": operations}
}

// members are the members of acme with their roles, without the owner.
func (w *world) members() string {
	w.t.Helper()
	people, err := w.store.Members.People(w.t.Context(), w.owner)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, p := range people {
		if p.Account != w.owner.Account() {
			out = append(out, p.Called+" "+p.Role)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (w *world) wantMembers(step, want string) {
	w.t.Helper()
	if got := w.members(); got != want {
		w.t.Errorf("%s: members %q, want %q", step, got, want)
	}
}

func (w *world) mapGroup(name, role string) {
	w.t.Helper()
	if err := w.store.Members.MapGroup(w.t.Context(), uuid.Nil, "acme", name, role); err != nil {
		w.t.Fatal(err)
	}
}

// account is the account of the provisioned user with an id.
func (w *world) account(id string) uuid.UUID {
	w.t.Helper()
	u, err := w.store.Scim.ScimUser(w.t.Context(), uuid.MustParse(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return u.Account
}

func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	if err := w.pool.QueryRow(w.t.Context(), sql, args...).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// token adds an access token of a grant to acme.
func (w *world) token(account uuid.UUID, name string) {
	w.t.Helper()
	later := time.Now().Add(time.Hour)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method) VALUES ($1, 'C', '{}', '{}', 'none')`, []any{name}},
		{`INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at)
		  SELECT gen_random_uuid(), $1, $2, 'workspace', id, 'dashboards', '', $3, $3 FROM workspace`, []any{name, account, later}},
		{`INSERT INTO oauth_grant (id, client_id, account_id, lock, scope, resource, expires_at, ends_at)
		  VALUES (gen_random_uuid(), $1, $2, 'none', 'dashboards', '', $3, $3)`, []any{name, account, later}},
		{`INSERT INTO oauth_token (hash, grant_id, kind, expires_at)
		  SELECT convert_to($1 || lock, 'UTF8'), id, 'access', $2 FROM oauth_grant WHERE client_id = $1`, []any{name, later}},
	} {
		if _, err := w.pool.Exec(w.t.Context(), q.sql, q.args...); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) tokenWorks(name string) bool {
	w.t.Helper()
	works := 0
	for _, lock := range []string{"workspace", "none"} {
		_, err := w.store.OAuth.Verify(w.t.Context(), []byte(name+lock))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			w.t.Fatal(err)
		}
		if err == nil {
			works++
		}
	}
	if works == 1 {
		w.t.Error("one of two grants works")
	}
	return works == 2
}

func (w *world) find(path, filter string) []any {
	w.t.Helper()
	v := w.send("GET", path+"?"+url.Values{"filter": {filter}}.Encode(), nil, http.StatusOK)
	list, _ := v["Resources"].([]any)
	if v["totalResults"] != float64(len(list)) ||
		!slices.Equal(v["schemas"].([]any), []any{"urn:ietf:params:scim:api:messages:2.0:ListResponse"}) {
		w.t.Errorf("%s: %v", filter, v)
	}
	return list
}
