package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"service/store/dashboard"
	"service/store/message"
)

// A feed is a dataset whose stored rows a dataset of a version reads.
type feed struct {
	Dataset   string    // that reads
	Place     int       // the index among the feeds of that dataset
	Dashboard uuid.UUID // that is read; zero: the same spec
	Slug      string    // of it, as the spec has it; empty: the same spec
	Of        string    // the dataset that is read
}

// ref is the feed as a spec has it.
func (f feed) ref() string { return dashboard.Ref{Slug: f.Slug, Dataset: f.Of}.String() }

// lockFeeds lets one transaction at a time change or follow the feeds of a workspace, so that two publishes cannot close a cycle, and no
// row rule or change of rows is missed. Take it before the locks of dashboards.
func lockFeeds(ctx context.Context, tx pgx.Tx, workspace uuid.UUID) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('feed ' || $1::text, 0))`, workspace)
	return err
}

// findFeeds returns the feeds of a version.
func findFeeds(ctx context.Context, q querier, workspace, version uuid.UUID) ([]feed, error) {
	rows, _ := q.Query(ctx, `
		SELECT dataset, place, dashboard_id, slug, of_dataset FROM feed
		 WHERE workspace_id = $1 AND version_id = $2 ORDER BY dataset, place`, workspace, version)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (f feed, err error) {
		return f, row.Scan(&f.Dataset, &f.Place, (*zeronull.UUID)(&f.Dashboard), &f.Slug, &f.Of)
	})
}

// addFeeds stores the feeds of a version.
func addFeeds(ctx context.Context, tx pgx.Tx, workspace, version uuid.UUID, feeds []feed) error {
	for _, f := range feeds {
		if _, err := tx.Exec(ctx, `
			INSERT INTO feed (workspace_id, version_id, dataset, place, dashboard_id, slug, of_dataset) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			workspace, version, f.Dataset, f.Place, optional(f.Dashboard), f.Slug, f.Of); err != nil {
			return err
		}
	}
	return nil
}

// sameFeeds reports whether a dataset reads the same rows in both.
func sameFeeds(a, b []feed, dataset string) bool {
	of := func(all []feed) (out []feed) {
		for _, f := range all {
			if f.Dataset == dataset {
				f.Slug = "" // renames hold
				out = append(out, f)
			}
		}
		return out
	}
	return slices.Equal(of(a), of(b))
}

// A fedBoard is a dashboard whose rows are read, with its current version.
type fedBoard struct {
	live     bool // it is there, and has a spec
	access   []dashboard.Access
	reader   uuid.UUID // who owns its connection
	datasets []string
}

// rules returns the row rules of a dataset in the form in which a dataset that reads it inherits them.
func (b fedBoard) rules(of, ref string) (out []dashboard.Access) {
	for _, r := range b.access {
		if !r.Covers(of) {
			continue
		}
		if r.Along == "" && b.reader != uuid.Nil {
			r.Reader = b.reader.String()
		}
		r.Along = ref
		out = append(out, r)
	}
	return out
}

// fedBoards returns the dashboards that feeds read.
func (s *core) fedBoards(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, feeds []feed) (map[uuid.UUID]fedBoard, error) {
	out := map[uuid.UUID]fedBoard{}
	for _, f := range feeds {
		if _, known := out[f.Dashboard]; known || f.Dashboard == uuid.Nil {
			continue
		}
		var b fedBoard
		var access, hash []byte
		err := tx.QueryRow(ctx, `
			SELECT v.access, v.sha256, (SELECT k.owner_id FROM connection k WHERE k.id = v.connection_id)
			  FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
			 WHERE d.workspace_id = $1 AND d.id = $2 AND v.kind = 'spec'`, workspace, f.Dashboard).
			Scan(&access, &hash, (*zeronull.UUID)(&b.reader))
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			out[f.Dashboard] = b
			continue
		case err != nil:
			return nil, err
		}
		content, err := s.blob(ctx, tx, workspace, hash)
		if err != nil {
			return nil, err
		}
		b.live, b.access = true, dashboard.ParseAccess(access)
		if spec := parseStored(content); spec != nil {
			for _, d := range spec.Datasets {
				b.datasets = append(b.datasets, d.ID)
			}
		}
		out[f.Dashboard] = b
	}
	return out, nil
}

// withRules returns row rules with those inherited from feeds. reader owns the connection of the version that has the rules. A dataset that
// no longer exists keeps the rules with which its rows were read, which before has.
func withRules(before []dashboard.Access, reader uuid.UUID, feeds []feed, boards map[uuid.UUID]fedBoard) []dashboard.Access {
	out := dashboard.OwnAccess(before)
	known := map[string][]dashboard.Access{}
	var along func(dataset string) []dashboard.Access
	along = func(dataset string) []dashboard.Access {
		if got, ok := known[dataset]; ok {
			return got
		}
		known[dataset] = nil
		var got []dashboard.Access
		for _, f := range feeds {
			b := boards[f.Dashboard]
			switch {
			case f.Dataset != dataset:
			case f.Dashboard == uuid.Nil:
				own := fedBoard{access: dashboard.OwnAccess(before), reader: reader}
				got = append(got, own.rules(f.Of, f.ref())...)
				got = append(got, along(f.Of)...)
			case slices.Contains(b.datasets, f.Of):
				got = append(got, b.rules(f.Of, f.ref())...)
			default:
				for _, r := range before {
					if r.Data == dataset && r.Along == f.ref() {
						got = append(got, r)
					}
				}
			}
		}
		var each []dashboard.Access
		for _, r := range got {
			r.Data = dataset
			if !slices.ContainsFunc(each, func(o dashboard.Access) bool { return o.Same(r) }) {
				each = append(each, r)
			}
		}
		known[dataset] = each
		return each
	}
	for _, f := range feeds {
		if _, done := known[f.Dataset]; !done {
			along(f.Dataset)
		}
	}
	for _, dataset := range slices.Sorted(maps.Keys(known)) {
		out = append(out, known[dataset]...)
	}
	return out
}

// link finds the dashboards that a new version reads, refuses cycles and chains that are too long, and gives the version the row rules that
// it inherits. kept are the feeds of a stored version, which are found by their ids; nil finds feeds by the slugs in the spec. The feeds of
// the workspace are locked.
func (s *core) link(ctx context.Context, tx pgx.Tx, m Member, v *newVersion, kept []feed) (err error) {
	if v.feeds = kept; v.feeds == nil && v.spec != nil && v.spec.Reads() {
		if v.feeds, err = s.resolveFeeds(ctx, tx, m, v); err != nil {
			return err
		}
	}
	if len(v.feeds) == 0 {
		return nil
	}
	if err := s.checkRing(ctx, tx, m.workspace, v); err != nil {
		return err
	}
	boards, err := s.fedBoards(ctx, tx, m.workspace, v.feeds)
	if err != nil {
		return err
	}
	var reader zeronull.UUID
	if err := tx.QueryRow(ctx, `SELECT (SELECT owner_id FROM connection WHERE id = $1)`, optional(v.connection)).Scan(&reader); err != nil {
		return err
	}
	rules := withRules(dashboard.ParseAccess(v.access), uuid.UUID(reader), v.feeds, boards)
	v.access = dashboard.StoreAccess(rules)
	return m.mayCompute(v.spec, rules)
}

// mayCompute refuses SQL and alerts over rows of which m may read only some, because their results depend on all rows.
func (m Member) mayCompute(s *dashboard.Spec, rules []dashboard.Access) error {
	if s == nil {
		return nil
	}
	for i := range s.Datasets {
		d := &s.Datasets[i]
		bound := m.boundBy(rules, d.ID)
		switch {
		case bound == nil:
		case d.SQL != "" && len(d.From) > 0:
			return message.Refuse(`datasets[%d].from: "%s" shows each reader some of its rows, and you do not get all of them: SQL over them would `+
				`find out about the others. Leave sql out to take the rows as they are, or ask an owner of the workspace.`, i, bound.Along)
		case slices.ContainsFunc(s.Alerts, func(a dashboard.Alert) bool { return a.Data == d.ID }):
			return message.Refuse(`alerts: dataset "%s" has rows of "%s", which shows each reader some of its rows: an alert is judged over all of `+
				`them, and you do not get all. Leave the alert out, or ask an owner of the workspace.`, d.ID, bound.Along)
		}
	}
	return nil
}

// boundBy returns a rule of another dashboard by which m gets only some rows of a dataset, or nil.
func (m Member) boundBy(rules []dashboard.Access, dataset string) *dashboard.Access {
	for i, r := range rules {
		if r.Foreign() && r.Covers(dataset) && !m.exempt(r, uuid.Nil) {
			return &rules[i]
		}
	}
	return nil
}

// resolveFeeds finds the dashboards that the spec of v names.
func (s *core) resolveFeeds(ctx context.Context, tx pgx.Tx, m Member, v *newVersion) ([]feed, error) {
	var out []feed
	for i, d := range v.spec.Datasets {
		for place, r := range d.From {
			f := feed{Dataset: d.ID, Place: place, Slug: r.Slug, Of: r.Dataset}
			if r.Slug == "" {
				out = append(out, f)
				continue
			}
			err := tx.QueryRow(ctx, `
				SELECT d.id FROM dashboard d JOIN slug s ON s.workspace_id = d.workspace_id AND s.dashboard_id = d.id
				 WHERE s.workspace_id = $1 AND s.slug = $2`, m.workspace, r.Slug).Scan(&f.Dashboard)
			switch {
			case errors.Is(err, pgx.ErrNoRows) && r.Slug == v.dashboard.Slug, err == nil && f.Dashboard == v.dashboard.ID:
				return nil, message.Refuse(`datasets[%d].from: "%s" is the dashboard itself: name its dataset "%s" without the slug`, i, r.Slug,
					r.Dataset)
			case errors.Is(err, pgx.ErrNoRows):
				return nil, message.Refuse(`datasets[%d].from: there is no dashboard "%s" in workspace "%s". list_dashboards finds slugs.`,
					i, r.Slug, m.slug)
			case err != nil:
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// checkRing refuses a version that would read itself through other dashboards, or that is at the end of too long a chain. The current
// versions of deleted dashboards count, as they may be restored.
func (s *core) checkRing(ctx context.Context, tx pgx.Tx, workspace uuid.UUID, v *newVersion) error {
	rows, _ := tx.Query(ctx, `
		SELECT DISTINCT d.id, d.slug, f.dashboard_id
		  FROM feed f JOIN any_dashboard d ON d.workspace_id = f.workspace_id AND d.version_id = f.version_id
		 WHERE f.workspace_id = $1 AND f.dashboard_id IS NOT NULL AND d.id <> $2`, workspace, v.dashboard.ID)
	reads, slugs := map[uuid.UUID][]uuid.UUID{}, map[uuid.UUID]string{v.dashboard.ID: v.dashboard.Slug}
	var id, of uuid.UUID
	var slug string
	if _, err := pgx.ForEachRow(rows, []any{&id, &slug, &of}, func() error {
		reads[id], slugs[id] = append(reads[id], of), slug
		return nil
	}); err != nil {
		return err
	}
	for _, f := range v.feeds {
		if f.Dashboard == uuid.Nil || slices.Contains(reads[v.dashboard.ID], f.Dashboard) {
			continue
		}
		if way := wayTo(reads, f.Dashboard, v.dashboard.ID, nil); way != nil {
			names := []string{v.dashboard.Slug}
			for _, id := range way {
				names = append(names, slugs[id])
			}
			return message.Refuse(`"%s" would read itself: %s. One of them must read something else.`, v.dashboard.Slug, strings.Join(names, " → "))
		}
		reads[v.dashboard.ID] = append(reads[v.dashboard.ID], f.Dashboard)
	}
	readers := map[uuid.UUID][]uuid.UUID{}
	for id, all := range reads {
		for _, of := range all {
			readers[of] = append(readers[of], id)
		}
	}
	if n := depth(reads, v.dashboard.ID) + depth(readers, v.dashboard.ID); n > dashboard.MaxDepth {
		return message.Refuse(`"%s" would be in a chain of %d dashboards that read one another, over the limit of %d below the first: read `+
			`the one `+
			`at the end of the chain.`, v.dashboard.Slug, n+1, dashboard.MaxDepth)
	}
	return nil
}

// wayTo returns the path from one dashboard to another along edges, with both ends, or nil.
func wayTo(edges map[uuid.UUID][]uuid.UUID, from, to uuid.UUID, way []uuid.UUID) []uuid.UUID {
	if way = append(way, from); from == to {
		return way
	}
	for _, next := range edges[from] {
		if !slices.Contains(way, next) {
			if found := wayTo(edges, next, to, slices.Clone(way)); found != nil {
				return found
			}
		}
	}
	return nil
}

// depth returns the number of edges of the longest path from a dashboard. The edges must have no cycle.
func depth(edges map[uuid.UUID][]uuid.UUID, from uuid.UUID) int {
	known := map[uuid.UUID]int{}
	var of func(id uuid.UUID) int
	of = func(id uuid.UUID) int {
		if n, ok := known[id]; ok {
			return n
		}
		n := 0
		for _, next := range edges[id] {
			n = max(n, 1+of(next))
		}
		known[id] = n
		return n
	}
	return of(from)
}

// passRules updates the inherited row rules of the versions that read a dashboard with a new current version, and of those that read these
// versions. The feeds of the workspace are locked.
func (s *core) passRules(ctx context.Context, tx pgx.Tx, workspace, id uuid.UUID) error {
	for todo, done := []uuid.UUID{id}, map[uuid.UUID]bool{}; len(todo) > 0; todo = todo[1:] {
		if done[todo[0]] {
			continue
		}
		done[todo[0]] = true
		rows, _ := tx.Query(ctx, `
			SELECT v.id, v.dashboard_id, v.access, (SELECT k.owner_id FROM connection k WHERE k.id = v.connection_id),
			       EXISTS (SELECT FROM any_dashboard d WHERE d.workspace_id = v.workspace_id AND d.version_id = v.id)
			  FROM version v
			 WHERE v.workspace_id = $1 AND v.id IN (SELECT f.version_id FROM feed f WHERE f.workspace_id = $1 AND f.dashboard_id = $2)
			 ORDER BY v.id`, workspace, todo[0])
		type reading struct {
			version, dashboard, reader uuid.UUID
			access                     []byte
			current                    bool
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r reading, err error) {
			return r, row.Scan(&r.version, &r.dashboard, &r.access, (*zeronull.UUID)(&r.reader), &r.current)
		})
		if err != nil {
			return err
		}
		for _, r := range all {
			feeds, err := findFeeds(ctx, tx, workspace, r.version)
			if err != nil {
				return err
			}
			boards, err := s.fedBoards(ctx, tx, workspace, feeds)
			if err != nil {
				return err
			}
			before := dashboard.ParseAccess(r.access)
			after := withRules(before, r.reader, feeds, boards)
			if slices.EqualFunc(before, after, dashboard.Access.Same) {
				continue
			}
			if _, err := tx.Exec(ctx, `UPDATE version SET access = $3 WHERE workspace_id = $1 AND id = $2`,
				workspace, r.version, dashboard.StoreAccess(after)); err != nil {
				return fmt.Errorf("rules of version %s: %w", r.version, err)
			}
			if r.current {
				todo = append(todo, r.dashboard)
			}
		}
	}
	return nil
}
