package trino

import (
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// gate decides which SQL is sent. The server must then accept it as a subquery. It also refuses the table functions that send SQL to
// another database as the user of a catalog there ("query" and others of connectors), functions that send rows to a model, whose cost has
// no limit here, and settings of the session, which would lift its limits.
var gate = warehouse.Gate{
	Dialect: sqltext.Trino,
	Starts:  []string{"select", "with"},
	Effects: strings.Fields(`query raw_query procedure ai_*`),
	Clause:  clause,
}

func clause(q sqltext.Query, i int) string {
	switch {
	case q.Is(i, "session") && q.Is(i-1, "with"):
		return "WITH SESSION cannot be used: it changes settings of the session."
	case q.Kind(i) == sqltext.Name && strings.HasPrefix(q.Text(i), "`"):
		return `A name in backticks cannot be used. Write names in "double quotes".`
	}
	return ""
}

// Check checks SQL with the gate, and returns it without the semicolons that end it.
func Check(sql string) (string, error) {
	q, err := gate.Check(sql)
	return q.SQL, err
}

// Check checks SQL with the gate.
func (e *engine) Check(sql string) (string, error) { return Check(sql) }
