package warehousetest

import (
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
)

// Growth checks SQL of up to most bytes with a gate, and fails the test if the time grows faster than n log n. Every shape with a known
// worst case belongs here; more adds those of one kind of warehouse.
func Growth(t *testing.T, most int, gate func(sql string), more map[string]func(n int) string) {
	for _, all := range []map[string]func(n int) string{shapes, more} {
		for name, shape := range all {
			t.Run(name, func(t *testing.T) {
				growthtest.Check(t, most, time.Millisecond, func(n int) (run func()) {
					sql := shape(n)
					return func() { gate(sql) } // other tests check whether it is refused
				})
			})
		}
	}
}

// Repeated returns SQL with n repetitions of a piece between a beginning and an end.
func Repeated(begin, piece, end string) func(n int) string {
	return func(n int) string {
		return begin + strings.Repeat(piece, max(0, n-len(begin)-len(end))/len(piece)) + end
	}
}

var shapes = map[string]func(n int) string{
	"parentheses":                        Repeated("SELECT ", "(", ""),
	"open calls":                         Repeated("SELECT ", "coalesce(", ""),
	"open braces":                        Repeated("SELECT ", "{", ""),
	"open brackets":                      Repeated("SELECT ", "[", ""),
	"lists in lists":                     Repeated("SELECT 1 IN ", "(1, ", ""),
	"columns":                            Repeated("SELECT ", "a,", "b"),
	"columns, semicolons":                func(n int) string { return Repeated("SELECT ", "a,", "b")(n-120) + strings.Repeat(";", 120) },
	"semicolons":                         Repeated("SELECT 1", ";", ""),
	"semicolons in comments that follow": Repeated("SELECT 1", ";--;\n/*;*/", ";"),
	"strings":                            Repeated("SELECT ", "'a' ", ""),
	"names in U&":                        Repeated("SELECT ", `U&"a" `, ""),
	"open dollar quotes":                 Repeated("SELECT ", "$a$b ", ""),
	"open comments":                      Repeated("SELECT ", "/*", ""),
	"comments":                           Repeated("SELECT ", "/* */ ", "1"),
	"comments in a row":                  Repeated("SELECT ", "/**/", "1"),
	"executed comments":                  Repeated("SELECT 1 /*", "! ", ""),
	"operators":                          Repeated("SELECT 1", "*+", "1"),
	"signs":                              Repeated("SELECT ", "+-", "1"),
	"casts":                              Repeated("SELECT ", "a::b", ""),
	"questions":                          Repeated("SELECT ", "a ? b : ", ""),
	"lambdas":                            Repeated("SELECT ", "x -> ", ""),
	"aliases":                            Repeated("SELECT ", "a AS b(", ""),
	"settings":                           Repeated("SELECT ", "settings ", ""),
	"settings of settings":               Repeated("SELECT settings ", "a.", ""),
	"a long name":                        Repeated("SELECT ", "a", "()"),
	"joins":                              Repeated("SELECT 1 FROM ", "a JOIN b ON ", ""),
	"WITH":                               Repeated("WITH ", "a AS (SELECT 1), ", "b AS (SELECT 2) SELECT 1"),
	"SQL in open quotes":                 Repeated("SELECT ", "query_to_xml('", ""),
	"SQL beside SQL":                     Repeated("SELECT ", "ts_stat('SELECT 1'),", ""),
	"SQL in a list":                      Repeated("SELECT ts_stat(", "'SELECT 1',", "1)"),
	"SQL in open calls":                  Repeated("SELECT ", "crosstab('SELECT 1',", ""),
	"SQL in SQL": func(n int) string { // each level doubles the quotes
		sql := "SELECT 1"
		for {
			outer := "SELECT query_to_xml('" + strings.ReplaceAll(sql, "'", "''") + "', true, true, '')"
			if len(outer) > n {
				return sql + strings.Repeat(" ", n-len(sql))
			}
			sql = outer
		}
	},
}
