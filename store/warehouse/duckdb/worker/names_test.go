package worker

import (
	"encoding/json"
	"fmt"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/warehouse/warehousetest"
)

// TestNamesOfTables finds out which of the engine's words can be the name of a table. Those that a spec may use name a table without
// quotes, and no others of the engine's words are refused.
func TestNamesOfTables(t *testing.T) {
	t.Parallel()
	db, err := openDatabase(t.Context(), 256, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	words, err := db.all(`
		SELECT word, bool_and(free) FROM (
		       SELECT keyword_name AS word, keyword_category = 'unreserved' AS free FROM duckdb_keywords() UNION ALL
		       SELECT function_name, true FROM duckdb_functions()
		        WHERE function_type LIKE '%table%' AND regexp_full_match(function_name, '[a-z]\w*'))
		 GROUP BY word`)
	if err != nil || len(words) < 400 {
		t.Fatal(len(words), err)
	}
	for _, row := range words {
		word, free := row[0].(string), row[1].(bool)
		_, err := dashboard.ParseUploads(json.RawMessage(fmt.Sprintf(`{"%s": "0198c0de-77aa-7b01-8f00-4d1f2a3b4c5d"}`, word)))
		if err != nil {
			if free && !hasOwnPrefix(word) {
				t.Errorf("%s is refused, and could name a table: %v", word, err)
			}
			continue
		}
		if err := db.exec("CREATE TABLE " + identifier(word) + " AS SELECT 1 AS n"); err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		if err := db.learn(word); err != nil {
			t.Fatal(err)
		}
		learnt := db.tables[len(db.tables)-1]
		if len(learnt.Columns) != 1 || learnt.Columns[0].Type != cube.Integer {
			t.Errorf("%s has the columns %v", word, learnt.Columns)
		}
		sql := "SELECT sum(a.n) FROM " + word + " AS a JOIN " + word + " ON a.n = " + word + ".n WHERE a.n IN (SELECT n FROM " + word + ")"
		if _, err := db.prepare(sql, nil); err != nil {
			t.Errorf("%s is taken, and cannot be read: %v", word, err)
		}
		if err := db.exec("DROP TABLE " + identifier(word)); err != nil {
			t.Fatal(err)
		}
	}
}

func hasOwnPrefix(word string) bool {
	for _, prefix := range []string{"duckdb_", "pg_", "sqlite_", "pragma_"} {
		if len(word) > len(prefix) && word[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

// TestNamesOfColumns: each of the engine's keywords can be read as the name of a column as it is written for introspect_schema and drafts.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	db, err := openDatabase(t.Context(), 256, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	rows, err := db.all("SELECT DISTINCT keyword_name FROM duckdb_keywords() ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, row := range rows {
		words = append(words, row[0].(string))
	}
	warehousetest.Names(t, sqltext.Dialect{}, words, func(sql string) (columns, row []string, err error) {
		q, err := db.prepare(sql, nil)
		if err != nil {
			return nil, nil, err
		}
		found, err := db.all(q.sql)
		if err != nil {
			return nil, nil, err
		}
		for i, c := range q.columns {
			columns, row = append(columns, c.Name), append(row, fmt.Sprint(found[0][i]))
		}
		return columns, row, nil
	})
}
