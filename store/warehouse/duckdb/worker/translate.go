package worker

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"service/store/sqltext"
	"service/store/warehouse"
)

// An engineFault is a fault of the engine itself. The process must not be used
// again.
type engineFault struct{ Err error }

func (e *engineFault) Error() string { return "worker: the engine broke" }

// An engineError is an error of the engine with errors_as_json.
type engineError struct {
	Type       string `json:"exception_type"`
	Message    string `json:"exception_message"` // quotes values: only matched, never passed on
	Subtype    string `json:"error_subtype"`
	Position   string `json:"position"`
	Name       string `json:"name"`
	Missing    string `json:"type"` // of MISSING_ENTRY: "Table", "Scalar Function", …
	Candidates string `json:"candidates"`
	Call       string `json:"call"` // of NO_MATCHING_FUNCTION: sum(VARCHAR)
}

// Only names of types are taken from a message, and only these.
var (
	toType      = regexp.MustCompile(`(?:to|from|to a|type) ([A-Z][A-Z0-9_ ]*?)(?:$|[,.!(\n]| when | because | with )`)
	callOfTypes = regexp.MustCompile(`^[^\s()]+\([A-Za-z0-9_ ,()\[\]"]*\)$`)
	knownTypes  = map[string]bool{
		"BOOL": true, "BOOLEAN": true, "INT8": true, "INT16": true, "INT32": true, "INT64": true, "INT128": true,
		"UINT8": true, "UINT16": true, "UINT32": true, "UINT64": true, "FLOAT": true, "DOUBLE": true, "DECIMAL": true,
		"DATE": true, "TIME": true, "TIMESTAMP": true, "TIMESTAMP WITH TIME ZONE": true, "INTERVAL": true, "VARCHAR": true,
		"TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true, "HUGEINT": true, "UUID": true, "BLOB": true, "JSON": true,
	}
)

// translateError translates an error of the engine into our own words. sql is the caller's
// statement; offset is where it begins in the statement that was run. It returns our own errors
// unchanged.
func translateError(err error, sql string, offset int) error {
	if e, ok := errors.AsType[*warehouse.Error](err); ok {
		return e
	}
	var c engineError
	if json.Unmarshal([]byte(err.Error()), &c) != nil {
		if strings.Contains(err.Error(), "could not bind parameter") {
			return warehouse.Errorf(warehouse.Type, "the value of a parameter does not fit where it is used")
		}
		return warehouse.Errorf(warehouse.Failed, "the query failed")
	}
	e := c.translate()
	if at, err := strconv.Atoi(c.Position); err == nil && at >= offset {
		e.Line, e.Column = sqltext.Position(sql, at-offset)
	}
	if c.Type == "INTERNAL" || c.Type == "FATAL" {
		return &engineFault{e}
	}
	return warehouse.Advise(e, sqltext.Dialect{}, sql)
}

func (c engineError) translate() *warehouse.Error {
	switch c.Type {
	case "Parser", "Syntax":
		return warehouse.Errorf(warehouse.Syntax, "the SQL cannot be parsed")
	case "Binder", "Catalog", "Planner", "Expression":
		return c.meaning()
	case "Conversion", "Mismatch Type", "Invalid type", "Decimal":
		if t := c.typeName(); t != "" {
			return warehouse.Errorf(warehouse.Type, "a value cannot be converted to %s; TRY_CAST gives NULL for such values", t)
		}
		return warehouse.Errorf(warehouse.Type, "a value cannot be converted to the type that is wanted; TRY_CAST gives NULL for such values")
	case "Out of Range":
		return warehouse.Errorf(warehouse.Type, "a number is out of the range of its type")
	case "Parameter Not Resolved", "Parameter Not Allowed":
		return warehouse.Errorf(warehouse.Type, "the type of a parameter is not clear; cast it, as in CAST($1 AS DATE)")
	case "Divide by Zero":
		return warehouse.Errorf(warehouse.Failed, "the query divides by zero")
	case "Out of Memory", "Object Size":
		return warehouse.Errorf(warehouse.TooLarge,
			"the query needs more memory than is allowed; read fewer rows or columns, or aggregate earlier")
	case "Permission", "IO", "HTTP", "Network", "Missing Extension", "Extension Autoloading", "Invalid Configuration", "Settings":
		return warehouse.Errorf(warehouse.Refused, "files, the network, extensions and settings are out of reach here")
	case "Not implemented":
		return warehouse.Errorf(warehouse.Refused, "the query uses something that is not supported here")
	case "INTERRUPT":
		return warehouse.Errorf(warehouse.Timeout, "the query was stopped")
	case "Invalid Input":
		if strings.HasPrefix(c.Message, "More than one row returned by a subquery") {
			return warehouse.Errorf(warehouse.Failed, "a subquery that stands for one value returns several rows; add LIMIT 1 or an aggregate")
		}
		return warehouse.Errorf(warehouse.Failed, "a function was given a value that it cannot use")
	}
	return warehouse.Errorf(warehouse.Failed, "the query failed")
}

// meanings translate messages about SQL that can be parsed but is not valid. A pattern captures
// only names that are in the SQL itself.
var meanings = []struct {
	pattern *regexp.Regexp
	class   warehouse.Class
	text    string
}{
	{
		regexp.MustCompile(`^(?:Referenced|Table "[^"]*" does not have a) column (?:named )?"([^"]*)"`),
		warehouse.Unknown, `there is no column "%s"`,
	},
	{regexp.MustCompile(`^Column "([^"]*)" (?:does not exist on|in [A-Z]+ list not found)`), warehouse.Unknown, `there is no column "%s"`},
	{regexp.MustCompile(`^Referenced table "([^"]*)" not found`), warehouse.Unknown, `there is no table "%s" in FROM`},
	{regexp.MustCompile(`^No matching columns found`), warehouse.Unknown, "no column matches the pattern of COLUMNS"},
	{
		regexp.MustCompile(`^Ambiguous reference to (?:column|table) name "([^"]*)"`),
		warehouse.Unknown, `"%s" is in more than one table of the query; write the table before it`,
	},
	{
		regexp.MustCompile(`^column "([^"]*)" must appear in the GROUP BY`),
		warehouse.Syntax, `column "%s" must stand in GROUP BY or inside an aggregate`,
	},
	{regexp.MustCompile(`^WHERE clause cannot contain aggregates`), warehouse.Syntax, "WHERE cannot contain aggregates; use HAVING"},
	{regexp.MustCompile(`^aggregate function calls cannot be nested`), warehouse.Syntax, "aggregates cannot be nested; use a subquery"},
	{
		regexp.MustCompile(`^(?:GROUP|ORDER) BY term out of range`),
		warehouse.Syntax, "GROUP BY or ORDER BY names the number of a column that is not there",
	},
	{
		regexp.MustCompile(`^Set operations can only apply`),
		warehouse.Syntax, "the parts of UNION, INTERSECT or EXCEPT must have the same number of columns",
	},
	{
		regexp.MustCompile(`^Cannot (?:compare|mix) values|^Cannot extract field|explicit cast`),
		warehouse.Type, "values of these types do not go together; cast one of them",
	},
	{regexp.MustCompile(`expression depth`), warehouse.Refused, "the SQL is too deeply nested"},
}

// meaning translates an error in SQL that can be parsed but makes no sense.
func (c engineError) meaning() *warehouse.Error {
	switch c.Subtype {
	case "MISSING_ENTRY":
		what, _ := strings.CutPrefix(strings.ToLower(c.Missing), "scalar ")
		e := warehouse.Errorf(warehouse.Unknown, "there is no %s \"%s\"", what, c.Name)
		e.Suggestions = suggest(c.Name, strings.Split(c.Candidates, ","))
		return e
	case "NO_MATCHING_FUNCTION":
		if callOfTypes.MatchString(c.Call) {
			return warehouse.Errorf(warehouse.Type, "the function \"%s\" does not take these types: %s", c.Name, c.Call)
		}
		return warehouse.Errorf(warehouse.Type, "the function \"%s\" does not take values of these types", c.Name)
	}
	for _, m := range meanings {
		match := m.pattern.FindStringSubmatch(c.Message)
		switch {
		case match == nil:
		case len(match) == 1:
			return warehouse.Errorf(m.class, "%s", m.text)
		default:
			e := warehouse.Errorf(m.class, m.text, match[1])
			if _, list, ok := strings.Cut(c.Message, "\nCandidate "); ok && m.class == warehouse.Unknown {
				var names []string
				for _, name := range quotedNames.FindAllStringSubmatch(list, -1) {
					names = append(names, name[1])
				}
				e.Suggestions = suggest(match[1], names)
			}
			return e
		}
	}
	return warehouse.Errorf(warehouse.Syntax, "the SQL can be parsed but not understood; check columns, aggregates and types at this place")
}

var quotedNames = regexp.MustCompile(`"([^"]+)"`)

// suggest picks the nearest of the engine's candidates, or else the first.
func suggest(name string, candidates []string) []string {
	var names []string
	for _, c := range candidates {
		if c = strings.Trim(strings.TrimSpace(c), `"`); c != "" {
			names = append(names, c)
		}
	}
	if near := likeliest(name, names); len(near) > 0 {
		return near
	}
	return names[:min(len(names), maxNearest)]
}

// typeName is the last known type that the message names.
func (c engineError) typeName() string {
	all := toType.FindAllStringSubmatch(c.Message, -1)
	for _, m := range slices.Backward(all) {
		if knownTypes[m[1]] {
			return m[1]
		}
	}
	return ""
}
