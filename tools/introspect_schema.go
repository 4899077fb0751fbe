package tools

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/sqltext"
	"service/store/warehouse"
)

var introspectSchema = tool[introspectSchemaArgs]{
	name:  "introspect_schema",
	title: "Inspect schema",
	description: `Lists the tables and columns of a connection: names as written in SQL, kind, comment, and for each column type, ` +
		`nullability and likely role, with the SQL dialect and hints. shared lists the datasets that from can read; files lists uploads ` +
		`with their sheets. table and pattern narrow the list; next_cursor is the cursor for more. 120 calls a minute.`,
	hints:  hints{readOnly: true, idempotent: true, openWorld: true},
	meta:   longResult,
	output: schemaList{},
	scope:  connectionScope,
	rate:   store.RateIntrospect,
	run:    runIntrospectSchema,
}

type introspectSchemaArgs struct {
	source
	Table   string `json:"table" doc:"One table, by its name as listed. Default: all." eg:"public.orders"`
	Pattern string `json:"pattern" doc:"Text that table names contain; case is ignored. Default: all." eg:"order"`
	Cursor  string `json:"cursor" doc:"next_cursor of the answer before, unchanged. Default: the first tables." eg:"b3JkZXJz"`
}

type schemaList struct {
	answer
	Workspace  string        `json:"workspace"`
	Connection string        `json:"connection"`
	Dialect    string        `json:"dialect"`
	Tables     []schemaTable `json:"tables"`
	Shared     []sharedSet   `json:"shared,omitempty" schema:"-"` // datasets that dashboards of the workspace offer
	SharedLeft int           `json:"shared_left,omitempty" schema:"-"`
	Files      []sourceFile  `json:"files,omitempty" schema:"-"` // the uploaded files, with the sheets of workbooks
	Left       int           `json:"left"`                       // tables after these
	NextCursor string        `json:"next_cursor,omitempty"`
	Hints      []string      `json:"hints"`
	NextStep   string        `json:"next_step" schema:"-"`
}

type schemaTable struct {
	Name        string         `json:"name"`
	Kind        string         `json:"kind"`
	Comment     string         `json:"comment,omitempty"`
	Columns     []schemaColumn `json:"columns"`
	ColumnsLeft int            `json:"columns_left,omitempty"` // columns that are not in this answer
}

type schemaColumn struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
	Role     string `json:"role"`
	Comment  string `json:"comment,omitempty"`
}

// A sharedSet is a dataset that a dashboard of the workspace offers. It is not a table of the connection: a dataset reads it by from.
type sharedSet struct {
	From        string         `json:"from"` // as a spec names it
	Dashboard   string         `json:"dashboard"`
	Description string         `json:"description"`
	Columns     []sharedColumn `json:"columns"` // none before its first refresh
	AsOf        string         `json:"as_of,omitempty"`
}

type sharedColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// mostShared is the limit of offered datasets in one answer.
const mostShared = 50

// shared lists the datasets that the dashboards of the workspace offer and whose names or descriptions contain the pattern.
func (c call) shared(ctx context.Context, pattern string, space *int) (out []sharedSet, left int, err error) {
	all, err := c.Store.Refreshes.Offered(ctx, c.Member, dashboard.MaxDatasets*mostShared)
	if err != nil {
		return nil, 0, err
	}
	for _, o := range all {
		s := sharedSet{
			From: dashboard.Ref{Slug: o.Slug, Dataset: o.Dataset}.String(), Dashboard: clip(o.Name, 200), Description: clip(o.Description, 300),
			Columns: []sharedColumn{}, AsOf: stamp(o.RefreshedAt),
		}
		if o.RefreshedAt.IsZero() {
			s.AsOf = ""
		}
		if !strings.Contains(strings.ToLower(s.From+" "+s.Dashboard+" "+s.Description), strings.ToLower(pattern)) {
			continue
		}
		for _, col := range o.Columns[:min(len(o.Columns), 40)] {
			s.Columns = append(s.Columns, sharedColumn{clip(col.Name, 200), string(col.Type)})
		}
		out = append(out, s)
	}
	if len(out) > mostShared {
		left, out = len(out)-mostShared, out[:mostShared]
	}
	fits, more := fit(out, space)
	return fits, left + more, nil
}

// mostTables is the limit of tables that a connector lists.
const mostTables = 200

func runIntrospectSchema(ctx context.Context, c call, in introspectSchemaArgs) (*reply, error) {
	after, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	if err != nil {
		return nil, message.Refuse("cursor is not valid: pass next_cursor of the answer before unchanged, or omit it")
	}
	src, err := c.openOne(ctx, &in.source)
	if err != nil {
		return nil, err
	}
	tables, err := src.Introspect(ctx, warehouse.Introspection{Table: in.Table, Pattern: in.Pattern})
	if err != nil {
		return nil, err
	}
	out := schemaList{
		answer: answer{URL: c.url("")}, Workspace: c.Workspace(), Connection: in.origin().name(), Dialect: src.Dialect(),
		Hints:    sourceHints(in.origin(), src.Dialect()),
		NextStep: "explore_data reads rows and drafts panels; validate_cube_sql checks the SQL of a dataset.",
	}
	if len(tables) == 0 && in.Table != "" {
		return nil, message.Refuse(`connection "%s" has no table "%s". introspect_schema without table lists those it has.`,
			out.Connection, clip(in.Table, 100))
	}
	if len(tables) >= mostTables {
		out.Hints = append(out.Hints, "At most 200 tables are listed; pattern narrows them.")
	}
	slices.SortFunc(tables, func(a, b warehouse.Table) int { return strings.Compare(a.Name, b.Name) })
	first, found := slices.BinarySearchFunc(tables, string(after),
		func(t warehouse.Table, name string) int { return strings.Compare(t.Name, name) })
	if found {
		first++
	}
	if in.Cursor == "" {
		first = 0
	}
	space := room
	if in.Cursor == "" && len(in.origin().Files) > 0 {
		half := room / 2
		if out.Files, err = c.files(ctx, in.origin(), &half); err != nil {
			return nil, err
		}
		space -= room/2 - half
		if slices.ContainsFunc(out.Files, func(f sourceFile) bool { return len(f.Sheets) > 0 }) {
			out.Hints = append(out.Hints, `files has the sheets of each workbook. The table has the first one that was read, or the one named: `+
				`sheet beside upload, or uploads {"budget": {"id": "<id>", "sheet": "Actuals"}}, joins several.`)
		}
	}
	if in.Cursor == "" && in.Table == "" {
		half := room / 2
		if out.Shared, out.SharedLeft, err = c.shared(ctx, in.Pattern, &half); err != nil {
			return nil, err
		}
		if len(out.Shared) > 0 {
			space -= room/2 - half
			out.Hints = append(out.Hints, `shared has datasets that dashboards of the workspace offer, not tables of this connection: a dataset `+
				`{"id", "from": "slug/dataset"} has their rows, and sql with from joins them.`)
		}
	}
	for i, t := range tables[first:] {
		shown, ok := tableOf(src.Dialect(), t, &space, i == 0)
		if !ok {
			out.Left = len(tables) - first - i
			out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(tables[first+i-1].Name))
			break
		}
		out.Tables = append(out.Tables, shown)
	}
	out.Tables = list(out.Tables)
	switch {
	case len(out.Tables) == 0:
		return replyWith(&out, `Connection "%s" has no table that matches.`, out.Connection).structure(), nil
	case out.Left > 0:
		return replyWith(&out, `%s of connection "%s" (%s SQL), and %d more: pass next_cursor as cursor, or narrow with table or pattern.`,
			count(len(out.Tables), "table"), out.Connection, src.Dialect(), out.Left).structure(), nil
	}
	return replyWith(&out, `%s of connection "%s" (%s SQL).`, count(len(out.Tables), "table"), out.Connection, src.Dialect()).structure(), nil
}

// tableOf describes t, with its columns as SQL of the dialect writes them, if it fits into space. A table that does not fit is on the next
// page; the first table of a page is cut instead.
func tableOf(dialect string, t warehouse.Table, space *int, first bool) (schemaTable, bool) {
	plain := make([]cube.Column, len(t.Columns))
	for i, col := range t.Columns {
		plain[i] = col.Column
	}
	roles := dashboard.ResolveColumns("", plain)
	written, columns := sqltext.DialectOf(dialect), make([]schemaColumn, len(t.Columns))
	for i, col := range t.Columns {
		columns[i] = schemaColumn{written.Write(col.Name), string(col.Type), col.Nullable, string(roles[i].Role), clip(col.Comment, 200)}
	}
	out := schemaTable{Name: t.Name, Kind: t.Kind, Comment: clip(t.Comment, 300)}
	left := *space - len(encode(out))
	out.Columns, out.ColumnsLeft = fit(columns, &left)
	if left < 0 || out.ColumnsLeft > 0 && !first {
		return schemaTable{}, false
	}
	*space = left
	return out, true
}

// sourceHints returns hints on writing SQL for a source.
func sourceHints(o origin, dialect string) []string {
	switch {
	case o.Connection == uuid.Nil:
		return []string{
			"self is the activity of this workspace's dashboards, without personal data: " +
				"metrics (day, dashboard, event, count, durations), dashboards and refreshes.",
			"metrics.event is view (one page sent to a signed-in member, each filter and reload again), publish, refresh or refresh_failed.",
			"The SQL dialect is DuckDB; one SELECT statement.",
		}
	case len(o.Files) > 0:
		files := `The uploaded file is the table "upload".`
		if len(o.Files) > 1 || o.Files.Plain() == uuid.Nil {
			files = `Each uploaded file is a table: one statement joins them. A spec names them the same way, under upload and uploads.`
		}
		return []string{
			files,
			"Nested JSON is text: unnest(json_extract(items, '$[*]')) makes a row of each item, item ->> 'name' reads a member.",
			"The SQL dialect is DuckDB; one SELECT statement.",
		}
	}
	return []string{
		"The SQL dialect is " + dialect + "; one SELECT statement, run read-only.",
		"A dataset groups by dimensions and returns measures with names: SELECT day, sum(amount) AS revenue … GROUP BY 1.",
	}
}
