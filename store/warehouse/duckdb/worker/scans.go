package worker

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse/duckdb/datafile"
)

// A scan is a part of the engine's plan of a query that reads linked files.
type scan struct {
	columns    []string // that it returns; nil for all
	filters    []string // the engine's texts of conditions, whose columns it reads too
	conditions []condition
}

// A condition is a comparison of a column with a value, which all rows of a scan's result meet.
type condition struct{ column, sign, value string }

// A planNode is a node of the output of EXPLAIN (FORMAT json).
type planNode struct {
	Name     string         `json:"name"`
	Children []planNode     `json:"children"`
	Extra    map[string]any `json:"extra_info"`
}

// scans returns the parts of the engine's plan of a statement that read Parquet files.
func (q *query) scans(sql string) (found []scan, err error) {
	var plans []planNode
	err = q.each("EXPLAIN (FORMAT json) "+sql, func(row []driver.Value) error {
		text, _ := row[len(row)-1].(string)
		return json.Unmarshal([]byte(text), &plans)
	})
	if err != nil {
		return nil, translateError(err, "", 0)
	}
	var walk func(nodes []planNode)
	walk = func(nodes []planNode) {
		for _, n := range nodes {
			if strings.Contains(strings.ToUpper(n.Name), "PARQUET") {
				found = append(found, n.scan())
			}
			walk(n.Children)
		}
	}
	walk(plans)
	return found, nil
}

// virtual are columns that the engine adds to a scan for itself.
var virtual = []string{"file_row_number", "file_index", "filename", "rowid"}

func (n planNode) scan() scan {
	s := scan{columns: []string{}}
	for _, name := range texts(n.Extra["Projections"]) {
		if !slices.Contains(virtual, name) {
			s.columns = append(s.columns, name)
		}
	}
	s.filters = texts(n.Extra["Filters"])
	for _, filter := range s.filters {
		for part := range strings.SplitSeq(filter, " AND ") {
			if m := comparison.FindStringSubmatch(part); m != nil {
				s.conditions = append(s.conditions, condition{
					strings.ToLower(m[1]), m[2], strings.ReplaceAll(m[3], "''", "'") + m[4],
				})
			}
		}
	}
	return s
}

// comparison matches a comparison in a plan, such as day>='2026-11-01'::DATE. A string that contains another one leads to a condition that
// the query does not have; then a page is missing, and the query runs again with all row groups.
var comparison = pattern.New(`^"?([^"'<>=!]+?)"?\s*(>=|<=|=|>|<)\s*(?:'((?:[^']|'')*)'(?:::[A-Z_ ]+)?|(-?[0-9][0-9.eE+-]*))$`)

// texts returns the lines of a text, or the texts of a list.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		for line := range strings.SplitSeq(v, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	case []any:
		for _, item := range v {
			if text, ok := item.(string); ok {
				out = append(out, text)
			}
		}
	}
	return out
}

// reads returns the columns that a scan of l reads, nil for all. Every column whose name is in a filter counts.
func (s scan) reads(l *linked) []string {
	if s.columns == nil {
		return nil
	}
	columns := slices.Clone(s.columns)
	for _, filter := range s.filters {
		for name := range l.columns {
			if sqltext.Mentions(filter, name) {
				columns = append(columns, name)
			}
		}
	}
	return columns
}

// fits reports whether a scan can be one of table l.
func (s scan) fits(l *linked) bool {
	return !slices.ContainsFunc(s.columns, func(name string) bool { return l.columns[strings.ToLower(name)] == "" })
}

// may reports whether a row group with these bounds may have rows that meet the conditions.
func (s scan) may(l *linked, b bounds) bool {
	for _, c := range s.conditions {
		known, ok := b[c.column]
		if !ok {
			continue
		}
		low, ok1 := compare(l.columns[c.column], known[0], c.value)
		high, ok2 := compare(l.columns[c.column], known[1], c.value)
		if !ok1 || !ok2 {
			continue
		}
		switch c.sign {
		case "=":
			if low > 0 || high < 0 {
				return false
			}
		case "<":
			if low >= 0 {
				return false
			}
		case "<=":
			if low > 0 {
				return false
			}
		case ">":
			if high <= 0 {
				return false
			}
		case ">=":
			if high < 0 {
				return false
			}
		}
	}
	return true
}

// Bounds are the least and the greatest value of columns in a row group, by names in lower case.
type bounds map[string][2]string

// mostBounds is the number of chunks of a file whose bounds are read.
const mostBounds = 20_000

// boundsOf returns the bounds of the row groups of a file, or nil if the file has fewer than two groups or too many chunks.
func (db *database) boundsOf(path string, footer *datafile.Footer) ([]bounds, error) {
	groups := footer.Groups()
	if groups < 2 || groups*footer.Columns() > mostBounds {
		return nil, nil
	}
	rows, err := db.all(`SELECT row_group_id, path_in_schema, stats_min_value, stats_max_value FROM parquet_metadata(` + literal(path) + `)
		WHERE stats_min_value IS NOT NULL AND stats_max_value IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	out := make([]bounds, groups)
	for i := range out {
		out[i] = bounds{}
	}
	for _, row := range rows {
		if group, err := strconv.Atoi(fmt.Sprint(row[0])); err == nil && group >= 0 && group < groups {
			out[group][strings.ToLower(fmt.Sprint(row[1]))] = [2]string{fmt.Sprint(row[2]), fmt.Sprint(row[3])}
		}
	}
	return out, nil
}

// clock matches days and timestamps that can be compared as text.
var clock = pattern.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?$`)

// compare compares two values of a type of the engine. ok is false for types that it cannot compare.
func compare(kind, a, b string) (order int, ok bool) {
	switch {
	case kind == "DATE", kind == "TIMESTAMP":
		if !clock.MatchString(a) || !clock.MatchString(b) {
			return 0, false
		}
		return strings.Compare(moment(a), moment(b)), true
	case kind == "VARCHAR":
		return strings.Compare(a, b), true
	case kind == "DOUBLE", kind == "FLOAT":
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y), err1 == nil && err2 == nil && x == x && y == y
	case strings.HasSuffix(kind, "INT"), kind == "INTEGER":
		x, err1 := strconv.ParseInt(a, 10, 64)
		y, err2 := strconv.ParseInt(b, 10, 64)
		return cmp.Compare(x, y), err1 == nil && err2 == nil
	}
	return 0, false
}

// moment completes a day or a timestamp, so that texts are in the order of time.
func moment(text string) string {
	const midnight = "0000-00-00 00:00:00.000000"
	return text + midnight[min(len(text), len(midnight)):]
}
