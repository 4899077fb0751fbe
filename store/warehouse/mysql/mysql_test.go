package mysql_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/warehouse"
	"service/store/warehouse/mysql"
	"service/store/warehouse/warehousetest"
)

func TestConformance(t *testing.T) {
	open(t) // or skip
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	at := day.Add(4*time.Hour + 5*time.Minute + 6*time.Second)
	holder, err := far.admin.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := holder.ExecContext(t.Context(), "DO GET_LOCK('held', 0)"); err != nil {
		t.Fatal(err)
	}
	warehousetest.Run(t, warehousetest.Source{
		Open:    open,
		Address: net.JoinHostPort(far.target.Host, strconv.Itoa(far.target.Port)),
		At: func(t testing.TB, address string) warehouse.Connector {
			return openAs(t, func(to *warehouse.Target) {
				at := netip.MustParseAddrPort(address)
				to.Host, to.Port = at.Addr().String(), int(at.Port())
			})
		},
		Tables: []string{
			"digits table", "early view", "kinds table", "`group` table", "sleeps view", "toils view", "waits view", "persists view",
		},
		Clock: warehousetest.Clock{
			Moments: `(SELECT FROM_UNIXTIME(1771977600 + i * 1800) AS m FROM (
				SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS i FROM digits a, digits b, digits c, digits e, digits f
			) AS numbers WHERE i < 12672) AS x`,
			Hour:  "CAST(DATE_FORMAT(m, '%Y-%m-%d %H:00:00') AS datetime)",
			Day:   "DATE(m)",
			Week:  "DATE(m) - INTERVAL WEEKDAY(m) DAY",
			Month: "DATE(DATE_FORMAT(m, '%Y-%m-01'))",
		},
		Values: []warehousetest.Value{
			{SQL: "1", Type: cube.Integer, Want: int64(1)},
			{SQL: "-9223372036854775808", Type: cube.Integer, Want: int64(-9223372036854775808)},
			{SQL: "9007199254740993", Type: cube.Integer, Want: int64(9007199254740993)},
			{SQL: "TRUE", Type: cube.Integer, Want: int64(1)},
			{SQL: "2 > 1", Type: cube.Integer, Want: int64(1)},
			{SQL: "1.5", Type: cube.Number, Want: 1.5},
			{SQL: "1.5e300", Type: cube.Number, Want: 1.5e300},
			{SQL: "'it''s'", Type: cube.Text, Want: "it's"},
			{SQL: "''", Type: cube.Text, Want: ""},
			{SQL: "NULL", Type: cube.Text, Want: nil},
			{SQL: "CAST(NULL AS SIGNED)", Type: cube.Integer, Want: nil},
			{SQL: "CAST(NULL AS DATE)", Type: cube.Date, Want: nil},
			{SQL: "CAST('2026-02-03' AS DATE)", Type: cube.Date, Want: day},
			{SQL: "TIMESTAMP('2026-02-03 04:05:06.5')", Type: cube.Timestamp, Want: at.Add(500 * time.Millisecond)},
			{SQL: "CAST(5 AS UNSIGNED)", Type: cube.Integer, Want: int64(5)},
			{SQL: "CAST(9223372036854775807 AS UNSIGNED)", Type: cube.Integer, Want: int64(9223372036854775807)},
			{SQL: "CAST(18446744073709551615 AS UNSIGNED)", Type: cube.Integer, Want: cube.Decimal("18446744073709551615")},
			{SQL: "SUM(CAST(18446744073709551615 AS UNSIGNED)) OVER ()", Type: cube.Integer, Want: cube.Decimal("18446744073709551615")},
			{SQL: "CAST(2 AS DECIMAL(65, 0)) / 3 * 0 + 1.50", Type: cube.Number, Want: 1.5},
			{SQL: "X'00FF'", Type: cube.Text, Want: `\x00ff`},
			{SQL: "JSON_OBJECT('a', 1)", Type: cube.Text, Want: `{"a": 1}`},
			{SQL: "REPLACE(INSERT('Quadratic', 3, 4, 'What'), 'W', 'w')", Type: cube.Text, Want: "Quwhattic"},
			{SQL: "DATE_ADD(DATE '2026-01-31', INTERVAL 1 MONTH)", Type: cube.Date, Want: time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)},
			{SQL: "SUM(1.5) OVER ()", Type: cube.Number, Want: 1.5},
			{SQL: "tiny", From: "kinds", Type: cube.Integer, Want: int64(1)},
			{SQL: "small", From: "kinds", Type: cube.Integer, Want: int64(65535)},
			{SQL: "big", From: "kinds", Type: cube.Integer, Want: cube.Decimal("18446744073709551615")},
			{SQL: "bits", From: "kinds", Type: cube.Integer, Want: int64(5)},
			{SQL: "MAX(bits) + 0", From: "kinds", Type: cube.Integer, Want: int64(5)},
			{SQL: "COALESCE(e, 'x')", From: "kinds", Type: cube.Text, Want: "b"},
			{SQL: "f", From: "kinds", Type: cube.Number, Want: 0.1},
			{SQL: "d", From: "kinds", Type: cube.Number, Want: 0.1},
			{SQL: "price", From: "kinds", Type: cube.Number, Want: cube.Decimal("12345678901234567890.5")},
			{SQL: "y", From: "kinds", Type: cube.Integer, Want: int64(2026)},
			{SQL: "t", From: "kinds", Type: cube.Text, Want: "-10:11:12"},
			{SQL: "at", From: "kinds", Type: cube.Instant, Want: at},
			{SQL: "dt", From: "kinds", Type: cube.Timestamp, Want: at.Add(123456 * time.Microsecond)},
			{SQL: "e", From: "kinds", Type: cube.Text, Want: "b"},
			{SQL: "s", From: "kinds", Type: cube.Text, Want: "a,b"},
			{SQL: "j", From: "kinds", Type: cube.Text, Want: `{"a": 1}`},
			{SQL: "b", From: "kinds", Type: cube.Text, Want: `\x00ff`},
			{SQL: "v", From: "kinds", Type: cube.Text, Want: "plain"},
			{SQL: "words", From: "kinds", Type: cube.Text, Want: "ünï"},
			{SQL: "zero", From: "kinds", Type: cube.Date, Want: cube.Lost},
			{SQL: "part", From: "kinds", Type: cube.Date, Want: cube.Lost},
		},
		Slow: "SELECT COUNT(*) AS n FROM orders a, orders b, orders c WHERE a.amount + b.amount < c.amount - 1e9",
		Runaways: []string{
			"SELECT SLEEP(60) AS n",
			"SELECT BENCHMARK(1000000000000, MD5('x')) AS n FROM digits",
			"SELECT id AS n FROM orders ORDER BY SLEEP(1)",
			"SELECT MASTER_GTID_WAIT('0-1-100', 60) AS n",
			"SELECT n FROM sleeps",
			"SELECT n FROM toils",
			"SELECT n FROM waits",    // for a lock that somebody else has
			"SELECT n FROM persists", // whatever goes wrong
			"SELECT COUNT(*) AS n FROM orders a, orders b, orders c, orders d WHERE MD5(a.note) = MD5(d.id)",
			"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 1000) SELECT COUNT(*) AS n FROM r a, r b, r c, r d " +
				"WHERE a.n + b.n + c.n < d.n - 1000",
		},
		Bombs: []string{
			"SELECT LENGTH(REPEAT('x', 1000000000)) AS n",
			"SELECT LENGTH(RPAD('x', 1000000000, 'y')) AS n",
			"SELECT GROUP_CONCAT(REPEAT('x', 1000000)) AS s FROM orders",
			"SELECT JSON_ARRAYAGG(a.note) AS s FROM orders a, orders b",
			"SELECT COUNT(*) AS n FROM (SELECT DISTINCT MD5(CONCAT(a.id, ' ', b.id)) AS h FROM orders a, orders b) AS q",
			"SELECT MD5(CONCAT(a.id, ' ', b.id)) AS h, COUNT(*) AS n FROM orders a, orders b GROUP BY 1 ORDER BY 2",
			"SELECT a.note FROM orders a, orders b ORDER BY MD5(CONCAT(a.id, ' ', b.id)) LIMIT 1",
			"SELECT SUM(x) AS n FROM (SELECT ROW_NUMBER() OVER (ORDER BY MD5(a.id)) AS x FROM orders a, orders b) AS q",
			"WITH RECURSIVE r AS (SELECT CAST('x' AS CHAR(60000)) AS s UNION ALL SELECT CONCAT(s, 'x') FROM r) SELECT MAX(LENGTH(s)) AS n FROM r",
			"WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT n + o.id FROM r, orders o) SELECT COUNT(*) AS n FROM r",
		},
		Resident: resident,
		Endless:  "SELECT a.id AS n FROM orders a, orders b, orders c LIMIT 1000000000",
		Long:     "SELECT REPEAT('x', 8000000) AS n",
		Mistakes: []warehousetest.Mistake{
			{SQL: "SELECT revenu FROM orders", Class: warehouse.Unknown, Line: 1, Names: `"revenu"`},
			{SQL: "SELECT 1\nFROM nowhere", Class: warehouse.Unknown, Line: 2, Names: `"nowhere"`},
			{SQL: "SELECT 1\n\nFROM orders WHER id = 1", Class: warehouse.Syntax, Line: 3, Names: `"id"`},
			{SQL: "SELECT id FROM orders ORDER BY", Class: warehouse.Syntax, Line: 1},
			{SQL: "SELECT id\nFROM orders\nWHERE load_file('x') = 1", Class: warehouse.Refused, Line: 3, Names: `"load_file"`},
			{SQL: "SELECT unheard_of(1)", Class: warehouse.Unknown, Line: 1, Names: `"unheard_of"`},
			{SQL: "SELECT id FROM orders a JOIN orders b", Class: warehouse.Syntax, Line: 1, Names: `"id"`},
			{SQL: "SELECT * FROM (SELECT 1)", Class: warehouse.Syntax, Line: 1},
			{SQL: "SELECT MAX(bits) AS b FROM kinds", Class: warehouse.Type, Names: `"b"`},
			{SQL: "SELECT ROUND(1, 2, 3)", Class: warehouse.Syntax},
			{SQL: "SELECT id FROM orders WHERE SUM(amount) > 1", Class: warehouse.Syntax},
			{SQL: "SELECT (SELECT id FROM orders) AS n", Class: warehouse.Syntax},
			{SQL: "SELECT EXP(1000) AS n", Class: warehouse.Type},
			{SQL: "SELECT _utf8mb4'a' COLLATE utf8mb4_bin = _utf8mb4'a' COLLATE utf8mb4_general_ci AS same", Class: warehouse.Type},
			{SQL: "DELETE FROM orders", Class: warehouse.Refused, Line: 1, Names: "SELECT"},
		},
		Attacks: attacks(),
		Strict:  true,
		State:   state,
		Running: running,
		Secrets: []string{"conformance'", password, "127.0.0.1", "localhost"},
	})
}

// TestServerHoldsWithoutTheGate: the server also refuses SQL that the gate refuses first, where its own means are enough.
func TestServerHoldsWithoutTheGate(t *testing.T) {
	open(t)
	c := openAs(t, func(*warehouse.Target) {})
	before := state(t)
	for _, attack := range attacks() {
		switch attack.Name {
		case "writes", "writes behind WITH", "several statements", "executed comments", "files written", "sequences", "definitions", "accounts",
			"transactions":
		default:
			continue // these may run there, which is why there is a gate
		}
		for _, sql := range attack.SQL {
			c.Ungated(t.Context(), sql, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Second}, &warehousetest.Table{})
			if after := state(t); after != before {
				t.Errorf("%s: %s", sql, cmp.Diff(before, after))
				before = after
			}
		}
	}
}

func TestGateLetsAnalysisThrough(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT day, SUM(amount) FROM orders GROUP BY day WITH ROLLUP HAVING SUM(amount) > 3 ORDER BY 1 DESC LIMIT 3 OFFSET 2",
		"WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT n FROM r",
		"SELECT a.id FROM orders a LEFT JOIN orders b USING (id) WHERE a.id IN (1, 2) AND EXISTS (SELECT 1) AND NOT (b.id BETWEEN (1) AND (2))",
		"SELECT ROW_NUMBER() OVER (PARTITION BY day ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM orders",
		"SELECT LAG(amount, 1) OVER w FROM orders WINDOW w AS (ORDER BY day)",
		"SELECT CAST(a AS DECIMAL(10, 2)), CONVERT(b, CHAR(3)), CONVERT('x' USING utf8mb4), CAST(c AS CHAR CHARACTER SET utf8mb4), " +
			"EXTRACT(YEAR FROM day) FROM t",
		"SELECT x.a FROM (SELECT 1, 2) AS x (a, b), (SELECT 3) y (c)",
		"SELECT DATE_FORMAT(day, '%Y-%m') AS month, `update`, t.`delete`, t.into FROM t FORCE INDEX (i) WHERE note LIKE ('%a;b%')",
		"SELECT IF(a > 1, 'x', \"y\"), INTERVAL(1, 2), day + INTERVAL (1) DAY, MATCH (note) AGAINST ('x' IN BOOLEAN MODE), 1 - -1, 1.5e3 FROM t",
		"SELECT jt.a FROM t, JSON_TABLE(j, '$[*]' COLUMNS (a INT PATH '$.a')) AS jt",
		"VALUES (1, 2), (3, 4)", "((SELECT 1) UNION ALL (SELECT 2)) EXCEPT SELECT 3", "TABLE orders",
		"SELECT * FROM t FOR SYSTEM_TIME AS OF (NOW())", "SELECT a->'$.b', a->>'$.c', {d '2026-01-01'} FROM t",
		`SELECT "a\"; DELETE FROM orders; -- "`, `SELECT _gbk'\', writes(), '`, `SELECT n'\', writes(), '`, "SELECT `a;``b`",
		"SELECT 1 --\n-- ; x\n# ; x\n/* ; */",
	} {
		if err := mysql.Gate(sql, 0); err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
	}
}

// TestGateKnowsBracketsOfTheGrammar: the word before them is not a function.
func TestGateKnowsBracketsOfTheGrammar(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT * FROM t WHERE a > ANY (SELECT 1) OR a = SOME (WITH x AS (SELECT 1) SELECT * FROM x) OR a < ALL (SELECT 2)",
		"SELECT * FROM t, LATERAL (SELECT t.a) AS l", "SELECT * FROM t LEFT JOIN LATERAL (SELECT t.a) AS l ON 1",
		"SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (NESTED PATH '$.b[*]' COLUMNS (b INT PATH '$'))) AS jt",
		"SELECT CAST(a AS UNSIGNED), CAST(a AS SIGNED) FROM t WHERE b LIKE 'x|%' ESCAPE '|' LIMIT 1 OFFSET 2",
	} {
		if err := mysql.Gate(sql, 0); err != nil {
			t.Errorf("%s\n%v", sql, err)
		}
	}
}

// TestServerModes: the settings of the server do not change how SQL is read.
func TestServerModes(t *testing.T) {
	open(t)
	var was string
	if err := far.admin.QueryRow("SELECT @@GLOBAL.sql_mode").Scan(&was); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.admin.Exec("SET GLOBAL sql_mode = ?", was) })
	for _, mode := range []string{"ANSI_QUOTES", "ANSI", "NO_BACKSLASH_ESCAPES", "ORACLE", "PIPES_AS_CONCAT", "IGNORE_SPACE", ""} {
		if mode == "ORACLE" && !far.maria {
			continue
		}
		if _, err := far.admin.Exec("SET GLOBAL sql_mode = ?", mode); err != nil {
			t.Fatal(err)
		}
		var table warehousetest.Table
		_, err := open(t).Query(t.Context(), `SELECT "it's" AS a, 'b\'c' AS b`, nil, warehousetest.Wide, &table)
		if diff := cmp.Diff([][]any{{"it's", "b'c"}}, table.Rows); diff != "" || err != nil {
			t.Errorf("%s: %s, %v", mode, diff, err)
		}
	}
}

func TestLeastPrivilege(t *testing.T) {
	t.Parallel()
	c := openAs(t, func(to *warehouse.Target) { to.User = "poor" })
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil || len(tables) != 1 || tables[0].Name != "orders" || tables[0].Comment != "all of them" ||
		tables[0].Columns[0].Comment != "the number of the order" || tables[0].Columns[0].Nullable || !tables[0].Columns[3].Nullable {
		t.Errorf("%+v, %v", tables, err)
	}
	if _, err := c.Query(t.Context(), "SELECT COUNT(*) AS n FROM orders", nil, warehousetest.Wide, &warehousetest.Table{}); err != nil {
		t.Error(err)
	}
	_, err = c.Query(t.Context(), "SELECT * FROM kinds", nil, warehousetest.Wide, &warehousetest.Table{})
	want := `permission: The warehouse user may not read "kinds". Grant it SELECT, or use another table.`
	if got := told(err); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	// Another database is named as it has to be written.
	elsewhere := openAs(t, func(to *warehouse.Target) { to.Database = database + "2" })
	tables, err = elsewhere.Introspect(t.Context(), warehouse.Introspection{Table: database + ".orders"})
	if err != nil || len(tables) != 1 || tables[0].Name != database+".orders" {
		t.Errorf("%+v, %v", tables, err)
	}
}

func told(err error) string {
	switch bad, ok := errors.AsType[*warehouse.Error](err); {
	case err == nil:
		return ""
	case !ok:
		return "not in our words: " + err.Error()
	default:
		return string(bad.Class) + ": " + bad.Message
	}
}

func TestReachingAWarehouse(t *testing.T) {
	t.Parallel()
	open(t)
	nobody := warehousetest.Port(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	local := warehouse.Dialer{AllowPrivate: true}
	for _, try := range []struct {
		name   string
		dialer warehouse.Dialer
		change func(*warehouse.Target)
		want   string
	}{
		{"as it is", local, func(*warehouse.Target) {}, ""},
		{"without a database", local, func(to *warehouse.Target) { to.Database = "" }, ""},
		{"a private address", warehouse.Dialer{}, func(*warehouse.Target) {}, "connect: The host leads to a private or local address"},
		{
			"a name that leads to one",
			warehouse.Dialer{},
			func(to *warehouse.Target) { to.Host = "localhost" },
			"connect: The host leads to a private or local address",
		},
		{"nobody there", local, func(to *warehouse.Target) { to.Port = nobody }, "connect: Nothing answers on that port"},
		{
			"nobody speaks", local, func(to *warehouse.Target) { to.Port = silent.Addr().(*net.TCPAddr).Port },
			"connect: The host did not answer in time.",
		},
		{"no such database", local, func(to *warehouse.Target) { to.Database = "nope" }, "connect: The warehouse has no database of that name."},
		{"no such user", local, func(to *warehouse.Target) { to.User = "nope" }, "auth: The warehouse refused the user or the password."},
		{"a wrong password", local, func(to *warehouse.Target) { to.Password = salt }, "auth: The warehouse refused the user or the password."},
		{
			"a certificate of its own", local, func(to *warehouse.Target) { to.TLS = warehouse.TLSVerify },
			"connect: The certificate of the warehouse cannot be verified.",
		},
		{"a certificate that need not be verified", local, func(to *warehouse.Target) { to.TLS = warehouse.TLSRequire }, ""},
		{
			"no TLS there", local, func(to *warehouse.Target) { to.Port, to.TLS = plain(t), warehouse.TLSRequire },
			"connect: The warehouse does not speak TLS.",
		},
		{"a socket", local, func(to *warehouse.Target) { to.Host = "/var/run/mysqld/mysqld.sock" }, "connect: "},
		{"options in the name", local, func(to *warehouse.Target) { to.Database = database + "?allowAllFiles=true" }, "connect: "},
	} {
		to := far.target
		try.change(&to)
		c, err := mysql.Open(to, try.dialer)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if got := told(c.Ping(ctx)); !strings.HasPrefix(got, try.want) || try.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", try.name, got, try.want)
		}
		cancel()
	}
}

// plain is a server that greets as MySQL does, without TLS among its capabilities.
func plain(t *testing.T) (port int) {
	return warehousetest.Serve(t, func(_ int, conn net.Conn) {
		hello := "\x0a8.0.0\x00\x01\x00\x00\x0012345678\x00\xff\xf7\x2d\x02\x00\xff\x81\x15" +
			strings.Repeat("\x00", 10) + "123456789012\x00mysql_native_password\x00"
		conn.Write(append([]byte{byte(len(hello)), 0, 0, 0}, hello...))
		io.Copy(io.Discard, conn) // until the client has hung up
	}).Port
}

// TestOverTLS: queries, long rows and kills are the same when the connection is
// encrypted.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	c := openAs(t, func(to *warehouse.Target) { to.TLS = warehouse.TLSRequire })
	var table warehousetest.Table
	if _, err := c.Query(t.Context(), "SELECT VARIABLE_VALUE <> '' AS encrypted FROM information_schema.SESSION_STATUS "+
		"WHERE VARIABLE_NAME = 'Ssl_cipher'", nil, warehousetest.Wide, &table); err != nil || !cmp.Equal(table.Rows, [][]any{{int64(1)}}) {
		t.Errorf("%v, %v", table.Rows, err)
	}
	if stats, err := c.Query(t.Context(), "SELECT note FROM orders", nil, warehousetest.Wide, &warehousetest.Table{}); err != nil ||
		stats.Rows != 20_000 {
		t.Error(stats, err)
	}
	if _, err := c.Query(t.Context(), "SELECT REPEAT('x', 8000000) AS n", nil,
		warehousetest.Wide, &warehousetest.Table{}); !strings.HasPrefix(told(err), "too_large: ") {
		t.Error(err)
	}
}

// TestNoFileIsSent: a server may request any file from its client; the client sends none of them.
func TestNoFileIsSent(t *testing.T) {
	t.Parallel()
	c := openAs(t, func(*warehouse.Target) {})
	secret := t.TempDir() + "/secret"
	if err := os.WriteFile(secret, []byte(salt), 0o644); err != nil {
		t.Fatal(err)
	}
	c.Ungated(t.Context(), "LOAD DATA LOCAL INFILE '"+secret+"' INTO TABLE orders (note)", warehousetest.Wide, &warehousetest.Table{})
	var n int
	if err := far.admin.QueryRow("SELECT COUNT(*) FROM "+database+".orders WHERE note = ?", salt).Scan(&n); err != nil || n != 0 {
		t.Error(n, err)
	}
}

// TestRogueServer: a server may answer any question by asking for a file of its
// client's (protocol::LOCAL_INFILE_Request). It learns nothing.
func TestRogueServer(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(salt), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{secret, "Reader::" + secret, "/etc/hostname"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		said := make(chan []byte, 1)
		go func() {
			defer close(said)
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			packet := func(number byte, body string) {
				conn.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, number}, body...))
			}
			packet(0,
				"\x0a8.0.0\x00\x01\x00\x00\x0012345678\x00\xff\xf7\x2d\x02\x00\xff\x81\x15"+
					strings.Repeat("\x00", 10)+"123456789012\x00mysql_native_password\x00")
			buf := make([]byte, 64<<10)
			conn.Read(buf)
			packet(2, "\x00\x00\x00\x02\x00\x00\x00") // welcome
			conn.Read(buf)
			packet(1, "\xfb"+file)
			conn.SetReadDeadline(time.Now().Add(time.Second))
			rest, _ := io.ReadAll(conn)
			said <- rest
		}()
		c, err := mysql.Open(warehouse.Target{
			Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, User: "u", Password: "p", TLS: warehouse.TLSOff,
		}, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := c.Ping(ctx); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", file, err)
		}
		cancel()
		l.Close()
		// An empty packet means that there is no such file; then the client hangs up.
		if rest, came := <-said; !came || len(rest) > 16 || bytes.Contains(rest, []byte(salt)) {
			t.Errorf("%s: the client came: %t, and sent %d bytes: %q", file, came, len(rest), rest)
		}
	}
}

// TestWarnsOfUnknownZones: whoever connects a server without the names of time zones hears
// of it at once, and not by the refusal of a dashboard.
func TestWarnsOfUnknownZones(t *testing.T) {
	t.Parallel()
	c := openAs(t, func(*warehouse.Target) {})
	if got := c.Warning(t.Context()); got != "" {
		t.Errorf("zones are loaded: %s", got)
	}
	if got := c.ZoneWarning(t.Context(), "Asia/Tokyo"); !strings.Contains(got, "can only have the timezone UTC") {
		t.Errorf("an unknown zone: %q", got)
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	warehousetest.Concurrency(t, open(t), "SELECT SLEEP(60) AS n")
}
