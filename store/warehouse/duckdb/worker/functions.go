package worker

import (
	_ "embed"
	"strings"

	"service/store/suggest"
)

//go:embed functions.txt
var functionList string

// functionNames are the functions that a query may call, lower case.
var functionNames = func() []string {
	var names []string
	for line := range strings.Lines(functionList) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			names = append(names, strings.ToLower(line))
		}
	}
	return names
}()

var allowed = func() map[string]bool {
	m := make(map[string]bool, len(functionNames))
	for _, name := range functionNames {
		m[name] = true
	}
	return m
}()

// exists reports whether the engine has a function of that name.
func (db *database) exists(name string) bool {
	rows, err := db.all("SELECT 1 FROM duckdb_functions() WHERE lower(function_name) = lower($1) LIMIT 1", name)
	return err == nil && len(rows) > 0
}

// maxNearest is how many names are suggested in place of an unknown one.
const maxNearest = 3

// likeliest returns the names most similar to name, the nearest first.
func likeliest(name string, names []string) []string { return suggest.Names(name, names, maxNearest) }
