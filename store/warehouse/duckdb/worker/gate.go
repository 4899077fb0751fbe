package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/wire"
)

// check accepts one SELECT statement (or VALUES, WITH, a set operation) and returns it without the semicolon at its end. It checks the
// engine's own parse tree of the statement that runs. It refuses everything that is not known to be harmless.
func (db *database) check(sql string, args int) (string, error) {
	switch {
	case len(sql) > wire.MaxSQL:
		return "", warehouse.Errorf(warehouse.Refused, "the SQL is longer than %d bytes", wire.MaxSQL)
	case strings.ContainsRune(sql, 0):
		// The engine's C interface ends a statement at NUL; json_serialize_sql does not.
		return "", warehouse.Errorf(warehouse.Refused, "the SQL contains a NUL character")
	case steps(sql) > maxSteps:
		return "", warehouse.Errorf(warehouse.Refused, "the SQL has too many operators or comments in a row; put spaces between them")
	}
	switch conditions, signs := crowded(sql); {
	case conditions:
		return "", warehouse.Errorf(warehouse.Refused,
			"the SQL joins more than %d conditions with AND and OR; use IN for a list of values", maxConditions)
	case signs:
		return "", warehouse.Errorf(warehouse.Refused, "the SQL has more than %d signs that follow another; leave them out", maxSigns)
	}
	head := trim(sql)
	tree, err := db.parse(head)
	if err != nil && head != sql { // errors are reported for the whole statement
		head = sql
		tree, err = db.parse(sql)
	}
	if err != nil {
		return "", err
	}
	if len(tree.Statements) != 1 {
		return "", warehouse.Errorf(warehouse.Refused, "there must be exactly one SELECT statement; this is %d", len(tree.Statements))
	}
	g := newGate(head, db, args)
	if err := g.walk(tree.Statements[0]); err != nil {
		return "", err
	}
	return head, nil
}

// A tree is the outcome of json_serialize_sql.
type tree struct {
	Error      bool   `json:"error"`
	Type       string `json:"error_type"`
	Message    string `json:"error_message"`
	Position   string `json:"position"`
	Statements []any  `json:"statements"`
}

var (
	nearToken = pattern.New(`^syntax error at or near "(.*)"$`)
	keyword   = pattern.New(`^(?:\s|--[^\n]*\n|/\*(?s:.*?)\*/|\()*([A-Za-z]+)`)
)

func (db *database) parse(sql string) (*tree, error) {
	rows, err := db.all("SELECT CAST(json_serialize_sql(CAST($1 AS VARCHAR)) AS VARCHAR)", sql)
	if err != nil {
		return nil, translateError(err, sql, 0)
	}
	t := &tree{}
	decoder := json.NewDecoder(strings.NewReader(rows[0][0].(string)))
	decoder.UseNumber()
	if err := decoder.Decode(t); err != nil {
		return nil, warehouse.Errorf(warehouse.Refused, "the SQL is too deeply nested")
	}
	switch {
	case !t.Error:
		return t, nil
	case t.Type == "not implemented": // the engine's name for anything but SELECT
		what := "this"
		if m := keyword.FindStringSubmatch(sql); m != nil {
			what = strings.ToUpper(m[1])
		}
		return nil, warehouse.Errorf(warehouse.Refused, "only one SELECT statement is allowed here, and %s is not one", what)
	}
	e := warehouse.Errorf(warehouse.Syntax, "the SQL cannot be parsed")
	if m := nearToken.FindStringSubmatch(t.Message); m != nil {
		e.Message = fmt.Sprintf("the SQL cannot be parsed at or near \"%s\"", m[1])
		named := regexp.MustCompile(`(?is)(?:\bwith|\brecursive|,)\s*` + regexp.QuoteMeta(m[1]) + `\s+as\s*\(`)
		if (sqltext.Dialect{}).Reserved(m[1]) && named.MatchString(sql) {
			e.Message += fmt.Sprintf("; \"%s\" is a reserved word: give the table of WITH another name", m[1])
		}
	} else if strings.HasSuffix(t.Message, "at end of input") {
		e.Message = "the SQL ends too early"
	}
	// The parser counts characters, the rest of the engine bytes.
	if n, err := strconv.Atoi(t.Position); err == nil {
		if runes := []rune(sql); n >= 0 && n <= len(runes) {
			e.Line, e.Column = sqltext.Position(sql, len(string(runes[:n])))
		}
	}
	return nil, warehouse.Advise(e, sqltext.Dialect{}, sql)
}

// trim cuts off the semicolons that end the statement, and the text after them, so that the statement can be put in parentheses. Our lexer
// finds them without parsing. It need not be right, because the remaining text is checked, and only that runs.
func trim(sql string) string {
	q := sqltext.Read(strings.ReplaceAll(sql, "\r", "\n")) // either ends a comment for the engine
	end := len(sql)
	for i := len(q.Tokens) - 1; q.Is(i, ";") || i >= 0 && blank(q.Text(i)); i-- {
		if q.Is(i, ";") {
			end = q.Tokens[i].From
		}
	}
	return sql[:end]
}

// blank reports whether a word is invisible. The engine reads several such characters as spaces, our lexer as letters.
func blank(word string) bool {
	return strings.TrimFunc(word, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }) == ""
}

// A gate walks a parse tree. The engine chooses all keys in the tree; only leaf values are from the SQL.
type gate struct {
	db     *database
	sql    string
	args   int             // number of values for placeholders
	tables map[string]bool // of the source, in lower case by [sqltext.Lower]
	ctes   []string        // the common table expressions visible from the part that is walked
	seen   map[string]int  // how many of these have a name, in lower case by [sqltext.Lower]
}

func newGate(sql string, db *database, args int) *gate {
	g := &gate{db: db, sql: sql, args: args, tables: map[string]bool{}, seen: map[string]int{}}
	for _, t := range db.tables {
		g.tables[sqltext.Lower(t.Name)] = true
	}
	return g
}

// show makes a common table expression visible to the parts that are walked next, until it is hidden.
func (g *gate) show(name string) {
	g.ctes = append(g.ctes, name)
	g.seen[sqltext.Lower(name)]++
}

// hide leaves only the first n visible.
func (g *gate) hide(n int) {
	for _, name := range g.ctes[n:] {
		g.seen[sqltext.Lower(name)]--
	}
	g.ctes = g.ctes[:n]
}

// nodes are the types of query nodes, table references, modifiers and type
// details that may occur.
var nodes = map[string]bool{
	"SELECT_NODE": true, "SET_OPERATION_NODE": true, "RECURSIVE_CTE_NODE": true,
	"BASE_TABLE": true, "SUBQUERY": true, "JOIN": true, "TABLE_FUNCTION": true,
	"EXPRESSION_LIST": true, "EMPTY": true, "PIVOT": true, "CTE": true,
	"ORDER_MODIFIER": true, "LIMIT_MODIFIER": true, "LIMIT_PERCENT_MODIFIER": true, "DISTINCT_MODIFIER": true,
	"ORDER_DEFAULT": true, "ASCENDING": true, "DESCENDING": true,
	"UNBOUND_TYPE_INFO": true, "DECIMAL_TYPE_INFO": true, "STRING_TYPE_INFO": true, "LIST_TYPE_INFO": true,
	"STRUCT_TYPE_INFO": true, "ENUM_TYPE_INFO": true, "ARRAY_TYPE_INFO": true, "INTEGER_LITERAL_TYPE_INFO": true,
	"GENERIC_TYPE_INFO": true, "EXTRA_TYPE_INFO": true,
}

// expressions are the classes of expressions that may occur.
var expressions = map[string]bool{
	"CONSTANT": true, "COLUMN_REF": true, "FUNCTION": true, "CAST": true, "COMPARISON": true, "CONJUNCTION": true,
	"OPERATOR": true, "CASE": true, "SUBQUERY": true, "WINDOW": true, "STAR": true, "LAMBDA": true, "LAMBDA_REF": true,
	"BETWEEN": true, "COLLATE": true, "PARAMETER": true, "POSITIONAL_REFERENCE": true, "TYPE": true,
}

// tableFunctions are the functions that may be used in FROM.
var tableFunctions = map[string]bool{"generate_series": true, "range": true, "unnest": true}

// walk checks a part of the tree.
func (g *gate) walk(v any) error {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := g.walk(item); err != nil {
				return err
			}
		}
	case map[string]any:
		return g.object(v)
	}
	return nil
}

func (g *gate) object(o map[string]any) error {
	defer g.hide(len(g.ctes))
	if ctes, ok := o["cte_map"].(map[string]any); ok {
		if err := g.with(ctes); err != nil {
			return err
		}
	}
	class, isExpression := o["class"].(string)
	kind, _ := o["type"].(string)
	var err error
	switch {
	case isExpression && !expressions[class]:
		return g.refuse(o, "%s is not allowed here", class)
	case isExpression:
		err = g.expression(class, o)
	case kind != "" && !nodes[kind]:
		if kind == "SHOW_REF" {
			return g.refuse(o, "only SELECT is allowed here; DESCRIBE, SHOW and SUMMARIZE are not")
		}
		return g.refuse(o, "%s is not allowed here", kind)
	case kind == "BASE_TABLE":
		err = g.table(o)
	case kind == "TABLE_FUNCTION":
		return g.tableFunction(o)
	case kind == "PIVOT" && text(o, "pivot_enum") != "":
		err = g.refuse(o, "PIVOT needs the list of its values here: PIVOT … ON column IN (…)")
	}
	if err != nil {
		return err
	}
	visible := len(g.ctes)
	for key, child := range o {
		switch {
		case key == "cte_map":
			continue
		case kind == "RECURSIVE_CTE_NODE" && key == "right": // the left part, which makes the first rows, cannot refer to it
			g.show(text(o, "cte_name"))
		}
		if err := g.walk(child); err != nil {
			return err
		}
		g.hide(visible)
	}
	return nil
}

// with checks the common table expressions of a query node, and shows them to the rest of it. Each sees
// those before it.
func (g *gate) with(m map[string]any) error {
	entries, _ := m["map"].([]any)
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		if err := g.walk(e["value"]); err != nil {
			return err
		}
		g.show(text(e, "key"))
	}
	return nil
}

func (g *gate) expression(class string, o map[string]any) error {
	switch class {
	case "FUNCTION", "WINDOW":
		return g.function(o)
	case "PARAMETER":
		id := text(o, "identifier")
		if n, err := strconv.Atoi(id); err != nil || n < 1 || n > g.args {
			return warehouse.Errorf(warehouse.Refused, "there is no value for the placeholder $%s", id)
		}
	}
	return nil
}

func (g *gate) function(o map[string]any) error {
	name := text(o, "function_name")
	schema := sqltext.Lower(text(o, "schema"))
	if text(o, "catalog") != "" || schema != "" && schema != "main" && schema != "pg_catalog" {
		return g.refuse(o, "functions are called by their name alone, without \"%s.\" before it", schema)
	}
	if allowed[sqltext.Lower(name)] {
		return nil
	}
	if g.db.exists(name) {
		return g.refuse(o, "the function \"%s\" is not allowed here", name)
	}
	if sign, ok := strings.CutSuffix(name, "__postfix"); ok { // signs after a value, which the parser takes for an operator
		return g.at(o, warehouse.Errorf(warehouse.Unknown, "there is no operator \"%s\"", sign))
	}
	return g.unknown(o, "function", name, functionNames)
}

func (g *gate) tableFunction(o map[string]any) error {
	f, _ := o["function"].(map[string]any)
	name := text(f, "function_name")
	if text(f, "class") != "FUNCTION" || text(f, "catalog") != "" || text(f, "schema") != "" || !tableFunctions[sqltext.Lower(name)] {
		return g.refuse(o, "the table function \"%s\" is not allowed here; only generate_series, range and unnest are", name)
	}
	return g.walk(f["children"])
}

func (g *gate) table(o map[string]any) error {
	name := text(o, "table_name")
	schema, catalog := sqltext.Lower(text(o, "schema_name")), sqltext.Lower(text(o, "catalog_name"))
	if o["at_clause"] != nil {
		return g.refuse(o, "AT is not allowed here")
	}
	folded := sqltext.Lower(name) // the engine ignores the case of ASCII letters only
	if schema == "" && catalog == "" && g.seen[folded] > 0 {
		return nil
	}
	if g.tables[folded] && (schema == "" || schema == "main") && (catalog == "" || catalog == "memory") {
		return nil
	}
	var names []string
	for _, t := range g.db.tables {
		names = append(names, t.Name)
	}
	switch {
	case strings.ContainsAny(name, "./\\:*?"):
		return g.refuse(o, "files and addresses cannot be read here; the tables are %s", quoted(names))
	case schema != "" || catalog != "":
		return g.refuse(o, "only the tables of this source can be read; they are %s", quoted(names))
	}
	return g.unknown(o, "table", name, append(names, g.ctes...))
}

func (g *gate) refuse(o map[string]any, format string, args ...any) error {
	return g.at(o, warehouse.Errorf(warehouse.Refused, format, args...))
}

func (g *gate) unknown(o map[string]any, what, name string, names []string) error {
	e := warehouse.Errorf(warehouse.Unknown, "there is no %s \"%s\"", what, name)
	e.Suggestions = likeliest(name, names)
	if what == "table" && len(e.Suggestions) == 0 {
		e.Suggestions = names[:min(len(names), maxNearest)]
	}
	return g.at(o, e)
}

// at adds the position of o in the SQL to e, and a hint: see [warehouse.Advise]. Parts that the parser added have no position.
func (g *gate) at(o map[string]any, e *warehouse.Error) error {
	if n, ok := o["query_location"].(json.Number); ok {
		if offset, err := strconv.Atoi(n.String()); err == nil {
			e.Line, e.Column = sqltext.Position(g.sql, offset)
		}
	}
	return warehouse.Advise(e, sqltext.Dialect{}, g.sql)
}

func text(o map[string]any, key string) string {
	s, _ := o[key].(string)
	return s
}

func quoted(names []string) string {
	var b bytes.Buffer
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `"%s"`, n)
	}
	return b.String()
}
