package clickhouse

import (
	"fmt"
	"strconv"
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// tables are table functions that reach other hosts, the server's files or programs, or that
// never end. With readonly=1 the server refuses most of them; if the user's profile has
// readonly=2, which cannot be made stricter, it runs them all.
//
// values are scalar functions that do the same, or have lasting effects, or wait in a way that cannot be cancelled. They also work without
// a direct call: arrayMap(file, …) reads files.
//
// TestEffects shows the effect of each.
var (
	tables = strings.Fields(`
		url urlcluster s3* gcs* oss* cosn* hdfs* azure* iceberg* deltalake* hudi* paimon* ytsaurus* arrowflight* hive meilisearch
		remote remotesecure cluster clusterallreplicas mysql postgresql mongodb* redis sqlite jdbc odbc
		filecluster filesystem executable loop`)
	values = strings.Fields(`file sleep sleepeachrow hascolumnintable reversednsquery catboostevaluate generateserialid logtrace ai*`)
)

// gate decides which SQL is sent to the server. The server then describes the query in brackets, so that a statement must pass two parsers.
var gate = warehouse.Gate{
	Dialect: sqltext.ClickHouse,
	Starts:  []string{"select", "with", "from"},
	Effects: append(tables[:len(tables):len(tables)], values...),
	Runs:    []string{"eval"},
	Clause:  clause,
}

// check checks a query with the gate. It returns the query with the types of the values in its placeholders, and the values in ClickHouse's
// form, by name.
func check(sql string, args []any) (string, map[string]string, error) {
	q, err := gate.Check(sql)
	if err == nil {
		err = warehouse.RefuseSQL(paired(q))
	}
	if err != nil {
		return "", nil, err
	}
	return bind(q, args)
}

// clause refuses the clauses of a SELECT that do more than read.
func clause(q sqltext.Query, i int) string {
	switch {
	case q.Kind(i) == sqltext.Name && q.Called(i) && strings.Contains(q.Text(i), `\`):
		return "The name of a function cannot have a backslash in it."
	case q.Is(i-1, ".") && !q.Called(i): // a name, even one that is also a keyword
		return ""
	case q.Is(i, "into"):
		return "INTO cannot be used: the rows can only be read. Write a name that is this word in quotes."
	case q.Is(i, "settings") && sets(q, i+1), q.Is(i, "format") && q.Named(i+1) && i+2 == len(q.Tokens) && !q.Is(i+1, "asc", "desc"):
		return "FORMAT and SETTINGS cannot be used: the rows can only be read. Write a name that is such a word in quotes."
	case q.Is(i, "parallel") && q.Is(i+1, "with"), q.Is(i, "delete") && q.Is(i+1, "from"):
		return warehouse.SayOneSelect
	}
	return ""
}

// sets reports whether a setting and = begin at token i, which can only follow the clause
// SETTINGS.
func sets(q sqltext.Query, i int) bool {
	for q.Named(i) && q.Is(i+1, ".") {
		i += 2
	}
	return q.Named(i) && q.Is(i+1, "=")
}

// paired refuses unbalanced brackets, and names of [values] where another function could call them.
func paired(q sqltext.Query) error {
	var open []int
	for i := range q.Tokens {
		switch {
		case q.Is(i, "("):
			open = append(open, i)
		case q.Is(i, ")") && len(open) == 0:
			return q.Error(i, unpaired)
		case q.Is(i, ")"):
			open = open[:len(open)-1]
		case refers(q, i) && (q.Is(i-1, "apply") || len(open) > 0 && lambda(q, open[len(open)-1], i)):
			return q.Error(i, "A function that does more than read has this name. Write a column of that name with its table, such as t.file.")
		}
	}
	if len(open) > 0 {
		return q.Error(len(q.Tokens), unpaired)
	}
	return nil
}

const unpaired = "The SQL has round brackets that do not pair."

// lambda reports whether token i, inside the brackets that open at token open, may be a function passed as an argument: among several
// items, or in its own brackets, but not as the only argument of a call, such as count(file), and not in a query.
func lambda(q sqltext.Query, open, i int) bool {
	if q.Is(open+1, "select", "with", "from") {
		return false
	}
	alone := q.Is(i-1, "(") && q.Is(i+1, ")")
	return q.Is(i-1, "(", ",") && (!alone || !q.Called(open-1) || q.Is(open-1, "apply"))
}

// refers reports whether token i, a name that is not called, may be one of [values]. The
// server's names depend on case, but a quoted name with escapes may be any of them.
func refers(q sqltext.Query, i int) bool {
	if !q.Named(i) || q.Called(i) || q.Is(i-1, ".") || q.Is(i+1, ".") {
		return false
	}
	return warehouse.Gate{Effects: values}.Has(q.Value(i)) || q.Kind(i) == sqltext.Name && strings.Contains(q.Text(i), `\`)
}

// placeholder is the form of an argument before its type is known.
const placeholder = "{p%d:String}"

// bind writes the types of the values into a query's placeholders.
func bind(q sqltext.Query, args []any) (string, map[string]string, error) {
	bound := map[string]string{}
	var out strings.Builder
	done := 0
	for i, t := range q.Tokens {
		if !q.Is(i, "{") {
			continue
		}
		if !q.Named(i+1) || !q.Is(i+2, ":") || !q.Is(i+3, "string") || !q.Is(i+4, "}") || q.Text(i + 1)[0] != 'p' {
			return "", nil, warehouse.RefuseSQL(q.Error(i, "Curly brackets cannot be used but for parameters."))
		}
		n, err := strconv.Atoi(q.Text(i + 1)[1:])
		if err != nil || n < 1 || n > len(args) {
			return "", nil, warehouse.RefuseSQL(q.Error(i, "The SQL uses a parameter that has no value."))
		}
		kind, value, err := encode(args[n-1])
		if err != nil {
			return "", nil, fmt.Errorf("argument %d: %w", n, err)
		}
		name := "p" + strconv.Itoa(n)
		bound[name] = value
		out.WriteString(q.SQL[done:t.From] + "{" + name + ":" + kind + "}")
		done = q.Tokens[i+4].To
	}
	if len(bound) != len(args) {
		return "", nil, warehouse.Errorf(warehouse.Refused, "The SQL uses %d parameters, and there are %d values.", len(bound), len(args))
	}
	return out.String() + q.SQL[done:], bound, nil
}
