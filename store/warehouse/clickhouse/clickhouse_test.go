package clickhouse_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/warehousetest"
)

func TestConformance(t *testing.T) {
	open(t)
	address, connections := trap(t)
	known := stateOnceAsked()
	tables := []string{"conformance2.secrets table", "early view", "names table", "`odd name` table", "sparse table"}
	if far.server != nil {
		tables = append(tables, "spread table")
	}
	server := net.JoinHostPort(far.target.Host, strconv.Itoa(far.target.Port))
	warehousetest.Run(t, warehousetest.Source{
		Open:   func(t testing.TB) warehouse.Connector { return open(t) },
		Tables: tables,
		Clock: warehousetest.Clock{
			Moments: "(SELECT toDateTime(1771977600 + number * 1800) AS m FROM numbers(12672)) AS x",
			Hour:    "toStartOfHour(m)", Day: "toStartOfDay(m)", Week: "toStartOfWeek(m, 1)", Month: "toStartOfMonth(m)",
			Midnight: "toStartOfDay(m)", WholeHours: true,
		},
		Values: []warehousetest.Value{
			{SQL: "1", Type: cube.Integer, Want: int64(1)},
			{SQL: "toUInt64(5)", Type: cube.Integer, Want: int64(5)},
			{SQL: "toUInt64(18446744073709551615)", Type: cube.Integer, Want: cube.Decimal("18446744073709551615")},
			{
				SQL: "toInt128('-170141183460469231731687303715884105728')", Type: cube.Integer,
				Want: cube.Decimal("-170141183460469231731687303715884105728"),
			},
			{
				SQL: "toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935')", Type: cube.Integer,
				Want: cube.Decimal("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
			},
			{SQL: "toInt256(7)", Type: cube.Integer, Want: int64(7)},
			{SQL: "1.5", Type: cube.Number, Want: 1.5},
			{SQL: "toFloat32(0.1)", Type: cube.Number, Want: 0.1},
			{SQL: "toDecimal64(1.25, 2)", Type: cube.Number, Want: 1.25},
			{
				SQL: "toDecimal256('12345678901234567890123456789012345678901234567890.125', 20)", Type: cube.Number,
				Want: cube.Decimal("12345678901234567890123456789012345678901234567890.125"),
			},
			{SQL: "toDecimal128('12345678901234567890', 0)", Type: cube.Integer, Want: cube.Decimal("12345678901234567890")},
			{SQL: "nan", Type: cube.Number, Want: cube.Lost},
			{SQL: "-inf", Type: cube.Number, Want: cube.Lost},
			{SQL: "true", Type: cube.Boolean, Want: true},
			{SQL: "'it''s'", Type: cube.Text, Want: "it's"},
			{SQL: "NULL", Type: cube.Text, Want: nil},
			{SQL: "unhex('00ff')", Type: cube.Text, Want: `\x00ff`},
			{SQL: "toFixedString('ab', 4)", Type: cube.Text, Want: "ab"},
			{SQL: "toLowCardinality('x')", Type: cube.Text, Want: "x"},
			{SQL: "CAST(NULL AS LowCardinality(Nullable(String)))", Type: cube.Text, Want: nil},
			{SQL: "CAST('b' AS Enum8('a' = 1, 'b' = 2))", Type: cube.Text, Want: "b"},
			{SQL: "CAST(NULL AS Nullable(Date))", Type: cube.Date, Want: nil},
			{SQL: "toDate('2026-02-03')", Type: cube.Date, Want: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)},
			{SQL: "toDate32('1925-02-03')", Type: cube.Date, Want: time.Date(1925, 2, 3, 0, 0, 0, 0, time.UTC)},
			{SQL: "toDate('2149-06-06')", Type: cube.Date, Want: time.Date(2149, 6, 6, 0, 0, 0, 0, time.UTC)},
			{SQL: "toDateTime('2026-02-03 04:05:06', 'America/New_York')", Type: cube.Instant, Want: time.Date(2026, 2, 3, 9, 5, 6, 0, time.UTC)},
			{SQL: "toDateTime64('2026-02-03 04:05:06.5', 3, 'UTC')", Type: cube.Instant, Want: time.Date(2026, 2, 3, 4, 5, 6, 5e8, time.UTC)},
			{SQL: "toDateTime64('2026-07-03 04:05:06.123456789', 9, 'Asia/Kathmandu')", Type: cube.Instant, Want: time.Date(2026, 7, 2, 22, 20, 6,
				123456000, time.UTC)},
			{SQL: "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')", Type: cube.Text, Want: "61f0c404-5cb3-11e7-907b-a6006ad3dba0"},
			{SQL: "toIPv4('192.0.2.1')", Type: cube.Text, Want: "192.0.2.1"},
			{SQL: "toIPv6('2001:db8::1')", Type: cube.Text, Want: "2001:db8::1"},
			{SQL: "INTERVAL 3 DAY", Type: cube.Text, Want: "3 Days"},
			{SQL: "[1, 2]", Type: cube.Text, Want: "[1,2]"},
			{SQL: "[toInt64(-1)]", Type: cube.Text, Want: "[-1]"},
			{SQL: "[toUInt64(18446744073709551615), NULL]", Type: cube.Text, Want: "[18446744073709551615,null]"},
			{SQL: "[toDecimal256('12345678901234567890.5', 2)]", Type: cube.Text, Want: "[12345678901234567890.5]"},
			{SQL: "[nan, 1.5]", Type: cube.Text, Want: "[null,1.5]"},
			{SQL: "[unhex('ff'), 'ä\"']", Type: cube.Text, Want: `["\\xff","ä\""]`},
			{SQL: "[toDate('2026-02-03')]", Type: cube.Text, Want: `["2026-02-03"]`},
			{SQL: "[toDateTime('2026-02-03 04:05:06', 'UTC')]", Type: cube.Text, Want: `["2026-02-03T04:05:06Z"]`},
			{SQL: "[[true], []]", Type: cube.Text, Want: "[[true],[]]"},
			{SQL: "map('a', 1, 'b', 2)", Type: cube.Text, Want: `{"a":1,"b":2}`},
			{SQL: "map(toUInt64(7), [toIPv4('192.0.2.1')])", Type: cube.Text, Want: `{"7":["192.0.2.1"]}`},
			{SQL: "map(toDate('2026-02-03'), true)", Type: cube.Text, Want: `{"2026-02-03":true}`},
			{SQL: "(1, 'a', NULL)", Type: cube.Text, Want: `[1,"a",null]`},
			{SQL: "CAST((1, 'x') AS Tuple(a UInt8, b String))", Type: cube.Text, Want: `{"a":1,"b":"x"}`},
			{SQL: "CAST((1., 2.) AS Point)", Type: cube.Text, Want: "[1,2]"},
			{SQL: "CAST(toUInt8(7) AS Variant(UInt8, String))", Type: cube.Text, Want: "7"},
			{SQL: "CAST('x' AS Variant(UInt8, String))", Type: cube.Text, Want: "x"},
			{SQL: "CAST(NULL AS Variant(UInt8, String))", Type: cube.Text, Want: nil},
			{SQL: "CAST('x' AS Dynamic)", Type: cube.Text, Want: "x"},
			{
				SQL: `CAST('{"a": {"b": 12345678901234567}, "c": [1, 2], "d": "x"}' AS JSON)`, Type: cube.Text,
				Want: `{"a":{"b":12345678901234567},"c":[1,2],"d":"x"}`,
			},
			{SQL: "CAST('12:34:56' AS Time)", Type: cube.Text, Want: "12:34:56"},
			{SQL: "CAST('-12:34:56.5' AS Time64(3))", Type: cube.Text, Want: "-12:34:56.5"},
			{
				SQL:  "CAST(toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935') AS Nullable(UInt256))",
				Type: cube.Integer, Want: cube.Decimal("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
			},
			{SQL: "CAST(NULL AS Nullable(Decimal(76, 2)))", Type: cube.Number, Want: nil},
			{SQL: "CAST('-999.5' AS Decimal(76, 38))", Type: cube.Number, Want: -999.5},
			{SQL: "0.1::Decimal(9, 1) + 0.2::Decimal(9, 1)", Type: cube.Number, Want: 0.3},
			{SQL: "CAST('b' AS LowCardinality(FixedString(3)))", Type: cube.Text, Want: "b"},
			{SQL: "CAST('b' AS Nullable(Enum16('a' = -1, 'b' = 1000)))", Type: cube.Text, Want: "b"},
			{SQL: "CAST([1, NULL] AS Array(Nullable(Int8)))", Type: cube.Text, Want: "[1,null]"},
			{SQL: "CAST(['a', 'b'] AS Array(LowCardinality(String)))", Type: cube.Text, Want: `["a","b"]`},
			{SQL: "CAST([(1, 'x')] AS Nested(a UInt8, b String))", Type: cube.Text, Want: `[{"a":1,"b":"x"}]`},
			{
				SQL: "CAST(map('k', map('l', [toDateTime64('2026-02-03 04:05:06.25', 2, 'UTC')])) " +
					"AS Map(String, Map(String, Array(DateTime64(2, 'UTC')))))",
				Type: cube.Text, Want: `{"k":{"l":["2026-02-03T04:05:06.25Z"]}}`,
			},
			{SQL: "[CAST(1 AS Variant(UInt8, String)), CAST('a' AS Variant(UInt8, String))]", Type: cube.Text, Want: `[1,"a"]`},
			{SQL: "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') IN (SELECT generateUUIDv4())", Type: cube.Integer, Want: int64(0)},
			{SQL: "CAST(1.5 AS BFloat16)", Type: cube.Number, Want: 1.5},
		},
		Slow: "SELECT count() AS n FROM orders AS a, orders AS b, orders AS c WHERE a.id * b.id < c.id - 1000000000",
		Runaways: []string{
			"SELECT sum(sipHash64(number)) AS n FROM numbers_mt(100000000000000)",
			"SELECT count() AS n FROM numbers(100000000000) WHERE match(toString(sipHash64(number)), '(1.*2.*3.*4)+x')",
		},
		Endless: "SELECT number AS n FROM numbers(1000000000000)",
		Long:    "SELECT repeat('x', 900000) || repeat('y', 900000) AS n",
		Mistakes: []warehousetest.Mistake{
			{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Names: `"revenu"`},
			{SQL: "SELECT 1 FROM nowhere", Class: warehouse.Unknown, Names: "nowhere"},
			{SQL: "SELECT o.nothing FROM orders AS o", Class: warehouse.Unknown, Names: "nothing"},
			{SQL: "SELECT nofunction(1)", Class: warehouse.Unknown, Names: `"nofunction"`},
			{SQL: "SELECT 1 FROM nowhere.orders", Class: warehouse.Unknown, Names: "nowhere"},
			{SQL: "SELECT day,\n  sum(amount FROM orders", Class: warehouse.Refused, Line: 2},
			{SQL: "SELECT day,\n  sum(amount) FORM orders", Class: warehouse.Syntax, Line: 2},
			{SQL: "SELECT day, sum(amount) FROM orders", Class: warehouse.Syntax, Names: "GROUP BY"},
			{SQL: "SELECT toUInt8('x')", Class: warehouse.Type},
			{SQL: "SELECT 1 + 'a'", Class: warehouse.Type},
			{SQL: "SELECT dictGet('nothing', 'a', 1)", Class: warehouse.Syntax},
			{SQL: "SELECT 1 FROM orders, (SELECT 1), (SELECT 2)", Class: warehouse.Syntax, Names: "AS"},
			{SQL: "SELECT round()", Class: warehouse.Syntax},
			{SQL: "SELECT sumState(id) FROM orders", Class: warehouse.Type},
			{SQL: "SELECT intDiv(id, 0) FROM orders", Class: warehouse.Type},
			{SQL: "DELETE FROM orders", Class: warehouse.Refused, Line: 1},
		},
		Attacks: append(attacks(address, filepath.Join(t.TempDir(), "out")), unknown(address),
			warehousetest.Attack{Name: "rows of the client", Run: true, SQL: []string{"SELECT * FROM input('a String')"}}),
		Strict:  true,
		State:   func(t testing.TB) string { return known(t) + strconv.FormatInt(connections(), 10) },
		Running: running,
		Address: server,
		At: func(t testing.TB, address string) warehouse.Connector {
			return openAs(t, func(to *warehouse.Target) {
				host, port, err := net.SplitHostPort(address)
				if err != nil {
					t.Fatal(err)
				}
				to.Host = host
				to.Port, _ = strconv.Atoi(port)
			})
		},
		Secrets: []string{server, password, "nobody else may know"},
	})
}

// TestLimitsAreOfTheResult: the limits of rows and bytes that are set on the server must not cut intermediate results of a query.
func TestLimitsAreOfTheResult(t *testing.T) {
	t.Parallel()
	c := open(t)
	sources := []string{
		"SELECT count() AS n FROM (SELECT number FROM numbers(1000000))",
		"SELECT count() AS n FROM numbers(1000000) WHERE number IN (SELECT number FROM numbers(1000000))",
		"WITH x AS (SELECT number FROM numbers(1000000)) SELECT count() AS n FROM x",
		"SELECT count() AS n FROM numbers(1000000) AS a JOIN numbers(1000000) AS b ON a.number = b.number",
		"SELECT sum(n) AS n FROM (SELECT 1 AS n FROM numbers(500000) UNION ALL SELECT 1 AS n FROM numbers(500000))",
		"SELECT (SELECT count() FROM numbers(1000000)) AS n",
		"SELECT max(s) AS n FROM (SELECT number, row_number() OVER (ORDER BY number) AS s FROM numbers(1000000))",
		"SELECT count() AS n FROM (SELECT number FROM numbers(1000000) GROUP BY number)",
		"SELECT sum(length(a)) AS n FROM (SELECT groupArray(number) AS a FROM numbers(1000000))",
		"SELECT count() AS n FROM (SELECT DISTINCT number FROM numbers(1000000) ORDER BY number)",
		"SELECT count() * 50 AS n FROM early AS a, (SELECT 1) AS b, numbers(3) AS c WHERE a.day >= '2026-01-01'",
	}
	for i, sql := range sources {
		var table warehousetest.Table
		stats, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 3, Bytes: 1000, Time: 30 * time.Second}, &table)
		want := any(int64(1000000))
		if i == len(sources)-1 {
			want = int64(50 * 3 * one64(t, "SELECT toString(countIf(day < '2026-01-10')) FROM conformance.orders"))
		}
		if err != nil || stats.Truncated || len(table.Rows) != 1 || table.Rows[0][0] != want {
			t.Errorf("%s: %v, want %v, %+v, %v", sql, table.Rows, want, stats, err)
		}
	}
}

func one64(t *testing.T, sql string) int {
	t.Helper()
	n, err := strconv.Atoi(one(t, sql))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestProfiles: the session sets the settings that the user's profile allows, and queries work with every profile.
func TestProfiles(t *testing.T) {
	t.Parallel()
	l := warehouse.Limits{Rows: 1000, Bytes: 1 << 20, Time: 5 * time.Second}
	all := map[string]any{
		"max_execution_time": 5, "max_memory_usage": 10_000_000_000, "max_result_rows": 1001, "max_result_bytes": 2 << 20,
		"result_overflow_mode": "break", "timeout_overflow_mode": "throw",
		"union_default_mode": "DISTINCT", "stream_like_engine_allow_direct_select": 0, "readonly": 1, "session_timezone": "UTC",
	}
	without := func(names ...string) map[string]any {
		some := maps.Clone(all)
		for _, name := range names {
			delete(some, name)
		}
		return some
	}
	for user, want := range map[string]map[string]any{
		"conformance": all,
		"one":         {},
		"two":         without("readonly", "max_memory_usage"),
		"strict": {
			"max_execution_time": 3, "timeout_overflow_mode": "throw", "union_default_mode": "DISTINCT", "stream_like_engine_allow_direct_select": 0,
			"readonly": 1, "session_timezone": "UTC",
		},
	} {
		c := openAs(t, func(to *warehouse.Target) { to.User = user })
		got, err := c.Settings(t.Context(), l)
		if user == "strict" {
			delete(got, "max_execution_time") // its own is as strict
			delete(want, "max_execution_time")
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %s, %v", user, diff, err)
		}
		var table warehousetest.Table
		if stats, err := c.Query(t.Context(), "SELECT id FROM orders WHERE id <= 400", nil, l, &table); err != nil ||
			stats != (warehouse.Stats{Rows: 400}) {
			t.Errorf("%s: %+v, %v", user, stats, err)
		}
		_, err = c.Query(t.Context(), "SELECT sum(sipHash64(number)) FROM numbers(100000000000000)", nil,
			warehouse.Limits{Rows: 1, Bytes: 100, Time: 500 * time.Millisecond}, &table)
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Timeout {
			t.Errorf("%s: %v", user, err)
		}
	}
	c := openAs(t, func(to *warehouse.Target) { to.User = "strict" })
	var table warehousetest.Table
	_, err := c.Query(t.Context(), "SELECT id FROM orders", nil, l, &table)
	if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.TooLarge {
		t.Errorf("a result that the profile cuts: %d rows, %v", len(table.Rows), err)
	}
}

// TestOldServers: versions before 23.8 have no parameters for values.
func TestOldServers(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 4096)
			conn.Read(buf)                                                               // hello
			conn.Write([]byte("\x00\x0aClickHouse\x12\x10\x8c\xa9\x03\x03UTC\x01x\x01")) // 18.16, revision 54412
			conn.Read(buf)                                                               // a question
			conn.Write([]byte("\x02\x2f\x00\x00\x00\x0dDB::Exception\x03abc\x00\x00"))   // no such column
			io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	c, err := clickhouse.Open(warehouse.Target{
		Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, User: "u", TLS: warehouse.TLSOff,
	}, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(t.Context()); err == nil || err.Error() != "The warehouse is too old a ClickHouse. It has to be 23.8 or newer." {
		t.Error(err)
	}
}

// TestSigningIn uses a server of its own, since the shared one may end when a sign-in is refused.
func TestSigningIn(t *testing.T) {
	t.Parallel()
	open(t)
	if far.server == nil {
		t.Skip("TEST_CLICKHOUSE_DSN leads to a server of somebody else's")
	}
	for _, try := range []struct {
		change func(*warehouse.Target)
		class  warehouse.Class
		want   string
	}{
		{func(to *warehouse.Target) { to.Password = "wrong" }, warehouse.Auth, warehouse.SayAuth},
		{func(to *warehouse.Target) { to.User = "nobody" }, warehouse.Auth, warehouse.SayAuth},
		{func(to *warehouse.Target) { to.Database = "nowhere" }, warehouse.Connect, "The warehouse has no database of that name."},
		{
			func(to *warehouse.Target) { to.TLS = warehouse.TLSRequire }, warehouse.Connect,
			"The host does not answer as a ClickHouse server does on its native port. Check address, port and TLS.",
		},
	} {
		s, err := serve()
		if err != nil {
			t.Fatal(err)
		}
		options, err := driver.ParseDSN(s.dsn)
		if err != nil {
			t.Fatal(err)
		}
		host, port, _ := net.SplitHostPort(options.Addr[0])
		to := warehouse.Target{Host: host, Database: "default", User: "default", TLS: warehouse.TLSOff}
		to.Port, _ = strconv.Atoi(port)
		plain, err := clickhouse.Open(to, warehouse.Dialer{AllowPrivate: true})
		for end := time.Now().Add(time.Minute); err != nil || plain.Ping(t.Context()) != nil; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("the server does not start")
			}
		}
		try.change(&to)
		c, err := clickhouse.Open(to, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Ping(t.Context())
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != try.class || bad.Message != try.want {
			t.Errorf("%+v: %v", to, err)
		}
		s.stop()
	}
}

func TestReachingAWarehouse(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	port := silent.Addr().(*net.TCPAddr).Port
	for _, try := range []struct {
		target warehouse.Target
		dialer warehouse.Dialer
		want   string
	}{
		{
			warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSOff},
			warehouse.Dialer{},
			"The host leads to a private or local address, which this installation does not reach. The operator can allow it with " +
				"SERVICE_ALLOW_PRIVATE_WAREHOUSES.",
		},
		{
			warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSVerify},
			warehouse.Dialer{},
			"The host leads to a private or local address, which this installation does not reach. The operator can allow it with " +
				"SERVICE_ALLOW_PRIVATE_WAREHOUSES.",
		},
		{
			warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSOff},
			warehouse.Dialer{AllowPrivate: true},
			"The host did not answer in time. Check address, port and firewall.",
		},
		{
			warehouse.Target{Host: "127.0.0.1", Port: port, TLS: warehouse.TLSVerify},
			warehouse.Dialer{AllowPrivate: true},
			"The host did not answer in time. Check address, port and firewall.",
		},
	} {
		c, err := clickhouse.Open(try.target, try.dialer)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		start := time.Now()
		err = c.Ping(ctx)
		cancel()
		if err == nil || err.Error() != try.want {
			t.Errorf("%+v: %v", try.target, err)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("it took %s", took)
		}
	}
}

// TestSparseColumns: a column that is mostly its default is stored, and could be
// sent, in another form than others.
func TestSparseColumns(t *testing.T) {
	t.Parallel()
	var table warehousetest.Table
	if _, err := open(t).Query(t.Context(), "SELECT id, rare FROM conformance.sparse WHERE id < 1001 ORDER BY id", nil,
		warehousetest.Wide, &table); err != nil || len(table.Rows) != 1001 {
		t.Fatalf("%d rows, %v", len(table.Rows), err)
	}
	for i, row := range table.Rows {
		want := int64(0)
		if i == 1000 {
			want = 1000
		}
		if row[1] != want {
			t.Fatalf("%v, want %d", row, want)
		}
	}
	if kinds := one(t, "SELECT toString(groupUniqArray(serialization_kind)) FROM system.parts_columns "+
		"WHERE table = 'sparse' AND column = 'rare'"); kinds != "['Sparse']" {
		t.Errorf("it is stored as %s", kinds)
	}
}

// TestTLS puts TLS in front of the server.
func TestTLS(t *testing.T) {
	t.Parallel()
	open(t)
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	defer certified.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", net.JoinHostPort(far.target.Host, strconv.Itoa(far.target.Port)))
			if err != nil {
				client.Close()
				continue
			}
			go func() { io.Copy(server, client); server.Close() }()
			go func() { io.Copy(client, server); client.Close() }()
		}
	}()
	for way, want := range map[string]string{
		warehouse.TLSRequire: "",
		warehouse.TLSVerify:  warehouse.SayCert,
		warehouse.TLSOff:     "The host does not answer as a ClickHouse server does on its native port. Check address, port and TLS.",
	} {
		c := openAs(t, func(to *warehouse.Target) { to.Port, to.TLS = l.Addr().(*net.TCPAddr).Port, way })
		var table warehousetest.Table
		_, err := c.Query(t.Context(), "SELECT max(id) FROM orders", nil, warehousetest.Wide, &table)
		if want != "" {
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v", way, err)
			}
		} else if diff := cmp.Diff([][]any{{int64(20000)}}, table.Rows); diff != "" || err != nil {
			t.Errorf("%s: %s, %v", way, diff, err)
		}
	}
}

// TestLimitsAreNotOfShards: the same for a table that is spread over servers.
func TestLimitsAreNotOfShards(t *testing.T) {
	t.Parallel()
	c := open(t)
	if far.server == nil {
		t.Skip("TEST_CLICKHOUSE_DSN leads to a server without our cluster")
	}
	for _, sql := range []string{
		"SELECT count() AS n FROM spread", "SELECT count() AS n FROM (SELECT id FROM spread)",
		"SELECT sum(c) AS n FROM (SELECT id, count() AS c FROM spread GROUP BY id)",
	} {
		var table warehousetest.Table
		stats, err := c.Query(t.Context(), sql, nil, warehouse.Limits{Rows: 3, Bytes: 1000, Time: 30 * time.Second}, &table)
		if diff := cmp.Diff([][]any{{int64(40000)}}, table.Rows); diff != "" || err != nil || stats.Truncated {
			t.Errorf("%s: %s, %+v, %v", sql, diff, stats, err)
		}
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	warehousetest.Concurrency(t, open(t), "SELECT max(sipHash64(number)) AS n FROM numbers(1000000000000)")
}
