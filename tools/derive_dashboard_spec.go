package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/rawjson"
	"service/store/view"
	"service/store/warehouse"
)

var deriveDashboardSpec = tool[deriveDashboardSpecArgs]{
	name:  "derive_dashboard_spec",
	title: "Derive spec from dashboard",
	description: `Drafts a spec from a static dashboard; publishing it makes the dashboard refreshable. A JSON report keeps its ` +
		`panels. Each dataset of the report gets SQL: over a table of the chosen source that has all its columns, or else its ` +
		`rows as VALUES (DuckDB and Postgres). Markdown is kept as a text panel beside a first dataset. mapping: the dataset of ` +
		`each panel and why; unresolved: open points; checked: whether a publish would accept it.`,
	hints: hints{readOnly: true, idempotent: true},
	scope: dashboardScope,
	run:   runDeriveDashboardSpec,
}

type deriveDashboardSpecArgs struct {
	Slug slug `json:"slug" arg:"required"`
	source
	inWorkspace
}

type derivedSpec struct {
	answer
	Workspace  string `json:"workspace"`
	Slug       string `json:"slug"`
	Connection string `json:"connection"`
	boundFiles
	Spec       json.RawMessage `json:"spec"`
	Mapping    []panelMapping  `json:"mapping"`
	Unresolved []string        `json:"unresolved"`
	Checked    bool            `json:"checked"`
	NextStep   string          `json:"next_step"`
}

type panelMapping struct {
	Panel   int    `json:"panel"`
	Dataset string `json:"dataset,omitempty"`
	Reason  string `json:"reason"`
}

func runDeriveDashboardSpec(ctx context.Context, c call, in deriveDashboardSpecArgs) (*reply, error) {
	d, err := c.Store.Dashboards.Dashboard(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.NoDashboardNamed(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	if d.Refreshable() {
		return nil, message.Refuse(`Dashboard "%s" has a spec already: get_dashboard_spec returns it, and publish_dashboard replaces it.`, d.Slug)
	}
	if err := noVersion(d); err != nil {
		return nil, err
	}
	if err := in.checkSheet(); err != nil {
		return nil, err
	}
	o, err := c.placed(ctx, in.origin(), in.Connection.given)
	if err != nil {
		return nil, err
	}
	in.Connection.UUID = o.Connection
	src, err := c.open(ctx, o)
	if err != nil {
		return nil, err
	}
	tables, err := src.For("").Introspect(ctx, warehouse.Introspection{})
	if err != nil {
		return nil, err
	}
	v, err := c.Views.View(ctx, c.Member, d, uuid.Nil, url.Values{})
	if err != nil {
		return nil, err
	}
	out := derivedSpec{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Connection: in.origin().name(), Mapping: []panelMapping{},
		Unresolved: []string{},
	}
	out.boundFiles = filesShown(in.origin().Files)
	w := writer{in: in.origin(), dialect: src.For("").Dialect(), tables: tables, out: &out}
	switch {
	case v.Drawn():
		err = w.fromReport(v)
	case d.Filename == dashboard.DefaultFile:
		w.fromText(d, string(v.Content))
	default:
		w.fromFile(d)
	}
	if err != nil {
		return nil, err
	}
	if out.Spec, err = marshal(w.doc); err != nil {
		return nil, err
	}
	if err := c.checkDraft(ctx, src, &out); err != nil {
		return nil, err
	}
	out.Checked = out.Checked && !w.incomplete
	return c.derived(d, out)
}

func (c call) derived(d store.Dashboard, out derivedSpec) (*reply, error) {
	if len(out.Spec) > room*3/4 {
		return nil, message.Refuse(`The draft for "%s" has %d bytes, too long for an answer: its report has too many panels or too much text. `+
			`A spec written from get_dashboard's summary is shorter.`, d.Slug, len(out.Spec))
	}
	space := room - len(out.Spec)
	out.Unresolved, _ = fit(out.Unresolved, &space)
	out.Mapping, _ = fit(out.Mapping, &space)
	out.NextStep = `publish_dashboard with this spec and dry_run checks it once more; without dry_run it makes the dashboard refreshable.`
	if !out.Checked || len(out.Unresolved) > 0 {
		out.NextStep = "unresolved lists the open points; validate_cube_sql tries SQL, and publish_dashboard with dry_run checks the whole spec."
		return replyWith(&out, `Drafted a spec for "%s" (%s) over "%s", with %s to decide. Nothing was published.`,
			d.Slug, out.URL, out.Connection, count(len(out.Unresolved), "point")), nil
	}
	return replyWith(&out, `Drafted a spec for "%s" (%s) over "%s", which passes all checks. Nothing was published.`,
		d.Slug, out.URL, out.Connection), nil
}

// checkDraft runs the checks of a publish on the draft.
func (c call) checkDraft(ctx context.Context, src store.Source, out *derivedSpec) error {
	s, err := dashboard.Parse(out.Spec)
	if s != nil {
		found, describeErr := c.describeAll(ctx, src.In(s.Location()), s)
		if _, ours := refusal(describeErr); describeErr != nil && !ours {
			return describeErr
		}
		warnings, checkErr := s.Check(found.columns)
		for _, w := range warnings {
			out.Unresolved = append(out.Unresolved, "A publish warns: "+clip(w.String(), maxErrorText))
		}
		err = dashboard.Join(err, describeErr, checkErr)
		if found.unreached != "" {
			out.Unresolved = append(out.Unresolved, "The SQL could not be checked: "+found.unreached)
		}
	}
	problems, ok := errors.AsType[*dashboard.Problems](err)
	if err != nil && !ok {
		return err
	}
	if ok {
		for _, p := range (*problems)[:min(len(*problems), dashboard.MaxProblems)] {
			out.Unresolved = append(out.Unresolved, clip(p.String(), maxErrorText))
		}
	}
	out.Checked = err == nil
	return nil
}

// A writer writes the draft of a spec.
type writer struct {
	in         origin
	dialect    string
	tables     []warehouse.Table
	out        *derivedSpec
	doc        map[string]any
	values     int  // bytes of the rows in the SQL
	incomplete bool // some SQL does not return the rows that it should
}

// head writes the beginning of the document.
func (w *writer) head(title string) {
	w.doc = map[string]any{"version": 1, "title": clip(title, 150)}
	w.source()
}

// source writes the connection and the files into the document.
func (w *writer) source() {
	w.doc["connection"] = w.in.name()
	if w.out.Upload != "" {
		w.doc["upload"] = w.out.Upload
	}
	if w.out.Sheet != "" {
		w.doc["sheet"] = w.out.Sheet
	}
	if w.out.Uploads != nil {
		w.doc["uploads"] = w.out.Uploads
	}
}

// fromReport copies a report's document and replaces the rows of its datasets with SQL.
func (w *writer) fromReport(v view.View) error {
	w.doc = map[string]any{}
	var sets []map[string]any
	for name, value := range rawjson.Members(v.Content) {
		key := rawjson.String(name)
		if key != "datasets" {
			w.doc[key] = json.RawMessage(value)
			continue
		}
		for set := range rawjson.Elements(value) { // the rows, nearly all of a report, are not copied
			doc := map[string]any{}
			for name, value := range rawjson.Members(set) {
				if key := rawjson.String(name); key != "rows" {
					doc[key] = json.RawMessage(value)
				}
			}
			sets = append(sets, doc)
		}
		w.doc["datasets"] = sets
	}
	w.source()
	for i := range v.Spec.Datasets {
		set := &v.Spec.Datasets[i]
		var cols []cube.Column
		if rows := v.Cubes[set.ID]; rows != nil {
			cols = rows.Columns()
		}
		sql, reason := w.sqlFor(set, set.Resolve(cols), v.Cubes[set.ID])
		for p, panel := range v.Spec.Panels {
			if panel.Data == set.ID {
				w.out.Mapping = append(w.out.Mapping, panelMapping{p, set.ID, reason})
			}
		}
		if i < len(sets) {
			sets[i]["sql"] = sql
		}
	}
	return nil
}

// maxValues is the limit of rows in the SQL of one draft, in bytes.
const maxValues = room / 3

// sqlFor returns SQL that selects a dataset's columns, and the reason for it. The SQL
// reads a table that has all columns, or else contains the dataset's own rows. If neither
// is possible, sqlFor reports the missing columns, and the draft is incomplete.
func (w *writer) sqlFor(set *dashboard.Dataset, columns []dashboard.Column, rows *cube.Cube) (sql, reason string) {
	best, most, wanted := -1, 0, 0
	for _, col := range columns {
		if !col.IsRatio() {
			wanted++
		}
	}
	for i, t := range w.tables {
		n := 0
		for _, col := range columns {
			if !col.IsRatio() && hasColumn(t, col.Name) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	if best >= 0 && most == wanted {
		if sql = w.overTable(w.tables[best], columns); sql != "" {
			return sql, fmt.Sprintf("table %s has its %s", w.tables[best].Name, count(wanted, "column"))
		}
	}
	missing := fmt.Sprintf(`Dataset "%s": no table of connection "%s" has all of its columns`, set.ID, w.in.name())
	if best >= 0 {
		missing += fmt.Sprintf(" (table %s has %d of %d)", w.tables[best].Name, most, wanted)
	}
	if rows != nil && takesValues(w.dialect) {
		if sql = valuesSQL(w.dialect, rows, maxValues-w.values); sql != "" {
			w.values += len(sql)
			return sql, "its own rows, which the SQL holds: no table has all of its columns"
		}
	}
	w.incomplete = true
	w.out.Unresolved = append(w.out.Unresolved,
		missing+", and its rows cannot be written as SQL: there are too many, or the names of its columns have unusual characters. "+
			"Write the SQL by hand; introspect_schema lists the tables.")
	var items []string
	for _, col := range columns {
		if name := quoteName(w.dialect, col.Name); !col.IsRatio() && name != "" {
			items = append(items, "NULL AS "+name)
		}
	}
	if len(items) == 0 {
		items = []string{"NULL AS missing"}
	}
	return "SELECT " + strings.Join(items, ", "), "no table has all columns of this dataset; write its SQL"
}

// overTable returns SQL that groups a table by the dimensions among columns. The table
// has all columns. It returns "" if the name of one cannot be written in SQL.
func (w *writer) overTable(t warehouse.Table, columns []dashboard.Column) string {
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(a, b dashboard.Column) int { // dimensions first
		return strings.Compare(string(a.Role), string(b.Role))
	})
	var items, groups []string
	for _, col := range columns {
		name := quoteName(w.dialect, col.Name)
		switch {
		case col.IsRatio():
			continue
		case name == "":
			return ""
		case col.Role != dashboard.Measure:
			items = append(items, "t."+name) // after a dot, the name may be a reserved word
			groups = append(groups, fmt.Sprint(len(items)))
		default:
			agg := "sum"
			if col.Agg == dashboard.Min || col.Agg == dashboard.Max || col.Agg == dashboard.Avg {
				agg = string(col.Agg)
			}
			// A stock is summed too: the SQL groups its rows by time, and the spec keeps its agg.
			items = append(items, fmt.Sprintf("%s(t.%s) AS %s", agg, name, name))
		}
	}
	if len(items) == 0 {
		items = []string{"count(*) AS row_count"}
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM " + t.Name + " AS t"
	if len(groups) > 0 {
		sql += " GROUP BY " + strings.Join(groups, ", ")
	}
	return sql
}

func hasColumn(t warehouse.Table, name string) bool {
	return slices.ContainsFunc(t.Columns, func(c warehouse.TableColumn) bool { return c.Name == name })
}

// fromText keeps a Markdown page as a text panel, and adds a first dataset.
func (w *writer) fromText(d store.Dashboard, text string) {
	w.head(d.Name)
	panels := w.firstDataset()
	kept := text[:boundary(text, room/4)]
	if len(kept) < len(text) {
		w.out.Unresolved = append(w.out.Unresolved, fmt.Sprintf("The text has %d bytes, of which the draft holds the first %d; "+
			"get_dashboard has the rest.", len(text), len(kept)))
	}
	kept = strings.ReplaceAll(kept, "{{", "{ {") // placeholders are only for values of datasets
	w.doc["panels"] = append([]any{map[string]any{"type": dashboard.Text, "markdown": kept}}, panels...)
	w.out.Mapping = append([]panelMapping{{0, "", "the page's text, as it is"}}, w.shift(1)...)
	w.out.Unresolved = append(w.out.Unresolved, "Decide which numbers in the text should come from datasets; "+
		"a text panel shows such a value as {{dataset.column}}.")
}

// fromFile drafts a page over the source, to replace a data file.
func (w *writer) fromFile(d store.Dashboard) {
	w.head(d.Name)
	w.doc["panels"] = w.firstDataset()
	w.out.Unresolved = append(w.out.Unresolved, fmt.Sprintf(`The dashboard holds the data file "%s", which no SQL can read. `+
		`Upload it in the web app; then a spec can read it with the connection "Uploaded files". A spec is published under another `+
		`slug: this one keeps its file.`, d.Filename))
}

// shift moves the panels of the mapping by n places.
func (w *writer) shift(n int) []panelMapping {
	for i := range w.out.Mapping {
		w.out.Mapping[i].Panel += n
	}
	return w.out.Mapping
}

// firstDataset drafts a dataset over the source's first table, and its panels.
func (w *writer) firstDataset() []any {
	if len(w.tables) == 0 {
		w.doc["datasets"] = []any{}
		w.out.Unresolved = append(w.out.Unresolved, `The connection has no table; write the datasets and panels.`)
		return nil
	}
	t := w.tables[0]
	cols := make([]cube.Column, len(t.Columns))
	for i, col := range t.Columns {
		cols[i] = col.Column
	}
	d := drafter{dialect: w.dialect}
	first := d.over("SELECT * FROM "+t.Name, t.Name, dashboard.ResolveColumns("", cols))
	if note := d.note(); note != "" {
		w.out.Unresolved = append(w.out.Unresolved, note)
	}
	if first == nil {
		w.doc["datasets"] = []any{map[string]any{"id": "data", "sql": "SELECT count(*) AS row_count FROM " + t.Name}}
		return []any{draftPanel{Type: dashboard.KPI, Data: "data", Value: "row_count"}}
	}
	w.doc["datasets"] = []any{first.Dataset}
	var panels []any
	for i, p := range first.Panels {
		panels = append(panels, p)
		w.out.Mapping = append(w.out.Mapping, panelMapping{i, "data", "drafted over table " + t.Name})
	}
	if len(w.tables) > 1 {
		w.out.Unresolved = append(w.out.Unresolved, fmt.Sprintf("The first dataset reads table %s; introspect_schema lists the others.", t.Name))
	}
	return panels
}
