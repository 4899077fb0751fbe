package clickhouse_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"service/store/warehouse"
	"service/store/warehouse/clickhouse"
	"service/store/warehouse/warehousetest"
)

// far is the warehouse of these tests: a server of its own, or the one that
// TEST_CLICKHOUSE_DSN leads to as a user who may do anything, such as
// clickhouse://user:password@host:9000/database.
var far struct {
	admin  driver.Conn
	target warehouse.Target
	server *server
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
	if errors.Is(err, os.ErrNotExist) && (os.Getenv("CI") != "true" || runtime.GOARCH != "amd64") {
		far.absent = "there is no ClickHouse here (.ci/npm brings one): " + err.Error()
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// start brings a server and the fixture up.
func start() (stop func(), err error) {
	stop = func() {}
	dsn := os.Getenv("TEST_CLICKHOUSE_DSN")
	if dsn == "" {
		if far.server, err = serve(); err != nil {
			return stop, err
		}
		dsn, stop = far.server.dsn, far.server.stop
	}
	options, err := driver.ParseDSN(dsn)
	if err != nil {
		return stop, err
	}
	if far.admin, err = driver.Open(options); err != nil {
		return stop, err
	}
	inner := stop
	stop = func() {
		for _, sql := range append(fixture[:2:2], "DROP USER IF EXISTS conformance, poor, one, two, wide, strict") {
			far.admin.Exec(context.Background(), sql)
		}
		far.admin.Close()
		inner()
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = far.admin.Ping(context.Background()); err == nil {
			break
		}
		if time.Now().After(end) {
			return stop, fmt.Errorf("the server does not start: %w", err)
		}
	}
	host, port, err := net.SplitHostPort(options.Addr[0])
	if err != nil {
		return stop, err
	}
	far.target = warehouse.Target{Host: host, Database: database, User: "conformance", Password: password, TLS: warehouse.TLSOff}
	if far.target.Port, err = strconv.Atoi(port); options.TLS != nil {
		far.target.TLS = warehouse.TLSRequire
	}
	setup := slices.Concat(fixture, accounts)
	if far.server != nil {
		setup = append(fixture[:len(fixture):len(fixture)],
			"CREATE TABLE "+database+".spread AS "+database+".orders ENGINE = Distributed('twice', "+database+", orders)")
	}
	for _, sql := range setup {
		if err := errors.Join(err, far.admin.Exec(context.Background(), sql)); err != nil {
			return stop, fmt.Errorf("%s: %w", sql, err)
		}
	}
	return stop, nil
}

// fixture is the data that the tests query. The worst case is a user who may do anything, so that only we hold it back.
var fixture = []string{
	"DROP DATABASE IF EXISTS " + database,
	"DROP DATABASE IF EXISTS " + database + "2",
	"CREATE DATABASE " + database,
	"CREATE DATABASE " + database + "2",
	"CREATE TABLE " + database + ".orders (id Int32 COMMENT 'the number of the order', day Date, amount Decimal(12, 2), note " +
		"Nullable(String)) ENGINE = MergeTree ORDER BY id",
	"INSERT INTO " + database + ".orders SELECT number + 1, toDate('2026-01-01') + (number + 1) % 30, toDecimal64(number + 1, 2) / 100, " +
		"concat('n', toString(number + 1)) FROM numbers(20000)",
	"CREATE VIEW " + database + ".early AS SELECT * FROM " + database + ".orders WHERE day < '2026-01-10'",
	"CREATE TABLE " + database + ".`odd name` (`a b` UInt8) ENGINE = Memory",
	"CREATE DICTIONARY " + database + ".names (id UInt64, note String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT toUInt64(id) AS " +
		"id, assumeNotNull(note) AS note FROM " + database + ".orders LIMIT 10')) LAYOUT(HASHED()) LIFETIME(0)",
	"CREATE TABLE " + database + ".sparse (id UInt64, rare UInt64) ENGINE = MergeTree ORDER BY id SETTINGS " +
		"ratio_of_defaults_for_sparse_serialization = 0.5",
	"INSERT INTO " + database + ".sparse SELECT number, if(number % 1000 = 0, number, 0) FROM numbers(10000)",
	"CREATE TABLE " + database + "2.secrets (secret String) ENGINE = MergeTree ORDER BY secret",
	"INSERT INTO " + database + "2.secrets VALUES ('nobody else may know')",
}

// accounts are the users of the tests, where the server is not our own: see serve.
var accounts = []string{
	"CREATE USER OR REPLACE conformance IDENTIFIED WITH sha256_password BY 'correct horse \\'battery\\''",
	"GRANT ALL ON *.* TO conformance WITH GRANT OPTION",
	"CREATE USER OR REPLACE poor IDENTIFIED WITH sha256_password BY 'correct horse \\'battery\\''",
	"GRANT SELECT ON " + database + ".orders TO poor",
	"CREATE USER OR REPLACE one IDENTIFIED WITH sha256_password BY 'correct horse \\'battery\\'' SETTINGS readonly = 1",
	"CREATE USER OR REPLACE two IDENTIFIED WITH sha256_password BY 'correct horse \\'battery\\'' SETTINGS readonly = 2, " +
		"max_execution_time = 7, max_memory_usage = 2000000000",
	"CREATE USER OR REPLACE wide IDENTIFIED WITH sha256_password BY 'correct horse \\'battery\\'' SETTINGS readonly = 2",
	"GRANT ALL ON *.* TO wide",
	"CREATE USER OR REPLACE strict IDENTIFIED WITH sha256_password BY 'correct horse \\'battery\\'' SETTINGS max_execution_time = 3 MAX " +
		"3, max_result_rows = 500 MAX 500, max_memory_usage = 1000000000 CONST, timeout_overflow_mode = 'break', " +
		"max_block_size = 100",
	"GRANT SELECT ON " + database + ".* TO one, two, strict",
}

// A server is a real one of this binary's own.
type server struct {
	dsn   string
	files string // the folder that its file() reads, with secret.csv
	out   string // where a statement would write
	stop  func()
	pid   int
}

// serve starts a server. The error is [os.ErrNotExist] if it is not installed.
func serve() (*server, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	pattern := filepath.Join(cache, "service/clickhouse/node_modules/@chdb/*/libchdb.so")
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return nil, errors.Join(err, &os.PathError{Op: "find", Path: pattern, Err: os.ErrNotExist})
	}
	library := found[0]
	dir, err := os.MkdirTemp("", "clickhouse-")
	if err != nil {
		return nil, err
	}
	s := &server{files: filepath.Join(dir, "files"), out: filepath.Join(dir, "out"), stop: func() { os.RemoveAll(dir) }}
	fail := func(err error) (*server, error) {
		s.stop()
		return nil, err
	}
	launcher := filepath.Join(dir, "server")
	if out, err := exec.Command("cc", "-o", launcher, "testdata/server/server.c", "-ldl").CombinedOutput(); err != nil {
		return fail(fmt.Errorf("cc: %w\n%s", err, out))
	}
	port, release, err := warehousetest.Reserve()
	if err != nil {
		return fail(err)
	}
	s.stop = func() { release(); os.RemoveAll(dir) }
	config := fmt.Sprintf(`<clickhouse>
		<user_directories><users_xml><path>%[1]s/users.xml</path></users_xml></user_directories>
		<user_files_path>%[2]s/</user_files_path>
		<remote_servers><twice>
			<shard><replica><host>127.0.0.1</host><port>%[3]d</port></replica></shard>
			<shard><replica><host>localhost</host><port>%[3]d</port></replica></shard>
		</twice></remote_servers>
	</clickhouse>`, dir, s.files, port)
	user := func(name, profile, grants string) string {
		return fmt.Sprintf(
			`<%[1]s><password_sha256_hex>%[2]x</password_sha256_hex><networks><ip>127.0.0.0/8</ip></networks>`+
				`<profile>%[3]s</profile><quota>default</quota><grants>%[4]s</grants></%[1]s>`,
			name, sha256.Sum256([]byte(password)), profile, grants,
		)
	}
	const reading = "<query>GRANT SELECT ON " + database + ".*</query>"
	users := `<clickhouse>
		<profiles><default><http_max_tries>1</http_max_tries></default><one><readonly>1</readonly></one>
			<two><readonly>2</readonly><max_execution_time>7</max_execution_time>
				<max_memory_usage>2000000000</max_memory_usage></two>
			<strict><max_execution_time>3</max_execution_time><max_result_rows>500</max_result_rows><max_memory_usage>1000000000</max_memory_usage>
				<timeout_overflow_mode>break</timeout_overflow_mode><max_block_size>100</max_block_size>
				<constraints><max_execution_time><max>3</max></max_execution_time><max_result_rows><max>500</max></max_result_rows>
					<max_memory_usage><readonly/></max_memory_usage></constraints></strict>
		</profiles><quotas><default/></quotas>
		<users><default><password></password><networks><ip>127.0.0.0/8</ip></networks><profile>default</profile>
			<quota>default</quota><access_management>1</access_management><named_collection_control>1</named_collection_control></default>` +
		user("conformance", "default", "<query>GRANT ALL ON *.* WITH GRANT OPTION</query>") +
		user("poor", "default", "<query>GRANT SELECT ON "+database+".orders</query>") +
		user("one", "one", reading) + user("two", "two", reading) +
		user("wide", "two", "<query>GRANT ALL ON *.*</query>") + user("strict", "strict", reading) +
		`</users></clickhouse>`
	if err := errors.Join(os.Mkdir(s.files, 0o755), os.Mkdir(s.out, 0o755),
		os.WriteFile(filepath.Join(s.files, "secret.csv"), []byte("nobody else may know\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "config.xml"), []byte(config), 0o644),
		os.WriteFile(filepath.Join(dir, "users.xml"), []byte(users), 0o644)); err != nil {
		return fail(err)
	}
	running := exec.Command(launcher, library,
		"--config-file="+filepath.Join(dir, "config.xml"), "--path="+filepath.Join(dir, "data"),
		"--listen_host=127.0.0.1", fmt.Sprint("--tcp_port=", port),
		"--interactive", "--history_file="+filepath.Join(dir, "history"), "--query=SYSTEM START LISTEN TCP")
	running.Dir = s.files // for names without a path
	running.Stderr = os.Stderr
	if err := running.Start(); err != nil {
		return fail(err)
	}
	s.pid = running.Process.Pid
	s.stop = func() {
		running.Process.Kill() // nothing of it is kept
		running.Wait()
		release()
		os.RemoveAll(dir)
	}
	s.dsn = fmt.Sprintf("clickhouse://default@127.0.0.1:%d/default", port)
	return s, nil
}

func open(t testing.TB) *clickhouse.Connector { return openAs(t, func(*warehouse.Target) {}) }

func openAs(t testing.TB, change func(*warehouse.Target)) *clickhouse.Connector {
	t.Helper()
	if far.absent != "" {
		t.Skip(far.absent)
	}
	to := far.target
	change(&to)
	c, err := clickhouse.Open(to, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// one queries one text as the administrator.
func one(t testing.TB, sql string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var s string
	if err := far.admin.QueryRow(ctx, sql).Scan(&s); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return s
}

// state is all that a statement may change.
func state(t testing.TB) string {
	t.Helper()
	return stateOfServer(t) + stateOfFiles(t)
}

// stateOnceAsked returns a function like state that queries the server's part only if others have sent queries since: otherwise that part
// is unchanged.
func stateOnceAsked() func(t testing.TB) string {
	var ofServer string
	var asked int // queries of the server, up to our last
	return func(t testing.TB) string {
		t.Helper()
		now, err := strconv.Atoi(one(t, "SELECT toString(value) FROM system.events WHERE event = 'Query'"))
		if err != nil {
			t.Fatal(err)
		}
		if now != asked+1 {
			ofServer = stateOfServer(t)
			now++
		}
		asked = now
		return ofServer + stateOfFiles(t)
	}
}

func stateOfServer(t testing.TB) string {
	t.Helper()
	facts := []string{
		"SELECT toString((count(), min(id), max(id), sum(amount), sum(cityHash64(id, day, amount, note)))) FROM " + database + ".orders",
		"SELECT toString(groupArray(secret)) FROM " + database + "2.secrets",
		"SELECT toString(arraySort(groupArray((database, name, engine, create_table_query, total_rows)))) FROM system.tables WHERE database " +
			"NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')",
		"SELECT toString(arraySort(groupArray((database, table, active, rows)))) FROM system.parts WHERE database LIKE '" + database + "%'",
		"SELECT toString(arraySort(groupArray(name))) FROM system.databases",
		"SELECT toString(arraySort(groupArray((name, storage)))) FROM system.users",
		"SELECT toString(arraySort(groupArray((user_name, role_name, access_type, database, table, grant_option)))) FROM system.grants",
		"SELECT toString(arraySort(groupArray(name))) FROM system.roles",
		"SELECT toString(arraySort(groupArray((profile_name, user_name, setting_name, value)))) FROM system.settings_profile_elements",
		"SELECT toString(arraySort(groupArray(name))) FROM system.row_policies",
		"SELECT toString(arraySort(groupArray(name))) FROM system.quotas",
		"SELECT toString(arraySort(groupArray(name))) FROM system.named_collections",
		"SELECT toString(arraySort(groupArray((name, create_query)))) FROM system.functions WHERE origin != 'System'",
		"SELECT toString(arraySort(groupArray((name, status)))) FROM system.dictionaries",
		"SELECT toString(arraySort(groupArray((name, value)))) FROM system.server_settings WHERE name != 'max_server_memory_usage'",
		"SELECT toString(count()) FROM system.mutations",
	}
	return one(t, "SELECT concat(("+strings.Join(facts, "), '\n', (")+"))")
}

func stateOfFiles(t testing.TB) string {
	t.Helper()
	var all strings.Builder
	if far.server != nil {
		for _, dir := range []string{far.server.files, far.server.out} {
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				fmt.Fprintln(&all, f.Name())
			}
		}
	}
	return all.String()
}

// running counts the queries of the suite's users.
func running(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(one(t, "SELECT toString(count()) FROM system.processes "+
		"WHERE user IN ('conformance', 'poor', 'one', 'two', 'strict')"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
