package worker

import (
	_ "embed"
	"slices"
	"strings"
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

// exists tells whether the engine has a function of that name.
func (db *database) exists(name string) bool {
	rows, err := db.all("SELECT 1 FROM duckdb_functions() WHERE lower(function_name) = lower($1) LIMIT 1", name)
	return err == nil && len(rows) > 0
}

// maxNearest is how many names are suggested in place of an unknown one.
const maxNearest = 3

// nearest returns the names most like name, the nearest first.
func nearest(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	name = strings.ToLower(name)
	for _, n := range names {
		lower := strings.ToLower(n)
		d := distance(name, lower)
		if d <= max(1, len(name)/3) || len(name) >= 3 && strings.HasPrefix(lower, name) {
			found = append(found, candidate{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	var out []string
	for _, c := range found[:min(len(found), maxNearest)] {
		out = append(out, c.name)
	}
	return out
}

// distance counts the letters to insert, delete or replace between a and b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
