package bigquery

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"service/store/message"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/google"
	"service/store/warehouse/rest"
)

// An engine queries one project as one identity: account or federation.
type engine struct {
	project, dataset string
	audience         string // of the account's tokens
	account          *google.Account
	federation       *google.Federation
	now              func() time.Time
}

// Open returns a connector to t, dialled by d. t's password is the key of a service account, the JSON file made by Google, and its database
// the dataset whose tables need no prefix, as dataset or project.dataset. If its place is not empty, it signs in without such a key: see
// [google.NewFederation]. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*rest.Connector, error) {
	e := &engine{dataset: t.Database, audience: "https://" + t.Host + "/", now: time.Now}
	if err := e.signsIn(t); err != nil {
		return nil, err
	}
	if at := strings.LastIndexByte(t.Database, '.'); at >= 0 { // the name of a project may contain dots
		e.project, e.dataset = t.Database[:at], t.Database[at+1:]
	}
	switch {
	case e.project == "" && t.Place != "":
		return nil, message.Refuse("database must be a dataset with its project, as in acme-prod.sales")
	case e.project == "" || e.dataset == "":
		return nil, message.Refuse("database must be a dataset, as in sales, or with its project, as in acme-prod.sales")
	}
	return rest.New(e, t, d), nil
}

// signsIn sets the identity of a target.
func (e *engine) signsIn(t warehouse.Target) (err error) {
	if t.Place != "" {
		e.federation, err = google.NewFederation(t)
		return err
	}
	if e.account, err = google.ParseAccount(t.Password); err != nil {
		return err
	}
	if t.User != "" && t.User != e.account.Email {
		return message.Refuse("user must be empty: the key names its service account")
	}
	e.project = e.account.Project
	return nil
}

// scope is what tokens of a federation are for: jobs.insert, "Authorization scopes".
const scope = "https://www.googleapis.com/auth/bigquery"

// Sign makes a token by AIP-4111: signed by the key itself, for one host and an hour. A federation asks Google for a token.
func (e *engine) Sign(s *rest.Session, h http.Header) (err error) {
	var token string
	if e.federation != nil {
		token, err = e.federation.Token(s.Context(), s.Do, s.Base(), scope, s.Anew())
	} else {
		token, err = e.account.Assertion(e.now(), map[string]any{"sub": e.account.Email, "aud": e.audience})
	}
	h.Set("Authorization", "Bearer "+token)
	return err
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
	base, parameters, _ := strings.Cut(strings.TrimSuffix(row.Type, ")"), "(")
	precision, scale, _ := strings.Cut(parameters, ",")
	col := columnOf(field{name: row.Column, kind: base, precision: strings.TrimSpace(precision), scale: strings.TrimSpace(scale)})
	return row.Entry(sqltext.BigQuery, row.Schema == e.dataset, col)
}

// SignIn names the kind of credentials.
func (e *engine) SignIn() string {
	if e.federation != nil {
		return "workload identity federation, with a key pair made here"
	}
	return "key of a service account"
}

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
