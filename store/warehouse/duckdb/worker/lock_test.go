package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"service/store/warehouse/duckdb/wire"
)

func locked(t *testing.T) *database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	db, err := openDatabase(t.Context(), 256, 2, "", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	if err := os.WriteFile(path, []byte("n\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table := wire.Table{Name: "t", Format: "csv", Path: path, Header: true, Columns: []column{{Name: "n", Type: "integer"}}}
	if err := db.load(table); err != nil {
		t.Fatal(err)
	}
	if err := db.lock(); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestLock runs statements past the gate: the second line holds by itself. This is not the last layer: see seal_linux.go.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	if err := os.WriteFile(secret, []byte("word\nxyzzy\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := locked(t)
	for _, sql := range []string{
		"SELECT * FROM read_csv('SECRET')",
		"SELECT * FROM read_text('SECRET')",
		"SELECT * FROM read_blob('SECRET')",
		"SELECT * FROM read_parquet('SECRET')",
		"SELECT * FROM 'SECRET'",
		"SELECT * FROM glob('DIR/*')",
		"COPY t TO 'DIR/out.csv'",
		"COPY t FROM 'SECRET'",
		"EXPORT DATABASE 'DIR/export'",
		"ATTACH 'DIR/new.db' AS n",
		"INSTALL httpfs",
		"LOAD httpfs",
		"LOAD 'DIR/x.duckdb_extension'",
		"SET enable_external_access = true",
		"SET lock_configuration = false",
		"SET memory_limit = '100GB'",
		"SET threads = 100",
		"SET temp_directory = 'DIR'",
		"SET GLOBAL disabled_filesystems = ''",
		"RESET disabled_filesystems",
		"RESET memory_limit",
		"SET autoload_known_extensions = true",
		"SET extension_directory = 'DIR'",
		"SET home_directory = 'DIR'",
		"PRAGMA enable_logging",
		"SET log_query_path = 'DIR/log'",
		"SET profiling_output = 'DIR/profile'",
	} {
		if err := db.exec(replace(sql, secret, dir)); err == nil {
			t.Errorf("%s works", sql)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("files afterwards: %v", left)
	}
	for name, want := range map[string]string{
		"enable_external_access": "false", "lock_configuration": "true", "threads": "2", "temp_directory": "",
		"allow_community_extensions":   "false",
		"autoinstall_known_extensions": "false", "autoload_known_extensions": "false",
	} {
		rows, err := db.all("SELECT value FROM duckdb_settings() WHERE name = $1", name)
		if err != nil || len(rows) != 1 || fmt.Sprint(rows[0][0]) != want {
			t.Errorf("%s is %v, %v, want %s", name, rows, err, want)
		}
	}
}
