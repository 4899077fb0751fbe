package bigquery

import (
	"strings"

	"service/store/pattern"
	"service/store/sqltext"
	"service/store/warehouse"
)

// gate decides which SQL is sent. The dry run must then report that it is a SELECT. The gate also refuses functions that a SELECT may call
// but that reach other systems. EXTERNAL_QUERY sends SQL to another database, as the user of a connection there. Functions of models send
// rows to a model; maximumBytesBilled does not limit the price of that.
var gate = warehouse.Gate{
	Dialect: sqltext.BigQuery,
	Starts:  []string{"select", "with", "from"},
	Effects: []string{"external_query"},
	Clause:  clause,
}

// models are the functions of the schema ML that call a model outside of BigQuery. All functions of the schema AI call one.
var models = warehouse.Gate{Effects: strings.Fields(`generate_*
	understand_text translate transcribe process_document annotate_image`)}

func clause(q sqltext.Query, i int) string {
	schema, name, qualified := "", "", false
	switch {
	case q.Named(i) && q.Is(i+1, ".") && q.Called(i+2) && !q.Is(i-1, "."):
		schema, name, qualified = q.Value(i), q.Value(i+2), true
	case q.Called(i) && q.Kind(i) == sqltext.Name && !q.Is(i-1, "."): // a path can be in one pair of backticks
		schema, name, qualified = strings.Cut(q.Value(i), ".")
		schema, name = strings.TrimSpace(schema), strings.TrimSpace(name)
	}
	switch lower := sqltext.Lower(schema); {
	case qualified && (lower == "ai" || lower == "ml" && models.Has(name)):
		return `The function "` + schema + "." + name + `" cannot be used: it calls a model, whose cost has no limit here.`
	case q.Kind(i) == sqltext.Name && strings.Contains(q.Text(i), `\`):
		return "A name cannot have a backslash in it."
	}
	return ""
}

// legacy matches the comment that selects BigQuery's legacy dialect.
var legacy = pattern.New(`(?i)#\s*legacysql`)

// Check checks SQL with the gate.
func (e *engine) Check(sql string) (string, error) {
	if legacy.MatchString(sql) {
		return "", warehouse.Errorf(warehouse.Refused, "Legacy SQL cannot be used. Write GoogleSQL, and leave out #legacySQL.")
	}
	q, err := gate.Check(sql)
	return q.SQL, err
}
