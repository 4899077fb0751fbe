package worker

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"service/store/pattern"
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

// Only these names of types are copied from a message.
var (
	toType      = pattern.New(`(?:to|from|to a|type) ([A-Z][A-Z0-9_ ]*?)(?:$|[,.!(\n]| when | because | with )`)
	callOfTypes = pattern.New(`^[^\s()]+\([A-Za-z0-9_ ,()\[\]"]*\)$`)
	knownTypes  = map[string]bool{
		"BOOL": true, "BOOLEAN": true, "INT8": true, "INT16": true, "INT32": true, "INT64": true, "INT128": true,
		"UINT8": true, "UINT16": true, "UINT32": true, "UINT64": true, "FLOAT": true, "DOUBLE": true, "DECIMAL": true,
		"DATE": true, "TIME": true, "TIMESTAMP": true, "TIMESTAMP WITH TIME ZONE": true, "INTERVAL": true, "VARCHAR": true,
		"TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true, "HUGEINT": true, "UUID": true, "BLOB": true, "JSON": true,
	}
)

// translateError translates an error of the engine into our own message. sql is the caller's statement; offset is where it begins in the
// statement that was run. It returns our own errors unchanged.
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
	if e := said(faults, c.Message); e != nil {
		return e
	}
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
		return warehouse.Errorf(warehouse.Type, "a number is out of the range of its type or of a function")
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
			return warehouse.Errorf(warehouse.Failed, "a subquery used as one value returns several rows; add LIMIT 1 or an aggregate")
		}
		return warehouse.Errorf(warehouse.Failed, "a function was given a value that it cannot use")
	}
	return warehouse.Errorf(warehouse.Failed, "the query failed")
}

// A sentence translates the messages that match a pattern. The pattern captures only names that are in the SQL itself.
type sentence struct {
	pattern *pattern.Pattern
	class   warehouse.Class
	text    string
}

// said returns the translation of a message by the first sentence that matches, with the nearest of the engine's candidates, or nil.
func said(sentences []sentence, message string) *warehouse.Error {
	for _, m := range sentences {
		match := m.pattern.FindStringSubmatch(message)
		switch {
		case match == nil:
		case len(match) == 1:
			return warehouse.Errorf(m.class, "%s", m.text)
		default:
			e := warehouse.Errorf(m.class, m.text, match[1])
			if _, list, ok := strings.Cut(message, "\nCandidate "); ok && m.class == warehouse.Unknown {
				var names []string
				for _, name := range quotedNames.FindAllStringSubmatch(list, -1) {
					names = append(names, name[1])
				}
				e.Suggestions = hinted(match[1], names)
			}
			return e
		}
	}
	return nil
}

// faults are errors about values, which the engine finds when it runs a query or binds constants.
var faults = []sentence{
	{
		pattern.New(`^(?:extract|date part) specifier .* not recognized`),
		warehouse.Type, "a part of a date is not known; write 'year', 'quarter', 'month', 'week', 'day', 'hour' or 'minute'",
	},
	{
		pattern.New(`^Unknown TimeZone`),
		warehouse.Type, "a time zone is not known; write its IANA name, such as 'Europe/Berlin'",
	},
	{pattern.New(`^Malformed JSON`), warehouse.Type, "a text is not valid JSON; json_valid finds such texts"},
	{pattern.New(`^JSON path error`), warehouse.Type, "a path in JSON is not valid; write one such as '$.name' or '$[0]'"},
	{
		pattern.New(`^(?:invalid )?(?:date|time|timestamp) field (?:format|value)`),
		warehouse.Type, "a text is not a date or time of the form that the SQL expects; TRY_CAST gives NULL for such texts, " +
			"and strptime reads other forms",
	},
	{
		pattern.New(`^Could not parse string .* according to format specifier`),
		warehouse.Type, "a text does not have the format that strptime is given; try_strptime gives NULL for such texts",
	},
	{pattern.New(`^Failed to parse format specifier`), warehouse.Type, "a format of strftime or strptime is not valid"},
	{pattern.New(`^Unrecognized Regex option`), warehouse.Type, "an option of a regular expression is not known"},
	{ // the messages of RE2
		pattern.New(`^(?:missing [\])]|unexpected \)|no argument for repetition|invalid (?:escape sequence|character class|` +
			`perl operator|repetition|named capture|UTF-8)|bad repetition|trailing \\)`),
		warehouse.Type, "a regular expression is not valid",
	},
	{
		pattern.New(`^cannot take (?:logarithm|square root)`),
		warehouse.Type, "a logarithm needs a number above 0, and a square root one of 0 or more",
	},
	{pattern.New(` is undefined outside \[-1,1\]`), warehouse.Type, "asin, acos and atanh need a number from -1 to 1"},
	{
		pattern.New(`^Overflow in `),
		warehouse.Type, "a number is too large for its type; cast it to a larger one, such as HUGEINT or DOUBLE, before calculating",
	},
	{pattern.New(`^Cannot create a string of size`), warehouse.TooLarge, "a text is longer than the engine can hold"},
	{pattern.New(`^Unimplemented type for cast`), warehouse.Type, "values of one of these types cannot be cast to the other"},
	{pattern.New(`^Argument for (?:ntile|nth_value) `), warehouse.Type, "ntile and nth_value need a number of 1 or more"},
}

// meanings are errors about SQL that can be parsed but is not valid.
var meanings = []sentence{
	{
		pattern.New(`^(?:Referenced|Table "[^"]*" does not have a) column (?:named )?"([^"]*)"`),
		warehouse.Unknown, `there is no column "%s"`,
	},
	{pattern.New(`^Column "([^"]*)" (?:does not exist on|in [A-Z]+ list not found)`), warehouse.Unknown, `there is no column "%s"`},
	{pattern.New(`^Referenced table "([^"]*)" not found`), warehouse.Unknown, `there is no table "%s" in FROM`},
	{pattern.New(`^No matching columns found`), warehouse.Unknown, "no column matches the pattern of COLUMNS"},
	{
		pattern.New(`^Ambiguous reference to (?:column|table) name "([^"]*)"`),
		warehouse.Unknown, `"%s" is in more than one table of the query; write the table before it`,
	},
	{
		pattern.New(`^column "?([^" ]*)"? must appear in the GROUP BY`),
		warehouse.Syntax, `column "%s" must stand in GROUP BY or inside an aggregate`,
	},
	{pattern.New(`^WHERE clause cannot contain aggregates`), warehouse.Syntax, "WHERE cannot contain aggregates; use HAVING"},
	{pattern.New(`^aggregate function calls cannot be nested`), warehouse.Syntax, "aggregates cannot be nested; use a subquery"},
	{
		pattern.New(`^(?:GROUP|ORDER) BY term out of range`),
		warehouse.Syntax, "GROUP BY or ORDER BY names the number of a column that is not there",
	},
	{
		pattern.New(`^Set operations can only apply`),
		warehouse.Syntax, "the parts of UNION, INTERSECT or EXCEPT must have the same number of columns",
	},
	{
		pattern.New(`cannot contain window function`),
		warehouse.Syntax, "WHERE, GROUP BY, HAVING and aggregates cannot contain window functions; use QUALIFY or a subquery",
	},
	{pattern.New(`^GROUP BY clause cannot contain aggregates`), warehouse.Syntax, "GROUP BY cannot contain aggregates"},
	{
		pattern.New(`^([a-z_]\w*) is not an aggregate function`),
		warehouse.Syntax, `the function "%s" is not an aggregate, so it takes no OVER, DISTINCT, FILTER or ORDER BY`,
	},
	{pattern.New(`^LIMIT/OFFSET cannot be negative`), warehouse.Syntax, "LIMIT and OFFSET must not be negative"},
	{pattern.New(`^Subquery returns \d+ columns`), warehouse.Syntax, "a subquery has more columns than its place takes"},
	{pattern.New(`^UNNEST\(\) can only be applied`), warehouse.Type, "unnest takes lists and structs only"},
	{pattern.New(`^UNNEST not supported here`), warehouse.Syntax, "unnest is possible in the list of SELECT and in FROM only"},
	{pattern.New(`^Could not find key "([^"]*)" in struct`), warehouse.Unknown, `there is no field "%s"`},
	{pattern.New(`^Cannot extract field`), warehouse.Type, "only structs, maps and JSON have fields"},
	{
		pattern.New(`^Ambiguous reference to table "([^"]*)" \(duplicate alias`),
		warehouse.Syntax, `two tables of the query are called "%s"; give one of them another name with AS`,
	},
	{
		pattern.New(`^No columns found to join on in NATURAL JOIN`),
		warehouse.Syntax, "the tables of NATURAL JOIN have no column in common; write the condition with ON",
	},
	{
		pattern.New(`^Column "([^"]*)" referenced that exists in the SELECT clause`),
		warehouse.Unknown, `"%s" is used before the SELECT defines it`,
	},
	{pattern.New(`^STAR expression is only allowed`), warehouse.Syntax, "* is possible by itself or in count(*) only"},
	{
		pattern.New(`can only take parameters in the range`),
		warehouse.Type, "the share of a percentile or quantile must be from 0 to 1",
	},
	{
		pattern.New(`^Cannot combine types with different collation`),
		warehouse.Type, "texts with different collations are compared or joined; write the same COLLATE after each",
	},
	{pattern.New(`^DECIMAL type width`), warehouse.Type, "a DECIMAL has 1 to 38 digits"},
	{
		pattern.New(`^Cannot (?:compare|mix) values|explicit cast`),
		warehouse.Type, "values of these types do not go together; cast one of them",
	},
	{pattern.New(`expression depth`), warehouse.Refused, "the SQL is too deeply nested"},
}

// meaning translates an error in SQL that can be parsed but is not valid.
func (c engineError) meaning() *warehouse.Error {
	switch c.Subtype {
	case "MISSING_ENTRY":
		what, _ := strings.CutPrefix(strings.ToLower(c.Missing), "scalar ")
		e := warehouse.Errorf(warehouse.Unknown, "there is no %s \"%s\"", what, c.Name)
		e.Suggestions = hinted(c.Name, strings.Split(c.Candidates, ","))
		return e
	case "NO_MATCHING_FUNCTION":
		if callOfTypes.MatchString(c.Call) {
			return warehouse.Errorf(warehouse.Type, "the function \"%s\" does not take these types: %s", c.Name, c.Call)
		}
		return warehouse.Errorf(warehouse.Type, "the function \"%s\" does not take values of these types", c.Name)
	}
	if e := said(meanings, c.Message); e != nil {
		return e
	}
	return warehouse.Errorf(warehouse.Syntax, "the SQL can be parsed but not understood; check columns, aggregates and types at this place")
}

var quotedNames = pattern.New(`"([^"]+)"`)

// hinted returns the most similar of the engine's candidates, or else the first.
func hinted(name string, candidates []string) []string {
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

// typeName returns the last known type in the message.
func (c engineError) typeName() string {
	all := toType.FindAllStringSubmatch(c.Message, -1)
	for _, m := range slices.Backward(all) {
		if knownTypes[m[1]] {
			return m[1]
		}
	}
	return ""
}
