package databricks

import (
	"net/http"
	"strconv"
	"strings"

	"service/store/message"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// An engine queries one warehouse as one user.
type engine struct {
	client          *rest.Client // a service principal; nil for the token of a user
	token           string       // of a user
	warehouse       string       // its id
	catalog, schema string
}

// Open returns a connector to t, dialled by d. t's host is the host of a workspace, and its place the id of a SQL warehouse, or the HTTP
// path that ends with it. Its user is the client id of a service principal and its password the secret, or the user is empty and the
// password a personal access token. Its database is a catalog, or a catalog and a schema. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*rest.Connector, error) {
	e := &engine{token: t.Password, warehouse: t.Place[strings.LastIndexByte(t.Place, '/')+1:]}
	if t.User != "" {
		e.client = &rest.Client{ID: t.User, Secret: t.Password, Scope: "all-apis"}
	}
	e.catalog, e.schema, _ = strings.Cut(t.Database, ".")
	if e.schema == "" {
		e.schema = "default"
	}
	switch {
	case e.catalog == "":
		return nil, message.Refuse("database must be a catalog, or a catalog and a schema, as in main.shop")
	case e.warehouse == "" || strings.Trim(e.warehouse, "0123456789abcdefABCDEF") != "":
		return nil, message.Refuse("place must be the id of a SQL warehouse, as in 1234567890abcdef")
	case t.Password == "" || strings.ContainsFunc(t.Password, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, warehouse.Errorf(warehouse.Auth, "The secret or token is incomplete: paste all of it.")
	}
	return rest.New(e, t, d), nil
}

// Sign adds a bearer token: that of the user, or one of the service principal: "Authorize service principal access to Databricks with
// OAuth", "Generate a workspace-level access token". The secret is sent to the workspace alone.
func (e *engine) Sign(s *rest.Session, h http.Header) error {
	token := e.token
	if e.client != nil {
		var err error
		if token, err = e.client.Token(s, rest.Request{Path: "/oidc/v1/token"}); err != nil {
			return err
		}
	}
	h.Set("Authorization", "Bearer "+token)
	return nil
}

func (e *engine) Dialect() string        { return "databricks" }
func (e *engine) Lexer() sqltext.Dialect { return sqltext.Databricks }

// Placeholder returns the placeholder of argument n: "Named parameter markers".
func (e *engine) Placeholder(n int) string { return ":p" + strconv.Itoa(n) }

// Probe needs the warehouse and the catalog.
func (e *engine) Probe() rest.Statement {
	return rest.Statement{SQL: "SELECT 1 AS n FROM information_schema.tables"}
}

// Catalog lists the tables of the catalog, those of the connection's schema first.
func (e *engine) Catalog(q warehouse.Introspection) rest.Statement {
	table := strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(q.Table, "`", "")), strings.ToLower(e.catalog)+".")
	return rest.Statement{
		SQL: `SELECT t.table_schema, t.table_name, IF(t.table_type LIKE '%VIEW', 'view', 'table') AS kind,
       c.column_name, c.full_data_type, c.is_nullable, c.comment
  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
         WHERE table_schema <> 'information_schema'
           AND :p1 IN ('', table_schema || '.' || table_name, IF(table_schema = :p2, table_name, NULL))
           AND CONTAINS(table_schema || '.' || table_name, LOWER(:p3))
         ORDER BY table_schema <> :p2, table_schema, table_name LIMIT ` + strconv.Itoa(warehouse.MaxTables) + `) AS t
  JOIN information_schema.columns AS c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
 ORDER BY t.table_schema <> :p2, t.table_schema, t.table_name, c.ordinal_position`,
		Args: []any{table, strings.ToLower(e.schema), q.Pattern},
	}
}

// Listed adds a prefix to the name of a table of another schema.
func (e *engine) Listed(row rest.Listing) (warehouse.Table, warehouse.TableColumn) {
	return row.Entry(sqltext.Databricks, strings.EqualFold(row.Schema, e.schema), columnOf(row.Column, row.Type))
}

// SignIn names the kind of credentials.
func (e *engine) SignIn() string {
	if e.client != nil {
		return "secret of a service principal (OAuth)"
	}
	return "personal access token"
}

// Known returns nothing: the server is asked.
func (e *engine) Known() []warehouse.Fact { return nil }

// Inquiry asks for the version and the user.
func (e *engine) Inquiry() rest.Statement {
	return rest.Statement{SQL: "SELECT current_version().dbsql_version AS version, current_user() AS signed_in_as, " +
		"current_catalog() AS catalog"}
}

// ReadOnly describes how queries are kept from writing.
func (e *engine) ReadOnly() string {
	return "one SELECT, accepted as a subquery; the grants of the user decide"
}
