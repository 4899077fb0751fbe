package bigquery

import (
	"regexp"
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// gate decides which SQL is sent. The dry run must then report that it is a SELECT. It also refuses functions that a SELECT may call:
// EXTERNAL_QUERY sends SQL to another database as the user of a connection there; functions of models send rows to a model, whose price is
// not among the bytes that are billed.
var gate = warehouse.Gate{
	Dialect: sqltext.BigQuery,
	Starts:  []string{"select", "with", "from"},
	Effects: []string{"external_query"},
	Clause:  clause,
}

// models are the functions of the schema ML that call a model outside of BigQuery. All functions of the schema AI call one.
var models = warehouse.Gate{Effects: strings.Fields(`generate_text generate_table generate_embedding generate_text_embedding
	understand_text translate transcribe process_document annotate_image`)}

func clause(q sqltext.Query, i int) string {
	switch {
	case q.Named(i) && q.Is(i+1, ".") && q.Called(i+2) && !q.Is(i-1, "."):
		schema := sqltext.Lower(q.Value(i))
		if schema == "ai" || schema == "ml" && models.Has(q.Value(i+2)) {
			return `The function "` + q.Value(i) + "." + q.Value(i+2) + `" cannot be used: it calls a model, whose cost has no limit here.`
		}
	case q.Kind(i) == sqltext.Name && strings.Contains(q.Text(i), `\`):
		return "A name cannot have a backslash in it."
	}
	return ""
}

// legacy matches the comment that selects BigQuery's legacy dialect.
var legacy = regexp.MustCompile(`(?i)#\s*legacysql`)

// Check checks SQL with the gate.
func (e *engine) Check(sql string) (string, error) {
	if legacy.MatchString(sql) {
		return "", warehouse.Errorf(warehouse.Refused, "Legacy SQL cannot be used. Write GoogleSQL, and leave out #legacySQL.")
	}
	q, err := gate.Check(sql)
	return q.SQL, err
}
