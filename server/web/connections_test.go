package web

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/warehouse"
	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/rest/snowflake"
)

// far is a stand-in for a warehouse: it accepts every user with the right password.
type far struct {
	warehouse.Connector
	target warehouse.Target
}

func (f far) Ping(context.Context) error {
	switch f.target.Password {
	case "open-sesame":
	case "certificate":
		return warehouse.Errorf(warehouse.Connect, warehouse.SayCert)
	case "database":
		return warehouse.Errorf(warehouse.Connect, warehouse.SayNoDatabase)
	case "issuer":
		return warehouse.Errorf(warehouse.Connect, warehouse.SayNoIssuer)
	case "host":
		return warehouse.DialError(context.DeadlineExceeded)
	default:
		return warehouse.Errorf(warehouse.Auth, "The warehouse refused the password of user %s.", f.target.User)
	}
	return nil
}

func openFar(t warehouse.Target) (warehouse.Connector, error) { return far{target: t}, nil }

// An owner adds a connection, sees the reason of its failure, corrects it, switches it
// off and deletes it; the password is never shown again.
func TestConnectionLife(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/connections"
	p.get(at).want(http.StatusOK, "No connections yet", "PostgreSQL").lacks("ClickHouse") // the kinds that this installation allows
	p.get(at + "/new?kind=clickhouse").want(http.StatusNotFound)
	p.get(at+"/new?kind=postgres").want(http.StatusOK, `value="5432"`, "a connection cannot move to another workspace")

	form := url.Values{
		"kind": {"postgres"}, "label": {"Sales"}, "host": {""}, "port": {"nonsense"},
		"user": {"reader"}, "password": {"wrong-word"}, "tls": {"verify"},
	}
	p.post(at, form).
		want(http.StatusUnprocessableEntity, "host must not be empty",
			`aria-describedby="host-problem"`, `value="nonsense"`, `value="Sales"`).
		lacks("wrong-word")
	form.Set("host", "db.example")
	p.post(at, form).want(http.StatusUnprocessableEntity, "port must be from 1 to 65535", `aria-describedby="port-problem"`)
	form.Set("port", "5432")
	for password, marked := range map[string]string{"wrong-word": "password", "certificate": "tls", "database": "database", "host": "host"} {
		form.Set("password", password) // a failed test stores nothing, and marks the field that it is about
		p.post(at, form).want(http.StatusUnprocessableEntity, "The test failed, so nothing was saved.", `aria-describedby="`+marked+`-problem`).
			lacks("wrong-word", `class="note"`)
	}
	p.get(at).want(http.StatusOK, "No connections yet")
	if log, err := s.store.Audit.AuditLog(t.Context(), m, store.AuditQuery{Noun: "connection", Limit: 9}); err != nil || len(log) > 0 {
		t.Errorf("the log has %+v, %v", log, err)
	}

	form.Set("password", "open-sesame")
	page := p.post(at, form).want(http.StatusOK, "The test succeeded: the connection is active.").lacks("open-sesame")
	one := page.url.Path
	form.Set("password", "wrong-word") // nor does a failed change
	p.post(one, form).want(http.StatusUnprocessableEntity, "The test failed, so nothing was saved.", "refused the password", "active").
		lacks("wrong-word", "failing")
	p.get(at).want(http.StatusOK, "Sales", "active")
	form.Set("password", "") // keeps the stored password and status
	form.Set("label", "Sales & more")
	p.post(one, form).want(http.StatusOK, "The connection is saved.", "Sales &amp; more", "active")
	form.Set("database", "sales") // another target is tested again
	p.post(one, form).want(http.StatusOK, "The test succeeded")
	for name, value := range map[string]string{"host": "evil.example", "port": "5433", "user": "other", "tls": "off"} {
		moved := maps.Clone(form)
		moved.Set(name, value)
		p.post(one, moved).want(http.StatusUnprocessableEntity, "password must be typed again",
			`id="password-problem"`, `aria-describedby="password-problem password-hint"`, value)
	}
	form.Set("user", "")
	p.post(one, form).want(http.StatusUnprocessableEntity, "user must not be empty", "Nothing was changed.")

	// A secret that can no longer be decrypted can be typed again; the connection can also
	// be deleted, see below.
	s.exec(t, `UPDATE connection SET secret = 'nonsense'`)
	p.get(one).want(http.StatusOK, "can no longer be read", "Sales &amp; more", "Delete this connection")
	p.post(one+"/test", nil).want(http.StatusOK, "failing", `<p class="error">`, "can no longer be read")
	form.Set("user", "reader")
	p.post(one, form).want(http.StatusUnprocessableEntity, "password must be typed again", `id="password-problem"`)
	form.Set("password", "open-sesame")
	p.post(one, form).want(http.StatusOK, "The test succeeded").lacks("can no longer be read")

	p.post(one+"/disable", nil).want(http.StatusOK, "switched off", "disabled")
	p.post(one+"/test", nil).want(http.StatusOK, "active")

	id := uuid.MustParse(one[len(at)+1:])
	s.publish(t, m, "sales", "Sales per week")
	s.exec(t, `UPDATE version SET connection_id = $1`, id)
	p.get(one).want(http.StatusOK, "Sales per week", "1 dashboard above will keep the last rows and stop refreshing.")

	// Another member finds nothing: a connection belongs to its owner.
	bob := s.signIn(t, "bob@lovelace.org")
	if _, err := s.store.Members.AddMember(t.Context(), m.Account(), "engine", "bob@lovelace.org", store.RoleEditor); err != nil {
		t.Fatal(err)
	}
	bob.get(one).want(http.StatusNotFound)
	for _, action := range []string{"", "/test", "/disable", "/delete"} {
		bob.post(one+action, form).want(http.StatusNotFound)
	}

	s.exec(t, `UPDATE workspace SET plan = 'free'`)
	p.get(at).want(http.StatusOK, "need a paid plan", "disabled").lacks("kind=postgres")
	p.post(at, form).want(http.StatusUnprocessableEntity, "need a paid plan")
	s.exec(t, `UPDATE connection SET secret = 'nonsense'`)
	p.get(one).want(http.StatusOK, "can no longer be read")
	p.post(one+"/delete", nil).want(http.StatusOK, "The connection is deleted.").lacks("Sales &amp; more")
	p.get(one).want(http.StatusNotFound)
	p.get(at + "/nonsense").want(http.StatusNotFound)
}

// A kind that signs in with a key has its own form: a field for a file's text, and a limit of bytes that a run may read.
func TestConnectionByKey(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) { o.Warehouses["bigquery"] = openFar })
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/connections"
	p.get(at+"/new?kind=bigquery").want(http.StatusOK, "New BigQuery connection", `value="bigquery.googleapis.com"`, `value="443"`,
		`value="150"`, "<textarea", "BigQuery Data Viewer")
	form := url.Values{
		"kind": {"bigquery"}, "label": {"Sales"}, "host": {"bigquery.googleapis.com"}, "port": {"443"}, "database": {""},
		"password": {"open-sesame"}, "limit": {"all"}, "tls": {"verify"},
	}
	p.post(at, form).want(http.StatusUnprocessableEntity, "limit must be a number of gigabytes", `aria-describedby="limit-problem limit-hint"`,
		"Paste the key again: it was not saved.", "database must not be empty").lacks("open-sesame")
	form.Set("limit", "0.5")
	form.Set("database", "sales")
	form.Set("month", "0.4")
	p.post(at, form).want(http.StatusUnprocessableEntity, "month must not be less than the limit of a run",
		`aria-describedby="month-problem month-hint"`)
	form.Set("month", "3000")
	page := p.post(at, form).want(http.StatusOK, "The test succeeded: the connection is active.", `value="0.5"`, `value="3000"`).
		lacks("open-sesame", "Data read by queries")
	one := page.url.Path
	s.exec(t, `INSERT INTO connection_usage SELECT workspace_id, id, '2026-11-01', 1234567890123, 5678 FROM connection`)
	p.get(one).want(http.StatusOK, "Data read by queries", "2026-11", "1.23 TB", "5,678")
	form.Set("password", "")
	form.Set("limit", "2000") // keeps the key
	p.post(one, form).want(http.StatusOK, "The test succeeded", `value="2000"`)
	got, err := s.store.Connections.WarehouseTarget(t.Context(), m, uuid.MustParse(one[len(at)+1:]))
	want := warehouse.Target{
		Host: "bigquery.googleapis.com", Port: 443, Database: "sales", TLS: "verify", MaxBytes: 2_000_000_000_000,
		MaxMonth: 3_000_000_000_000,
	}
	if got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	form.Set("host", "evil.example")
	p.post(one, form).want(http.StatusUnprocessableEntity, "password must be typed again")
}

// A connection to Snowflake without a key gets a key pair, whose public half its page shows in the statement that gives it to the user. The
// private half is never shown. A new pair replaces it.
func TestConnectionByKeyPair(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) { o.Warehouses["snowflake"] = openFar })
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/connections"
	p.get(at+"/new?kind=snowflake").want(http.StatusOK, "made here", "CREATE USER dashboards TYPE = SERVICE").lacks(`name="renew"`)
	form := url.Values{
		"kind": {"snowflake"}, "label": {"Sales"}, "host": {"acme-main.snowflakecomputing.com"}, "port": {"443"}, "database": {"SALES.SHOP"},
		"user": {"dashboards"}, "password": {""}, "limit": {""}, "month": {""}, "tls": {"verify"},
	}
	statement := regexp.MustCompile(`ALTER USER DASHBOARDS SET RSA_PUBLIC_KEY = &#39;([A-Za-z0-9+/&#;=]+)&#39;;`)
	page := p.post(at, form).want(http.StatusOK, "A key pair was made here.", "untested", `name="renew"`).
		lacks("PRIVATE KEY", "The test succeeded")
	one := page.url.Path
	first := statement.FindStringSubmatch(page.body)
	if first == nil {
		t.Fatalf("there is no statement in %s", page.body)
	}
	der, err := base64.StdEncoding.DecodeString(html.UnescapeString(first[1]))
	if err != nil {
		t.Fatal(err)
	}
	if key, err := x509.ParsePKIXPublicKey(der); err != nil || key.(*rsa.PublicKey).Size() != 256 {
		t.Errorf("%T, %v", key, err)
	}
	steps, err := s.store.Connections.KeySteps(t.Context(), m, uuid.MustParse(one[len(at)+1:]))
	if steps != html.UnescapeString(first[0]) || err != nil {
		t.Errorf("%s, %v", steps, err)
	}
	form.Set("renew", "yes")
	again := statement.FindStringSubmatch(p.post(one, form).want(http.StatusOK, "A key pair was made here.").lacks("PRIVATE KEY").body)
	if again == nil || again[1] == first[1] {
		t.Errorf("a new pair: %v", again)
	}
	form.Del("renew")
	form.Set("host", "evil.snowflakecomputing.com")
	p.post(one, form).want(http.StatusUnprocessableEntity, "password must be typed again")
	form.Set("user", "ann@example.com")
	form.Set("renew", "yes") // a new key may be for another user and host
	p.post(one, form).want(http.StatusOK, "ALTER USER &#34;ANN@EXAMPLE.COM&#34; SET RSA_PUBLIC_KEY")
}

// A connection to Snowflake with a token endpoint gets no key pair, and is tested. An endpoint that is not one is refused at its field, and
// so is one that issues no tokens. The secret is typed again if the endpoint changes.
func TestConnectionByOAuth(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) {
		o.Warehouses["snowflake"] = func(t warehouse.Target) (warehouse.Connector, error) {
			if _, err := snowflake.Open(t, warehouse.Dialer{}); err != nil {
				return nil, err
			}
			return openFar(t)
		}
	})
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at, endpoint = "/w/engine/connections", "https://login.example.com/token"
	p.get(at+"/new?kind=snowflake").want(http.StatusOK, "Token endpoint of OAuth")
	form := url.Values{
		"kind": {"snowflake"}, "label": {"Sales"}, "host": {"acme-main.snowflakecomputing.com"}, "port": {"443"}, "database": {"SALES.SHOP"},
		"user": {"0f2a-client"}, "password": {"open-sesame"}, "place": {"login.example.com"}, "limit": {""}, "month": {""}, "tls": {"verify"},
	}
	refused := func(to, field, text string) {
		t.Helper()
		p.post(to, form).want(http.StatusUnprocessableEntity, text, `id="`+field+`-problem"`).lacks("open-sesame")
	}
	refused(at, "place", "place must be the address of a token endpoint")
	form.Set("place", endpoint+" session:role:DASHBOARDS")
	form.Set("password", "issuer")
	refused(at, "place", "The address of the token endpoint does not answer as OAuth requires.")
	form.Set("password", "")
	refused(at, "password", "The secret of the OAuth client is missing")
	key, err := warehouse.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	form.Set("password", key)
	refused(at, "place", "place must be empty to sign in by a key pair")
	if all, err := s.store.Connections.Connections(t.Context(), m); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
	form.Set("password", "open-sesame")
	one := p.post(at, form).want(http.StatusOK, "The test succeeded", endpoint+" session:role:DASHBOARDS").
		lacks("open-sesame", "RSA_PUBLIC_KEY").url.Path
	form.Set("password", "")
	form.Set("label", "Sales of today")
	p.post(one, form).want(http.StatusOK, "The connection is saved.")
	for _, place := range []string{"https://evil.example/token", endpoint, ""} {
		form.Set("place", place)
		refused(one, "password", "password must be typed again when the token endpoint or its scopes change")
	}
	form.Set("place", endpoint)
	form.Set("renew", "yes")
	refused(one, "place", "place must be empty to sign in by a key pair")
	form.Set("place", "")
	p.post(one, form).want(http.StatusOK, "A key pair was made here.", "RSA_PUBLIC_KEY")
}

// A connection to BigQuery with a workload identity provider and without a key gets a key pair, and its page shows the commands that give
// the public half to Google. A provider that is not one is refused at its field, also before there is anything to test; so is no key at
// all.
func TestConnectionByFederation(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) {
		o.Warehouses["bigquery"] = func(t warehouse.Target) (warehouse.Connector, error) { return bigquery.Open(t, warehouse.Dialer{}) }
	})
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/connections"
	p.get(at+"/new?kind=bigquery").want(http.StatusOK, "Workload identity provider", "Service account").lacks(`name="renew"`)
	const provider = "projects/123456789012/locations/global/workloadIdentityPools/dashboards/providers/service"
	form := url.Values{
		"kind": {"bigquery"}, "label": {"Sales"}, "host": {"bigquery.googleapis.com"}, "port": {"443"}, "database": {"acme-prod.sales"},
		"user": {"dashboards@acme-prod.iam.gserviceaccount.com"}, "password": {""}, "place": {"dashboards"}, "limit": {"150"}, "month": {""},
		"tls": {"verify"},
	}
	refused := func(field, value, text string) {
		t.Helper()
		before := form.Get(field)
		form.Set(field, value)
		page := p.post(at, form).want(http.StatusUnprocessableEntity, text, `id="`+field+`-problem"`)
		if all, err := s.store.Connections.Connections(t.Context(), m); err != nil || len(all) > 0 {
			t.Errorf("%s: %v, %v in %s", value, all, err, page.body)
		}
		form.Set(field, before)
	}
	refused("place", "dashboards", "place must be the full name of a workload identity provider")
	form.Set("place", provider)
	refused("user", "ann@example.com", "user must be the address of a service account")
	refused("database", "sales", "database must be a dataset with its project")
	form.Set("place", "")
	refused("password", "", "The key is not that of a service account")
	refused("password", `{"type": "external_account", "credential_source": {"file": "/etc/passwd"}}`, "leave the key empty")
	form.Set("place", provider)
	page := p.post(at, form).want(http.StatusOK, "A key pair was made here.", "untested", "in the Cloud Shell", `name="renew"`,
		"--workload-identity-pool dashboards --issuer-uri https://service.invalid", "roles/iam.workloadIdentityUser").
		lacks("PRIVATE KEY", "The test succeeded")
	modulus := regexp.MustCompile(`&#34;n&#34;: &#34;([\w-]{342})&#34;`)
	first := modulus.FindStringSubmatch(page.body)
	form.Set("renew", "yes")
	again := modulus.FindStringSubmatch(p.post(page.url.Path, form).want(http.StatusOK, "A key pair was made here.").lacks("PRIVATE KEY").body)
	if first == nil || again == nil || first[1] == again[1] {
		t.Errorf("%v, %v", first, again)
	}
}

// The form of every kind shows how a user that can only read is made, and which kinds were tested against a stand-in only.
func TestConnectionGuides(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) {
		for kind := range warehouse.Kinds {
			o.Warehouses[kind] = openFar
		}
	})
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	for kind, facts := range warehouse.Kinds {
		const standIn = "only against an imitation of the service"
		page := p.get("/w/engine/connections/new?kind="+kind).want(http.StatusOK, "Prepare a user that can only read", "<pre")
		if facts.StandIn {
			page.want(http.StatusOK, standIn)
		} else {
			page.lacks(standIn)
		}
		page.lacks("New " + kind + " connection") // it has a name of its own
	}
}

// TestConnectionToTrino: the form of a metered kind has a field for its limit, and a catalog is kept as it was typed.
func TestConnectionToTrino(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) { o.Warehouses["trino"] = openFar })
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/connections"
	p.get(at+"/new?kind=trino").want(http.StatusOK, "New Trino or Starburst connection", "Catalog and schema", `value="443"`, `value="150"`,
		"GRANT SELECT ON hive.shop.orders TO USER dashboards;")
	page := p.post(at, url.Values{
		"kind": {"trino"}, "label": {"Lake"}, "host": {"trino.example"}, "port": {"8443"}, "database": {"hive.shop"}, "user": {"reader"},
		"password": {"open-sesame"}, "limit": {"20"}, "tls": {"verify"},
	}).want(http.StatusOK, "The test succeeded", `value="hive.shop"`, `value="20"`).lacks("open-sesame")
	got, err := s.store.Connections.WarehouseTarget(t.Context(), m, uuid.MustParse(page.url.Path[len(at)+1:]))
	want := warehouse.Target{
		Host: "trino.example", Port: 8443, Database: "hive.shop", User: "reader", TLS: "verify", MaxBytes: 20_000_000_000,
	}
	if got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFormNamesItsFields: a problem with an empty field has the words of the form, and a host that was copied with https:// is refused
// before the connection is tested or stored.
func TestFormNamesItsFields(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *store.Options) {
		for _, kind := range []string{"athena", "databricks", "snowflake"} {
			o.Warehouses[kind] = openFar
		}
	})
	p, _ := s.owner(t, "ada@lovelace.org", "engine")
	const at = "/w/engine/connections"
	empty := func(kind string) url.Values {
		return url.Values{"kind": {kind}, "label": {"Lake"}, "port": {"443"}, "tls": {"verify"}}
	}
	p.post(at, empty("athena")).
		want(http.StatusUnprocessableEntity, "Workgroup must not be empty", "Access key id must not be empty").lacks("place must")
	p.post(at, empty("databricks")).
		want(http.StatusUnprocessableEntity, "HTTP path or id of the SQL warehouse must not be empty").lacks("place must")
	p.get(at+"/new?kind=databricks").want(http.StatusOK, "A catalog, or a catalog and a schema, as in main.shop.",
		"The server hostname under Connection details, without https://.").lacks("hive.shop")
	p.post(at, url.Values{ // without a key, it would be stored untested
		"kind": {"snowflake"}, "label": {"Lake"}, "host": {"https://acme.snowflakecomputing.com"}, "port": {"443"}, "database": {"SHOP"},
		"user": {"reader"}, "tls": {"verify"},
	}).want(http.StatusUnprocessableEntity, "host must be a name or an address alone, without https://, port and path",
		`aria-describedby="host-problem`)
}
