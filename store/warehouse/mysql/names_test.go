package mysql_test

import (
	"testing"

	"service/store/sqltext"
	"service/store/warehouse/warehousetest"
)

// TestNamesOfColumns: each of the server's keywords can be read as the name of a column as it is written for introspect_schema and drafts.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	c := open(t)
	rows, err := far.admin.QueryContext(t.Context(),
		"SELECT LOWER(WORD) FROM information_schema.KEYWORDS WHERE WORD REGEXP '^[A-Za-z_]' ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var words []string
	for rows.Next() {
		var word string
		if err := rows.Scan(&word); err != nil {
			t.Fatal(err)
		}
		words = append(words, word)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	warehousetest.Names(t, sqltext.MySQL, words, warehousetest.Asking(t, c))
}
