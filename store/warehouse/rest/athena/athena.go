package athena

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"service/store/message"
	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/rest"
	"service/store/warehouse/rest/trino"
	"service/store/warehouse/sigv4"
	"service/store/warehouse/sts"
)

// An engine queries one database in one workgroup.
type engine struct {
	keys      *sts.Keys
	host      string
	region    string
	workgroup string
	database  string
	most      int64 // bytes scanned
	now       func() time.Time
	signer    atomic.Pointer[sigv4.Signer] // by Sign
}

// region finds the region in the name of a host of Athena, which may belong to a VPC endpoint.
var region = pattern.New(`(?:^|\.)athena(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-[0-9])\.`)

// printable matches what an access key, a secret or the name of a workgroup consists of.
var printable = pattern.New(`^[!-~]{1,200}$`)

// Open returns a connector to t, dialled by d. t's host is the endpoint of Athena in a region, its user the id of an access key and its
// password the secret, its role empty or a role that the key assumes, its database a database of the catalog AwsDataCatalog, and its place
// a workgroup, with a region before it and a slash if the name of the host has none. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*rest.Connector, error) {
	e := &engine{
		host: t.Host, workgroup: t.Place, database: t.Database, most: t.Most("athena"), now: time.Now,
	}
	if m := region.FindStringSubmatch(t.Host); m != nil {
		e.region = m[1]
	}
	if before, after, ok := strings.Cut(t.Place, "/"); ok {
		e.region, e.workgroup = before, after
	}
	switch {
	case t.Database == "":
		return nil, message.Refuse("database must be a database of the data catalog, as in shop")
	case !printable.MatchString(e.workgroup):
		return nil, message.Refuse("place must be a workgroup, as in dashboards")
	case !printable.MatchString(e.region):
		return nil, message.Refuse("place must be a region and a workgroup, as in eu-central-1/dashboards, because the host names no region")
	case !printable.MatchString(t.User) || !printable.MatchString(t.Password):
		return nil, warehouse.Errorf(warehouse.Auth, "The access key is incomplete: paste its id and its secret.")
	}
	var err error
	if e.keys, err = sts.New(t, e.region, "athena"); err != nil {
		return nil, err
	}
	return rest.New(e, t, d), nil
}

// Sign gets the credentials of the role, if there is one. Each request is signed as a whole.
func (e *engine) Sign(s *rest.Session, _ http.Header) error {
	signer, err := e.keys.Signer(s.Context(), s.Do, sts.Endpoint(e.host, s.Base(), "sts", e.region), s.Anew())
	if err == nil {
		e.signer.Store(&signer)
	}
	return err
}

// SignRequest signs a request.
func (e *engine) SignRequest(r *http.Request, body []byte) { e.signer.Load().Sign(r, body, e.now()) }

func (e *engine) Dialect() string        { return "athena" }
func (e *engine) Lexer() sqltext.Dialect { return sqltext.Trino }

// Placeholder returns the placeholder of every argument.
func (e *engine) Placeholder(int) string { return "?" }

// Check checks SQL with the gate of Trino.
func (e *engine) Check(sql string) (string, error) { return trino.Check(sql) }

// Probe needs the workgroup, a place for results, and the catalog.
func (e *engine) Probe() rest.Statement {
	return rest.Statement{SQL: "SELECT 1 AS n FROM information_schema.tables"}
}

// Catalog lists the tables of the connection's database, or of the database in front of a table's name.
func (e *engine) Catalog(q warehouse.Introspection) rest.Statement {
	return trino.Columns(q, "awsdatacatalog.", e.database)
}

// Listed adds a prefix to the name of a table of another database.
func (e *engine) Listed(row rest.Listing) (warehouse.Table, warehouse.TableColumn) {
	return row.Entry(sqltext.Trino, row.Schema == e.database, columnOf(row.Column, row.Type))
}

// SignIn names the kind of credentials.
func (e *engine) SignIn() string {
	if e.keys.Assumes() {
		return "role, assumed with an access key, Signature Version 4"
	}
	return "access key, Signature Version 4"
}

// Known returns the version of the API and where queries run.
func (e *engine) Known() []warehouse.Fact {
	return []warehouse.Fact{
		{Name: "version of the API", Value: "2017-05-18"}, {Name: "region", Value: e.region}, {Name: "workgroup", Value: e.workgroup},
	}
}

// Inquiry is empty: Athena has no functions about sessions.
func (e *engine) Inquiry() rest.Statement { return rest.Statement{} }

// ReadOnly describes how queries are kept from writing.
func (e *engine) ReadOnly() string {
	return "Athena must report a SELECT; the policy of the key decides"
}
