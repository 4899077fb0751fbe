package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"service/store/dashboard"
)

// changes lists in words how v differs from the dashboard before it, whose spec the caller may have seen.
// The first version of a dashboard has no changes.
func (s *core) changes(
	ctx context.Context, q querier, workspace uuid.UUID, before Dashboard, v newVersion, seen SeenSpec,
) ([]string, error) {
	out := []string{}
	if before.VersionID == uuid.Nil {
		return out, nil
	}
	out = append(out, detailChanges(before, v.dashboard)...)
	if before.Filename != v.filename {
		out = append(out, fmt.Sprintf("file: %s → %s", before.Filename, v.filename))
	}
	if before.Kind == KindSpec && v.kind == KindSpec && before.Connection != v.connection {
		out = append(out, "connection changed")
	} else if !before.Files.Of("").Same(v.files.Of("")) {
		out = append(out, "upload changed")
	}
	switch {
	case before.Kind != v.kind && v.kind == KindSpec:
		return append(out, "refreshable now: a spec took the place of a document"), nil
	case before.Kind != v.kind:
		return append(out, "static now: a document took the place of a spec"), nil
	case bytes.Equal(before.SHA256, v.sha256):
		return out, nil
	case v.kind == KindBody:
		return append(out, "document changed"), nil
	}
	old := seen.Spec
	if !bytes.Equal(seen.SHA256, before.SHA256) {
		stored, err := s.blob(ctx, q, workspace, before.SHA256)
		if err != nil {
			return nil, err
		}
		old = parseStored(stored)
	}
	if old == nil || v.spec == nil {
		return append(out, "spec changed"), nil
	}
	return append(out, dashboard.Diff(old, v.spec)...), nil
}

// parseStored parses a stored spec. It returns nil if the spec no longer parses: the refresh that follows reports the problem.
func parseStored(content []byte) *dashboard.Spec {
	spec, err := dashboard.ParseStored(content)
	if err != nil {
		return nil
	}
	return spec
}

// detailChanges describes which of name, tags and chart differ in after.
func detailChanges(before, after Dashboard) []string {
	out := []string{}
	if before.Name != after.Name {
		out = append(out, fmt.Sprintf(`name: "%s" → "%s"`, before.Name, after.Name))
	}
	if !slices.Equal(before.Tags, after.Tags) {
		out = append(out, "tags changed")
	}
	if before.Chart != after.Chart {
		out = append(out, fmt.Sprintf(`chart: "%s" → "%s"`, before.Chart, after.Chart))
	}
	return out
}

// changedDetails names which of name, tags and chart differ in after.
func changedDetails(before, after Dashboard) []string {
	out := []string{}
	if before.Name != after.Name {
		out = append(out, "name")
	}
	if !slices.Equal(before.Tags, after.Tags) {
		out = append(out, "tags")
	}
	if before.Chart != after.Chart {
		out = append(out, "chart")
	}
	return out
}
