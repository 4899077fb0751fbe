package mysql

import (
	"fmt"

	"service/store/sqltext"
	"service/store/warehouse"
)

// dialect is how this package's sessions read SQL, whatever the server's own
// sql_mode says: see session.
var dialect = sqltext.Dialect{Hash: true, DashSpace: true}

// gate lets a statement through that can do nothing but read, and returns it
// without the semicolon at its end. A read-only transaction is not enough: in
// one, a SELECT may still write files and variables, take locks, wait, and call
// functions that do anything.
//
// The server's own parser then has to agree that it is a query (see agree), so a
// statement has to get past two parsers.
func gate(sql string, args int) (string, error) {
	sql, tokens, err := sqltext.Statement(sql, dialect)
	if err != nil {
		return "", err
	}
	first := 0
	for first < len(tokens)-1 && tokens[first].Is("(") {
		first++
	}
	if !tokens[first].Is("SELECT", "WITH", "VALUES", "TABLE") {
		return "", sqltext.Refuse(sql, tokens[first].Pos, warehouse.SayOneSelect)
	}
	values := 0
	for i := range tokens {
		if tokens[i].Is("?") {
			values++
		}
		if message := judge(tokens, i); message != "" {
			return "", sqltext.Refuse(sql, tokens[i].Pos, message)
		}
	}
	if values != args {
		return "", warehouse.Errorf(warehouse.Refused, "The SQL has %d placeholders, and there are %d values for them. Write values as parameters.", values, args)
	}
	return sql, nil
}

// judge says what is wrong with token i, if anything is.
func judge(tokens []sqltext.Token, i int) string {
	at := func(i int) sqltext.Token {
		if i < 0 || i >= len(tokens) {
			return sqltext.Token{Kind: sqltext.Symbol}
		}
		return tokens[i]
	}
	t, before, after := at(i), at(i-1), at(i+1)
	called := after.Is("(") && (t.Kind == sqltext.Word || t.Kind == sqltext.Name)
	switch {
	case called && before.Is("."):
		return "Functions of a database cannot be used, since they may do more than read: only built-in ones can."
	case before.Is(".") && (at(i-2).Kind == sqltext.Word || at(i-2).Kind == sqltext.Name): // a name, whatever it is called
		return ""
	case t.Is("@"), t.Is(":") && after.Is("="):
		return "Variables cannot be used. Pass values as parameters, and use window functions for running totals."
	case t.Is("INTO"):
		return "INTO cannot be used: the rows can only be read."
	case t.Is("UPDATE", "DELETE", "LOCK", "PROCEDURE"),
		t.Is("INSERT", "REPLACE") && !called,
		t.Is("SET") && !before.Is("CHARACTER"),
		t.Is("FOR") && after.Is("SHARE"),
		t.Is("NEXT", "PREVIOUS") && after.Is("VALUE") && at(i+2).Is("FOR"):
		return warehouse.SayOneSelect
	case !called, t.Kind == sqltext.Word && (grammar[t.Text] || functions[t.Text]), list(tokens, i):
		return ""
	case t.Is("ANY", "SOME", "LATERAL") && at(i+2).Is("SELECT", "WITH", "VALUES", "TABLE"), t.Is("COLUMNS") && before.Kind == sqltext.String:
		return "" // where no call can stand
	case t.Kind == sqltext.Name:
		return "A name in quotes cannot be called: only built-in functions can."
	}
	return fmt.Sprintf(`The function "%s" cannot be used: only built-in functions that do nothing but compute can.`, t.Text)
}

// list reports whether the bracket after name i lists columns: of a common table
// expression, name (a, b) AS (…), or of a derived table, (…) AS name (a, b), or
// belongs to the grammar, as in MATCH (…) AGAINST (…) and SYSTEM_TIME AS OF (…). No
// call of a function can stand in any of these places.
func list(tokens []sqltext.Token, i int) bool {
	if i > 0 && tokens[i-1].Is(")", "AS") {
		return true
	}
	end, depth := i+1, 0
	for ; end < len(tokens); end++ {
		if tokens[end].Is("(") {
			depth++
		} else if tokens[end].Is(")") {
			if depth--; depth == 0 {
				break
			}
		}
	}
	return end+2 < len(tokens) && tokens[end+1].Is("AS") && tokens[end+2].Is("(")
}

// with reports whether a query that passed the gate begins with WITH.
func with(query string) bool {
	tokens, err := sqltext.Scan(query, dialect)
	return err == nil && tokens[0].Is("WITH")
}
