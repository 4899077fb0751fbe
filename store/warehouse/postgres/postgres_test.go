package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/postgres"
	"service/store/warehouse/warehousetest"
)

// far is the warehouse of these tests: a server of its own, reached by TCP.
var far struct {
	dsn  string
	port int
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	server, err := warehousetest.StartPostgres()
	if server != nil {
		defer server.Stop()
	}
	if err != nil {
		panic(err)
	}
	far.dsn, far.port = server.DSN, server.Port
	conn, err := pgx.Connect(context.Background(), server.DSN)
	if err != nil {
		panic(err)
	}
	defer conn.Close(context.Background())
	// The worst case: the user may do anything, and only we hold it back.
	if _, err := conn.Exec(context.Background(), `
		CREATE TABLE orders (id int PRIMARY KEY, day date, at timestamptz, paid boolean, amount numeric, note text, tags text[]);
		INSERT INTO orders SELECT i, date '2026-01-01' + i % 30, timestamptz '2026-01-01 10:00+02' + i * interval '1 h', i % 2 = 0, i /
		100.0, 'n' || i, ARRAY['a', 'b']
		  FROM generate_series(1, 20000) i;
		CREATE VIEW paid AS SELECT * FROM orders WHERE paid;
		CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO orders (id) VALUES (-1) RETURNING 1';
		CREATE FUNCTION stubborn() RETURNS text LANGUAGE plpgsql AS
		'BEGIN LOOP BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END';
		CREATE FUNCTION waits() RETURNS void LANGUAGE sql AS 'SELECT pg_advisory_lock(7)';
		CREATE SEQUENCE seq;
		CREATE MATERIALIZED VIEW daily AS SELECT day, sum(amount) AS amount, max(note)::varchar(20) AS note FROM orders GROUP BY day;
		COMMENT ON MATERIALIZED VIEW daily IS 'closed at midnight'; COMMENT ON COLUMN daily.amount IS 'net, in euros';
		COMMENT ON INDEX orders_pkey IS 'no table'; COMMENT ON TABLE orders IS 'one row per order';
		COMMENT ON COLUMN orders.paid IS 'or refunded';
		CREATE FUNCTION plant() RETURNS int LANGUAGE plpgsql IMMUTABLE AS
		'BEGIN PERFORM set_config(''standard_conforming_strings'', ''off'', false); RETURN 1; END';
		CREATE ROLE conformance SUPERUSER LOGIN`); err != nil {
		panic(err)
	}
	return m.Run()
}

func target() warehouse.Target {
	return warehouse.Target{Host: "127.0.0.1", Port: far.port, Database: "postgres", User: "postgres", TLS: warehouse.TLSOff}
}

func open(t testing.TB) *postgres.Connector {
	t.Helper()
	c, err := postgres.Open(target(), warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type sink struct {
	cols []cube.Column
	rows [][]any
}

func (s *sink) Columns(c []cube.Column) error { s.cols = c; return nil }
func (s *sink) Row(r []any) error             { s.rows = append(s.rows, r); return nil }

var wide = warehouse.Limits{Rows: 10_000, Bytes: 16 << 20, Time: 10 * time.Second}

// Columns of one name are numbered for people who only look at the rows; no number is the name of another column.
func TestNumberedColumns(t *testing.T) {
	t.Parallel()
	c, look := open(t), wide
	look.Numbered = true
	for sql, want := range map[string]string{
		"SELECT count(*), count(id), count(note) FROM orders": "count count_2 count_3 true",
		`SELECT 1 AS a, 2 AS a_2, 3 AS a, 4 AS "A", 5 AS a`:   "a a_2 a_3 A a_4 true",
		"SELECT 1 AS a, 2 AS b":                               "a b false",
		"SELECT * FROM (VALUES (1, 2)) AS t(a, a)":            "a a_2 true",
	} {
		var s sink
		stats, err := c.Query(t.Context(), sql, nil, look, &s)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		got := ""
		for _, col := range s.cols {
			got += col.Name + " "
		}
		if got += fmt.Sprint(stats.Numbered); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	var s sink
	_, err := open(t).Query(t.Context(), `
		SELECT 1::int2 AS a, 2::bigint AS b, 1.5::numeric AS c, 'NaN'::float8 AS d, true AS e, 'x'::text AS f, NULL::int AS g, date
		'2026-02-03' AS h,
		       timestamptz '2026-02-03 04:05:06+02' AS i, timestamp '2026-02-03 04:05:06.5' AS j, ARRAY[1,2] AS k, '{"a":1}'::jsonb AS l,
		       'infinity'::date AS m, interval '1 day' AS n, '3b241101-e2bb-4255-8caf-4136c566a962'::uuid AS o, 9007199254740993::bigint AS
		p`, nil, wide, &s)
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	want := []any{
		int64(1), int64(2), 1.5, cube.Lost, true, "x", nil, day, day.Add(2*time.Hour + 5*time.Minute + 6*time.Second),
		day.Add(4*time.Hour + 5*time.Minute + 6500*time.Millisecond),
		"{1,2}", `{"a": 1}`, cube.Lost, "1 day", "3b241101-e2bb-4255-8caf-4136c566a962", int64(9007199254740993),
	}
	if diff := cmp.Diff([][]any{want}, s.rows); diff != "" {
		t.Error(diff)
	}
	var types []string
	for _, c := range s.cols {
		types = append(types, string(c.Type))
	}
	if diff := cmp.Diff(strings.Fields("integer integer number number boolean text integer date instant "+
		"timestamp text text date text text integer"), types); diff != "" {
		t.Error(diff)
	}
}

// TestEscapeBySimpleProtocol is the statement that wrote a row when a cursor was
// declared with the simple protocol.
func TestEscapeBySimpleProtocol(t *testing.T) {
	t.Parallel()
	sql := "select 1; commit; begin read write; insert into orders (id) values (-77); commit; begin; declare c cursor for select 1"
	var s sink
	_, err := open(t).Query(t.Context(), sql, nil, wide, &s)
	if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Syntax && bad.Class != warehouse.Refused {
		t.Errorf("%v", err)
	}
	conn, err := pgx.Connect(t.Context(), far.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM orders WHERE id = -77`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows were written, %v", n, err)
	}
}

func TestErrorsAreOurWords(t *testing.T) {
	t.Parallel()
	c := open(t)
	for sql, want := range map[string]warehouse.Error{
		"SELECT revenu FROM orders": {
			Class:   warehouse.Unknown,
			Message: `There is no column "revenu". introspect_schema lists the columns of a table.`, Line: 1, Column: 8,
		},
		"SELECT 1\nFROM nowhere": {
			Class:   warehouse.Unknown,
			Message: `There is no table "nowhere". introspect_schema lists the tables.`, Line: 2, Column: 6,
		},
		"SELEC 1": {Class: warehouse.Syntax, Message: `The SQL cannot be parsed near "SELEC".`, Line: 1, Column: 1},
		"SELECT note::int FROM orders": {
			Class:   warehouse.Type,
			Message: "A value does not fit the type that the SQL gives it. Cast it, or leave out the rows that do not fit.",
		},
		"SELECT 1 / (id - id) FROM orders": {Class: warehouse.Type, Message: "The SQL divides by zero. Use nullif(…, 0)."},
		"SELECT day, sum(amount) FROM orders": {
			Class:   warehouse.Syntax,
			Message: `Column "orders.day" must be in GROUP BY, or in an aggregate such as sum(…).`, Line: 1, Column: 8,
		},
		"SELECT 1 AS a, 2 AS a": {
			Class:   warehouse.Refused,
			Message: `Two columns of the query are called "a". Give one of them another name with AS.`,
		},
		"SELECT no_such_function(1)": {
			Class:   warehouse.Unknown,
			Message: `There is no function or operator "no_such_function" for values of these types.`, Line: 1, Column: 8,
		},
		"INSERT INTO orders (id) VALUES (-900)": {Class: warehouse.Refused, Message: warehouse.SayOneSelect, Line: 1, Column: 1},
		"DELETE FROM orders":                    {Class: warehouse.Refused, Message: warehouse.SayOneSelect, Line: 1, Column: 1},
		"SELECT 1; SELECT 2":                    {Class: warehouse.Refused, Message: warehouse.SayOneSelect, Line: 1, Column: 9},
	} {
		var s sink
		_, err := c.Query(t.Context(), sql, nil, wide, &s)
		got, ok := errors.AsType[*warehouse.Error](err)
		if !ok {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s: %s", sql, diff)
		}
	}
}

func TestDescribeAndIntrospect(t *testing.T) {
	t.Parallel()
	c := open(t)
	cols, err := c.Describe(t.Context(), "SELECT day, sum(amount) AS revenue FROM orders WHERE day >= $1 GROUP BY 1 -- x",
		[]any{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	if diff := cmp.Diff([]cube.Column{{Name: "day", Type: cube.Date}, {Name: "revenue", Type: cube.Number}}, cols); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := c.Describe(t.Context(), "SELECT 1 / (count(*) - count(*)) AS n FROM orders", nil); err != nil {
		t.Errorf("describing runs the query: %v", err)
	}
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil || len(tables) != 3 || tables[1].Name != "orders" || tables[2].Kind != "view" || tables[1].Columns[0].Nullable {
		t.Errorf("%+v, %v", tables, err)
	}
	if orders := tables[1]; orders.Comment != "one row per order" || orders.Columns[3].Comment != "or refunded" ||
		orders.Columns[0].Comment != "" {
		t.Errorf("comments: %+v", orders)
	}
	daily := warehouse.Table{Name: "daily", Kind: "view", Comment: "closed at midnight", Columns: []warehouse.TableColumn{
		{Column: cube.Column{Name: "day", Type: cube.Date}, Nullable: true}, {
			Column:   cube.Column{Name: "amount", Type: cube.Number},
			Nullable: true, Comment: "net, in euros",
		}, {Column: cube.Column{Name: "note", Type: cube.Text}, Nullable: true},
	}}
	for _, q := range []warehouse.Introspection{{Table: "daily"}, {Table: "public.daily"}, {Pattern: "DAIL"}} {
		if tables, err = c.Introspect(t.Context(), q); err != nil || !cmp.Equal(tables, []warehouse.Table{daily}) {
			t.Errorf("%+v: %+v, %v", q, tables, err)
		}
	}
	if tables, err = c.Introspect(t.Context(), warehouse.Introspection{Pattern: "PAI"}); err != nil || len(tables) != 1 ||
		tables[0].Name != "paid" {
		t.Errorf("%+v, %v", tables, err)
	}
	if tables, err = c.Introspect(t.Context(), warehouse.Introspection{Table: "orders"}); err != nil || len(tables) != 1 {
		t.Errorf("%+v, %v", tables, err)
	}
}

func TestArgumentsAreBound(t *testing.T) {
	t.Parallel()
	var s sink
	_, err := open(t).Query(t.Context(), "SELECT $1::text AS a, $2::bigint AS b, $3::float8 AS c, $4::date AS d, $5::text AS e",
		[]any{"'; DROP TABLE orders; --", int64(7), 1.5, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), nil}, wide, &s)
	want := [][]any{{"'; DROP TABLE orders; --", int64(7), 1.5, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), nil}}
	if diff := cmp.Diff(want, s.rows); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestReachingAWarehouse(t *testing.T) {
	t.Parallel()
	ping := func(change func(*warehouse.Target), d warehouse.Dialer) string {
		to := target()
		change(&to)
		c, err := postgres.Open(to, d)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err = c.Ping(ctx)
		switch bad, ok := errors.AsType[*warehouse.Error](err); {
		case err == nil:
			return ""
		case !ok:
			return "not in our words: " + err.Error()
		default:
			return string(bad.Class) + ": " + bad.Message
		}
	}
	local := warehouse.Dialer{AllowPrivate: true}
	nobody := warehousetest.Port(t)
	for _, try := range []struct {
		name   string
		dialer warehouse.Dialer
		change func(*warehouse.Target)
		want   string
	}{
		{"as it is", local, func(*warehouse.Target) {}, ""},
		{"a private address", warehouse.Dialer{}, func(*warehouse.Target) {}, "connect: The host leads to a private or local address"},
		{
			"a name that leads to one",
			warehouse.Dialer{},
			func(to *warehouse.Target) { to.Host = "localhost" },
			"connect: The host leads to a private or local address",
		},
		{"nobody there", local, func(to *warehouse.Target) { to.Port = nobody }, "connect: Nothing answers on that port"},
		{"no such database", local, func(to *warehouse.Target) { to.Database = "nope" }, "connect: The warehouse has no database of that name."},
		{"no such user", local, func(to *warehouse.Target) { to.User = "nope" }, "auth: The warehouse refused the user or the password."},
		{"no TLS there", local, func(to *warehouse.Target) { to.TLS = warehouse.TLSVerify }, "connect: The warehouse does not speak TLS."},
		{"a socket", local, func(to *warehouse.Target) { to.Host = "/var/run/postgresql" }, "connect: "},
		{"an abstract socket", local, func(to *warehouse.Target) { to.Host = "@postgresql" }, "connect: "},
		{
			"settings in the host", local, func(to *warehouse.Target) { to.Host = "127.0.0.1 hostaddr=127.0.0.1" },
			"connect: The name of the host cannot be resolved.",
		},
		{
			"a URL for a host", local, func(to *warehouse.Target) { to.Host = "postgres://127.0.0.1/postgres" },
			"connect: The name of the host cannot be resolved.",
		},
		{"settings in the database", local, func(to *warehouse.Target) {
			to.Database = "postgres hostaddr=127.0.0.1 service=x passfile=/etc/passwd options='-c default_transaction_read_only=off'"
		}, "connect: The warehouse has no database of that name."},
		{
			"a URL for a database", local, func(to *warehouse.Target) { to.Database = "postgres://127.0.0.1/postgres?sslmode=disable" },
			"connect: The warehouse has no database of that name.",
		},
		{"settings in the user", local, func(to *warehouse.Target) { to.User = "postgres hostaddr=127.0.0.1" }, "auth: "},
		{
			"several hosts", local, func(to *warehouse.Target) { to.Host = "127.0.0.1,127.0.0.1" },
			"connect: The name of the host cannot be resolved.",
		},
	} {
		if got := ping(try.change, try.dialer); !strings.HasPrefix(got, try.want) || try.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", try.name, got, try.want)
		}
	}
}

// TestEnvironmentIsNotRead: what libpq would take from the environment, or from
// files that it names, does not reach a warehouse of somebody's.
func TestEnvironmentIsNotRead(t *testing.T) {
	dir := t.TempDir()
	services, passwords := filepath.Join(dir, "services"), filepath.Join(dir, "passwords")
	if err := errors.Join(
		os.WriteFile(services, []byte("[elsewhere]\nhost=192.0.2.1\nport=1\nuser=nobody\npassword=operators\nsslmode=disable\n"), 0o600),
		os.WriteFile(passwords, []byte("*:*:*:*:operators\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"PGHOST": "192.0.2.1", "PGHOSTADDR": "192.0.2.1", "PGPORT": "1", "PGDATABASE": "nope", "PGUSER": "nobody", "PGPASSWORD": "operators",
		"PGPASSFILE":    passwords,
		"PGSERVICEFILE": services, "PGSERVICE": "elsewhere", "PGSSLMODE": "verify-full", "PGSSLCERT": "/nowhere", "PGSSLKEY": "/nowhere",
		"PGSSLROOTCERT": "/nowhere", "PGSSLCERTMODE": "require", "PGSSLPASSWORD": "x", "PGSSLSNI": "0", "PGSSLNEGOTIATION": "direct",
		"PGAPPNAME": "operators", "PGCONNECT_TIMEOUT": "1", "PGTARGETSESSIONATTRS": "standby",
		"PGOPTIONS": "-c default_transaction_read_only=off", "PGTZ": "Asia/Tokyo", "PGKRBSRVNAME": "x",
		"PGCHANNELBINDING": "require", "PGREQUIREAUTH": "none", "PGMINPROTOCOLVERSION": "3.2", "PGMAXPROTOCOLVERSION": "3.2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if name == "PGSERVICE" {
				t.Setenv("PGSERVICEFILE", services)
			}
			var s sink
			_, err := open(t).Query(t.Context(), "SELECT current_database()::text AS a, current_user::text AS b, "+
				"current_setting('TimeZone') AS c, current_setting('application_name') AS d, "+
				"current_setting('transaction_read_only') AS e", nil, wide, &s)
			if diff := cmp.Diff([][]any{{"postgres", "postgres", "UTC", "service", "on"}}, s.rows); diff != "" || err != nil {
				t.Errorf("%s, %v", diff, err)
			}
		})
	}
}
