package mysql_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"service/store/warehouse"
	"service/store/warehouse/mysql"
	"service/store/warehouse/warehousetest"
)

// far is the warehouse of these tests: a server of its own, or the one that
// TEST_MYSQL_DSN leads to as a user who may do anything.
var far struct {
	admin  *sql.DB
	target warehouse.Target
	out    string // a directory that the server can write to; empty when it is elsewhere
	pid    int    // of the server; 0 when it is elsewhere
	maria  bool
	absent string // why there is no server
}

const (
	database = "conformance"
	password = "correct horse 'battery'"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	stop, err := start()
	defer stop()
	if missing, ok := errors.AsType[*exec.Error](err); ok && os.Getenv("CI") != "true" {
		far.absent = "there is no MariaDB here: " + missing.Error()
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// start brings a server and the fixture up.
func start() (stop func(), err error) {
	stop = func() {}
	dsn := os.Getenv("TEST_MYSQL_DSN")
	if dsn == "" {
		server, err := warehousetest.StartMariaDB()
		if server != nil {
			stop = server.Stop
		}
		if err != nil {
			return stop, err
		}
		dsn, far.out, far.pid = server.DSN, server.Out, server.PID
		far.target.Host, far.target.Port = "127.0.0.1", server.Port
	}
	config, err := driver.ParseDSN(dsn)
	if err != nil {
		return stop, err
	}
	config.MultiStatements = true
	connector, err := driver.NewConnector(config)
	if err != nil {
		return stop, err
	}
	far.admin = sql.OpenDB(connector)
	inner := stop
	stop = func() {
		far.admin.Exec("DROP DATABASE " + database + "; DROP DATABASE " + database + "2; DROP USER conformance, poor")
		far.admin.Close()
		inner()
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = far.admin.Ping(); err == nil {
			break
		}
		if time.Now().After(end) {
			return stop, fmt.Errorf("the server does not start: %w", err)
		}
	}
	var version string
	if err := far.admin.QueryRow("SELECT VERSION() LIKE '%MariaDB%', VERSION()").Scan(&far.maria, &version); err != nil {
		return stop, err
	}
	if config.Net == "tcp" {
		host, port, err := net.SplitHostPort(config.Addr)
		if err != nil {
			return stop, err
		}
		far.target.Host = host
		far.target.Port, _ = strconv.Atoi(port)
	}
	far.target.Database, far.target.User, far.target.Password, far.target.TLS = database, "conformance", password, warehouse.TLSOff
	// The worst case: the user may do anything, and only we hold it back.
	_, err = far.admin.Exec(fmt.Sprintf(`
		CREATE DATABASE %[1]s CHARACTER SET utf8mb4; CREATE DATABASE %[1]s2; USE %[1]s;
		CREATE TABLE digits (d int); INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
		CREATE TABLE orders (id int PRIMARY KEY COMMENT 'the number of the order', day date NOT NULL, amount decimal(12, 2) NOT NULL, note
		varchar(100)) COMMENT 'all of them';
		INSERT INTO orders SELECT i, DATE '2026-01-01' + INTERVAL (i %% 30) DAY, i / 100, CONCAT('n', i)
		  FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS i FROM digits a, digits b, digits c, digits e, digits
		f) AS x WHERE i <= 20000;
		CREATE VIEW early AS SELECT * FROM orders WHERE day < '2026-01-10';
		CREATE TABLE `+"`group`"+` (`+"`key`"+` int);
		CREATE TABLE kinds (tiny tinyint(1), small smallint unsigned, big bigint unsigned, bits bit(12), f float, d double, price
		decimal(30, 10), y year, t time, at timestamp NULL, dt datetime(6),
		  e enum('a', 'b'), s set('a', 'b'), j json, b blob, v varbinary(10), words text, zero date, part date);
		SET sql_mode = ''; SET time_zone = '+00:00';
		INSERT INTO kinds VALUES (1, 65535, 18446744073709551615, b'101', 0.1, 0.1, 12345678901234567890.5, 2026, '-10:11:12',
		'2026-02-03 04:05:06', '2026-02-03 04:05:06.123456',
		  'b', 'a,b', '{"a": 1}', 0x00ff, 'plain', 'ünï', '0000-00-00', '2026-02-00');
		CREATE USER conformance IDENTIFIED BY '%[2]s'; GRANT ALL ON *.* TO conformance WITH GRANT OPTION;
		CREATE FUNCTION writes() RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO orders VALUES (-1, '2026-01-01', 0, ''); RETURN 1; END;
		CREATE FUNCTION adds(a int, b int) RETURNS int READS SQL DATA RETURN a + b + (SELECT MAX(d) FROM digits);
		CREATE DEFINER = conformance FUNCTION stubborn() RETURNS int BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; LOOP DO
		SLEEP(60); END LOOP; RETURN 1; END;
		CREATE VIEW sleeps AS SELECT SLEEP(60) AS n; CREATE VIEW toils AS SELECT BENCHMARK(1000000000000, MD5('x')) AS n; CREATE VIEW waits
		AS SELECT GET_LOCK('held', 60) AS n;
		CREATE DEFINER = conformance VIEW persists AS SELECT stubborn() AS n;
		CREATE PROCEDURE proc() INSERT INTO orders VALUES (-1, '2026-01-01', 0, '');
		CREATE USER poor IDENTIFIED BY '%[2]s'; GRANT SELECT ON %[1]s.orders TO poor`, database, "correct horse ''battery''"))
	if err == nil {
		err = loadZones(far.admin)
	}
	if err == nil && far.maria {
		_, err = far.admin.Exec("CREATE SEQUENCE " + database + ".seq")
	}
	return stop, err
}

func open(t testing.TB) warehouse.Connector { return openAs(t, func(*warehouse.Target) {}) }

func openAs(t testing.TB, change func(*warehouse.Target)) *mysql.Connector {
	t.Helper()
	if far.absent != "" {
		t.Skip(far.absent)
	}
	to := far.target
	change(&to)
	c, err := mysql.Open(to, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// state is all that a statement may change.
func state(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := far.admin.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SET SESSION group_concat_max_len = 1000000"); err != nil {
		t.Fatal(err)
	}
	variables := "performance_schema.global_variables"
	if far.maria {
		variables = "information_schema.GLOBAL_VARIABLES"
	}
	var all string
	if err := conn.QueryRowContext(ctx, `SELECT CONCAT_WS('\n',
		(SELECT CONCAT_WS(' ', 'orders', COUNT(*), MIN(id), MAX(id), SUM(amount), SUM(day), MAX(note)) FROM `+database+`.orders),
		(SELECT GROUP_CONCAT(TABLE_SCHEMA, '.', TABLE_NAME ORDER BY 1 SEPARATOR ' ') FROM information_schema.TABLES WHERE TABLE_SCHEMA NOT
		IN ('information_schema', 'performance_schema')),
		(SELECT GROUP_CONCAT(ROUTINE_NAME ORDER BY 1 SEPARATOR ' ') FROM information_schema.ROUTINES), (SELECT COUNT(*) FROM
		information_schema.EVENTS),
		(SELECT COUNT(*) FROM information_schema.TRIGGERS), (SELECT GROUP_CONCAT(SCHEMA_NAME ORDER BY 1 SEPARATOR ' ') FROM
		information_schema.SCHEMATA),
		(SELECT COUNT(*) FROM information_schema.STATISTICS), (SELECT GROUP_CONCAT(GRANTEE, PRIVILEGE_TYPE ORDER BY 1 SEPARATOR ' ') FROM
		information_schema.USER_PRIVILEGES),
		(SELECT GROUP_CONCAT(PLUGIN_NAME ORDER BY 1 SEPARATOR ' ') FROM information_schema.PLUGINS),
		(SELECT GROUP_CONCAT(VARIABLE_NAME, '=', VARIABLE_VALUE ORDER BY VARIABLE_NAME SEPARATOR ' ') FROM
		`+variables+` WHERE VARIABLE_NAME NOT LIKE 'gtid%'),
		IF(IS_USED_LOCK('taken') IS NULL, 'no lock', 'locked'))`).Scan(&all); err != nil {
		t.Fatal(err)
	}
	if far.maria {
		var next int64
		if err := conn.QueryRowContext(ctx, "SELECT next_not_cached_value FROM "+database+".seq").Scan(&next); err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprint("\nseq ", next)
	}
	if far.out != "" {
		files, err := os.ReadDir(far.out)
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprint("\n", files)
	}
	return all
}

// running counts the sessions of the suite's user. The server lists statements in a routine under the name of the routine's definer, so the
// user defines stubborn.
func running(t testing.TB) (n int) {
	t.Helper()
	if err := far.admin.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'conformance'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// resident is the memory of the server.
func resident(t testing.TB) int {
	t.Helper()
	if far.pid == 0 {
		t.Skip("the server is elsewhere")
	}
	return warehousetest.Resident(t, far.pid)
}

// salt is a text that cannot be in the data.
var salt = rand.Text()

// loadZones makes the time zones of the suite known to the server, as its
// administrator does with mysql_tzinfo_to_sql.
func loadZones(admin *sql.DB) error {
	for _, name := range warehousetest.Zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return err
		}
		made, err := admin.Exec("INSERT INTO mysql.time_zone (Use_leap_seconds) VALUES ('N')")
		if err != nil {
			return err
		}
		id, err := made.LastInsertId()
		if err != nil {
			return err
		}
		if _, err := admin.Exec("INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES (?, ?)", name, id); err != nil {
			return err
		}
		kinds := map[string]int{}
		for at := time.Date(1970, 1, 1, 0, 0, 0, 0, zone); ; {
			abbreviation, offset := at.Zone()
			key := abbreviation + strconv.Itoa(offset)
			kind, known := kinds[key]
			if !known {
				kind = len(kinds)
				kinds[key] = kind
				if _, err := admin.Exec(
					"INSERT INTO mysql.time_zone_transition_type (Time_zone_id, Transition_type_id, `Offset`, Is_DST, Abbreviation) VALUES (?, ?, ?, ?, "+
						"?)",
					id, kind, offset, at.IsDST(), abbreviation); err != nil {
					return err
				}
			}
			if _, err := admin.Exec("INSERT INTO mysql.time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES (?, ?, ?)",
				id, at.Unix(), kind); err != nil {
				return err
			}
			_, end := at.ZoneBounds()
			if end.IsZero() || end.Year() > 2037 {
				break
			}
			at = end
		}
	}
	return nil
}
