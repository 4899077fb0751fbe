package databricks

import (
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// gate decides which SQL is sent. The server must then accept it as a subquery. It also refuses functions that a SELECT may call: those of
// models, whose cost has no limit here, those that send SQL or requests to other systems or read from them, those that return secrets, and
// those that call methods of the server's own process. IDENTIFIER would make the name of a function from a text.
var gate = warehouse.Gate{
	Dialect: sqltext.Databricks,
	Starts:  []string{"select", "with"},
	Effects: strings.Fields(`ai_* vector_search remote_query http_request secret try_secret java_method reflect try_reflect
		read_kafka read_kinesis read_pubsub read_pulsar`),
	Clause: clause,
}

func clause(q sqltext.Query, i int) string {
	if q.Called(i) && sqltext.Lower(q.Value(i)) == "identifier" {
		return "IDENTIFIER(…) cannot be used: write the name itself."
	}
	return ""
}

// Check checks SQL with the gate.
func (e *engine) Check(sql string) (string, error) {
	q, err := gate.Check(sql)
	return q.SQL, err
}
