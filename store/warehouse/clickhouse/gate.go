package clickhouse

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

var dialect = sqltext.Dialect{Hash: true, DoubleName: true, EscapedNames: true, ASCII: true}

// tables are the table functions that make rows out of nothing, or read what is in
// the server.
var tables = set("NUMBERS NUMBERS_MT ZEROS ZEROS_MT VALUES VIEW GENERATE_SERIES GENERATESERIES NULL MERGE DICTIONARY")

// outside are functions that reach other systems or files, wait, or leave something
// behind, wherever they stand: a server of today takes a table function after FROM
// and JOIN alone, one of yesterday maybe elsewhere. HIVE and MEILISEARCH are of
// yesterday. outsides are beginnings of the names of such.
var (
	outside = set(`URL URLCLUSTER FILE FILECLUSTER FILESYSTEM S3 S3CLUSTER S3QUEUE GCS GCSCLUSTER OSS COSN HDFS HDFSCLUSTER REMOTE REMOTESECURE CLUSTER CLUSTERALLREPLICAS MYSQL
		POSTGRESQL MONGODB REDIS SQLITE JDBC ODBC EXECUTABLE EXECUTABLEPOOL INPUT EVAL HIVE MEILISEARCH HASCOLUMNINTABLE REVERSEDNSQUERY SLEEP SLEEPEACHROW LOOP GENERATESERIALID LOGTRACE`)
	outsides = []string{"ICEBERG", "DELTALAKE", "HUDI", "PAIMON", "AZURE", "YTSAURUS", "ARROWFLIGHT", "TIMESERIES", "PROMETHEUS", "CATBOOST", "AI"}
)

// scalar are the names of such functions that are called on values. The server
// tells case apart in them, and takes a name alone for a function where another
// function wants one: arrayMap(file, …) reads files.
var scalar = regexp.MustCompile(`^(file|sleep|sleepEachRow|hasColumnInTable|reverseDNSQuery|catboostEvaluate|generateSerialID|logTrace|(ai|AI)[A-Z][A-Za-z]*)$`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// gate lets a query through that reads nothing but the server's own tables. It
// returns it without the semicolon at its end, its placeholders having the types
// of their values, and the values as ClickHouse reads them, by name.
func gate(sql string, args []any) (string, map[string]string, error) {
	sql, tokens, err := sqltext.Statement(sql, dialect)
	if err != nil {
		return "", nil, err
	}
	first := 0
	for first < len(tokens)-1 && tokens[first].Is("(") {
		first++
	}
	if !tokens[first].Is("SELECT", "WITH", "FROM") {
		return "", nil, sqltext.Refuse(sql, tokens[first].Pos, warehouse.SayOneSelect)
	}
	if message, pos := judge(sql, tokens); message != "" {
		return "", nil, sqltext.Refuse(sql, pos, message)
	}
	return bind(sql, tokens, args)
}

// judge says what is wrong with a query, and where.
func judge(sql string, tokens []sqltext.Token) (message string, pos int) {
	type level struct {
		query  bool   // a SELECT, or what is around one
		clause string // the part of it
		caller string // the word before the bracket
	}
	levels := []level{{}}
	at := func(i int) sqltext.Token {
		if i < 0 || i >= len(tokens) {
			return sqltext.Token{Kind: sqltext.Symbol}
		}
		return tokens[i]
	}
	for i, t := range tokens {
		now, before, after := &levels[len(levels)-1], at(i-1), at(i+1)
		called := after.Is("(") && (t.Kind == sqltext.Word || t.Kind == sqltext.Name)
		named := t.Kind == sqltext.Word || t.Kind == sqltext.Name
		qualified := before.Is(".") && at(i-2).Kind != sqltext.Number // the point in 1. is the number's
		switch {
		case t.Is("/") && before.Is("/") && before.Pos == t.Pos-1:
			return "The SQL has // in it, where the server reads a comment. Begin comments with --.", before.Pos
		case t.Is("("):
			inner := level{}
			if before.Kind == sqltext.Word {
				inner.caller = before.Text
			}
			levels = append(levels, inner)
			continue
		case t.Is(")"):
			if len(levels) == 1 {
				return unpaired, t.Pos
			}
			levels = levels[:len(levels)-1]
			continue
		case qualified && !called:
			continue // a name, whatever it is called
		case called && (t.Kind == sqltext.Name || before.Is(".")):
			return "A name in quotes or of a database cannot be called: only functions can.", t.Pos
		case t.Is("INTO", "OUTFILE", "SETTINGS"), t.Is("FORMAT") && !called && (after.Kind == sqltext.Word && !after.Is("FROM") || after.Kind == sqltext.Name):
			return "INTO, FORMAT and SETTINGS cannot be used: the rows can only be read. Write a name that is such a word in quotes.", t.Pos
		case t.Is("PARALLEL") && after.Is("WITH"), t.Is("DELETE") && after.Is("FROM"):
			return warehouse.SayOneSelect, t.Pos
		case called && reaches(t.Text):
			return fmt.Sprintf(`The function "%s" cannot be used: it may reach beyond the tables of the warehouse.`, t.Text), t.Pos
		case called && now.query && (now.clause == "FROM" || now.clause == "JOIN") && before.Is("FROM", "JOIN", ",") && !tables[t.Text]:
			return fmt.Sprintf(`The table function "%s" cannot be used: it may reach beyond the tables of the warehouse.`, t.Text), t.Pos
		case named && !called && refers(sql, t) && (before.Is("APPLY") || now.caller == "APPLY" && before.Is("(") ||
			!now.query && (before.Is("(") && (now.caller == "" || !after.Is(")")) || before.Is(","))):
			return "A function that may reach beyond the tables of the warehouse has this name. Write a column of that name with its table, such as t.file.", t.Pos
		}
		switch {
		case t.Is("SELECT", "WITH"):
			now.query, now.clause = true, t.Text
		case t.Is("FROM") && (now.query || before.Is("(") || i == 0):
			now.query, now.clause = true, t.Text
		case t.Is("JOIN"):
			if now.clause = t.Text; before.Is("ARRAY") {
				now.clause = "ARRAY"
			}
		case t.Is("WHERE", "PREWHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "WINDOW", "QUALIFY"):
			now.clause = t.Text
		}
	}
	if len(levels) > 1 {
		return unpaired, len(sql)
	}
	return "", 0
}

const unpaired = "The SQL has round brackets that do not pair."

func reaches(name string) bool {
	for _, prefix := range outsides {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return outside[name]
}

// refers reports whether a name that is not called may be one of [scalar]. A quoted
// one may write it with escapes.
func refers(sql string, t sqltext.Token) bool {
	if t.Kind == sqltext.Word {
		return scalar.MatchString(sql[t.Pos : t.Pos+len(t.Text)])
	}
	name, _, _ := strings.Cut(sql[t.Pos+1:], sql[t.Pos:t.Pos+1])
	return strings.Contains(name, `\`) || scalar.MatchString(name)
}

// placeholder is how an argument is written before its type is known.
const placeholder = "{p%d:String}"

// bind gives the placeholders in sql the types of their values.
func bind(sql string, tokens []sqltext.Token, args []any) (string, map[string]string, error) {
	values := map[string]string{}
	var out strings.Builder
	done := 0
	for i, t := range tokens {
		if !t.Is("{") {
			continue
		}
		if i+4 >= len(tokens) || !tokens[i+2].Is(":") || !tokens[i+3].Is("STRING") || !tokens[i+4].Is("}") || !strings.HasPrefix(tokens[i+1].Text, "P") {
			return "", nil, sqltext.Refuse(sql, t.Pos, "Curly brackets cannot be used but for parameters.")
		}
		n, err := strconv.Atoi(tokens[i+1].Text[1:])
		if err != nil || n < 1 || n > len(args) {
			return "", nil, sqltext.Refuse(sql, t.Pos, "The SQL uses a parameter that has no value.")
		}
		kind, value, err := encode(args[n-1])
		if err != nil {
			return "", nil, fmt.Errorf("argument %d: %w", n, err)
		}
		name := "p" + strconv.Itoa(n)
		values[name] = value
		out.WriteString(sql[done:t.Pos] + "{" + name + ":" + kind + "}")
		done = tokens[i+4].Pos + 1
	}
	if len(values) != len(args) {
		return "", nil, warehouse.Errorf(warehouse.Refused, "The SQL uses %d parameters, and there are %d values.", len(values), len(args))
	}
	return out.String() + sql[done:], values, nil
}
