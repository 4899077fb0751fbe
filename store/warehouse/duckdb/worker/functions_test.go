package worker

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
)

type column = cube.Column

func replace(sql, secret, dir string) string {
	return strings.NewReplacer("SECRET", secret, "DIR", dir).Replace(sql)
}

// TestFunctionList compares the functions that are allowed and those that are
// known to be refused with those that the engine has: an upgrade that brings a
// new one fails here until somebody decides about it.
func TestFunctionList(t *testing.T) {
	t.Parallel()
	db := locked(t)
	rows, err := db.all("SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')")
	if err != nil {
		t.Fatal(err)
	}
	var has []string
	for _, row := range rows {
		has = append(has, row[0].(string))
	}
	data, err := os.ReadFile("testdata/functions_refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	decided := append(strings.Fields(strings.ToLower(string(data))), functionNames...)
	decided = slices.DeleteFunc(decided, func(s string) bool { return s == "unnest" }) // the binder's own
	slices.Sort(has)
	slices.Sort(decided)
	if diff := cmp.Diff(slices.Compact(decided), slices.Compact(has)); diff != "" {
		t.Errorf("decided (-) and there (+)\n%s", diff)
	}
	if all := slices.Compact(decided); len(all) != len(strings.Fields(string(data)))+len(functionNames)-1 {
		t.Errorf("a function is on both lists")
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"Revenue", "region", "orders", "order_id", "day"}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"revenu", []string{"Revenue"}},
		{"REGOIN", []string{"region"}},
		{"order", []string{"orders", "order_id"}},
		{"dya", []string{"day"}},
		{"dau", []string{"day"}},
		{"zzz", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tt.want, likeliest(tt.name, names)); diff != "" {
			t.Errorf("%s\n%s", tt.name, diff)
		}
	}
}

// FuzzCheck looks for SQL that the gate accepts although it is not a query: accepted SQL must still be one SELECT between parentheses.
func FuzzCheck(f *testing.F) {
	for _, sql := range []string{
		"SELECT 1", "SELECT 1;", "SELECT ';' -- ;", "VALUES (1)", "WITH t AS (SELECT 1) SELECT * FROM t /* ; */ ; ;",
		"SELECT 1) UNION (SELECT 2", "SELECT $$;$$;", "FROM t", "SELECT \"a;\" FROM t --", "SELECT E'\\';' ;",
	} {
		f.Add(sql)
	}
	db, err := openDatabase(f.Context(), 256, 1, "")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(db.close)
	if err := db.exec("CREATE TABLE t AS SELECT 1 AS n"); err != nil {
		f.Fatal(err)
	}
	if err := db.learn("t"); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		checked, err := db.check(sql, 0)
		if err != nil {
			return
		}
		wrapped, err := db.parse("SELECT * FROM (" + checked + "\n) LIMIT 1")
		if err != nil || len(wrapped.Statements) != 1 {
			t.Errorf("%q became %q, which is not one SELECT between parentheses: %v", sql, checked, err)
		}
	})
}
