package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"service/store"
	"service/store/dashboard"
	"service/store/suggest"
)

// maxLinked is the limit of linked dashboards that are looked up for one spec.
const maxLinked = 50

// linkWarnings returns warnings about links of a spec to dashboards of the workspace:
// the dashboard does not exist, or has no filter of that name. slug is the slug of the
// spec itself, which may not be stored yet.
func (c call) linkWarnings(ctx context.Context, s *dashboard.Spec, slug string) ([]dashboard.Warning, error) {
	var out []dashboard.Warning
	found, unknown := map[string]*dashboard.Spec{slug: s}, map[string]string{}
	for _, t := range s.Targets() {
		of, known := found[t.Slug]
		if !known {
			if len(found) > maxLinked {
				continue
			}
			var err error
			of, err = c.pageSpec(ctx, t.Slug)
			_, unread := errors.AsType[*dashboard.Unread](err)
			switch found[t.Slug] = of; {
			case unread:
				found[t.Slug], of = nil, nil
				unknown[t.Slug] = fmt.Sprintf(`the stored document of "%s" cannot be read, so its filters are unknown`, t.Slug)
			case err != nil:
				return nil, err
			case of == nil:
				if unknown[t.Slug], err = c.noDashboard(ctx, t.Slug); err != nil {
					return nil, err
				}
			}
		}
		if of == nil {
			out = append(out, dashboard.Warnf(dashboard.WarnDeadLink, t.Path, "%s", unknown[t.Slug]))
			continue
		}
		for _, missing := range t.Missing(of) {
			out = append(out, dashboard.Warnf(dashboard.WarnDeadLink, t.Path, "%s", missing))
		}
	}
	return out, nil
}

// pageSpec returns the spec of a dashboard of the workspace, or nil if there is no such
// dashboard. A spec without panels has no filters.
func (c call) pageSpec(ctx context.Context, slug string) (*dashboard.Spec, error) {
	d, err := c.Store.Dashboards.Dashboard(ctx, c.Member, slug)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case d.Refreshable():
		return c.specOf(ctx, d)
	case d.Filename != dashboard.DefaultFile || d.ContentType != dashboard.TypeReport:
		return &dashboard.Spec{}, nil
	}
	raw, err := c.Store.Dashboards.Content(ctx, c.Member, d)
	if err != nil {
		return nil, err
	}
	s, _, err := dashboard.ParseStoredReport(raw)
	return s, err
}

// noDashboard returns a text that there is no dashboard of a slug, with the nearest
// slug.
func (c call) noDashboard(ctx context.Context, slug string) (string, error) {
	list, err := c.Store.Dashboards.ListDashboards(ctx, []store.Member{c.Member}, store.DashboardQuery{Limit: 200})
	if err != nil {
		return "", err
	}
	var slugs []string
	for _, d := range list.Dashboards {
		slugs = append(slugs, d.Slug)
	}
	text := fmt.Sprintf(`no dashboard of this workspace is called "%s"`, slug)
	if near := suggest.Names(slug, slices.Sorted(slices.Values(slugs)), 1); len(near) > 0 {
		return text + fmt.Sprintf(`; did you mean "%s"?`, near[0]), nil
	}
	return text + ".", nil
}
