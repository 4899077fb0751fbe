package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse"
)

// A Connector queries one database.
type Connector struct {
	config  *pgx.ConnConfig
	zone    string          // of the sessions; "" is UTC
	iam     *iam            // gets the user and the password; nil if they are in config
	leaving *sync.WaitGroup // lines that are ending
}

// In returns a connector whose sessions are in a time zone.
func (c *Connector) In(zone *time.Location) warehouse.Connector {
	return c.in(zone)
}

func (c *Connector) in(zone *time.Location) *Connector {
	other := *c
	other.zone = zone.String()
	return &other
}

// Leave waits until the server has ended the queries of callers that have left, at most [warehouse.LeaveTime].
func (c *Connector) Leave() { c.leaving.Wait() }

// Open returns a connector to t, dialled by d. It does not connect yet.
func Open(t warehouse.Target, d warehouse.Dialer) (*Connector, error) {
	// pgx reads settings that are missing here from the environment or from files in the home
	// directory, so every such setting is set here or below.
	c, err := pgx.ParseConfig(`host=localhost port=1 user=x password=x sslmode=disable sslcertmode=disable sslrootcert='' sslcert=''
		sslkey='' sslnegotiation=''
		channel_binding=prefer require_auth='' min_protocol_version=3.0 max_protocol_version=3.0 target_session_attrs=any connect_timeout=10`)
	if err != nil {
		return nil, err
	}
	c.Host, c.Port, c.Database, c.User, c.Password = t.Host, uint16(t.Port), t.Database, t.User, t.Password
	c.TLSConfig, c.Fallbacks = t.TLSConfig(), nil
	c.KerberosSpn, c.KerberosSrvName, c.SSLNegotiation = "", "", ""
	c.ValidateConnect, c.AfterConnect = nil, nil
	c.ConnectTimeout = warehouse.AskTime
	c.DialFunc = d.DialTarget(t)
	c.LookupFunc = lookup
	c.RuntimeParams = map[string]string{
		"application_name":              "service",
		"default_transaction_read_only": "on",
		"timezone":                      "UTC",
		"datestyle":                     "ISO",
		"client_encoding":               "UTF8",
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	c.MaxProtocolMessageBodyLen = warehouse.MaxRow // longer messages are refused before they are read
	return &Connector{config: c, leaving: &sync.WaitGroup{}}, nil
}

// lookup returns the host itself or its addresses, which the dialer checks later.
func lookup(ctx context.Context, host string) ([]string, error) {
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{host}, nil
	}
	if strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") {
		return nil, &net.DNSError{Err: "not a host name", Name: host}
	}
	return net.DefaultResolver.LookupHost(ctx, host)
}

// Dialect names the SQL.
func (c *Connector) Dialect() string { return "postgres" }

// Placeholder returns the placeholder of argument n.
func (c *Connector) Placeholder(n int) string { return "$" + strconv.Itoa(n) }

// Ping connects and checks that the server answers.
func (c *Connector) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.leave()
	var one int
	return translateError(ctx, conn.QueryRow(ctx, "SELECT 1").Scan(&one), "")
}

// Warning warns of a user with more rights than reading.
func (c *Connector) Warning(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	conn, err := c.connect(ctx)
	if err != nil {
		return ""
	}
	defer conn.leave()
	var beyond, writes bool
	if err := conn.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = current_user AND rolsuper
		               OR rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program') AND pg_has_role(oid,
		'USAGE')),
		       EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		                WHERE c.relkind IN ('r', 'p', 'f', 'v') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%' AND
		has_schema_privilege(n.oid, 'USAGE')
		                  AND (has_table_privilege(c.oid, 'DELETE, TRUNCATE') OR has_any_column_privilege(c.oid,
		'INSERT, UPDATE')))`).Scan(&beyond, &writes); err != nil {
		return "" // another member of the family, without these functions
	}
	switch {
	case beyond:
		return "The warehouse user is a superuser, or may reach files and programs of the server, and so may a query. " +
			"Use one that may only SELECT."
	case writes:
		return "The warehouse user may write to tables. Queries cannot, but one that may only SELECT is safer."
	}
	return ""
}

// Negotiated returns what the server reports of itself.
func (c *Connector) Negotiated(ctx context.Context) ([]warehouse.Fact, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.leave()
	if err := c.readOnly(ctx, conn.Conn, warehouse.AskTime); err != nil {
		return nil, err
	}
	facts := []warehouse.Fact{{Name: "sign-in", Value: "password"}}
	for _, ask := range [][2]string{
		{"version", "SELECT version()"},
		{"signed in as", "SELECT current_user::text"},
		{"read-only transaction", "SHOW transaction_read_only"},
		{"time limit", "SHOW statement_timeout"},
	} {
		var text string
		if err := conn.QueryRow(ctx, ask[1]).Scan(&text); err != nil {
			if left := warehouse.Left(translateError(ctx, err, "")); left != nil {
				return nil, left
			}
			break // the transaction has failed: another member of the family
		}
		facts = append(facts, warehouse.Fact{Name: ask[0], Value: text})
	}
	return facts, nil
}

// relations selects the columns that the user may read from Postgres's catalog, which includes materialized views, privileges and comments.
// standard does the same with information_schema, which every member of the family has, without comments.
const (
	relations = `
		SELECT t.nspname, t.relname, t.relkind IN ('v', 'm'), a.attname, format_type(coalesce(nullif(y.typbasetype, 0), a.atttypid), NULL),
		NOT a.attnotnull, coalesce(about_table.description, ''), coalesce(about_column.description, '')
		  FROM (SELECT n.nspname, c.relname, c.relkind, c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		         WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'
		           AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
		           AND ($1 = '' OR c.relname = $1 OR n.nspname || '.' || c.relname = $1)
		           AND ($2 = '' OR position(lower($2) IN lower(n.nspname || '.' || c.relname)) > 0)
		         ORDER BY n.nspname = 'public' DESC, n.nspname, c.relname LIMIT $3) t
		  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(t.oid, a.attnum, 'SELECT')
		  JOIN pg_type y ON y.oid = a.atttypid
		  LEFT JOIN pg_description about_table
		    ON about_table.objoid = t.oid AND about_table.classoid = 'pg_class'::regclass AND about_table.objsubid = 0
		  LEFT JOIN pg_description about_column
		    ON about_column.objoid = t.oid AND about_column.classoid = 'pg_class'::regclass AND about_column.objsubid = a.attnum
		 ORDER BY t.nspname = 'public' DESC, t.nspname, t.relname, a.attnum`
	standard = `
		SELECT t.table_schema, t.table_name, t.table_type LIKE '%VIEW', c.column_name, c.data_type, c.is_nullable = 'YES', '', ''
		  FROM (SELECT table_schema, table_name, table_type FROM information_schema.tables
		         WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_schema NOT LIKE 'pg\_%'
		           AND ($1 = '' OR table_name = $1 OR table_schema || '.' || table_name = $1)
		           AND ($2 = '' OR position(lower($2) IN lower(table_schema || '.' || table_name)) > 0)
		         ORDER BY table_schema = 'public' DESC, table_schema, table_name LIMIT $3) t
		  JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
		 ORDER BY t.table_schema = 'public' DESC, t.table_schema, t.table_name, c.ordinal_position`
)

// Introspect lists the tables and views that the user may read, with the columns that the user may
// read.
func (c *Connector) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.leave()
	tables, err := list(ctx, conn, relations, q)
	if bad, ok := errors.AsType[*pgconn.PgError](err); ok && bad.Code != "57014" { // no such catalog
		tables, err = list(ctx, conn, standard, q)
	}
	return tables, translateError(ctx, err, "")
}

// list runs [relations] or [standard].
func list(ctx context.Context, conn *line, sql string, q warehouse.Introspection) ([]warehouse.Table, error) {
	rows, err := conn.Query(ctx, sql, unquote(q.Table), q.Pattern, warehouse.MaxTables)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var catalog warehouse.Catalog
	for rows.Next() {
		conn.took(rows.RawValues())
		var schema, name, column, dataType, ofTable, ofColumn string
		var view, nullable bool
		if err := rows.Scan(&schema, &name, &view, &column, &dataType, &nullable, &ofTable, &ofColumn); err != nil {
			return nil, err
		}
		t := warehouse.Table{Name: quoted(schema, name), Kind: map[bool]string{true: "view", false: "table"}[view], Comment: ofTable}
		if !catalog.Add(t, warehouse.TableColumn{
			Column: cube.Column{Name: column, Type: typeNamed(dataType)}, Nullable: nullable, Comment: ofColumn,
		}) {
			conn.cut() // or closing would read the remaining rows
			return catalog.Tables(), nil
		}
	}
	return catalog.Tables(), rows.Err()
}

// quoted returns a table's name as SQL.
func quoted(schema, name string) string {
	if schema == "public" {
		return sqltext.Postgres.Write(name)
	}
	return sqltext.Postgres.Write(schema) + "." + sqltext.Postgres.Write(name)
}

func unquote(name string) string { return strings.ReplaceAll(name, `"`, "") }

// Describe returns the columns of a query without running it, and makes sure that a cursor can read it.
func (c *Connector) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	ctx, cancel := context.WithTimeout(ctx, warehouse.AskTime)
	defer cancel()
	q, err := gate.Check(sql)
	if err != nil {
		return nil, err
	}
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.leave()
	if err := c.judge(ctx, conn, q); err != nil {
		return nil, err
	}
	if err := c.readOnly(ctx, conn.Conn, warehouse.AskTime); err != nil {
		return nil, err
	}
	// Prepare accepts INSERT … RETURNING; a cursor does not. Describing a cursor's declaration
	// does not infer the types of parameters, so they are given here.
	values, types, err := encode(args)
	if err != nil {
		return nil, err
	}
	if err := declare(ctx, conn.Conn, q.SQL, values, types); err != nil {
		return nil, err
	}
	described, err := conn.PgConn().Prepare(ctx, "", "FETCH 0 FROM c", nil)
	if err != nil {
		return nil, translateError(ctx, err, q.SQL)
	}
	return columns(described.Fields)
}

// Query runs sql and hands its rows to sink.
func (c *Connector) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	q, err := gate.Check(sql)
	if err != nil {
		return warehouse.Stats{}, err
	}
	return c.run(ctx, q.SQL, args, l, sink, func(ctx context.Context, conn *line) error { return c.judge(ctx, conn, q) })
}

// run runs a query that has passed the gate, if judge accepts it.
func (c *Connector) run(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink, judge func(context.Context, *line) error,
) (stats warehouse.Stats, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.Time)
	defer cancel()
	conn, err := c.connect(ctx)
	if err != nil {
		return stats, err
	}
	defer conn.leave()
	values, types, err := encode(args)
	if err != nil {
		return stats, err
	}
	if err := judge(ctx, conn); err != nil {
		return stats, err
	}
	if err := c.readOnly(ctx, conn.Conn, l.Time); err != nil {
		return stats, err
	}
	if err := declare(ctx, conn.Conn, sql, values, types); err != nil {
		return stats, err
	}
	// A cursor is planned for its first rows and never in parallel, so the query runs without it. The server may read it differently now (see
	// the package comment); from here on only the transaction and the protocol protect.
	err = stream(conn, conn.PgConn().ExecParams(ctx, sql, values, types, nil, nil), l, &stats, sink)
	if own, ok := errors.AsType[ours](err); ok {
		return stats, own.error
	}
	return stats, translateError(ctx, err, "")
}

// stream passes rows to sink until they end or a limit cuts them.
func stream(conn *line, rows *pgconn.ResultReader, l warehouse.Limits, stats *warehouse.Stats, sink warehouse.Sink) error {
	ended := false
	defer func() {
		if !ended { // otherwise closing would read the remaining rows
			conn.cut()
			rows.Close()
		}
	}()
	fields := slices.Clone(rows.FieldDescriptions())
	if len(fields) > 0 {
		cols, twice := numbered(fields)
		if stats.Numbered = twice != ""; stats.Numbered && !l.Numbered {
			return warehouse.SameColumn(twice)
		}
		if err := sink.Columns(cols); err != nil {
			return ours{err}
		}
	}
	for size := 0; rows.NextRow(); stats.Rows++ {
		raw := rows.Values()
		size += conn.took(raw)
		if stats.Rows == l.Rows || size > l.Bytes {
			stats.Truncated = true
			return nil
		}
		row := make([]any, len(raw))
		for i, v := range raw {
			var err error
			if row[i], err = value(conn.TypeMap(), fields[i], v); err != nil {
				return &warehouse.Error{
					Class: warehouse.Type, Cause: err,
					Message: `Column "` + fields[i].Name + `" has a value beyond what can be shown of its type. Round it, or cast it to text.`,
				}
			}
		}
		if err := sink.Row(row); err != nil {
			return ours{err}
		}
	}
	ended = true
	if _, err := rows.Close(); err != nil {
		return err
	}
	if len(fields) == 0 {
		return warehouse.Errorf(warehouse.Refused, "The query has no columns.")
	}
	return nil
}

// settings are the settings of a session. Some members of the family lack some of them, so each is a separate statement, which may fail.
func settings(limit time.Duration) []string {
	return []string{
		fmt.Sprintf("SET statement_timeout = %d", limit.Milliseconds()),
		"SET standard_conforming_strings = on", // as the gate assumes
		"SET lock_timeout = 5000",
		"SET idle_in_transaction_session_timeout = 60000",
		"SET client_min_messages = error", // notices of functions are not shown, and may be too many (see maxAside)
		// A function can catch its timeout and continue, but it cannot catch the loss of the client.
		"SET client_connection_check_interval = 1000",
	}
}

// readOnly begins a transaction that can no longer be made writable, because it has its snapshot. It takes one round trip.
func (c *Connector) readOnly(ctx context.Context, conn *pgx.Conn, limit time.Duration) error {
	p := conn.PgConn().StartPipeline(ctx)
	optional := settings(limit)
	for _, sql := range optional {
		p.SendQueryParams(sql, nil, nil, nil, nil)
		p.SendPipelineSync()
	}
	p.SendQueryParams("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", nil, nil, nil, nil)
	if c.zone != "" {
		p.SendQueryParams("SET LOCAL TIME ZONE '"+strings.ReplaceAll(c.zone, "'", "''")+"'", nil, nil, nil, nil)
	}
	p.SendQueryParams("SELECT 1", nil, nil, nil, nil)
	err := p.Sync()
	for synced := 0; err == nil && synced <= len(optional); {
		var result any
		switch result, err = p.GetResults(); r := result.(type) {
		case *pgconn.ResultReader:
			_, err = r.Close()
		case *pgconn.PipelineSync:
			synced++
		case nil:
			if err == nil {
				err = warehouse.Errorf(warehouse.Connect, warehouse.SayBroken)
			}
		}
		if bad, ok := errors.AsType[*pgconn.PgError](err); ok && synced < len(optional) && bad.Code != "57014" {
			err = nil
		}
	}
	if closed := p.Close(); err == nil {
		err = closed
	}
	if bad, ok := errors.AsType[*pgconn.PgError](err); ok && bad.Code == "22023" && c.zone != "" {
		return warehouse.SayZone(c.zone)
	}
	return translateError(ctx, err, "")
}

// declare opens a cursor for sql, which fails unless sql is one query without a part that writes.
func declare(ctx context.Context, conn *pgx.Conn, sql string, values [][]byte, types []uint32) error {
	// On a line of its own, so that a comment at the end of the SQL ends with it.
	err := exec(ctx, conn, cursor+sql+"\n", values, types)
	if err == nil && conn.PgConn().ParameterStatus("standard_conforming_strings") == "off" {
		return warehouse.Errorf(warehouse.Refused, "The query changes how the warehouse reads strings, which is not allowed.")
	}
	err = translateError(ctx, err, sql)
	if no, ok := errors.AsType[*warehouse.Error](err); ok && no.Class == warehouse.Syntax && writes(sql) {
		return &warehouse.Error{Class: warehouse.Refused, Message: warehouse.SayOneSelect, Line: no.Line, Column: no.Column, Cause: no.Cause}
	}
	return err
}

// writes reports whether sql begins with a statement that is not a query. A cursor reports only a syntax error for one.
func writes(sql string) bool {
	return sqltext.Read(sql).Is(0, "insert", "update", "delete", "merge", "truncate", "create", "drop", "alter", "grant", "revoke", "copy",
		"call", "do", "set", "reset", "begin", "commit", "rollback", "vacuum", "analyze", "explain", "show", "lock", "listen", "notify",
		"execute")
}

const cursor = "DECLARE c NO SCROLL CURSOR FOR "

// exec runs one statement by the extended protocol, whether it has arguments or
// not.
func exec(ctx context.Context, conn *pgx.Conn, sql string, values [][]byte, types []uint32) error {
	_, err := conn.PgConn().ExecParams(ctx, sql, values, types, nil, nil).Close()
	return err
}

// encode returns the arguments as text, and their types.
func encode(args []any) (values [][]byte, types []uint32, err error) {
	for i, a := range args {
		var v []byte
		var oid uint32
		switch a := a.(type) {
		case nil:
			oid = pgtype.TextOID
		case string:
			v, oid = []byte(a), pgtype.TextOID
		case int64:
			v, oid = strconv.AppendInt(nil, a, 10), pgtype.Int8OID
		case float64:
			v, oid = strconv.AppendFloat(nil, a, 'g', -1, 64), pgtype.Float8OID
		case bool:
			v, oid = strconv.AppendBool(nil, a), pgtype.BoolOID
		case time.Time:
			v, oid = []byte(a.UTC().Format("2006-01-02 15:04:05.999999Z07:00")), pgtype.TimestamptzOID
			if a.Equal(a.UTC().Truncate(24 * time.Hour)) {
				v, oid = []byte(a.UTC().Format(time.DateOnly)), pgtype.DateOID
			}
		default:
			return nil, nil, fmt.Errorf("argument %d is a %T", i+1, a)
		}
		values, types = append(values, v), append(types, oid)
	}
	return values, types, nil
}
