package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
)

var validateCubeSQL = tool[validateCubeSQLArgs]{
	name:  "validate_cube_sql",
	title: "Validate SQL",
	description: `Checks one dataset's SQL on a connection without publishing: its columns with type, role (dimension or ` +
		`measure) and how each measure adds up, or the errors with line, column and nearest names. If the SQL is invalid, the call ` +
		`succeeds with valid:false. Warnings: sums that mislead, many rows, cost. The SQL is one SELECT in the source's dialect ` +
		`(DuckDB for "self", uploads and from, else the connection's); {{name}} placeholders are bound to params. It runs at most 5 ` +
		`seconds. 120 calls a minute for each account.`,
	hints:  hints{readOnly: true, idempotent: true, openWorld: true},
	output: validation{},
	scope:  connectionScope,
	rate:   store.RateValidate,
	run:    runValidateCubeSQL,
}

type validateCubeSQLArgs struct {
	SQL string `json:"sql" arg:"required"`
	source
	From     fromArg `json:"from"`
	Params   params  `json:"params"`
	Timezone zone    `json:"timezone"`
}

// fromArg lists datasets of dashboards that SQL reads instead of a connection, as in a spec.
type fromArg []dashboard.Ref

func (f *fromArg) set(_ string, raw json.RawMessage) error {
	parsed, err := dashboard.ParseFrom(raw)
	*f = parsed
	return err
}

func (fromArg) jsonType() (string, string) { return "array", "string" }

func (fromArg) describe() (doc, example string) {
	return "Datasets to read: \"slug/dataset\". Default: none.", `["investors/mrr"]`
}

func (validateCubeSQLArgs) explain(name string) (doc, example string) {
	if name == "sql" {
		return "One SELECT statement that groups by dimensions and returns named measures. No default.",
			"SELECT day, sum(count) AS views FROM metrics GROUP BY 1"
	}
	return "", ""
}

// params are the parameters that a query's placeholders name, as in a spec.
type params []dashboard.Param

func (p *params) set(name string, raw json.RawMessage) error {
	if raw[0] != '[' {
		return message.Refuse("%s must be an array of objects (got %s)", name, typeof(raw))
	}
	parsed, err := dashboard.ParseParams(raw)
	*p = parsed
	return err
}

func (params) jsonType() (string, string) { return "array", "object" }

func (params) describe() (doc, example string) {
	return "Parameters of the placeholders, as in a spec: objects with id, type (date_range, date, text or number) and default. Default: " +
			"none.",
		`[{"id": "since", "type": "date_range", "default": "last_30_days"}]`
}

type validation struct {
	answer
	Workspace  string       `json:"workspace"`
	Connection string       `json:"connection"`
	Dialect    string       `json:"dialect"`
	Valid      bool         `json:"valid"`
	Columns    []cubeColumn `json:"columns"`
	Left       int          `json:"columns_left,omitempty"` // columns that are not in this answer
	Errors     []sqlError   `json:"errors"`
	Warnings   []string     `json:"warnings"`
	Rows       int          `json:"rows"`                // the number of rows that the query returned, as far as they were counted
	Truncated  bool         `json:"truncated,omitempty"` // the count stopped at a limit
}

type cubeColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Role string `json:"role"`
	Agg  string `json:"agg,omitempty"` // for a measure: sum, min, max or none
}

type sqlError struct {
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Line        int      `json:"line,omitempty"`
	Column      int      `json:"column,omitempty"`
	Suggestions []string `json:"suggestions"`
}

// toolTime is the time limit of a source for one call of a tool.
const toolTime = 5 * time.Second

func runValidateCubeSQL(ctx context.Context, c call, in validateCubeSQLArgs) (*reply, error) {
	whole, src, connection, err := c.validated(ctx, in)
	if err != nil {
		return nil, err
	}
	out := validation{
		answer: answer{URL: c.url("")}, Workspace: c.Workspace(), Connection: connection, Dialect: src.Dialect(),
		Columns: []cubeColumn{}, Errors: []sqlError{}, Warnings: []string{},
	}
	sql, args, err := dashboard.BindSQL(in.SQL, in.Params, in.Timezone.in(), c.Now(), src.Placeholder)
	if err != nil {
		return invalid(out, err)
	}
	columns, bytes, err := c.describe(ctx, src, sql, args)
	if err != nil {
		return invalid(out, err)
	}
	resolved := dashboard.ResolveColumns(in.SQL, columns)
	for _, col := range resolved {
		out.Columns = append(out.Columns, cubeColumn{clip(col.Name, 200), string(col.Type), string(col.Role), string(col.Agg)})
	}
	space := room / 2
	out.Columns, out.Left = fit(out.Columns, &space)
	out.Warnings = append(out.Warnings, columnWarnings(resolved)...)
	counted := counter{}
	limited, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	stats, err := src.Query(limited, sql, args, warehouse.Limits{
		Rows: dashboard.DefaultRows, Bytes: dashboard.MaxResultBytes, Time: toolTime,
	}, &counted)
	out.Rows, bytes = counted.rows, bytesOf(bytes, stats, err)
	switch {
	case timedOut(ctx, err):
		out.Warnings = append(out.Warnings, "The query did not end within 5 seconds, so its rows were not counted; a refresh gives it 30.")
	case err != nil:
		return invalid(out, err)
	case stats.Truncated:
		out.Truncated = true
		out.Warnings = append(out.Warnings, fmt.Sprintf("The query returns more than %d rows, the default limit of a dataset, "+
			"where the count stopped; it would be marked truncated. Group by coarser dimensions, "+
			"or set the dataset's row limit (at most %d).", stats.Rows, dashboard.MaxRows))
	case stats.Rows == 0:
		out.Warnings = append(out.Warnings, "The query returns no rows at present.")
	}
	out.Warnings = append(out.Warnings, counted.warnings()...)
	for _, w := range costWarnings(warehouse.Hourly(bytes), whole) {
		out.Warnings = append(out.Warnings, w.String())
	}
	out.Valid = true
	return replyWith(&out, `Valid: the SQL returns %s from connection "%s" (%s), with %s.`,
		count(len(resolved), "column"), out.Connection, src.Dialect(), count(len(out.Warnings), "warning")).structure(), nil
}

// validated returns the source of the SQL, if it is not stored rows, the connector that runs it, and the name of its connection.
func (c call) validated(ctx context.Context, in validateCubeSQLArgs) (store.Source, warehouse.Connector, string, error) {
	if err := in.checkSheet(); err != nil {
		return store.Source{}, nil, "", err
	}
	if len(in.From) == 0 {
		o, err := c.placed(ctx, in.origin(), in.Connection.given)
		if err != nil {
			return store.Source{}, nil, "", err
		}
		src, err := c.open(ctx, o)
		if err != nil {
			return src, nil, "", err
		}
		return src, src.In(in.Timezone.in()).For(""), o.name(), nil
	}
	if o := in.origin(); o.Connection != uuid.Nil || len(o.Files) > 0 {
		return store.Source{}, nil, "", message.Refuse("from reads stored rows and no connection: omit connection, upload and uploads, or from")
	}
	s := &dashboard.Spec{Datasets: []dashboard.Dataset{{ID: "sql", SQL: in.SQL, From: in.From}}, Timezone: "UTC"}
	fed, err := c.feeds(ctx, s, "")
	if err == nil {
		err = fed.bound()
	}
	if err != nil {
		return store.Source{}, nil, "", err
	}
	_, tables, known := fed.fedOf(&s.Datasets[0], nil, map[string]*cube.Cube{})
	if !known {
		return store.Source{}, nil, "", message.Refuse("from names a dataset without rows: its first refresh has not succeeded yet")
	}
	src, err := c.Store.Connections.FeedSource(c.Member, tables)
	if err != nil {
		return store.Source{}, nil, "", err
	}
	return store.Source{}, warehouse.In(src, in.Timezone.in()), "from", nil
}

// describe gets the columns of a query from src, within [toolTime], and the bytes that a run reads, or -1.
func (c call) describe(ctx context.Context, src warehouse.Connector, sql string, args []any) ([]cube.Column, int64, error) {
	limited, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	columns, bytes, err := warehouse.Estimate(limited, src, sql, args)
	if timedOut(ctx, err) {
		err = warehouse.Errorf(warehouse.Timeout, "The source did not describe the query within the 5 seconds that a tool gives it.")
	}
	return columns, bytes, nearestNames(ctx, src, sql, err)
}

// timedOut reports whether a source took longer than [toolTime], whether the source or
// this process ended the query. ctx is the caller's context, whose end is not a timeout.
func timedOut(ctx context.Context, err error) bool {
	no, ok := errors.AsType[*warehouse.Error](err)
	return ctx.Err() == nil && (ok && no.Class == warehouse.Timeout || errors.Is(err, context.DeadlineExceeded))
}

// invalid returns the answer for SQL that is not valid. It returns a refusal if the source
// was busy or could not be reached, because then the SQL may be valid.
func invalid(out validation, err error) (*reply, error) {
	no, isSource := errors.AsType[*warehouse.Error](err)
	problems, isSpec := errors.AsType[*dashboard.Problems](err)
	switch {
	case isSource && no.Class.OfSource():
		return nil, err
	case isSource:
		suggestions := []string{}
		for _, s := range no.Suggestions[:min(len(no.Suggestions), 10)] {
			suggestions = append(suggestions, clip(s, 200))
		}
		out.Errors = append(out.Errors, sqlError{string(no.Class), clip(no.Message, maxErrorText), no.Line, no.Column, suggestions})
	case isSpec:
		for _, p := range *problems {
			out.Errors = append(out.Errors, sqlError{Code: "parameter", Message: clip(p.String(), maxErrorText), Suggestions: p.Allowed})
		}
		for i := range out.Errors {
			out.Errors[i].Suggestions = list(out.Errors[i].Suggestions)
		}
	default:
		if no, ok := message.As(err); ok {
			out.Errors = append(out.Errors, sqlError{Code: "parameter", Message: clip(no.Error(), maxErrorText), Suggestions: []string{}})
			break
		}
		return nil, err
	}
	out.Columns = []cubeColumn{}
	return replyWith(&out, `Not valid for connection "%s" (%s): %s`, out.Connection, out.Dialect, out.Errors[0].Message).structure(), nil
}

// columnWarnings warns of columns that panels cannot fully use.
func columnWarnings(columns []dashboard.Column) []string {
	var warnings []string
	dimensions, times := 0, 0
	for _, col := range columns {
		if col.Role == dashboard.Dimension && dashboard.HoldsTimes(col.Name, col.Type) {
			times++
		}
	}
	for _, col := range columns {
		switch {
		case col.Agg == dashboard.Sum && times > 0 && dashboard.NamedLikeStock(col.Name) && len(warnings) < 10:
			warnings = append(warnings, fmt.Sprintf(`Measure "%s" is named like a level, and would be added up over time. `+
				`Declare "agg": "last" in the spec's columns to show that of the latest time.`, clip(col.Name, 100)))
		case col.Role == dashboard.Dimension:
			dimensions++
		case col.OfRows && len(warnings) < 10:
			warnings = append(warnings, fmt.Sprintf(`Measure "%s" is of all rows of a group, and no aggregate of it is that of larger groups: `+
				`panels show it at the query's own grain only. Return single rows, of which "agg": "median", "p90", "p95" or "p99" `+
				`in the spec's columns is computed; or return it once more for each larger group, or write a param for what a filter would `+
				`choose.`, clip(col.Name, 100)))
		case col.Agg == dashboard.None && len(warnings) < 10:
			warnings = append(warnings, fmt.Sprintf(`Measure "%s" does not add up by itself: panels show it at the query's own grain only. `+
				`Declare its agg (sum, min, max, avg or median) in the spec's columns, or a ratio of two measures that do add up.`,
				clip(col.Name, 100)))
		}
	}
	if dimensions == 0 {
		warnings = append(warnings, "The query has no dimension: it gives single numbers, and no filter or chart can divide them. "+
			"Group by a date or a category.")
	}
	return warnings
}

// A counter is a sink that counts rows without keeping them.
type counter struct {
	rows    int
	columns []cube.Column
	lost    []int // per column, the number of values that no page can show
}

func (c *counter) Columns(columns []cube.Column) error {
	c.columns, c.lost = columns, make([]int, len(columns))
	return nil
}

func (c *counter) Row(row []any) error {
	c.rows++
	for i, v := range row {
		if cube.IsLost(c.columns[i].Type, v) {
			c.lost[i]++
		}
	}
	return nil
}

// warnings warns of values that count as missing.
func (c *counter) warnings() []string {
	var out []string
	for i, n := range c.lost {
		if n > 0 && len(out) < 10 {
			out = append(out, fmt.Sprintf(`%s of "%s" cannot be shown, being NaN, infinite or outside the years 1 to 9999, and count as missing.`,
				count(n, "value"), clip(c.columns[i].Name, 100)))
		}
	}
	return out
}
