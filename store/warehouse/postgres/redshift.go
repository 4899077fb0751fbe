package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
)

// A Redshift queries one database of Amazon Redshift, which speaks PostgreSQL's protocol and began as version 8.0 of it. It differs in
// this:
//
//   - A cursor keeps the whole result on the leader node, so a query runs without one, and EXPLAIN checks that it is a query.
//   - It reads a backslash in a string as an escape, whatever the settings are.
//   - Its catalog is in SVV_TABLES and SVV_COLUMNS, which also have external tables and late-binding views.
//   - Most settings of PostgreSQL are unknown.
type Redshift struct{ c *Connector }

// OpenRedshift returns a connector to t, dialled by d. It does not connect yet.
// t's user and password are those of a database user, or an access key of an IAM user, which gets them.
func OpenRedshift(t warehouse.Target, d warehouse.Dialer) (*Redshift, error) {
	return openRedshift(t, d, "", "")
}

func openRedshift(t warehouse.Target, d warehouse.Dialer, named, base string) (*Redshift, error) {
	c, err := Open(t, d)
	if err != nil {
		return nil, err
	}
	if c.iam, err = newIAM(t, d, named, base); err != nil {
		return nil, err
	}
	delete(c.config.RuntimeParams, "default_transaction_read_only")
	return &Redshift{c}, nil
}

// redshiftGate decides which SQL is sent. Redshift must then explain it as a subquery.
var redshiftGate = warehouse.Gate{
	Dialect: sqltext.Postgres,
	Starts:  []string{"select", "with"},
	Effects: append(strings.Fields(`explain_model`), gate.Effects...),
	Runs:    gate.Runs,
	Joins:   gate.Joins,
	Clause:  redshiftClause,
}

// redshiftClause refuses strings that Redshift reads otherwise than the gate: those in which an odd number of backslashes precedes a quote.
func redshiftClause(q sqltext.Query, i int) string {
	if q.Kind(i) != sqltext.String {
		return ""
	}
	backslashes := 0
	for _, r := range q.Text(i) {
		switch {
		case r == '\\':
			backslashes++
			continue
		case r == '\'' && backslashes%2 == 1:
			return `A backslash before a quote in a string can be read in two ways. Write it as chr(92).`
		}
		backslashes = 0
	}
	return ""
}

// signIn names the kind of credentials.
func (r *Redshift) signIn() string {
	switch {
	case r.c.iam == nil:
		return "password"
	case r.c.iam.keys.Assumes():
		return "IAM, role assumed with an access key"
	}
	return "IAM, access key"
}

// Dialect names the SQL.
func (r *Redshift) Dialect() string { return "redshift" }

// Placeholder returns the placeholder of argument n.
func (r *Redshift) Placeholder(n int) string { return r.c.Placeholder(n) }

// In returns a connector whose sessions are in a time zone.
func (r *Redshift) In(zone *time.Location) warehouse.Connector {
	return &Redshift{r.c.in(zone)}
}

// Leave waits until the server has ended the queries of callers that have left, at most [warehouse.LeaveTime].
func (r *Redshift) Leave() { r.c.Leave() }

// begin opens a line with a read-only transaction, whose statements end after limit.
func (r *Redshift) begin(ctx context.Context, limit time.Duration) (*line, error) {
	conn, err := r.c.connect(ctx)
	if err != nil {
		return nil, err
	}
	zone := "UTC"
	if r.c.zone != "" {
		zone = r.c.zone
	}
	for _, sql := range []string{
		"SET statement_timeout TO " + strconv.FormatInt(max(1, limit.Milliseconds()), 10),
		"SET timezone TO '" + strings.ReplaceAll(zone, "'", "''") + "'",
		"BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY",
	} {
		if err := exec(ctx, conn.Conn, sql, nil, nil); err != nil {
			conn.leave()
			if _, bad := errors.AsType[*pgconn.PgError](err); bad && strings.HasPrefix(sql, "SET timezone") && ctx.Err() == nil {
				return nil, warehouse.SayZone(zone)
			}
			return nil, translateError(ctx, err, "")
		}
	}
	return conn, nil
}

// Ping connects and checks that the server answers.
func (r *Redshift) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	conn, err := r.begin(ctx, warehouse.AskTime)
	if err != nil {
		return err
	}
	defer conn.leave()
	return translateError(ctx, exec(ctx, conn.Conn, "SELECT 1", nil, nil), "")
}

// readsOnly tries to make a table in a read-only transaction, and reports whether the server refuses it for that reason. The transaction is
// always rolled back.
func (r *Redshift) readsOnly(ctx context.Context) (refused bool, err error) {
	conn, err := r.begin(ctx, warehouse.AskTime)
	if err != nil {
		return false, err
	}
	defer conn.leave()
	err = exec(ctx, conn.Conn, "CREATE TABLE service_tries_to_write (n integer)", nil, nil)
	bad, ok := errors.AsType[*pgconn.PgError](err)
	if err != nil && !ok {
		return false, translateError(ctx, err, "")
	}
	return ok && (bad.Code == "25006" || strings.Contains(bad.Message, "read-only") || bad.Code == "42501"), nil
}

// Warning warns of a user with more rights than reading, and of a server that writes in a read-only transaction.
func (r *Redshift) Warning(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	if refused, err := r.readsOnly(ctx); err == nil && !refused {
		return "The warehouse wrote in a transaction that only reads, which was undone: only the rights of the user protect its tables. " +
			"Use one that may only SELECT."
	}
	conn, err := r.begin(ctx, warehouse.AskTime)
	if err != nil {
		return ""
	}
	defer conn.leave()
	var super bool
	if err := conn.QueryRow(ctx, "SELECT usesuper FROM pg_user WHERE usename = current_user").Scan(&super); err == nil && super {
		return "The warehouse user is a superuser. Use one that may only SELECT."
	}
	return ""
}

// Negotiated returns what the server reports of itself.
func (r *Redshift) Negotiated(ctx context.Context) ([]warehouse.Fact, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	refused, err := r.readsOnly(ctx)
	if err != nil {
		return nil, err
	}
	facts := []warehouse.Fact{
		{Name: "sign-in", Value: r.signIn()},
		{Name: "read-only transaction", Value: map[bool]string{true: "a table was refused", false: "not kept by the warehouse"}[refused]},
	}
	conn, err := r.begin(ctx, warehouse.AskTime)
	if err != nil {
		return nil, err
	}
	defer conn.leave()
	for _, ask := range [][2]string{
		{"version", "SELECT version()"}, {"signed in as", "SELECT current_user::text"}, {"time limit", "SHOW statement_timeout"},
	} {
		var text string
		if err := conn.QueryRow(ctx, ask[1]).Scan(&text); err != nil {
			break
		}
		facts = append(facts, warehouse.Fact{Name: ask[0], Value: text})
	}
	return facts, nil
}

// svv selects columns from the catalog of Redshift: "SVV_TABLES", "SVV_COLUMNS". Both list only the tables that the user may read, unless
// an administrator shows all.
const svv = `
	SELECT t.table_schema::text, t.table_name::text, t.table_type LIKE '%VIEW', c.column_name::text, c.data_type::text,
	       upper(c.is_nullable) = 'YES', coalesce(c.remarks, '')::text
	  FROM (SELECT table_schema, table_name, table_type FROM svv_tables
	         WHERE table_schema NOT IN ('information_schema', 'pg_catalog', 'pg_internal') AND table_schema NOT LIKE 'pg!_%' ESCAPE '!'
	           AND ($1::text = '' OR table_name = $1::text OR table_schema || '.' || table_name = $1::text)
	           AND ($2::text = '' OR position(lower($2::text) IN lower(table_schema || '.' || table_name)) > 0)
	         ORDER BY CASE WHEN table_schema = 'public' THEN 0 ELSE 1 END, table_schema, table_name LIMIT 200) t
	  JOIN svv_columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
	 ORDER BY CASE WHEN t.table_schema = 'public' THEN 0 ELSE 1 END, t.table_schema, t.table_name, c.ordinal_position`

// Introspect lists the tables and views that the user may read, external ones too.
func (r *Redshift) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	conn, err := r.begin(ctx, warehouse.AskTime)
	if err != nil {
		return nil, err
	}
	defer conn.leave()
	rows, err := conn.Query(ctx, svv, unquote(q.Table), q.Pattern)
	if err != nil {
		return nil, translateError(ctx, err, "")
	}
	defer rows.Close()
	var catalog warehouse.Catalog
	for rows.Next() {
		conn.took(rows.RawValues())
		var schema, name, column, kind, comment string
		var view, nullable bool
		if err := rows.Scan(&schema, &name, &view, &column, &kind, &nullable, &comment); err != nil {
			return nil, translateError(ctx, err, "")
		}
		base, _, _ := strings.Cut(kind, "(") // external tables have numeric(10,2)
		t := warehouse.Table{Name: quoted(schema, name), Kind: map[bool]string{true: "view", false: "table"}[view]}
		if !catalog.Add(t, warehouse.TableColumn{
			Column: cube.Column{Name: column, Type: typeNamed(base)}, Nullable: nullable, Comment: comment,
		}) {
			conn.cut() // or closing would read the remaining rows
			return catalog.Tables(), nil
		}
	}
	return catalog.Tables(), translateError(ctx, rows.Err(), "")
}

// explaining precedes a query that is explained. Only a query can be a subquery.
const explaining = "EXPLAIN SELECT * FROM (\n"

// plan explains SQL, and returns the columns of its result.
func (r *Redshift) plan(ctx context.Context, conn *pgx.Conn, q sqltext.Query, values [][]byte, types []uint32) ([]cube.Column, error) {
	described, err := conn.PgConn().Prepare(ctx, "", q.SQL, types)
	if err != nil {
		return nil, translateError(ctx, moved(err, 0), q.SQL)
	}
	if len(described.Fields) == 0 {
		return nil, warehouse.Errorf(warehouse.Refused, warehouse.SayOneSelect)
	}
	cols, err := columns(slices.Clone(described.Fields))
	if err != nil {
		return nil, err
	}
	if err := exec(ctx, conn, explaining+q.SQL+"\n) AS q", values, types); err != nil {
		err = translateError(ctx, moved(err, utf8.RuneCountInString(explaining)), q.SQL)
		if no, ok := errors.AsType[*warehouse.Error](err); ok && no.Class == warehouse.Syntax { // it was prepared, so it is another statement
			return nil, warehouse.Errorf(warehouse.Refused, warehouse.SayOneSelect)
		}
		return nil, err
	}
	return cols, nil
}

// moved returns an error whose position follows a prefix of ours as if it followed that of a cursor, as translateError expects.
func moved(err error, prefix int) error {
	bad, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || bad.Position == 0 {
		return err
	}
	other := *bad
	other.Position += int32(utf8.RuneCountInString(cursor) - prefix)
	return &other
}

// Describe returns the columns of a query without running it.
func (r *Redshift) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	q, err := redshiftGate.Check(sql)
	if err != nil {
		return nil, err
	}
	values, types, err := encode(args)
	if err != nil {
		return nil, err
	}
	conn, err := r.begin(ctx, warehouse.AskTime)
	if err != nil {
		return nil, err
	}
	defer conn.leave()
	return r.plan(ctx, conn.Conn, q, values, types)
}

// Query runs sql and hands its rows to sink.
func (r *Redshift) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (stats warehouse.Stats, err error) {
	q, err := redshiftGate.Check(sql)
	if err != nil {
		return stats, err
	}
	values, types, err := encode(args)
	if err != nil {
		return stats, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	conn, err := r.begin(ctx, l.Time)
	if err != nil {
		return stats, err
	}
	defer conn.leave()
	if _, err := r.plan(ctx, conn.Conn, q, values, types); err != nil {
		return stats, err
	}
	group := tagged(warehouse.TagsOf(ctx))
	if group != "" { // SET is allowed in a transaction that only reads
		if err := exec(ctx, conn.Conn, "SET query_group TO '"+group+"'", nil, nil); err != nil {
			return stats, translateError(ctx, err, "")
		}
	}
	err = stream(conn, conn.PgConn().ExecParams(ctx, q.SQL, values, types, nil, nil), l, &stats, sink)
	if own, ok := errors.AsType[ours](err); ok {
		return stats, own.error
	}
	return stats, translateError(ctx, moved(err, 0), "")
}

// tagged returns tags as the name of a query group, which the administrator sees in SYS_QUERY_HISTORY: "query_group". It has no quotes.
func tagged(tags map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, name+"="+tags[name])
	}
	return strings.Map(func(r rune) rune {
		if r == '\'' || r == '\\' || r < ' ' || r > '~' {
			return '-'
		}
		return r
	}, strings.Join(all, " "))
}
