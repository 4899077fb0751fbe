package warehousetest

import (
	"fmt"
	"strings"
	"testing"

	"service/store/sqltext"
	"service/store/warehouse"
)

// strange are names of columns that always need quotes: with capital letters, leading digits, spaces, quotes of each kind, a backslash, or
// letters outside ASCII.
var strange = []string{
	"my col", "OrderID", "ORDER", "1st", "7", "a-b", "a.b", "a,b", `say "hi"`, "it's", "back`tick", `back\slash`, `ends in \`, "größe",
	"日付", "été", "100%", "a;b", "a--b", "/*a*/", "#a", "$a", "a$b", "@a", "?", ":a", "(a)", "[a]", "select 1", "a\tb", "-",
}

// plain are names that are written without quotes.
var plain = []string{"day", "revenue", "orders", "country", "order_id", "_a", "a1", "year", "month", "name", "id", "status", "price"}

// Asking returns a function for [Names] that queries a connector.
func Asking(t *testing.T, c warehouse.Connector) func(sql string) (columns, row []string, err error) {
	return func(sql string) (columns, row []string, err error) {
		var table Table
		if _, err := c.Query(t.Context(), sql, nil, Wide, &table); err != nil {
			return nil, nil, err
		}
		if len(table.Rows) != 1 {
			return nil, nil, fmt.Errorf("%d rows", len(table.Rows))
		}
		for i, col := range table.Cols {
			columns, row = append(columns, col.Name), append(row, fmt.Sprint(table.Rows[0][i]))
		}
		return columns, row, nil
	}
}

// Names checks that a column of each name can be read by the output of [sqltext.Dialect.Write]: the server reads it as that column, not as
// a keyword, a function or another column. words are the keywords of the server, in lower case. ask runs a query of one row, and returns
// the names of its columns and its values as texts.
func Names(t *testing.T, d sqltext.Dialect, words []string, ask func(sql string) (columns, row []string, err error)) {
	t.Helper()
	if len(words) < 100 {
		t.Fatalf("the server has %d keywords, which cannot be all", len(words))
	}
	for _, name := range plain {
		if written := d.Write(name); written != name {
			t.Errorf("%s is written %s", name, written)
		}
	}
	// wrong returns the reason why the names cannot be read together, or "".
	wrong := func(names []string) string {
		var made, read, behind, grouped []string
		for i, name := range names {
			w := d.Write(name)
			made = append(made, fmt.Sprintf("%d AS %s", 1000+i, d.Quote(name)))
			read, grouped = append(read, w), append(grouped, w)
			behind = append(behind, fmt.Sprintf("sum(t.%s) + max(%s) AS n%d", w, w, i))
		}
		from := " FROM (SELECT " + strings.Join(made, ", ") + ") AS t WHERE " + read[0] + " = 1000 AND t." + read[len(read)-1] + " > 0"
		sql := "SELECT " + strings.Join(read, ", ") + from + " GROUP BY " + strings.Join(grouped, ", ") + " ORDER BY " + read[0]
		columns, row, err := ask(sql)
		if err != nil {
			return fmt.Sprintf("%s\n%v", sql, err)
		}
		for i, name := range names {
			if columns[i] != name || row[i] != fmt.Sprint(1000+i) {
				return fmt.Sprintf("%s\ncolumn %s is %s, and has the value %s", sql, name, columns[i], row[i])
			}
		}
		sql = "SELECT " + strings.Join(behind, ", ") + from
		if _, row, err = ask(sql); err != nil {
			return fmt.Sprintf("%s\n%v", sql, err)
		}
		for i, name := range names {
			if row[i] != fmt.Sprint(2*(1000+i)) {
				return fmt.Sprintf("%s\ncolumn %s has the value %s", sql, name, row[i])
			}
		}
		return ""
	}
	const together = 20
	names := append(append([]string{}, words...), strange...)
	for len(names) > 0 {
		some := names[:min(together, len(names))]
		names = names[len(some):]
		if wrong(some) == "" {
			continue
		}
		for _, name := range some {
			if why := wrong([]string{name}); why != "" {
				t.Errorf("%s is written %s:\n%s", name, d.Write(name), why)
			}
		}
	}
}
