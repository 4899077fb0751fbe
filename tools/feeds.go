package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
	"service/store/message"
	"service/store/view"
	"service/store/warehouse"
)

// feeds are the feeds of a spec's datasets, with the rows that the caller may read.
type feeds struct {
	spec *dashboard.Spec            // its columns are described by the feeds, as far as these are known
	fed  map[dashboard.Ref]view.Fed // datasets of other dashboards
	said map[string]dashboard.Said
}

// feeds reads the feeds that a spec names from other dashboards. slug is that of its own dashboard. Mistakes are a *dashboard.Problems.
func (c call) feeds(ctx context.Context, s *dashboard.Spec, slug string) (*feeds, error) {
	f := &feeds{spec: s, fed: map[dashboard.Ref]view.Fed{}, said: map[string]dashboard.Said{}}
	var problems dashboard.Problems
	for i, d := range s.Datasets {
		for j, ref := range d.From {
			path := fmt.Sprintf("datasets[%d].from[%d]", i, j)
			if ref.Slug == "" {
				continue
			}
			if ref.Slug == slug {
				problems = append(problems, dashboard.Problem{
					Path: path, Message: fmt.Sprintf(`"%s" is the dashboard itself: name its dataset "%s" without the slug`, slug, ref.Dataset),
				})
				continue
			}
			fed, known := f.fed[ref]
			var err error
			if !known {
				fed, err = c.Views.Feed(ctx, c.Member, ref)
			}
			switch no, ok := message.As(err); {
			case ok:
				problems = append(problems, dashboard.Problem{Path: path, Message: no.Error()})
				continue
			case err != nil:
				return nil, err
			}
			f.fed[ref] = fed
		}
	}
	if len(problems) > 0 {
		return f, &problems
	}
	return f, nil
}

// bound returns the problems of SQL over rows of which the caller may read only some.
func (f *feeds) bound() error {
	var problems dashboard.Problems
	for i, d := range f.spec.Datasets {
		for j, ref := range d.From {
			if fed, ok := f.fed[ref]; ok && !fed.Whole && d.SQL != "" {
				problems = append(problems, dashboard.Problem{
					Path: fmt.Sprintf("datasets[%d].from[%d]", i, j), Message: fmt.Sprintf(`"%s" shows each reader some of its rows, and you do not `+
						`get all of them: SQL over them would find out about the others; leave sql out to take the rows as they are`, ref),
				})
			}
		}
	}
	if len(problems) > 0 {
		return &problems
	}
	return nil
}

// refsShown returns references in the form of a spec.
func refsShown(refs []dashboard.Ref) (out []string) {
	for _, r := range refs {
		out = append(out, r.String())
	}
	return out
}

// fedOf returns the feeds of a dataset, with their rows if they are known; false if the columns of one are unknown.
func (f *feeds) fedOf(
	d *dashboard.Dataset, columns map[string][]cube.Column, rows map[string]*cube.Cube,
) (fed []dashboard.Fed, tables []warehouse.DataTable, known bool) {
	for _, ref := range d.From {
		if ref.Slug != "" {
			other := f.fed[ref]
			if other.Cube == nil {
				return nil, nil, false
			}
			fed, tables = append(fed, other.Fed), append(tables, warehouse.RowsTable(ref.Dataset, f.rowsOf(other.Cube, rows)))
			continue
		}
		cols, ok := columns[ref.Dataset]
		if !ok {
			return nil, nil, false
		}
		own, _ := dashboard.FedOf(f.spec, ref, f.said[ref.Dataset].Stored(), cols)
		c := rows[ref.Dataset]
		if c == nil {
			c = cube.NewBuilder(cols).Cube()
		}
		fed, tables = append(fed, own), append(tables, warehouse.RowsTable(ref.Dataset, c))
	}
	return fed, tables, true
}

// rowsOf returns the rows of another dashboard, or a cube without rows if rows is nil.
func (f *feeds) rowsOf(c *cube.Cube, rows map[string]*cube.Cube) *cube.Cube {
	if rows == nil {
		return cube.NewBuilder(c.Columns()).Cube()
	}
	return c
}

// order returns the indexes of the datasets with feeds, each after those that it reads.
func (f *feeds) order() []int {
	var out []int
	for _, stage := range f.spec.Stages() {
		for _, run := range stage {
			if run.ID == run.Dataset.ID && len(run.Dataset.From) > 0 {
				out = append(out, slices.IndexFunc(f.spec.Datasets, func(d dashboard.Dataset) bool { return d.ID == run.ID }))
			}
		}
	}
	return out
}

// describe adds the columns of the datasets with feeds to those of the others. Mistakes are a *dashboard.Problems.
func (f *feeds) describe(ctx context.Context, c call, columns map[string][]cube.Column) error {
	var problems dashboard.Problems
	for _, i := range f.order() {
		d := &f.spec.Datasets[i]
		fed, tables, known := f.fedOf(d, columns, nil)
		if !known {
			continue
		}
		cols := []cube.Column{}
		if d.AsStored() {
			for _, col := range fed[0].Columns {
				if !col.IsRatio() {
					cols = append(cols, col.Column)
				}
			}
		} else {
			src, err := c.Store.Connections.FeedSource(c.Member, tables)
			if err != nil {
				return err
			}
			src = warehouse.In(src, f.spec.Location())
			sql, args, err := d.Bind(f.spec, c.Now(), src.Placeholder)
			if err == nil {
				cols, _, err = c.describe(ctx, src, sql, args)
			}
			problem, fatal := describeProblem(fmt.Sprintf("datasets[%d].sql", i), err)
			if fatal != nil {
				return fatal
			}
			if problem != nil {
				problems = append(problems, *problem)
			}
			if err != nil {
				continue
			}
		}
		columns[d.ID] = cols
		var names []string
		for _, col := range cols {
			names = append(names, col.Name)
		}
		for _, lost := range f.lostRules(d, names) {
			problems = append(problems, dashboard.Problem{Path: fmt.Sprintf("datasets[%d].sql", i), Message: lost})
		}
		f.said[d.ID] = d.Say(fed, names)
		f.spec = f.spec.Heard(f.said)
	}
	if len(problems) > 0 {
		return &problems
	}
	return nil
}

// lostRules returns the mistakes of SQL that does not return the columns of inherited row rules.
func (f *feeds) lostRules(d *dashboard.Dataset, names []string) (out []string) {
	for _, ref := range d.From {
		for _, rule := range f.fed[ref].Rules {
			if !slices.Contains(names, rule.Column) {
				out = append(out, fmt.Sprintf(`returns no column "%s", by which "%s" decides who sees which rows; return it, so that the rule can `+
					`come along`,
					clip(rule.Column, 100), ref))
			}
		}
	}
	return out
}

// describeProblem returns the problem of SQL at path, or an error that is not about the SQL. A source that is busy or late is neither.
func describeProblem(path string, err error) (*dashboard.Problem, error) {
	no, isSource := errors.AsType[*warehouse.Error](err)
	_, isSpec := errors.AsType[*dashboard.Problems](err)
	switch {
	case err == nil, isSpec, isSource && (no.Class.OfSource() ||
		no.Class == warehouse.Timeout): // dashboard.Parse has reported those of a spec
		return nil, nil
	case isSource:
		return &dashboard.Problem{Path: path, Message: located(no), Noun: "nearest names", Allowed: clipAll(no.Suggestions, 5)}, nil
	}
	return nil, err
}

// try adds the rows of the datasets with feeds to a page of a dry run.
func (f *feeds) try(ctx context.Context, c call, v *page.View, columns map[string][]cube.Column, shelf *cube.Shelf) []dashboard.Warning {
	var out []dashboard.Warning
	for _, i := range f.order() {
		d := &f.spec.Datasets[i]
		if _, known := columns[d.ID]; !known || slices.ContainsFunc(d.From, func(r dashboard.Ref) bool {
			return r.Slug == "" &&
				v.Cubes[r.Dataset] == nil
		}) {
			continue
		}
		_, tables, _ := f.fedOf(d, columns, v.Cubes)
		for _, r := range d.From {
			if other := f.fed[r]; other.Truncated || v.Truncated[r.Dataset] && r.Slug == "" {
				v.Truncated[d.ID] = true
			}
			if at := f.fed[r].RefreshedAt; !at.IsZero() && at.Before(v.Header.AsOf) {
				v.Header.AsOf = at
			}
		}
		if d.AsStored() {
			ref := d.From[0]
			if v.Cubes[d.ID] = v.Cubes[ref.Dataset]; ref.Slug != "" {
				v.Cubes[d.ID] = f.fed[ref].Cube
			}
			continue
		}
		src, err := c.Store.Connections.FeedSource(c.Member, tables)
		if err != nil {
			continue
		}
		src = warehouse.In(src, f.spec.Location())
		sql, args, err := d.Bind(f.spec, c.Now(), src.Placeholder)
		if err != nil {
			continue // dashboard.Parse has reported it
		}
		rows := shelf.Collect()
		stats, err := src.Query(ctx, sql, args, warehouse.Limits{Rows: d.Rows, Bytes: dashboard.MaxResultBytes, Time: toolTime}, rows)
		if err != nil {
			rows.Drop()
		} else if made := rows.Cube(); made != nil {
			v.Cubes[d.ID] = made
			v.Truncated[d.ID] = v.Truncated[d.ID] || stats.Truncated
		}
		if w := rowWarning(i, d, stats, err, timedOut(ctx, err)); w != nil {
			out = append(out, *w)
		}
	}
	return out
}

// warnings warns of differences between the spec and the specs of its feeds.
func (f *feeds) warnings() []dashboard.Warning {
	fed := map[string][]dashboard.Fed{}
	for i := range f.spec.Datasets {
		d := &f.spec.Datasets[i]
		for _, ref := range d.From {
			if other, ok := f.fed[ref]; ok && other.Cube != nil {
				fed[d.ID] = append(fed[d.ID], other.Fed)
			}
		}
	}
	return f.spec.FromWarnings(fed)
}

// readerWarnings warns of datasets that other dashboards read and that the spec no longer has, or has with other columns. columns are those
// of the new spec, as far as they are known.
func (c call) readerWarnings(ctx context.Context, s *dashboard.Spec, before store.Dashboard,
	columns map[string][]cube.Column,
) ([]dashboard.Warning, error) {
	readers, err := c.Store.Refreshes.FeedReaders(ctx, c.Member, before)
	if err != nil || len(readers) == 0 {
		return nil, err
	}
	was, err := c.Store.Dashboards.ResultColumns(ctx, c.Member, before.VersionID)
	if err != nil {
		return nil, err
	}
	var out []dashboard.Warning
	for _, r := range readers {
		i := slices.IndexFunc(s.Datasets, func(d dashboard.Dataset) bool { return d.ID == r.Of })
		by := fmt.Sprintf(`dataset "%s" of dashboard "%s"`, r.Dataset, r.Slug)
		if i < 0 {
			out = append(out, dashboard.Warnf(dashboard.WarnReaders, "datasets", `%s reads "%s", which is gone: it keeps its rows and fails.`,
				by, r.Of))
			continue
		}
		now, known := columns[r.Of]
		if !known {
			continue
		}
		for _, col := range was[r.Of] {
			at := slices.IndexFunc(now, func(k cube.Column) bool { return k.Name == col.Name })
			switch {
			case at < 0:
				out = append(out, dashboard.Warnf(dashboard.WarnReaders, fmt.Sprintf("datasets[%d]", i), `%s reads it, and its column "%s" is gone.`,
					by, clip(col.Name, 100)))
			case now[at].Type != col.Type:
				out = append(out, dashboard.Warnf(dashboard.WarnReaders, fmt.Sprintf("datasets[%d]", i),
					`%s reads it, and its column "%s" was of type %s and is of type %s.`, by, clip(col.Name, 100), col.Type, now[at].Type))
			}
		}
	}
	return out, nil
}
