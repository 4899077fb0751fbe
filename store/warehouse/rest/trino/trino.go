package trino

import (
	"net/http"
	"strconv"
	"strings"

	"service/store/message"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// An engine queries one schema as one user.
type engine struct {
	user, password  string
	catalog, schema string
}

// Open returns a connector to t, dialled by d. t's password is that of the user, or a JSON web token, or empty if the server asks for none;
// its database a catalog and a schema, as in hive.shop. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*rest.Connector, error) {
	e := &engine{user: t.User, password: t.Password}
	e.catalog, e.schema, _ = strings.Cut(t.Database, ".")
	if !header(t.User) || !header(t.Password) {
		return nil, message.Refuse("user and password must not contain line breaks")
	}
	if e.catalog == "" || e.schema == "" || !header(t.Database) {
		return nil, message.Refuse("database must be a catalog and a schema, as in hive.shop")
	}
	return rest.New(e, t, d), nil
}

// header reports whether a text can be the value of a header.
func header(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Sign adds the headers of "Password file authentication" or "JWT authentication". A token is three parts of base64, the first of which
// begins with {".
func (e *engine) Sign(_ *rest.Session, h http.Header) error {
	h.Set("X-Trino-User", e.user)
	switch {
	case e.password == "":
	case token(e.password):
		h.Set("Authorization", "Bearer "+e.password)
	default:
		r := http.Request{Header: h}
		r.SetBasicAuth(e.user, e.password)
	}
	return nil
}

// token reports whether a password is a JSON web token.
func token(password string) bool {
	return strings.HasPrefix(password, "eyJ") && strings.Count(password, ".") == 2
}

func (e *engine) Dialect() string        { return "trino" }
func (e *engine) Lexer() sqltext.Dialect { return sqltext.Trino }

// Placeholder returns the placeholder of every argument.
func (e *engine) Placeholder(int) string { return "?" }

// Probe needs the catalog.
func (e *engine) Probe() rest.Statement {
	return rest.Statement{SQL: "SELECT 1 AS n FROM information_schema.tables"}
}

// Catalog lists the tables of the connection's schema, or of the schema in front of a table's name.
func (e *engine) Catalog(q warehouse.Introspection) rest.Statement {
	return Columns(q, e.catalog+"."+e.schema+".", e.schema)
}

// Columns lists the columns of the tables of one schema: of the schema in front of the name of q's table, or else of the given one. The
// name of the table may begin with prefix. The schema is an argument of both conditions, so that connectors do not read the columns of
// other schemas.
func Columns(q warehouse.Introspection, prefix, schema string) rest.Statement {
	table := strings.TrimPrefix(strings.ReplaceAll(q.Table, `"`, ""), prefix)
	if before, after, ok := strings.Cut(table, "."); ok {
		schema, table = before, after
	}
	return rest.Statement{
		SQL: `SELECT t.table_schema, t.table_name, CASE WHEN t.table_type LIKE '%VIEW' THEN 'view' ELSE 'table' END AS kind,
       c.column_name, c.data_type, c.is_nullable, CAST(NULL AS varchar) AS comment
  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
         WHERE table_schema = ? AND ? IN ('', table_name) AND strpos(lower(table_name), lower(?)) > 0
         ORDER BY table_name LIMIT ` + strconv.Itoa(warehouse.MaxTables) + `) AS t
  JOIN information_schema.columns AS c ON c.table_name = t.table_name AND c.table_schema = ?
 ORDER BY t.table_name, c.ordinal_position`,
		Args: []any{schema, table, q.Pattern, schema},
	}
}

// Listed adds a prefix to the name of a table of another schema.
func (e *engine) Listed(row rest.Listing) (warehouse.Table, warehouse.TableColumn) {
	return row.Entry(sqltext.Trino, row.Schema == e.schema, ColumnOf(row.Column, row.Type))
}

// SignIn names the kind of credentials.
func (e *engine) SignIn() string {
	switch {
	case e.password == "":
		return "user without a password"
	case token(e.password):
		return "JSON web token"
	}
	return "password"
}

// Known returns nothing: the server is asked.
func (e *engine) Known() []warehouse.Fact { return nil }

// Inquiry asks for the version and the user: "System information", "Session information functions".
func (e *engine) Inquiry() rest.Statement {
	return rest.Statement{SQL: "SELECT version() AS version, current_user AS signed_in_as, current_catalog AS catalog"}
}

// ReadOnly describes how queries are kept from writing.
func (e *engine) ReadOnly() string {
	return "one query, accepted as a subquery; the access control of Trino decides"
}
