package tools

import (
	"errors"
	"testing"

	"service/store/sqltext"
	"service/store/warehouse"
)

// A syntax error at a name that the SQL gives a column has the form to write.
func TestAliasOfASyntaxError(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sql  string
		at   int // of the token at which the server stops
		want string
	}{
		{"SELECT day, sum(n) value FROM t", 7, `. If "value" is the name of a column, write AS "value"`},
		{"SELECT sum(n) order FROM t", 6, `. If "order" is the name of a column, write AS "order"`},
		{"SELECT sum(n) AS order FROM t", 6, `. "order" is a reserved word: as a name, write AS "order", or another name`},
		{"SELECT sum(n) AS user\nFROM t", 6, `. "user" is a reserved word: as a name, write AS "user", or another name`},
		{"SELECT sum(n), FROM t", 6, ""},
		{"SELECT n FROM t WHERE FROM u", 5, ""},
		{"SELECT n FROM t GROUP n", 5, ""},
		{"SELECT FROM t", 1, ""},
		{"SELECT (n FROM t", 3, ""},
		{"SELECT n + * FROM t", 3, ""},
	} {
		q := sqltext.Read(tc.sql)
		for _, said := range []string{"The SQL cannot be parsed", "The SQL cannot be parsed."} {
			e, want := warehouse.Errorf(warehouse.Syntax, "%s", said), said
			e.Line, e.Column = sqltext.Position(tc.sql, q.Tokens[tc.at].From)
			if tc.want != "" {
				want = "The SQL cannot be parsed" + tc.want
			}
			if got, _ := errors.AsType[*warehouse.Error](namedAlias("postgres", tc.sql, e)); got.Message != want {
				t.Errorf("%s: %s, want %s", tc.sql, got.Message, want)
			}
		}
	}
}
