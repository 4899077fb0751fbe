package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"service/store/storetest"
)

// TestOnlyServersMigrate: no admin command changes the schema of a database, neither of an empty one, which may be the wrong one, nor
// of one of an earlier release. Each names the command that migrates.
func TestOnlyServersMigrate(t *testing.T) {
	t.Parallel()
	commands := []string{
		"admin workspace create acme --name Acme --owner ann@example.com",
		"admin workspace list",
		"admin workspace plan acme paid",
		"admin member add acme ann@example.com",
		"admin member remove acme ann@example.com",
		"admin user list",
		"admin user delete ann@example.com",
		"admin grant list ann@example.com",
		"admin grant revoke 0190a1b2-0000-7000-8000-000000000001",
		"admin connection list acme ann@example.com",
		"admin connection test acme ann@example.com 0190a1b2-0000-7000-8000-000000000001",
		"admin upload add acme ann@example.com " + csvFile(t),
		"admin key rotate",
		"admin audit export",
	}
	for _, tc := range []struct {
		name, say string
		prepare   []string // statements, run after a migration; without statements there is no migration
	}{
		{"empty", "has no tables of this program", nil},
		{"earlier release", "service backup", []string{
			"DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			db := storetest.Empty(t)
			in := install(t, "DATABASE_URL="+databaseURL(db))
			if tc.prepare != nil {
				in.must("migrate")
			}
			for _, sql := range tc.prepare {
				if _, err := db.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			before := tables(t, db)
			for _, args := range commands {
				code, _, stderr := in.command(strings.Fields(args)...)
				if code != 1 || !strings.Contains(stderr, "run: service migrate") || !strings.Contains(stderr, tc.say) {
					t.Errorf("service %s: status %d:\n%s", args, code, stderr)
				}
			}
			if after := tables(t, db); before != after {
				t.Errorf("there were %d tables, and are %d", before, after)
			}
			if code, out, _ := in.command("migrate", "status"); code != 1 {
				t.Errorf("nothing is pending:\n%s", out)
			}
		})
	}
}

// TestNoDatabaseIsMade: a command that needs a database makes nothing in a mistyped data directory.
func TestNoDatabaseIsMade(t *testing.T) {
	t.Parallel()
	in := install(t)
	dir := filepath.Join(in.dir, "mistyped")
	for i, v := range in.environ {
		if strings.HasPrefix(v, "SERVICE_DATA_DIR=") {
			in.environ[i] = "SERVICE_DATA_DIR=" + dir
		}
	}
	for _, args := range []string{
		"admin user list", "admin workspace create acme --owner ann@example.com", "admin key rotate", "migrate status",
		"backup " + filepath.Join(in.dir, "one.dump"),
	} {
		code, _, stderr := in.command(strings.Fields(args)...)
		if want := "the data directory " + dir + " has no database"; code != 1 || !strings.Contains(stderr, want) ||
			!strings.Contains(stderr, "run: service migrate") {
			t.Errorf("service %s: status %d:\n%s", args, code, stderr)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("service %s made the data directory: %v", args, err)
		}
	}
	code, _, stderr := in.command("restore", filepath.Join(in.dir, "none.dump"))
	if _, err := os.Stat(dir); code != 1 || !strings.Contains(stderr, "no such file") || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a restore of no file: status %d, the data directory: %v\n%s", code, err, stderr)
	}
}

// tables returns the number of tables in a database.
func tables(t *testing.T, db *pgxpool.Pool) (n int) {
	t.Helper()
	if err := db.QueryRow(t.Context(), "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
