package refresh

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
)

// feeds are the feeds of a job's datasets, and the spec with the columns as the feeds describe them.
type feeds struct {
	store.Feeds
	spec *dashboard.Spec
	job  store.Job

	mu    sync.Mutex
	said  map[string]dashboard.Said      // by the id of the dataset with feeds
	made  map[string]store.DatasetResult // the datasets of this run that have ended, by id
	specs map[string]*dashboard.Spec     // of the feeds' dashboards, by slug
}

// feeds finds the feeds of a job's datasets.
func (w *Worker) feeds(ctx context.Context, j store.Job, s *dashboard.Spec) (*feeds, error) {
	f := &feeds{
		spec: s, job: j, said: map[string]dashboard.Said{}, made: map[string]store.DatasetResult{},
		specs: map[string]*dashboard.Spec{},
	}
	if !s.Reads() {
		return f, nil
	}
	var err error
	if f.Feeds, err = w.cfg.Store.Refreshes.JobFeeds(ctx, j); err != nil {
		return nil, err
	}
	own := *s
	own.Access = f.Rules // including inherited rules
	f.spec = &own
	for _, one := range f.All {
		if _, known := f.specs[one.Ref.Slug]; known || one.Ref.Slug == "" {
			continue
		}
		raw, err := w.cfg.Store.Refreshes.FedSpec(ctx, j, one)
		if err != nil {
			return nil, err
		}
		spec, err := dashboard.ParseStored(raw)
		if err != nil {
			spec = nil // then its datasets are not found
		}
		f.specs[one.Ref.Slug] = spec
	}
	return f, nil
}

// learn records the results of a stage and returns the spec with the results of all stages so far.
func (f *feeds) learn(stage []dashboard.Run, results []store.DatasetResult, of map[string]int) *dashboard.Spec {
	for _, run := range stage {
		if run.ID == run.Dataset.ID {
			f.made[run.ID] = results[of[run.ID]]
		}
	}
	f.spec = f.spec.Heard(f.said)
	return f.spec
}

// A tableRead is a feed, with its rows.
type tableRead struct {
	store.Fed
	cube *cube.Cube
	fed  dashboard.Fed
}

// read reads a feed. If that is impossible, the error is a *message.Refusal with the reason.
func (w *Worker) read(ctx context.Context, f *feeds, one store.Fed) (t tableRead, err error) {
	t.Fed = one
	if one.Ref.Slug == "" { // the result of this run, or else the last good rows
		if r := f.made[one.Ref.Dataset]; r.Cube != nil {
			t.cube, t.Truncated, t.RefreshedAt, t.Said = r.Cube, r.Truncated, r.AsOf, r.Said
		} else if one.SHA256 == nil {
			return t, message.Refuse(`Dataset "%s", which it reads, has no rows: %s`, one.Ref.Dataset, r.Error)
		}
	}
	if one.Problem != "" {
		return t, message.Refuse("%s", one.Problem)
	}
	if t.cube == nil {
		raw, err := w.cfg.Store.Refreshes.FedRows(ctx, f.job, one)
		if err != nil {
			return t, err
		}
		if t.cube, err = cube.Decode(raw); err != nil {
			return t, err
		}
	}
	spec := f.spec
	if one.Ref.Slug != "" {
		spec = f.specs[one.Ref.Slug]
	}
	fed, ok := dashboard.FedOf(spec, one.Ref, t.Said, t.cube.Columns())
	if !ok {
		return t, message.Refuse(`Dashboard "%s" no longer has the dataset "%s", which it reads.`, one.Ref.Slug, one.Ref.Dataset)
	}
	t.fed = fed
	return t, nil
}

// follow runs a dataset with feeds: it copies their rows, or runs SQL over them.
func (w *Worker) follow(ctx context.Context, j store.Job, f *feeds, run dashboard.Run, shelf *cube.Shelf) (r store.DatasetResult,
	err error,
) {
	d, s := run.Dataset, run.Spec(f.spec)
	r.RunDataset = store.RunDataset{ID: run.ID, State: store.RunFailed}
	r.Definition = d.Definition(s)
	defer w.watch(ctx, j, &r)()
	if of := f.BoundOn(d.ID); of != "" && d.SQL != "" {
		r.Error = fmt.Sprintf(`"%s" shows each reader some of its rows, and whoever published this dashboard does not get all of them, so `+
			`no SQL `+
			`runs over them. An owner of the workspace can publish it.`, of)
		return r, nil
	}
	var tables []tableRead
	truncated := false
	for _, one := range f.Of(d.ID) {
		t, err := w.read(ctx, f, one)
		if err != nil {
			r.Error = w.safe(ctx, j, err)
			return r, err
		}
		truncated = truncated || t.Truncated
		if !t.RefreshedAt.IsZero() && (r.AsOf.IsZero() || t.RefreshedAt.Before(r.AsOf)) {
			r.AsOf = t.RefreshedAt
		}
		tables = append(tables, t)
	}
	if d.AsStored() && len(tables) == 1 {
		r.Cube = tables[0].cube
		if shelf.Put(r.Cube); shelf.Full() {
			err := w.tooMuch()
			r.Cube, r.Error = nil, w.safe(ctx, j, err)
			return r, err
		}
	} else {
		stats, err := w.join(ctx, f, run, tables, shelf, &r)
		if err != nil {
			r.Error = w.safe(ctx, j, err)
			return r, err
		}
		truncated = truncated || stats.Truncated
	}
	var fed []dashboard.Fed
	for _, t := range tables {
		fed = append(fed, t.fed)
	}
	var names []string
	for _, c := range r.Cube.Columns() {
		names = append(names, c.Name)
	}
	said := d.Say(fed, names)
	r.Said = said.Stored()
	if r = keep(s, d, r, truncated); r.Cube != nil && run.ID == d.ID {
		f.mu.Lock()
		f.said[d.ID] = said
		f.mu.Unlock()
	}
	return r, nil
}

// join runs the SQL of a dataset over the rows of its feeds.
func (w *Worker) join(
	ctx context.Context, f *feeds, run dashboard.Run, tables []tableRead, shelf *cube.Shelf, r *store.DatasetResult,
) (stats warehouse.Stats, err error) {
	d, s := run.Dataset, run.Spec(f.spec)
	var data []warehouse.DataTable
	for _, t := range tables {
		data = append(data, warehouse.RowsTable(t.Ref.Dataset, t.cube))
	}
	source, err := w.cfg.Store.Connections.JobFeedSource(f.job, data)
	if err != nil {
		return stats, err
	}
	source = warehouse.In(source, s.Location())
	sql, args, err := d.Bind(s, w.cfg.Now(), source.Placeholder)
	if err != nil {
		return stats, err
	}
	limits := warehouse.Limits{Rows: d.Rows, Bytes: dashboard.MaxResultBytes, Time: queryTime}
	rows, stats, err := w.ask(ctx, source, sql, args, limits, shelf)
	if err != nil {
		return stats, err
	}
	if r.Cube = rows.Cube(); rows.Over() {
		r.Cube = nil
		return stats, w.tooMuch()
	}
	return stats, nil
}

// unheard returns the ids of the datasets over which no alert is judged: those of which the publisher may read only some rows.
func (f *feeds) unheard() []string {
	var out []string
	for _, d := range f.spec.Datasets {
		if f.BoundOn(d.ID) != "" {
			out = append(out, d.ID)
		}
	}
	return slices.Clip(out)
}
