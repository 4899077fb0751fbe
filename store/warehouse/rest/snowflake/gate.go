package snowflake

import (
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// gate decides which SQL is sent. The server must then accept it as a subquery. It also refuses functions that a SELECT may call: system
// functions end sessions, send mail and change replication; functions of models cost money for each row. TO_QUERY and IDENTIFIER would make
// the name of such a function, or a query that calls one, from a text.
var gate = warehouse.Gate{
	Dialect: sqltext.Snowflake,
	Starts:  []string{"select", "with"},
	Effects: strings.Fields(`system$* ai_*`),
	Clause:  clause,
}

func clause(q sqltext.Query, i int) string {
	switch {
	case q.Called(i) && sqltext.Lower(q.Value(i)) == "to_query":
		return "TO_QUERY(…) cannot be used: write the query itself."
	case q.Called(i) && sqltext.Lower(q.Value(i)) == "identifier":
		return "IDENTIFIER(…) cannot be used: write the name itself."
	case q.Is(i, ".") && q.Named(i+1) && sqltext.Lower(q.Value(i+1)) == "nextval":
		return "A sequence cannot be used: reading its next value changes it."
	case q.Named(i) && q.Is(i+1, ".") && q.Called(i+2) && sqltext.Lower(q.Value(i)) == "cortex":
		return `The functions of CORTEX cannot be used: they call models, whose cost has no limit here.`
	case q.Is(i, "-") && q.Is(i+1, ">") && q.Is(i+2, ">"):
		return warehouse.SayOneSelect
	case q.Is(i, "into"):
		return "INTO cannot be used: the rows can only be read. Write a name that is this word in quotes."
	}
	return ""
}

// Check checks SQL with the gate.
func (e *engine) Check(sql string) (string, error) {
	q, err := gate.Check(sql)
	return q.SQL, err
}
