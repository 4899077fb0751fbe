package view

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
	"service/store/message"
)

// A Fed is a dataset of another dashboard, as a member may read it.
type Fed struct {
	dashboard.Fed
	Cube        *cube.Cube         // the rows that the member may read; nil: no rows are stored yet
	Rules       []dashboard.Access // the row rules that datasets inherit from it
	Whole       bool               // the member gets all rows
	Truncated   bool
	RefreshedAt time.Time
}

// Feed returns the dataset that a reference to another dashboard names, with the rows that m may read. A mistake in the reference is a
// *message.Refusal.
func (r *Renderer) Feed(ctx context.Context, m store.Member, ref dashboard.Ref) (Fed, error) {
	out := Fed{Fed: dashboard.Fed{Ref: ref}}
	d, err := r.Store.Dashboards.DetailWith(ctx, m, ref.Slug, store.PartPage)
	if errors.Is(err, store.ErrNotFound) {
		return out, message.Refuse(`there is no dashboard "%s" in workspace "%s"; introspect_schema lists what others offer`, ref.Slug,
			m.Workspace())
	}
	if err != nil {
		return out, err
	}
	if !d.Refreshable() {
		return out, message.Refuse(`dashboard "%s" is static: it has no datasets with SQL, so nothing can be read of it`, ref.Slug)
	}
	spec, err := r.Spec(ctx, m, d.Dashboard)
	if err != nil {
		return out, err
	}
	if spec.Dataset(ref.Dataset) == nil {
		var ids []string
		for _, set := range spec.Datasets {
			ids = append(ids, set.ID)
		}
		return out, message.Refuse(`dashboard "%s" has no dataset "%s"; it has %s`, ref.Slug, ref.Dataset, strings.Join(ids, ", "))
	}
	cut := m.Cut(d.Dashboard)
	out.Whole = !slices.ContainsFunc(cut.Rules, func(rule store.CutRule) bool { return rule.Covers(ref.Dataset) })
	for _, rule := range dashboard.ParseAccess(d.Access) {
		if rule.Covers(ref.Dataset) {
			out.Rules = append(out.Rules, rule)
		}
	}
	at := slices.IndexFunc(d.Results, func(result store.Result) bool { return result.Dataset == ref.Dataset })
	if at < 0 {
		return out, nil
	}
	result := d.Results[at]
	c, err := r.cube(ctx, m, result)
	if err != nil {
		return out, err
	}
	if !cut.All {
		c = r.only(m, cut, ref.Dataset, result, c)
	}
	fed, ok := dashboard.FedOf(spec, ref, result.Said, c.Columns())
	if !ok {
		return out, fmt.Errorf("dataset %s of %s is gone", ref.Dataset, ref.Slug)
	}
	out.Fed, out.Cube, out.Truncated, out.RefreshedAt = fed, c, result.Truncated, result.RefreshedAt
	return out, nil
}
