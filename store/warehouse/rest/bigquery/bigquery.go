package bigquery

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"strconv"
	"strings"
	"time"

	"service/store/message"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// An engine queries one project as one service account.
type engine struct {
	project, dataset string
	audience         string
	account          string // the service account's address
	keyID            string
	key              *rsa.PrivateKey
	now              func() time.Time
}

// Open returns a connector to t, dialled by d. t's password is the key of a service account, the JSON file made by Google, and its database
// the dataset whose tables need no prefix, as dataset or project.dataset. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*rest.Connector, error) {
	e, err := newEngine(t)
	if err != nil {
		return nil, err
	}
	return rest.New(e, t, d), nil
}

func newEngine(t warehouse.Target) (*engine, error) {
	var file struct {
		Type         string `json:"type"`
		ProjectID    string `json:"project_id"`
		PrivateKeyID string `json:"private_key_id"`
		PrivateKey   string `json:"private_key"`
		ClientEmail  string `json:"client_email"`
	}
	if err := json.Unmarshal([]byte(t.Password), &file); err != nil || file.Type != "service_account" || file.ClientEmail == "" {
		return nil, errKey
	}
	block, _ := pem.Decode([]byte(file.PrivateKey))
	if block == nil {
		return nil, errKey
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, errKey
	}
	e := &engine{
		project: file.ProjectID, dataset: t.Database, audience: "https://" + t.Host + "/",
		account: file.ClientEmail, keyID: file.PrivateKeyID, key: key, now: time.Now,
	}
	if at := strings.LastIndexByte(t.Database, '.'); at >= 0 { // the name of a project may contain dots
		e.project, e.dataset = t.Database[:at], t.Database[at+1:]
	}
	if e.project == "" || e.dataset == "" {
		return nil, message.Refuse("database must be a dataset, as in sales, or with its project, as in acme-prod.sales")
	}
	return e, nil
}

var errKey = warehouse.Errorf(warehouse.Auth,
	"The key is not that of a service account: paste the whole JSON file that Google Cloud made for it.")

// Sign makes a token by AIP-4111: signed by the key itself, for one host and an hour.
func (e *engine) Sign(_ *rest.Session, h http.Header) error {
	now := e.now().Unix()
	var parts []string
	for _, part := range []any{
		map[string]string{"alg": "RS256", "typ": "JWT", "kid": e.keyID},
		map[string]any{"iss": e.account, "sub": e.account, "aud": e.audience, "iat": now, "exp": now + 3600},
	} {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(text))
	}
	digest := sha256.Sum256([]byte(strings.Join(parts, ".")))
	signature, err := rsa.SignPKCS1v15(rand.Reader, e.key, crypto.SHA256, digest[:])
	if err != nil {
		return err
	}
	h.Set("Authorization", "Bearer "+strings.Join(append(parts, base64.RawURLEncoding.EncodeToString(signature)), "."))
	return nil
}

func (e *engine) Dialect() string        { return "bigquery" }
func (e *engine) Lexer() sqltext.Dialect { return sqltext.BigQuery }

// Placeholder returns the placeholder of argument n.
func (e *engine) Placeholder(n int) string { return "@p" + strconv.Itoa(n) }

// Probe reads from the dataset, so that it must exist.
func (e *engine) Probe() rest.Statement {
	return rest.Statement{SQL: "SELECT 1 AS n FROM " + e.views(e.dataset) + "TABLES LIMIT 1"}
}

// views is the beginning of the name of a dataset's view of its catalog.
func (e *engine) views(dataset string) string {
	return sqltext.BigQuery.Quote(dataset) + ".INFORMATION_SCHEMA."
}

// Catalog lists the tables of the connection's dataset, or of the dataset in front of a table's name.
func (e *engine) Catalog(q warehouse.Introspection) rest.Statement {
	dataset, table := e.dataset, strings.ReplaceAll(q.Table, "`", "")
	if at := strings.LastIndexByte(table, '.'); at > 0 {
		dataset, table = table[:at], table[at+1:]
		dataset = dataset[strings.LastIndexByte(dataset, '.')+1:]
	}
	views := e.views(dataset)
	return rest.Statement{
		SQL: `SELECT t.table_schema, t.table_name, IF(ENDS_WITH(t.table_type, 'VIEW'), 'view', 'table') AS kind,
       c.column_name, c.data_type, c.is_nullable, f.description
  FROM (SELECT table_schema, table_name, table_type FROM ` + views + `TABLES
         WHERE (@p1 = '' OR table_name = @p1) AND STRPOS(LOWER(table_name), LOWER(@p2)) > 0
         ORDER BY table_name LIMIT ` + strconv.Itoa(warehouse.MaxTables) + `) AS t
  JOIN ` + views + `COLUMNS AS c ON c.table_name = t.table_name
  LEFT JOIN ` + views + `COLUMN_FIELD_PATHS AS f
    ON f.table_name = c.table_name AND f.column_name = c.column_name AND f.field_path = c.column_name
 ORDER BY t.table_name, c.ordinal_position`,
		Args: []any{table, q.Pattern},
	}
}

// Listed adds a prefix to the name of a table of another dataset. A type may have parameters, such as NUMERIC(10, 2).
func (e *engine) Listed(row rest.Listing) (warehouse.Table, warehouse.TableColumn) {
	t := warehouse.Table{Name: sqltext.BigQuery.Write(row.Table), Kind: row.Kind}
	if row.Schema != e.dataset {
		t.Name = sqltext.BigQuery.Write(row.Schema) + "." + t.Name
	}
	base, parameters, _ := strings.Cut(strings.TrimSuffix(row.Type, ")"), "(")
	precision, scale, _ := strings.Cut(parameters, ",")
	col := columnOf(field{name: row.Column, kind: base, precision: strings.TrimSpace(precision), scale: strings.TrimSpace(scale)})
	return t, warehouse.TableColumn{Column: col.Column, Nullable: row.Nullable == "YES", Comment: row.Comment}
}

// SignIn names the kind of credentials.
func (e *engine) SignIn() string { return "key of a service account" }

// Known returns the version of the API.
func (e *engine) Known() []warehouse.Fact {
	return []warehouse.Fact{{Name: "version of the API", Value: "v2"}}
}

// Inquiry asks for the user and the project that pays: "System variables", "Security functions".
func (e *engine) Inquiry() rest.Statement {
	return rest.Statement{SQL: "SELECT SESSION_USER() AS signed_in_as, @@project_id AS project"}
}

// ReadOnly describes how queries are kept from writing.
func (e *engine) ReadOnly() string {
	return "dry runs must report a SELECT; the roles of the account decide"
}
