package tools

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"service/store/dashboard"
	"service/store/suggest"
	"service/store/warehouse"
)

// unknownName matches a warehouse's error for a name that does not exist.
var unknownName = regexp.MustCompile(`^There is no (table|column) "([^"]+)"`)

// mostNearest is the limit of nearest names in an error.
const mostNearest = 3

// nearestNames adds the nearest names of the source's catalog to an error about a table or
// column that does not exist, unless the error has such names. If the catalog cannot be
// read, it returns the error unchanged.
func nearestNames(ctx context.Context, src warehouse.Connector, sql string, err error) error {
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
