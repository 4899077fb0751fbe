package mysql_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"service/store/warehouse"
	"service/store/warehouse/mysql"
	"service/store/warehouse/warehousetest"
)

// TestEffects runs SQL that the gate refuses on the server without the gate, in the read-only transaction that is rolled back, and shows
// that it has an effect all the same.
func TestEffects(t *testing.T) {
	c := openAs(t, func(*warehouse.Target) {})
	if far.out == "" {
		t.Skip("TEST_MYSQL_DSN leads to a server without our files")
	}
	shown := map[string]bool{}
	for _, try := range []struct{ entry, sql, want string }{
		{"load_file", "SELECT LOAD_FILE('/etc/hostname') IS NOT NULL AS v", "[[1]]"},
		// Nobody else gets the lock as long as the query runs, which may be minutes.
		{"get_lock", "SELECT IF(GET_LOCK('mine', 0), IS_USED_LOCK('mine') = CONNECTION_ID(), 0) AS v", "[[1]]"},
	} {
		shown[try.entry] = true
		var table warehousetest.Table
		if _, err := c.Ungated(t.Context(), try.sql, warehousetest.Wide, &table); err != nil || fmt.Sprint(table.Rows) != try.want {
			t.Errorf("%s\nwithout the gate: %v, %v", try.sql, table.Rows, err)
		}
	}
	// Effects that the server's parser refuses too, in brackets, are shown on a separate connection.
	raw, other := session(t), session(t)
	for _, sql := range []string{
		"START TRANSACTION READ ONLY", "SELECT 1 INTO OUTFILE '" + filepath.Join(far.out, "shown") + "'",
		"SELECT @a := 7", "SELECT id FROM " + database + ".orders WHERE id = 1 LOCK IN SHARE MODE",
	} {
		if _, err := raw.ExecContext(t.Context(), sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := other.ExecContext(t.Context(), "SELECT id FROM "+database+".orders WHERE id = 1 FOR UPDATE NOWAIT"); err == nil {
		t.Error("a row that is read in share mode can be locked")
	}
	if _, err := raw.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Error(err)
	}
	var kept int
	if err := raw.QueryRowContext(t.Context(), "SELECT @a").Scan(&kept); err != nil || kept != 7 {
		t.Errorf("a variable does not outlive the transaction: %d, %v", kept, err)
	}
	if files, err := filepath.Glob(filepath.Join(far.out, "shown")); err != nil || len(files) != 1 {
		t.Error("no file was written")
	}
	// These are parts of MySQL, of its plugins and of MariaDB's: see their manuals.
	documented := map[string]string{
		"asynchronous_connection_failover_*": "MySQL 14.18.3: adds and removes sources of replication",
		"group_replication_*":                "MySQL 14.18.1: makes another server the primary",
		"keyring_*":                          "MySQL 8.4.4.15: makes and removes keys, and replaces those of the server",
		"audit_log_*":                        "MySQL 8.4.5.11: sets filters, and rotates the log",
		"audit_api_*":                        "MySQL 8.4.6.4: writes to the log",
		"set_firewall_*":                     "MySQL 8.4.7.4: switches the firewall of an account or group off",
		"firewall_*":                         "MySQL 8.4.7.4: adds and removes accounts of a group",
		"mysql_firewall_*":                   "MySQL 8.4.7.4: resets counters",
		"masking_dictionar*":                 "MySQL 8.4.8: writes terms to a table",
		"gen_dictionary_load":                "MySQL 8.4.8: reads a file of the server",
		"gen_dictionary_drop":                "MySQL 8.4.8",
		"load_rewrite_rules":                 "MySQL 7.6.4: loads rules that change the statements of others",
		"mysqlbackup_page_track_*":           "MySQL Enterprise Backup: switches the tracking of pages on and off",
		"innodb_redo_log_consumer_*":         "MySQL 17.6.5: keeps the server from removing its redo log",
		"version_tokens_*":                   "MySQL 7.6.6.3: sets tokens and locks them",
		"service_get_read_locks":             "MySQL 7.6.9.1: locks names until the session ends",
		"service_get_write_locks":            "MySQL 7.6.9.1", "service_release_locks": "MySQL 7.6.9.1",
		"spider_*": "MariaDB, Spider functions: runs SQL on other servers, and copies tables",
	}
	for _, entry := range mysql.Effects() {
		if shown[entry] == (documented[entry] != "") {
			t.Errorf("%s is neither shown nor documented, or both", entry)
		}
	}
}

func session(t *testing.T) *sql.Conn {
	t.Helper()
	conn, err := far.admin.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.ExecContext(context.Background(), "ROLLBACK")
		conn.Close()
	})
	return conn
}

// TestNamesAreReadAsTheServerDoes: the server takes each for LOAD_FILE, and the gate
// does too. In its collation é is e.
func TestNamesAreReadAsTheServerDoes(t *testing.T) {
	t.Parallel()
	for _, call := range []string{
		"LOAD_FILE(%)", "load_file(%)", "LOAD_FILE (%)", "LOAD_FILE/**/(%)", "`LOAD_FILE`(%)", "`load_file` (%)", "{fn LOAD_FILE(%)}",
		"LOAD_FILE -- x\n (%)", "HEX(LOAD_FILE(%))",
		"LOAD_FILÉ(%)", "`löad_file`(%)", "`load_ﬁle`(%)", "`LOAD_FILE `(%)", "mariadb_schema.LOAD_FILE(%)",
		"`mariadb_schema` . `LOAD_FILE`(%)",
	} {
		query := "SELECT " + strings.Replace(call, "%", "'/etc/hostname'", 1) + " IS NOT NULL AS v"
		err := mysql.Gate(query, 0)
		if far.absent == "" {
			var table warehousetest.Table
			_, ran := openAs(t, func(*warehouse.Target) {}).Ungated(t.Context(), query, warehousetest.Wide, &table)
			t.Log(query, table.Rows, ran, "|", err)
			if ran == nil && err == nil {
				t.Errorf("%s\nthe server takes it, and it passes", query)
			}
		}
	}
}

// TestReadsRun: functions that only read may be called, whoever made them.
func TestReadsRun(t *testing.T) {
	open(t)
	before := state(t)
	for _, query := range []string{
		"SELECT adds(1, 2)", "SELECT `adds`(1, 2), " + database + ".adds(id, 1) FROM orders WHERE id < 3",
		"SELECT id FROM orders WHERE adds(id, 0) = 20009", "SELECT sys.ps_thread_id(1)",
		"SELECT CONNECTION_ID(), PASSWORD('x'), ROW_COUNT(), LAST_INSERT_ID()",
		"SELECT IS_USED_LOCK('taken'), RELEASE_LOCK('taken'), RELEASE_ALL_LOCKS()",
		"SELECT PREVIOUS VALUE FOR seq, LASTVAL(seq)", "SELECT MASTER_POS_WAIT('a', 1, 1)", "SELECT SLEEP(0), BENCHMARK(1, 1)",
		"SELECT 1 AS `lock`, 2 AS `update` FROM orders WHERE id = 1",
	} {
		if strings.Contains(query, "seq") && !far.maria {
			continue
		}
		var table warehousetest.Table
		if _, err := open(t).Query(t.Context(), query, nil, warehousetest.Wide, &table); err != nil || len(table.Rows) == 0 {
			t.Errorf("%s\n%v, %v", query, table.Rows, err)
		}
		if _, err := open(t).Describe(t.Context(), query, nil); err != nil {
			t.Errorf("%s\nit is not described: %v", query, err)
		}
	}
	if after := state(t); after != before {
		t.Error("something changed")
	}
	// This server lacks these: newer ones, and MySQL, have.
	for _, query := range []string{
		"SELECT BINLOG_GTID_POS('a', 1)",
		"SELECT VEC_DISTANCE_EUCLIDEAN(v, VEC_FromText('[1,2]')) AS d FROM t ORDER BY d LIMIT 3",
		"SELECT VEC_DISTANCE_COSINE(a, b), VEC_TOTEXT(a) FROM t", "SELECT STRING_TO_VECTOR('[1]'), my_db.my_function(1) FROM t",
	} {
		if err := mysql.Gate(query, 0); err != nil {
			t.Errorf("%s\n%v", query, err)
		}
	}
}
