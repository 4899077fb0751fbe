package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
	"service/store/warehouse"
)

// A checkedSpec is the result of the checks of a spec against its source.
type checkedSpec struct {
	datasets []datasetColumns
	columns  map[string][]cube.Column // of the datasets whose columns are known
	warnings []dashboard.Warning
	alerts   []triedAlert
	panels   []page.Summary // from the current rows; empty if the SQL was not run
	bytes    int64          // that a refresh reads, as far as they are known
	source   store.Source
}

// checkSpec describes the SQL of every dataset and checks the panels against the columns. parseErr has the problems that are
// known already; all problems are returned together. A spec with problems is not drawn, and its alerts are not tried.
// Connections of another workspace are not queried, because the grant's lock does not cover that workspace.
func (c call) checkSpec(
	ctx context.Context, s *dashboard.Spec, slug string, parseErr error, src origin, bound store.Connection,
) (checkedSpec, error) {
	out := checkedSpec{}
	fed, feedErr := c.feeds(ctx, s, slug)
	if _, ok := errors.AsType[*dashboard.Problems](feedErr); feedErr != nil && !ok {
		return out, feedErr
	}
	var found described
	var describeErr error
	if s.Queries() && (src.Connection == uuid.Nil || bound.WorkspaceID == c.WorkspaceID()) {
		out.source, found, describeErr = c.ask(ctx, s, src)
	}
	if _, ok := errors.AsType[*dashboard.Problems](describeErr); describeErr != nil && !ok {
		return out, dashboard.Join(parseErr, describeErr)
	}
	if found.unreached != "" {
		out.warnings = append(out.warnings, dashboard.Warnf(dashboard.WarnSQLNotChecked, "",
			"the SQL could not be checked against the connection: %s", found.unreached))
	}
	if found.columns == nil { // nothing was asked
		found.columns, found.bytes = map[string][]cube.Column{}, map[string]int64{}
	}
	columns := found.columns
	if feedErr == nil {
		feedErr = fed.bound()
	}
	if feedErr == nil {
		if feedErr = fed.describe(ctx, c, columns); feedErr != nil {
			if _, ok := errors.AsType[*dashboard.Problems](feedErr); !ok {
				return out, feedErr
			}
		}
	}
	s, out.columns = fed.spec, columns
	drawn, rowWarnings := c.tryRows(ctx, out.source, s, found, fed)
	out.bytes = refreshBytes(s, found.bytes)
	warnings, err := s.CheckRows(columns, drawn.Cubes)
	if err := dashboard.Join(parseErr, feedErr, describeErr, err); err != nil {
		return out, err
	}
	rowWarnings = append(fed.warnings(), rowWarnings...)
	panels, pageWarnings := page.Examine(drawn)
	if len(drawn.Cubes) > 0 {
		out.panels, pageWarnings = panels, withProblems(pageWarnings, panels)
	}
	tried, alertWarnings := tryAlerts(ctx, c.Log, drawn)
	out.alerts = tried
	out.warnings = slices.Concat(out.warnings, warnings, rowWarnings, pageWarnings, alertWarnings)
	for _, set := range s.Datasets {
		cols, checked := columns[set.ID]
		shown := datasetColumns{ID: set.ID, Checked: checked, Columns: []cubeColumn{}}
		for _, col := range set.Resolve(cols) {
			if checked {
				shown.Columns = append(shown.Columns, cubeColumn{clip(col.Name, 200), string(col.Type), string(col.Role), string(col.Agg)})
			}
		}
		out.datasets = append(out.datasets, shown)
	}
	if len(columns) == 0 && len(out.warnings) == 0 {
		out.warnings = append(out.warnings, dashboard.Warnf(dashboard.WarnSQLNotChecked, "",
			"the columns of the datasets were not checked; the first refresh checks them."))
	}
	return out, nil
}

// ask describes every dataset at its source. If an active connection does not answer, it
// returns unreached instead of a refusal, because the source may be available again at
// the refresh.
func (c call) ask(ctx context.Context, s *dashboard.Spec, from origin) (
	src store.Source, found described, err error,
) {
	src, err = c.open(ctx, from)
	if words, ok := refusal(err); ok {
		return src, described{unreached: words}, nil
	}
	if err != nil {
		return src, described{}, err
	}
	src = src.In(s.Location())
	found, err = c.describeAll(ctx, src, s)
	return src, found, err
}

// tryRows runs the SQL of the datasets whose columns are known, all within one tool's
// time. It warns of rows that a limit will cut, which would make totals on the page wrong.
// It returns the page with the rows, of which it keeps at most [maxTried] bytes; a dataset
// beyond that is not drawn. It adds the bytes that complete runs have read to found, where they were not known.
func (c call) tryRows(
	ctx context.Context, source store.Source, s *dashboard.Spec, found described, fed *feeds,
) (page.View, []dashboard.Warning) {
	limited, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	warned := make([]*dashboard.Warning, len(s.Datasets))
	read := make([]int64, len(s.Datasets))
	sinks := make([]*cube.Collector, len(s.Datasets))
	truncated := make([]bool, len(s.Datasets))
	shelf := cube.Shelf{Most: maxTried}
	v := page.View{
		Spec: s, Cubes: map[string]*cube.Cube{}, Truncated: map[string]bool{}, Now: c.Now(), Header: page.Header{AsOf: c.Now()},
		Log: c.Log,
	}
	slots := make(chan struct{}, describers)
	var wg sync.WaitGroup
	for i := range s.Datasets {
		d := &s.Datasets[i]
		if _, known := found.columns[d.ID]; !known || len(d.From) > 0 {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			src := source.For(d.ID)
			sql, args, err := d.Bind(s, c.Now(), src.Placeholder)
			if err != nil {
				return // dashboard.Parse has reported it
			}
			limits := warehouse.Limits{Rows: d.Rows, Bytes: dashboard.MaxResultBytes, Time: toolTime}
			rows := shelf.Collect()
			stats, err := src.Query(limited, sql, args, limits, rows)
			if err != nil {
				rows.Drop()
			}
			sinks[i], truncated[i] = rows, stats.Truncated
			read[i] = bytesOf(found.bytes[d.ID], stats, err)
			warned[i] = rowWarning(i, d, stats, err, timedOut(ctx, err))
		})
	}
	wg.Wait()
	var out []dashboard.Warning
	for i := range s.Datasets {
		id := s.Datasets[i].ID
		if warned[i] != nil {
			out = append(out, *warned[i])
		}
		if sinks[i] == nil {
			continue
		}
		found.bytes[id] = read[i]
		if c := sinks[i].Cube(); c != nil {
			v.Cubes[id], v.Truncated[id] = c, truncated[i]
		}
		if sinks[i].Over() {
			out = append(out, dashboard.Warnf(dashboard.WarnPageNotDrawn, fmt.Sprintf("datasets[%d]", i),
				"its rows are too many to be drawn before they are stored; after the refresh, verify_dashboard reports what its panels cut or merge."))
		}
	}
	return v, append(out, fed.try(limited, c, &v, found.columns, &shelf)...)
}

// rowWarning returns the warning that follows from one run of a dataset's query, or nil.
func rowWarning(i int, d *dashboard.Dataset, stats warehouse.Stats, err error, timedOut bool) *dashboard.Warning {
	at := fmt.Sprintf("datasets[%d]", i)
	no, isSource := errors.AsType[*warehouse.Error](err)
	switch {
	case timedOut:
		return new(dashboard.Warnf(dashboard.WarnRowsNotCounted, at+".sql",
			"the query did not end within 5 seconds, so its rows were not counted; a refresh gives it 30."))
	case isSource && !no.Class.OfSource():
		return new(dashboard.Warnf(dashboard.WarnQueryFails, at+".sql", "the query fails when it is run: %s", located(no)))
	case err != nil: // the refresh will report it, if the error persists
		return new(dashboard.Warnf(dashboard.WarnRowsNotCounted, at+".sql", "the rows of the query could not be counted."))
	case stats.Truncated && stats.Rows < d.Rows:
		return new(dashboard.Warnf(dashboard.WarnRowLimit, at+".sql",
			"the query returns more than %d MiB at present: the dataset is cut there, after %d rows, and totals miss the rest. "+
				"Group by coarser dimensions, or return fewer columns.", dashboard.MaxResultBytes>>20, stats.Rows))
	case stats.Truncated:
		return new(dashboard.Warnf(dashboard.WarnRowLimit, at+".row_limit",
			"the query returns more than %d rows at present: the dataset is cut there, and totals miss the rest. "+
				"Group by coarser dimensions, or raise row_limit (now %d, at most %d).", stats.Rows, d.Rows, dashboard.MaxRows))
	}
	return nil
}

// described has the columns of datasets by their ids, and the bytes that a run of each reads, or -1. If the source is busy or cannot be
// reached, datasets are missing, and unreached is the reason.
type described struct {
	columns   map[string][]cube.Column
	bytes     map[string]int64
	unreached string
}

// describeAll describes each dataset at a source. Mistakes in SQL are a *dashboard.Problems.
func (c call) describeAll(ctx context.Context, source store.Source, s *dashboard.Spec) (described, error) {
	type result struct {
		columns []cube.Column
		bytes   int64
		err     error
	}
	results := make([]result, len(s.Datasets))
	slots := make(chan struct{}, describers)
	var wg sync.WaitGroup
	for i := range s.Datasets {
		if len(s.Datasets[i].From) > 0 { // see [feeds.describe]
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			src := source.For(s.Datasets[i].ID)
			sql, args, err := s.Datasets[i].Bind(s, c.Now(), src.Placeholder)
			if err == nil {
				results[i].columns, results[i].bytes, err = c.describe(ctx, src, sql, args)
			}
			results[i].err = err
		})
	}
	wg.Wait()
	out := described{columns: map[string][]cube.Column{}, bytes: map[string]int64{}}
	var problems dashboard.Problems
	for i, r := range results {
		at := fmt.Sprintf("datasets[%d].sql", i)
		if len(s.Datasets[i].From) > 0 {
			continue
		}
		problem, err := describeProblem(at, r.err)
		if err != nil {
			return described{}, err
		}
		if problem != nil {
			problems = append(problems, *problem)
		} else if no, isSource := errors.AsType[*warehouse.Error](r.err); isSource {
			out.unreached = clip(no.Message, maxErrorText)
		} else if r.err == nil {
			out.columns[s.Datasets[i].ID], out.bytes[s.Datasets[i].ID] = r.columns, r.bytes
		}
	}
	if len(problems) > 0 {
		return out, &problems
	}
	return out, nil
}

// located returns the text of a source's error with its position in the SQL.
func located(no *warehouse.Error) string {
	text := clip(no.Message, maxErrorText)
	if no.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", no.Line, no.Column)
	}
	return text
}

func clipAll(items []string, most int) []string {
	var out []string
	for _, item := range items[:min(len(items), most)] {
		out = append(out, clip(item, 100))
	}
	return out
}
