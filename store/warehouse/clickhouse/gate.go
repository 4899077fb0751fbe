package clickhouse

import (
	"fmt"
	"strconv"
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// tables are table functions that reach other hosts, files of the server or
// programs, or never end. With readonly=1 the server refuses most of them; where a
// user's profile says readonly=2, which cannot be made stricter, it runs them all.
//
// values are functions that do so as they compute, or leave something behind, or
// wait where nothing can break them off. Their names do not have to be called:
// arrayMap(file, …) reads files.
//
// TestEffects shows what each would do.
var (
	tables = strings.Fields(`
		url urlcluster s3 s3cluster gcs oss cosn hdfs hdfscluster azure* iceberg icebergs3* iceberghdfs* icebergazure* iceberglocal*
		deltalake* hudi* paimon* ytsaurus arrowflight hive meilisearch
		remote remotesecure cluster clusterallreplicas mysql postgresql mongodb redis sqlite jdbc odbc
		filecluster filesystem executable loop`)
	values = strings.Fields(`file sleep sleepeachrow hascolumnintable reversednsquery catboostevaluate generateserialid logtrace ai*`)
)

// gate is what the server is asked. It then has to describe the query, in
// brackets, so a statement has to get past two parsers.
var gate = warehouse.Gate{
	Dialect: sqltext.ClickHouse,
	Starts:  []string{"select", "with", "from"},
	Effects: append(tables[:len(tables):len(tables)], values...),
	Runs:    []string{"eval"},
	Clause:  clause,
}

// check passes a query through the gate. It returns the query with the types of
// their values in its placeholders, and the values as ClickHouse reads them, by
// name.
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

// clause refuses what else a SELECT can do besides reading.
func clause(q sqltext.Query, i int) string {
	switch {
	case q.Kind(i) == sqltext.Name && q.Called(i) && strings.Contains(q.Text(i), `\`):
		return "The name of a function cannot have a backslash in it."
	case q.Is(i-1, ".") && !q.Called(i): // a name, whatever it is called
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

// sets reports whether a setting and = begin at token i, which nothing else than
// the clause SETTINGS can have behind it.
func sets(q sqltext.Query, i int) bool {
	for q.Named(i) && q.Is(i+1, ".") {
		i += 2
	}
	return q.Named(i) && q.Is(i+1, "=")
}

// paired refuses brackets that do not pair, and names of functions where another
// function may take them for what they name.
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

// lambda reports whether token i, in the brackets that open at another, may stand
// for a function: as one of several things in them, or in brackets of its own, but
// not as the only argument of a call, such as count(file), nor in a query.
func lambda(q sqltext.Query, open, i int) bool {
	if q.Is(open+1, "select", "with", "from") {
		return false
	}
	alone := q.Is(i-1, "(") && q.Is(i+1, ")")
	return q.Is(i-1, "(", ",") && (!alone || !q.Called(open-1) || q.Is(open-1, "apply"))
}

// refers reports whether token i, a name that is not called, may be one of
// [values]. The server tells case apart in them, but escapes can write any.
func refers(q sqltext.Query, i int) bool {
	if !q.Named(i) || q.Called(i) || q.Is(i-1, ".") || q.Is(i+1, ".") {
		return false
	}
	return warehouse.Gate{Effects: values}.Has(q.Value(i)) || q.Kind(i) == sqltext.Name && strings.Contains(q.Text(i), `\`)
}

// placeholder is how an argument is written before its type is known.
const placeholder = "{p%d:String}"

// bind gives the placeholders in a query the types of their values.
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
