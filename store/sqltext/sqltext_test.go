package sqltext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/sqltext"
)

var (
	mysql      = sqltext.Dialect{Hash: true, DashSpace: true}
	clickhouse = sqltext.Dialect{DoubleName: true, EscapedNames: true, ASCII: true}
)

func words(tokens []sqltext.Token) string {
	var all []string
	for _, t := range tokens {
		switch t.Kind {
		case sqltext.Name:
			all = append(all, "<name>")
		case sqltext.String:
			all = append(all, "<string>")
		default:
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, " ")
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		d         sqltext.Dialect
		sql, want string // want is an error's message where it begins with a bang
	}{
		{mysql, "select a.b, 'it''s' from `t``x` -- end", "SELECT A . B , <string> FROM <name>"},
		{mysql, `select 'a\'; drop', "b\"c", 1--1 # x`, "SELECT <string> , <string> , 1 - - 1"},
		{mysql, "select 1 --\nfrom t", "SELECT 1 FROM T"},
		{mysql, "select /* a\nb */ 1", "SELECT 1"},
		{mysql, "select naïve()", "SELECT NAïVE ( )"},
		{mysql, "select a$b", "SELECT A$B"},
		{mysql, "select `a\\`, sleep(1), `b`", "SELECT <name> , SLEEP ( 1 ) , <name>"},
		{mysql, "select /*!50000 1 */", "!The SQL has a comment that the server executes, which is not allowed. Leave it out."},
		{mysql, "select /*M! 1 */", "!The SQL has a comment that the server executes, which is not allowed. Leave it out."},
		{mysql, "select /*+ SET_VAR(max_execution_time=0) */ 1", "!The SQL has a comment that the server executes, which is not allowed. Leave it out."},
		{mysql, "select /* /* */ 1 */", "!The SQL has a comment in a comment. Leave one out."},
		{mysql, "select /* 1", "!The SQL has a comment that does not end."},
		{mysql, "select 'abc", "!The SQL has quotes that do not end."},
		{mysql, `select 'abc\'`, "!The SQL has quotes that do not end."},
		{mysql, "select 1\x00, 2", "!The SQL has a control character. Pass values that need one as parameters."},
		{mysql, "select 1 --\x01 x", "!The SQL has a control character in a comment."},
		{mysql, "select 1 -- a\rfrom t", "!The SQL has a carriage return in a comment."},
		{mysql, "select $$ ' $$", "!The SQL has a $ where a name or a value begins. Write names in quotes, and strings in single ones."},
		{mysql, "select \xff", "!The SQL is not valid UTF-8."},
		{mysql, "select 1e5into outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, "select 1.5into outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, "select 1.into outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, "select 1.e3into outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, "select 5into outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, "select 0x1into outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, "select .5into outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, "select 1e5$ outfile '/tmp/x'", "!The SQL has a number that runs into a word. Put a space between them, and a name that begins with a digit in quotes."},
		{mysql, `select \Ninto outfile '/tmp/x'`, "!The SQL has a backslash outside of quotes."},
		{mysql, "select 1.5e3, 1.e3, 1e-5, .5, 0xFF, t1.e, 1. from t", "SELECT 1 . 5e3 , 1 . e3 , 1e - 5 , . 5 , 0xFF , T1 . E , 1 . FROM T"},
		{clickhouse, "select 1--1", "SELECT 1"},
		{clickhouse, `select "a\"b" from t`, "SELECT <name> FROM T"},
		{clickhouse, "select ‘a’", "!The SQL has a character that is not ASCII outside of quotes."},
		{clickhouse, "select aé", "!The SQL has a character that is not ASCII outside of quotes."},
		{clickhouse, "select 'é'", "SELECT <string>"},
	} {
		tokens, err := sqltext.Scan(try.sql, try.d)
		got := words(tokens)
		if err != nil {
			got = "!" + err.Error()
		}
		if diff := cmp.Diff(try.want, got); diff != "" {
			t.Errorf("%s: %s", try.sql, diff)
		}
	}
}

func TestStatement(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"select 1 ; ; -- x": "select 1 ",
		"select 1":          "select 1",
		"":                  "!The SQL is empty.",
		" ; -- x":           "!The SQL is empty.",
		"select ';'":        "select ';'",
		"select 1; select":  "!Only one SELECT statement can be run, and it may only read.",
	} {
		got, _, err := sqltext.Statement(sql, mysql)
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
}

func FuzzScan(f *testing.F) {
	f.Add("select 'a\\'' /* b */ -- c\n`d`")
	f.Fuzz(func(t *testing.T, sql string) {
		for _, d := range []sqltext.Dialect{mysql, clickhouse} {
			tokens, err := sqltext.Scan(sql, d)
			if err != nil {
				continue
			}
			end := 0
			for _, token := range tokens {
				if token.Pos < end || token.Pos >= len(sql) {
					t.Fatalf("%q: token at %d after %d", sql, token.Pos, end)
				}
				end = token.Pos + max(1, len(token.Text))
			}
		}
	})
}
