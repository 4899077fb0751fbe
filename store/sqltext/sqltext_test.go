package sqltext_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"service/store/sqltext"
)

var (
	postgres   = sqltext.Postgres
	mysql      = sqltext.MySQL
	clickhouse = sqltext.ClickHouse
	bigquery   = sqltext.BigQuery
	trino      = sqltext.Trino
	databricks = sqltext.Databricks
	snowflake  = sqltext.Snowflake
)

func words(q sqltext.Query) string {
	var all []string
	for i, t := range q.Tokens {
		switch t.Kind {
		case sqltext.Name:
			all = append(all, "<name>")
		case sqltext.String:
			all = append(all, "<string>")
		case sqltext.Word:
			all = append(all, strings.ToUpper(q.Text(i)))
		default:
			all = append(all, q.Text(i))
		}
	}
	return strings.Join(all, " ")
}

func TestParse(t *testing.T) {
	t.Parallel()
	const (
		runs     = "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."
		executed = "!The SQL has a comment that the server executes, which is not allowed. Leave it out."
		nested   = "!The SQL has a comment in a comment. Leave one out."
		dollar   = "!The SQL has a $ where a name or a value begins. Write names in quotes, and strings in single ones."
		open     = "!The SQL has quotes that do not end."
	)
	for _, try := range []struct {
		d         sqltext.Dialect
		sql, want string // a want that begins with ! is the message of an error
	}{
		{mysql, "select a.b, 'it''s' from `t``x` -- end", "SELECT A . B , <string> FROM <name>"},
		{mysql, `select 'a\'; drop', "b\"c", 1--1 # x`, "SELECT <string> , <string> , 1 - - 1"},
		{mysql, "select 1 --\nfrom t", "SELECT 1 FROM T"},
		{mysql, "select /* a\nb */ 1", "SELECT 1"},
		{mysql, "select naïve()", "SELECT NAÏVE ( )"},
		{mysql, "select a$b", "SELECT A$B"},
		{mysql, "select `a\\`, sleep(1), `b`", "SELECT <name> , SLEEP ( 1 ) , <name>"},
		{mysql, "select /*!50000 1 */", executed},
		{mysql, "select /*M! 1 */", executed},
		{mysql, "select /*+ SET_VAR(max_execution_time=0) */ 1", executed},
		{mysql, "select /* /* */ 1 */", nested},
		{mysql, "select /* 1", "!The SQL has a comment that does not end."},
		{mysql, "select 'abc", open},
		{mysql, `select 'abc\'`, open},
		{mysql, "select 1\x00, 2", "!The SQL has a control character. Pass values that need one as parameters."},
		{mysql, "select 1 --\x01 x", "!The SQL has a control character in a comment."},
		{mysql, "select 1 -- a\rfrom t", "!The SQL has a carriage return in a comment."},
		{mysql, "select $$ ' $$", dollar},
		{mysql, "select \xff", "!The SQL is not valid UTF-8."},
		{mysql, "select 1e5into outfile '/tmp/x'", runs},
		{mysql, "select 1.5into outfile '/tmp/x'", runs},
		{mysql, "select 1.into outfile '/tmp/x'", runs},
		{mysql, "select 1.e3into outfile '/tmp/x'", runs},
		{mysql, "select 5into outfile '/tmp/x'", runs},
		{mysql, "select 0x1into outfile '/tmp/x'", runs},
		{mysql, "select .5into outfile '/tmp/x'", runs},
		{mysql, "select 1e5$ outfile '/tmp/x'", runs},
		{mysql, `select \Ninto outfile '/tmp/x'`, "!The SQL has a backslash outside of quotes."},
		{mysql, "select 1.5e3, 1.e3, 1e-5, .5, 0xFF, t1.e, 1. from t", "SELECT 1.5e3 , 1.e3 , 1e-5 , .5 , 0xFF , T1 . E , 1. FROM T"},
		{mysql, "select 1e-5into outfile '/tmp/x'", runs},
		{mysql, "select 1_000into outfile '/tmp/x'", runs},
		{clickhouse, "select 1--1", "SELECT 1"},
		{clickhouse, `select "a\"b" from t`, "SELECT <name> FROM T"},
		{clickhouse, "select ‘a’", "!The SQL has a character that is not ASCII outside of quotes."},
		{clickhouse, "select aé", "!The SQL has a character that is not ASCII outside of quotes."},
		{clickhouse, "select 'é'", "SELECT <string>"},
		{clickhouse, "select 1 // ' \n , 2 // '", "!The SQL has // in it, where the server reads a comment. Begin comments with --."},
		{clickhouse, "select $$ ' $$", dollar},
		{bigquery, `select """a "b" ; 'c'""", '''it's''', '', "" from t # ; x`, "SELECT <string> , <string> , <string> , <string> FROM T"},
		{bigquery, `select r'\', ', "it's" from \x`, "!The SQL has a backslash outside of quotes."},
		{bigquery, "select r'\\', ', b from `a\\`b`", "SELECT R <string> , B FROM <name>"},
		{bigquery, "select 'a''b'", "SELECT <string> <string>"},
		{bigquery, `select '''a''`, open},
		{
			snowflake, `select 'a\'b', 'it''s', "a""b", system$wait(1) from t -- x`,
			"SELECT <string> , <string> , <name> , SYSTEM$WAIT ( 1 ) FROM T",
		},
		{snowflake, "select $$ ' $$", dollar},
		{snowflake, "select 1 // ' \n , 2 // '", "!The SQL has // in it, where the server reads a comment. Begin comments with --."},
		{databricks, `select 'a\'b', "c;d", ` + "`e``f`" + ` from t -- x`, "SELECT <string> , <string> , <name> FROM T"},
		{databricks, `select r'\', 1`, "!The SQL has a raw string. Write it without r, and each backslash twice."},
		{databricks, `select R"a"`, "!The SQL has a raw string. Write it without r, and each backslash twice."},
		{databricks, `select r 'a', xr'a'`, "SELECT R <string> , XR <string>"},
		{databricks, "select 1 -- a\\\n, 2", "!The SQL has a comment that ends with a backslash. Leave that out."},
		{databricks, "select 1 -- a\\ b\n, 2", "SELECT 1 , 2"},
		{databricks, "select /*+ hint */ 1", "!The SQL has a comment that the server executes, which is not allowed. Leave it out."},
		{trino, `select 'a\', U&'\0027', "b""c", x -> x + 1 from t -- '`, "SELECT <string> , U & <string> , <name> , X - > X + 1 FROM T"},
		{trino, "select /* /* */ 1 */", nested},
		{trino, "select $$ ' $$", dollar},
		{trino, "select 1e5from t", runs},
		{trino, "select ‘a’", "!The SQL has a character that is not ASCII outside of quotes."},
		{bigquery, "select @p1, @@time_zone, ?", "SELECT @ P1 , @ @ TIME_ZONE , ?"},
		{bigquery, "select ‘a’", "!The SQL has a character that is not ASCII outside of quotes."},
		{postgres, `select 'a\', 1, E'\', 2'`, "SELECT <string> , 1 , E <string>"},
		{postgres, `select xe'\', 1`, "SELECT XE <string> , 1"},
		{postgres, "select $$ ' $$, $a$ $$ ; $a$, $1, a$b$c", "SELECT <string> , <string> , $1 , A$B$C"},
		{postgres, "select $a$ 1", open},
		{postgres, "select $1into", runs},
		{postgres, "select /* /* ; */ ' */ 1 /*+ hint */", "SELECT 1"},
		{postgres, "select /* /* */ 1", "!The SQL has a comment that does not end."},
		{postgres, `select u & "a", menu&"a", U&'\0041'`, "SELECT U & <name> , MENU & <name> , U & <string>"},
		{postgres, `select u&"a"`, `!The SQL has a name in U&"…". Write it with its own characters.`},
		{postgres, "select 1 -- a\rfrom t", "!The SQL has a carriage return in a comment."},
		{postgres, `select a::int, '{"a": 1}'::jsonb ? 'a'`, "SELECT A :: INT , <string> :: JSONB ? <string>"},
	} {
		q, err := sqltext.Parse(try.sql, try.d)
		got := words(q)
		if err != nil {
			got = "!" + err.Error()
		}
		if diff := cmp.Diff(try.want, got); diff != "" {
			t.Errorf("%s: %s", try.sql, diff)
		}
	}
}

func TestParseOneStatement(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"select 1 ; ; -- x": "select 1 ",
		"select 1":          "select 1",
		"":                  "!The SQL is empty.",
		" ; -- x":           "!The SQL is empty.",
		"select ';'":        "select ';'",
		"select 1; select":  "!Only one SELECT statement can be run, and it may only read.",
	} {
		q, err := sqltext.Parse(sql, mysql)
		got := q.SQL
		if err != nil {
			got = "!" + err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", sql, got, want)
		}
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	if line, column := sqltext.Position("select 'ä',\n  é x", len("select 'ä',\n  é ")); line != 2 || column != 5 {
		t.Errorf("%d:%d", line, column)
	}
	for _, at := range []int{-1, 4} {
		if line, column := sqltext.Position("abc", at); line != 0 || column != 0 {
			t.Errorf("%d is at %d:%d", at, line, column)
		}
	}
}

// TestIsFoldsASCIIAlone: the long s is not an S, and the kelvin sign is not a K.
func TestIsFoldsASCIIAlone(t *testing.T) {
	t.Parallel()
	q := sqltext.Read("SeLeCT ſelect \u212aill 'select' \"select\"")
	for i, want := range []bool{true, false, false, false, false} {
		if q.Is(i, "select", "kill") != want {
			t.Errorf("%s: %v", q.Text(i), !want)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	q := sqltext.Read("a \"b\"\"c\" `d``e` 'it''s' $$x$$ $tag$y$tag$")
	for i, want := range []string{"a", `b"c`, "d`e", "it's", "x", "y"} {
		if got := q.Value(i); got != want {
			t.Errorf("%s: %s", q.Text(i), got)
		}
	}
}

// Hostile SQL takes time in proportion to its length, and tokens leave out
// nothing but space.
func FuzzTokens(f *testing.F) {
	f.Add("select 'a\\'' /* b */ -- c\n`d`")
	f.Add("SELECT $a$ ' $a$, E'\\'', \"x\"\"y\", `z`, /* /* */ */ {{p.start}}")
	f.Fuzz(func(t *testing.T, sql string) {
		at := 0
		for tok := range sqltext.Tokens(sql) {
			if tok.From < at || tok.To <= tok.From || tok.To > len(sql) {
				t.Fatalf("token %d:%d behind %d of %d bytes", tok.From, tok.To, at, len(sql))
			}
			if gap := sql[at:tok.From]; strings.Trim(gap, " \t\n\r\f\v") != "" {
				t.Fatalf("skipped %q", gap)
			}
			at = tok.To
		}
		for _, d := range []sqltext.Dialect{postgres, mysql, clickhouse, bigquery, snowflake, trino, databricks} {
			q, err := sqltext.Parse(sql, d)
			if err != nil {
				continue
			}
			again, err := sqltext.Parse(q.SQL, d)
			if diff := cmp.Diff(q.Tokens, again.Tokens); diff != "" || err != nil {
				t.Fatalf("%q without its semicolons is read otherwise: %s, %v", q.SQL, diff, err)
			}
		}
	})
}

// Names are in quotes where a server needs them, and nowhere else.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, try := range []struct{ name, duckdb, postgres, mysql, clickhouse, bigquery, snowflake, trino, databricks string }{
		{"day", "day", "day", "day", "day", "day", "day", "day", "day"},
		{"at", `"at"`, `"at"`, "at", "at", "`at`", `"AT"`, "at", "`at`"},
		{"top", "top", "top", "top", "`top`", "top", "top", "top", "top"},
		{"order", `"order"`, `"order"`, "`order`", "`order`", "`order`", `"ORDER"`, `"order"`, "`order`"},
		{"rank", "rank", "rank", "`rank`", "rank", "rank", "rank", "rank", "rank"},
		{"OrderID", `"OrderID"`, `"OrderID"`, "OrderID", "OrderID", "OrderID", `"OrderID"`, `"OrderID"`, "OrderID"},
		{"Order", `"Order"`, `"Order"`, "`Order`", "`Order`", "`Order`", `"Order"`, `"Order"`, "`Order`"},
		{"my col", `"my col"`, `"my col"`, "`my col`", "`my col`", "`my col`", `"my col"`, `"my col"`, "`my col`"},
		{"1st", `"1st"`, `"1st"`, "`1st`", "`1st`", "`1st`", `"1st"`, `"1st"`, "`1st`"},
		{"größe", `"größe"`, `"größe"`, "`größe`", "`größe`", "`größe`", `"größe"`, `"größe"`, "`größe`"},
		{"", `""`, `""`, "``", "``", "``", `""`, `""`, "``"},
		{
			`say "hi"`, `"say ""hi"""`, `"say ""hi"""`, "`say \"hi\"`", "`say \"hi\"`", "`say \"hi\"`", `"say ""hi"""`, `"say ""hi"""`,
			"`say \"hi\"`",
		},
		{"a`b", "\"a`b\"", "\"a`b\"", "`a``b`", "`a\\`b`", "`a\\`b`", "\"a`b\"", "\"a`b\"", "`a``b`"},
		{`a\b`, `"a\b"`, `"a\b"`, "`a\\b`", "`a\\\\b`", "`a\\\\b`", `"a\b"`, `"a\b"`, "`a\\b`"},
	} {
		for dialect, want := range map[string]string{
			"duckdb": try.duckdb, "postgres": try.postgres, "mysql": try.mysql, "clickhouse": try.clickhouse,
			"bigquery": try.bigquery, "snowflake": try.snowflake, "trino": try.trino,
			"databricks": try.databricks,
		} {
			d := sqltext.DialectOf(dialect)
			got := d.Write(try.name)
			if got != want {
				t.Errorf("%s writes %q as %s, want %s", dialect, try.name, got, want)
			}
			// Its own lexer reads it as one name.
			q, err := sqltext.Parse("SELECT t."+got+" FROM t", d)
			if err != nil || len(q.Tokens) != 6 || q.Text(3) != got {
				t.Errorf("%s: %s is not one name: %v", dialect, got, err)
			}
		}
	}
}

// TestMemoryOfTokens: reading SQL takes at most three times the memory of its tokens. It is not parallel, because it counts what all
// goroutines allocate.
func TestMemoryOfTokens(t *testing.T) {
	sql := "SELECT " + strings.Repeat("(", 1<<18)
	for name, read := range map[string]func() sqltext.Query{
		"Read": func() sqltext.Query { return sqltext.Read(sql) },
		"Parse": func() sqltext.Query {
			q, err := sqltext.Parse(sql, sqltext.Postgres)
			if err != nil {
				t.Error(err)
			}
			return q
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		q := read()
		runtime.ReadMemStats(&after)
		took, result := after.TotalAlloc-before.TotalAlloc, uint64(len(q.Tokens))*uint64(unsafe.Sizeof(sqltext.Token{}))
		if len(q.Tokens) != 1<<18+1 || took > 3*result {
			t.Errorf("%s: %d bytes for %d tokens of %d bytes", name, took, len(q.Tokens), result)
		}
	}
}
