package snowflake

import (
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// An engine queries one account as one user.
type engine struct {
	account, user    string // in capitals
	database, schema string
	issuer           *issuer         // of tokens; nil for a key or an access token
	key              *rsa.PrivateKey // nil for a token
	token            string
	now              func() time.Time
}

// Open returns a connector to t, dialled by d. t's host is the host of an account, its password the private key of the user in PEM or a
// programmatic access token, and its database a database or database.schema. If it has a place, it signs in by OAuth: see [issuerOf]. It
// does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*rest.Connector, error) {
	account, _, _ := strings.Cut(t.Host, ".") // without the region
	e := &engine{account: strings.ToUpper(account), user: strings.ToUpper(t.User), token: t.Password, now: time.Now}
	if e.database, e.schema, _ = strings.Cut(t.Database, "."); e.schema == "" {
		e.schema = "PUBLIC"
	}
	var err error
	if e.issuer, err = issuerOf(t); err != nil {
		return nil, err
	}
	switch {
	case e.issuer != nil && t.Password == "":
		return nil, errSecret
	case e.issuer != nil:
	case warehouse.IsKey(t.Password):
		var ok bool
		if e.key, ok = warehouse.ParseKey(t.Password); !ok {
			return nil, errKey
		}
	case t.Password == "" || strings.ContainsFunc(t.Password, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errToken
	}
	return rest.New(e, t, d), nil
}

var errKey = warehouse.Errorf(warehouse.Auth,
	"The private key cannot be read: paste an unencrypted RSA key in PKCS #8, from BEGIN PRIVATE KEY to END PRIVATE KEY.")

var errToken = warehouse.Errorf(warehouse.Auth,
	"This is not a private key in PEM, and not a programmatic access token, which has no spaces and no line breaks.")

var errSecret = warehouse.Errorf(warehouse.Auth, "The secret of the OAuth client is missing: paste it.")

// Sign adds the headers of "Authenticating to the server": a token that the key has signed, a token of the issuer, or an access token.
func (e *engine) Sign(s *rest.Session, h http.Header) error {
	if e.issuer != nil {
		return e.issuer.sign(s, h)
	}
	if e.key == nil {
		h.Set("Authorization", "Bearer "+e.token)
		h.Set("X-Snowflake-Authorization-Token-Type", "PROGRAMMATIC_ACCESS_TOKEN")
		return nil
	}
	public, err := x509.MarshalPKIXPublicKey(&e.key.PublicKey)
	if err != nil {
		return err
	}
	fingerprint := sha256.Sum256(public)
	now, name := e.now().Unix(), e.account+"."+e.user
	issuer := name + ".SHA256:" + base64.StdEncoding.EncodeToString(fingerprint[:])
	token, err := warehouse.SignToken(e.key, "", map[string]any{"iss": issuer, "sub": name, "iat": now, "exp": now + 3600})
	if err != nil {
		return err
	}
	h.Set("Authorization", "Bearer "+token)
	h.Set("X-Snowflake-Authorization-Token-Type", "KEYPAIR_JWT")
	return nil
}

func (e *engine) Dialect() string        { return "snowflake" }
func (e *engine) Lexer() sqltext.Dialect { return sqltext.Snowflake }

// Placeholder returns the placeholder of every argument.
func (e *engine) Placeholder(int) string { return "?" }

// Probe needs a session, and a warehouse that the user may use.
func (e *engine) Probe() rest.Statement {
	return rest.Statement{SQL: "SELECT 1 AS n FROM information_schema.tables"}
}

// Catalog lists the tables of the database, those of the connection's schema first.
func (e *engine) Catalog(q warehouse.Introspection) rest.Statement {
	schema, table := e.schema, strings.ReplaceAll(q.Table, `"`, "")
	return rest.Statement{
		SQL: `SELECT t.table_schema, t.table_name, IFF(t.table_type LIKE '%VIEW%', 'view', 'table') AS kind,
       c.column_name, c.data_type || '(' || COALESCE(c.numeric_scale, 0) || ')' AS type, c.is_nullable, c.comment
  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
         WHERE table_schema <> 'INFORMATION_SCHEMA'
           AND UPPER(?) IN ('', UPPER(table_schema || '.' || table_name), IFF(table_schema = ?, UPPER(table_name), NULL))
           AND CONTAINS(UPPER(table_schema || '.' || table_name), UPPER(?))
         ORDER BY table_schema <> ?, table_schema, table_name LIMIT ` + strconv.Itoa(warehouse.MaxTables) + `) AS t
  JOIN information_schema.columns AS c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
 ORDER BY t.table_schema <> ?, t.table_schema, t.table_name, c.ordinal_position`,
		Args: []any{table, schema, q.Pattern, schema, schema},
	}
}

// Listed adds a prefix to the name of a table of another schema. A type is followed by its scale, as in NUMBER(2).
func (e *engine) Listed(row rest.Listing) (warehouse.Table, warehouse.TableColumn) {
	base, scale, _ := strings.Cut(strings.TrimSuffix(row.Type, ")"), "(")
	n, _ := strconv.Atoi(scale)
	own := row.Schema == e.schema
	row.Schema, row.Table = known(row.Schema), known(row.Table)
	return row.Entry(sqltext.Snowflake, own, columnOf(row.Column, base, n))
}

// SignIn names the kind of credentials.
func (e *engine) SignIn() string {
	switch {
	case e.issuer != nil:
		return "secret of a client (OAuth)"
	case e.key != nil:
		return "key pair"
	}
	return "programmatic access token"
}

// Known returns nothing: the server is asked.
func (e *engine) Known() []warehouse.Fact { return nil }

// Inquiry asks for the context of the session: "Context functions".
func (e *engine) Inquiry() rest.Statement {
	return rest.Statement{SQL: "SELECT CURRENT_VERSION() AS version, CURRENT_USER() AS signed_in_as, CURRENT_ROLE() AS role, " +
		"CURRENT_WAREHOUSE() AS warehouse"}
}

// ReadOnly describes how queries are kept from writing.
func (e *engine) ReadOnly() string {
	return "one SELECT, accepted as a subquery; the grants of the role decide"
}
