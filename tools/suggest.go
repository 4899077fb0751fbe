package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/pattern"
	"service/store/sqltext"
	"service/store/suggest"
	"service/store/warehouse"
)

// unknownName matches a warehouse's error for a name that does not exist.
var unknownName = pattern.New(`^There is no (table|column) "([^"]+)"`)

// mostNearest is the limit of nearest names in an error.
const mostNearest = 3

// nearestNames adds the nearest names of the source's catalog to an error about a table or
// column that does not exist, unless the error has such names. If the catalog cannot be
// read, it returns the error unchanged.
func nearestNames(ctx context.Context, src warehouse.Connector, sql string, err error) error {
	err = namedAlias(src.Dialect(), sql, err)
	no, ok := errors.AsType[*warehouse.Error](err)
	if !ok || no.Class != warehouse.Unknown || len(no.Suggestions) > 0 {
		return err
	}
	m := unknownName.FindStringSubmatch(no.Message)
	if m == nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	tables, introspectErr := src.Introspect(limited, warehouse.Introspection{})
	if introspectErr != nil {
		return err
	}
	var names []string
	if m[1] == "table" {
		names = nearTables(m[2], tables)
	} else {
		names = suggest.Names(lastPart(m[2]), columnsRead(sql, tables), mostNearest)
	}
	if len(names) == 0 {
		return err
	}
	named := *no
	named.Suggestions = names
	return &named
}

// nearTables returns the tables whose names, with or without their schema, are similar
// to name.
func nearTables(name string, tables []warehouse.Table) []string {
	whole := map[string]string{}
	var last []string
	for _, t := range tables {
		short := lastPart(t.Name)
		if whole[short] == "" {
			whole[short] = t.Name
			last = append(last, short)
		}
	}
	var out []string
	for _, near := range suggest.Names(lastPart(name), last, mostNearest) {
		out = append(out, whole[near])
	}
	return out
}

// columnsRead returns the columns of the tables that sql reads.
func columnsRead(sql string, tables []warehouse.Table) []string {
	read := map[string]bool{}
	for _, t := range dashboard.TablesOf(sql) {
		read[strings.ToLower(lastPart(t))] = true
	}
	var out []string
	for _, t := range tables {
		if read[strings.ToLower(lastPart(t.Name))] {
			for _, col := range t.Columns {
				out = append(out, col.Name)
			}
		}
	}
	return out
}

// lastPart returns the last part of a qualified name, without quotes.
func lastPart(name string) string {
	return strings.Trim(name[strings.LastIndexByte(name, '.')+1:], "`\"")
}

// namedAlias adds to a syntax error the remedy for a name that the SQL gives a column: AS before it, or quotes around a reserved word. It
// returns other errors unchanged.
func namedAlias(dialect, sql string, err error) error {
	no, ok := errors.AsType[*warehouse.Error](err)
	if !ok || no.Class != warehouse.Syntax || no.Line == 0 {
		return err
	}
	q := sqltext.Read(sql)
	at := slices.IndexFunc(q.Tokens, func(t sqltext.Token) bool {
		line, column := sqltext.Position(sql, t.From)
		return line == no.Line && column == no.Column
	})
	if at < 1 {
		return err
	}
	d := sqltext.DialectOf(dialect)
	text := func(i int) string {
		if i < 0 {
			return ""
		}
		return sql[q.Tokens[i].From:q.Tokens[i].To]
	}
	inList := !slices.ContainsFunc(q.Tokens[:at], func(t sqltext.Token) bool { return strings.EqualFold(sql[t.From:t.To], "from") })
	if inList && d.Reserved(text(at-1)) && !strings.EqualFold(text(at-1), "as") && endsExpression(text(at-2)) && !d.Reserved(text(at-2)) {
		at-- // the server stops behind a reserved word, such as order in: sum(n) order FROM
	}
	word, before := text(at), text(at-1)
	named, stop := *no, strings.TrimSuffix(no.Message, ".")
	switch as := strings.EqualFold(before, "as"); {
	case !aWord.MatchString(word) || !as && (!inList || strings.EqualFold(word, "from")):
		return err
	case as && d.Reserved(word):
		named.Message = stop + fmt.Sprintf(`. "%s" is a reserved word: as a name, write AS %s, or another name`, word, d.Quote(word))
	case !as && endsExpression(before) && !d.Reserved(before):
		named.Message = stop + fmt.Sprintf(`. If "%s" is the name of a column, write AS %s`, word, d.Quote(word))
	default:
		return err
	}
	return &named
}

// aWord matches a name without quotes.
var aWord = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// endsExpression reports whether a token can be the last one of an expression: a name, a number, a string or a bracket.
func endsExpression(token string) bool {
	last := token[max(len(token)-1, 0):]
	return last == ")" || last == "'" || last == `"` || last == "`" || last == "]" || wordEnd.MatchString(last)
}

var wordEnd = pattern.New(`^[A-Za-z0-9_]$`)
