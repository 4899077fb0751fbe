package store

import "context"

// CompareVersions lists in words how version b of d differs from version a, as [Version].Changes does. Both are versions of d.
// The current one has the name, tags and chart that d has now, which may have changed since it was published.
func (s Dashboards) CompareVersions(ctx context.Context, m Member, d Dashboard, a, b Version) ([]string, error) {
	after := newVersion{
		dashboard: b.of(d), kind: b.Kind, filename: b.Filename, sha256: b.SHA256, connection: b.Connection, files: b.Files,
	}
	if b.Kind == KindSpec {
		content, err := s.VersionContent(ctx, m, b)
		if err != nil {
			return nil, err
		}
		after.spec = parseStored(content)
	}
	return s.changes(ctx, s.pool, m.workspace, a.of(d), after, SeenSpec{})
}

// of is d as it was at v.
func (v Version) of(d Dashboard) Dashboard {
	if !v.Current {
		d.Name, d.Tags, d.Chart = v.Title, v.Tags, v.Chart
	}
	d.VersionID, d.Kind, d.Filename, d.SHA256, d.Connection, d.Files = v.ID, v.Kind, v.Filename, v.SHA256, v.Connection, v.Files
	return d
}
