package impact

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/sqltext"
	"service/store/suggest"
	"service/store/warehouse"
)

// Time limits of one query, and of all together. Dashboards that are not reached in time are reported as not checked. A query is described
// before it runs, which may start a worker and load the file. On a busy machine that takes longer than a query: only [AllTime] limits it.
const (
	queryTime = 5 * time.Second
	AllTime   = 20 * time.Second
)

// maxProblems is how many problems of one dashboard are reported.
const maxProblems = 10

// A Comparison describes the changes if an upload gets another file.
type Comparison struct {
	Columns    []Column    // columns that differ: those of the current file, then new ones
	Same       int         // number of unchanged columns
	Sheets     []Sheet     // sheets of workbooks that differ, other than the one that the columns above are of
	Values     []Values    // columns of dates whose order of day and month differs
	Readers    int         // dashboards that read the upload
	Dashboards []Dashboard // readers with problems, by name
}

// Broken counts the dashboards that would break, and those that could not be checked.
func (c Comparison) Broken() (broken, unchecked int) {
	for _, d := range c.Dashboards {
		if slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.Kind != Unchecked }) {
			broken++
		} else {
			unchecked++
		}
	}
	return broken, unchecked
}

// A Column differs between the two files.
type Column struct {
	Name          string
	Before, After cube.Type // "" for a file without the column
}

// A Sheet differs between two workbooks.
type Sheet struct {
	Name          string
	Before, After *int     // rows; nil for a workbook in which it has none
	Columns       []Column // that differ, if both have rows
}

// Values are values of a column of dates that are read with another order of day and month.
type Values struct {
	Sheet, Column string   // Sheet is "" for the table of the file
	Before, After []string // the first 3 that differ, or the first 3 of all
}

// A Dashboard is one that would break, or that could not be checked.
type Dashboard struct {
	Slug, Name string
	Problems   []Problem // at most 10
}

// A Kind is a kind of problem.
type Kind string

// The kinds.
const (
	Missing   Kind = "missing"   // the file lacks columns that the SQL names
	Retyped   Kind = "retyped"   // a column of the result has another type
	NoSheet   Kind = "no_sheet"  // the file lacks a sheet that the dataset reads, with its name
	Fails     Kind = "fails"     // the SQL fails, with the message of the source
	Panels    Kind = "panels"    // a panel cannot show the result, with the message of a publish
	Empty     Kind = "empty"     // the SQL no longer returns rows
	Unchecked Kind = "unchecked" // there was no time, or no worker, to try it
)

// A Problem is one thing that would be wrong with a dashboard.
type Problem struct {
	Kind          Kind
	Dataset       string    // whose SQL it is; "" for Panels
	Columns       []string  // of Missing, and the one of Retyped
	Before, After cube.Type // of Retyped
	Nearest       string    // of Missing: a similar column of the file, or ""
	Text          string    // of NoSheet, Fails and Panels
}

// Compare compares the file that m's upload d has with f, and tries the dashboards that read d. It takes at most
// [AllTime].
func Compare(
	ctx context.Context, s *store.Store, m store.Member, d store.UploadDetail, f store.UploadFileDetail, now time.Time,
) (Comparison, error) {
	var out Comparison
	out.Columns, out.Same = compareColumns(d.Columns, f.Columns)
	out.Sheets, out.Values = compareSheets(d.Workbook, f.Workbook), compareDates(d, f)
	readers, err := s.Uploads.Readers(ctx, m, d.ID)
	if err != nil {
		return out, err
	}
	out.Readers = len(readers)
	limited, cancel := context.WithTimeout(ctx, AllTime)
	defer cancel()
	t := trial{store: s, member: m, upload: d, file: f, now: now}
	for _, reader := range readers {
		problems, err := t.dashboard(limited, reader)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if limited.Err() != nil {
			err, problems = nil, append(problems, Problem{Kind: Unchecked})
		}
		if err != nil {
			return out, err
		}
		if len(problems) > 0 {
			out.Dashboards = append(out.Dashboards, Dashboard{reader.Slug, reader.Name, problems[:min(len(problems), maxProblems)]})
		}
	}
	return out, nil
}

// A trial tries a file on dashboards.
type trial struct {
	store  *store.Store
	member store.Member
	upload store.UploadDetail
	file   store.UploadFileDetail
	now    time.Time
}

// dashboard returns the problems that one dashboard would have, without those that it already has.
func (t trial) dashboard(ctx context.Context, d store.Dashboard) ([]Problem, error) {
	raw, err := t.store.Dashboards.Content(ctx, t.member, d)
	if err != nil {
		return nil, err
	}
	spec, err := dashboard.ParseStored(raw)
	if err != nil {
		return nil, fmt.Errorf("stored spec of %s: %w", d.ID, err)
	}
	results, err := t.store.Dashboards.Results(ctx, t.member, d.VersionID)
	if err != nil {
		return nil, err
	}
	had := map[string]bool{} // the datasets with rows
	for _, r := range results {
		had[r.Dataset] = r.Rows > 0
	}
	connection, err := t.store.Connections.BoundConnection(ctx, t.member, d)
	if err != nil {
		return nil, err
	}
	if store.Unbound(connection, t.member.WorkspaceID(), d.Files) != "" { // it already cannot be refreshed
		return nil, nil
	}
	if problems := t.sheets(d.Files); len(problems) > 0 {
		return problems, nil
	}
	before, err := t.store.Connections.Source(ctx, t.member, d.Connection, d.Files)
	if err != nil {
		return nil, err
	}
	after, err := t.store.Uploads.TrySource(ctx, t.member, d, t.upload.ID, t.file)
	if err != nil {
		return nil, err
	}
	before, after = before.In(spec.Location()), after.In(spec.Location())
	var problems []Problem
	old, now := map[string][]cube.Column{}, map[string][]cube.Column{}
	for i := range spec.Datasets {
		set := &spec.Datasets[i]
		files := d.Files.Of(set.ID)
		if len(set.From) > 0 || !files.Has(t.upload.ID) {
			continue
		}
		q, err := t.describe(ctx, spec, set, before.For(set.ID))
		switch {
		case isUnasked(err):
			problems = append(problems, Problem{Kind: Unchecked, Dataset: set.ID})
			continue
		case isSQL(err): // it fails already
			continue
		case err != nil:
			return nil, err
		}
		columns, found, err := t.of(files).dataset(ctx, spec, set, q, after.For(set.ID), had[set.ID])
		if err != nil {
			return nil, err
		}
		problems = append(problems, found...)
		if columns != nil {
			old[set.ID], now[set.ID] = q, columns
		}
	}
	return append(problems, t.panels(spec, d.Files, old, now)...), nil
}

// sheets returns the problems of files whose sheets the new file lacks.
func (t trial) sheets(files store.Files) []Problem {
	var out []Problem
	for _, f := range files {
		if f.Upload != t.upload.ID || f.Sheet == "" {
			continue
		}
		if _, ok := columnsOf(t.file.Workbook, f.Sheet); !ok {
			out = append(out, Problem{Kind: NoSheet, Dataset: f.Dataset, Text: f.Sheet})
		}
	}
	return out
}

// of returns a try for a dataset that reads files.
func (t trial) of(files store.Files) tryOf {
	out := tryOf{trial: t}
	for _, f := range files {
		if f.Upload != t.upload.ID {
			continue
		}
		before, after := t.upload.Columns, t.file.Columns
		if f.Sheet != "" {
			before, _ = columnsOf(t.upload.Workbook, f.Sheet)
			after, _ = columnsOf(t.file.Workbook, f.Sheet)
		}
		changed, _ := compareColumns(before, after)
		for _, c := range changed {
			if c.After == "" {
				out.lost = append(out.lost, c.Name)
			}
		}
		for _, c := range after {
			out.names = append(out.names, c.Name)
		}
	}
	return out
}

// A tryOf is a try of one dataset.
type tryOf struct {
	trial
	lost  []string // columns that its tables of the new file lack
	names []string // the columns that they have
}

// dataset tries one dataset, which returns the columns before over the current file, and rows if it had some. The columns over the new file
// are nil if it fails.
func (t tryOf) dataset(
	ctx context.Context, spec *dashboard.Spec, set *dashboard.Dataset, before []cube.Column, src warehouse.Connector, hadRows bool,
) ([]cube.Column, []Problem, error) {
	failed := func(err error) ([]cube.Column, []Problem, error) {
		no, _ := errors.AsType[*warehouse.Error](err)
		switch {
		case isUnasked(err):
			return nil, []Problem{{Kind: Unchecked, Dataset: set.ID}}, nil
		case !isSQL(err):
			return nil, nil, err
		case no.Class == warehouse.Unknown:
			if missing := t.named(set.SQL); len(missing) > 0 {
				return nil, []Problem{{Kind: Missing, Dataset: set.ID, Columns: missing, Nearest: t.nearest(missing)}}, nil
			}
		}
		return nil, []Problem{{Kind: Fails, Dataset: set.ID, Text: no.Message}}, nil
	}
	columns, err := t.describe(ctx, spec, set, src)
	if err != nil {
		return failed(err)
	}
	var problems []Problem
	for _, c := range columns {
		i := slices.IndexFunc(before, func(b cube.Column) bool { return b.Name == c.Name })
		if i >= 0 && !alike(before[i].Type, c.Type) {
			problems = append(problems, Problem{
				Kind: Retyped, Dataset: set.ID, Columns: []string{c.Name}, Before: before[i].Type, After: c.Type,
			})
		}
	}
	sql, args, err := set.Bind(spec, t.now, src.Placeholder)
	if err != nil {
		return nil, nil, err
	}
	var rows counter
	limits := warehouse.Limits{Rows: set.Rows, Bytes: dashboard.MaxResultBytes, Time: queryTime}
	limited, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	switch _, err := src.Query(limited, sql, args, limits, &rows); {
	case err != nil:
		_, found, err := failed(err)
		return columns, append(problems, found...), err
	case rows == 0 && hadRows:
		problems = append(problems, Problem{Kind: Empty, Dataset: set.ID})
	}
	return columns, problems, nil
}

func (t trial) describe(
	ctx context.Context, spec *dashboard.Spec, set *dashboard.Dataset, src warehouse.Connector,
) ([]cube.Column, error) {
	sql, args, err := set.Bind(spec, t.now, src.Placeholder)
	if err != nil {
		return nil, err
	}
	return src.Describe(ctx, sql, args)
}

// panels returns the problems of panels with the columns now that they did not have with the columns before: first the missing columns,
// then other problems.
func (t trial) panels(spec *dashboard.Spec, files store.Files, before, now map[string][]cube.Column) []Problem {
	known, _ := errors.AsType[*dashboard.Problems](spec.CheckColumns(before))
	found, ok := errors.AsType[*dashboard.Problems](spec.CheckColumns(now))
	if !ok {
		return nil
	}
	var out []Problem
	needed := map[string]bool{} // columns that are named already
	for _, p := range *found {
		if known != nil && slices.ContainsFunc(*known, func(k dashboard.Problem) bool { return k.Path == p.Path && k.Message == p.Message }) {
			continue
		}
		set, column := lacks(spec, before, now, p)
		switch i := slices.IndexFunc(out, func(o Problem) bool { return o.Kind == Missing && o.Dataset == set }); {
		case column == "":
			out = append(out, Problem{Kind: Panels, Text: p.Path + ": " + p.Message})
		case needed[set+" "+column]:
		case i >= 0:
			out[i].Columns = append(out[i].Columns, column)
		default:
			out = slices.Insert(out, 0, Problem{Kind: Missing, Dataset: set, Columns: []string{column}})
		}
		needed[set+" "+column] = true
	}
	for i := range out {
		if out[i].Kind == Missing {
			out[i].Nearest = t.of(files.Of(out[i].Dataset)).nearest(out[i].Columns)
		}
	}
	return out
}

// lacks is the dataset and the column that it returned before and p misses now, or "" if p is about something else.
func lacks(spec *dashboard.Spec, before, now map[string][]cube.Column, p dashboard.Problem) (set, column string) {
	for _, d := range spec.Datasets {
		for _, c := range before[d.ID] {
			gone := !slices.ContainsFunc(now[d.ID], func(n cube.Column) bool { return n.Name == c.Name })
			if gone && strings.Contains(p.Message, `column "`+c.Name+`" is not returned by dataset "`+d.ID+`"`) {
				return d.ID, c.Name
			}
		}
	}
	return "", ""
}

// named returns the lost columns that sql names.
func (t tryOf) named(sql string) []string {
	q := sqltext.Read(sql)
	var out []string
	for _, column := range t.lost {
		for i := range q.Tokens {
			if q.Named(i) && sqltext.Lower(q.Value(i)) == sqltext.Lower(column) {
				out = append(out, column)
				break
			}
		}
	}
	return out
}

// nearest returns the column of the file that probably corresponds to the only missing column.
func (t tryOf) nearest(missing []string) string {
	if len(missing) > 1 {
		return ""
	}
	return strings.Join(suggest.Names(missing[0], t.names, 1), "")
}

// alike reports whether panels treat values of both types alike.
func alike(a, b cube.Type) bool {
	number := func(t cube.Type) bool { return t == cube.Integer || t == cube.Number }
	return a == b || number(a) && number(b)
}

// isSQL reports whether err is about the SQL.
func isSQL(err error) bool {
	no, ok := errors.AsType[*warehouse.Error](err)
	return ok && !isUnasked(no)
}

// isUnasked reports whether err means that the query was not answered in time.
func isUnasked(err error) bool {
	no, ok := errors.AsType[*warehouse.Error](err)
	return ok && (no.Class.OfSource() || no.Class == warehouse.Timeout) || errors.Is(err, context.DeadlineExceeded)
}

// A counter is a sink that counts rows.
type counter int

func (*counter) Columns([]cube.Column) error { return nil }

func (c *counter) Row([]any) error { *c++; return nil }
