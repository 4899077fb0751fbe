package worker

import (
	"strings"
	"testing"

	"service/store/warehouse"
)

// The end of a statement is cut off with any text after it, and a text that only looks like an end is not.
func TestEndsAreCut(t *testing.T) {
	t.Parallel()
	db := locked(t)
	for sql, want := range map[string]string{
		"SELECT 1":                            "SELECT 1",
		"SELECT 1;":                           "SELECT 1",
		"SELECT 1 ; ;\n;":                     "SELECT 1 ",
		"SELECT 1; -- ;":                      "SELECT 1",
		"SELECT 1; /* ; /* ; */ */ ; -- ;\n;": "SELECT 1",
		"SELECT 1 -- ;":                       "SELECT 1 -- ;",
		"SELECT 1 /* ; */ ;":                  "SELECT 1 /* ; */ ",
		"SELECT 1 -- a\r; -- b":               "SELECT 1 -- a\r",
		"SELECT 1;\ufeff;":                    "SELECT 1",
		"SELECT 1;\u200b":                     "SELECT 1",
		"SELECT ';'":                          "SELECT ';'",
		"SELECT ';' ; -- x;y":                 "SELECT ';' ",
		`SELECT E'\';' ;`:                     `SELECT E'\';' `,
		"SELECT $$;$$;":                       "SELECT $$;$$",
		"SELECT $a$;$$;$a$;":                  "SELECT $a$;$$;$a$",
		`SELECT n AS ";" FROM t;`:             `SELECT n AS ";" FROM t`,
		"SELECT MAP {{'a': 1}: 2};":           "SELECT MAP {{'a': 1}: 2}",
		"SELECT 1" + strings.Repeat(";", 999): "SELECT 1",
	} {
		got, err := db.check(sql, 0)
		if err != nil || got != want {
			t.Errorf("%.40q became %q, %v, want %q", sql, got, err, want)
			continue
		}
		if wrapped, err := db.parse("SELECT * FROM (" + got + "\n)"); err != nil || len(wrapped.Statements) != 1 {
			t.Errorf("%.40q became %q, which cannot be put in parentheses: %v", sql, got, err)
		}
	}
}

// The text that is cut off changes no error.
func TestErrorsAreOfTheWhole(t *testing.T) {
	t.Parallel()
	db := locked(t)
	for sql, want := range map[string]string{
		"":                    "there must be exactly one SELECT statement; this is 0",
		" ; -- x":             "there must be exactly one SELECT statement; this is 0",
		"SELECT 1; SELECT 2;": "there must be exactly one SELECT statement; this is 2",
		"SELECT 1; SELECT 2":  "there must be exactly one SELECT statement; this is 2",
		"SELECT (1;":          `the SQL cannot be parsed at or near ";"`,
		"SELECT (1":           "the SQL ends too early",
		"DROP TABLE t;":       "only one SELECT statement is allowed here, and DROP is not one",
		"SELECT 1; DROP t;":   `the SQL cannot be parsed at or near "t"`,
	} {
		if _, err := db.check(sql, 0); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", sql, err, want)
		}
	}
}

// TestOperatorsInARow: SQL that would take the engine's lexer long is refused before the lexer reads it; other SQL is not.
func TestOperatorsInARow(t *testing.T) {
	t.Parallel()
	db := locked(t)
	lines := func(sign string) string { return "-- " + strings.Repeat(sign, 80) + "\n" }
	for sql, want := range map[string]bool{
		"SELECT " + strings.Repeat("+-", 5_000) + "1":                                 false, // minutes
		"SELECT 1 -" + strings.Repeat("+-", 5_000) + "1":                              false,
		"SELECT /*--*/" + strings.Repeat("+-", 5_000) + "1":                           false,
		"SELECT /* */" + strings.Repeat("+*-", 5_000) + "/*":                          true,
		"SELECT " + strings.Repeat("/**/", 24_000) + "1":                              false, // 7 s
		"SELECT " + strings.Repeat("/*", 12_000) + strings.Repeat("*/", 12_000) + "1": false,
		"SELECT " + strings.Repeat("+/**/", 10_000) + "1":                             false,
		"SELECT " + strings.Repeat("/**/ ", 10_000) + "1":                             true,
		"SELECT " + strings.Repeat("- ", 100) + "1":                                   true,
		"SELECT 1 - -1 -+-+ 1 /*+ a *//* b */ -- c":                                   true,
		"/" + strings.Repeat("*", 90_000) + "/ SELECT 1":                              true,
		"--" + strings.Repeat("-", 90_000) + "\nSELECT 1":                             true,
		"SELECT '" + strings.Repeat("-", 90_000) + "'":                                true,
		strings.Repeat(lines("-"), 1000) + "SELECT 1":                                 true,
		strings.Repeat(lines("*"), 1000) + "SELECT 1":                                 true,
		strings.Repeat(lines("="), 1000) + "SELECT 1":                                 true,
		strings.Repeat(lines("+"), 200) + "SELECT 1":                                  true,
		strings.Repeat("/"+strings.Repeat("*", 78)+"/\n", 1000) + "SELECT 1":          true,
	} {
		_, err := db.check(sql, 0)
		e, _ := err.(*warehouse.Error)
		if refused := e != nil && strings.Contains(e.Message, "in a row"); refused == want {
			t.Errorf("%.40q: %v", sql, err)
		}
	}
}
