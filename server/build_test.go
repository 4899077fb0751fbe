package server

import (
	"runtime/debug"
	"testing"
)

func TestBuild(t *testing.T) {
	t.Parallel()
	const placeholder = "$" + "Format:%H %cI$\n"
	git := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "b"}, {Key: "vcs.time", Value: "2026-02-02T00:00:00Z"},
	}}
	dirty := &debug.BuildInfo{Settings: append([]debug.BuildSetting{{Key: "vcs.modified", Value: "true"}}, git.Settings...)}
	for _, tc := range []struct {
		name, commit, date string
		info               *debug.BuildInfo
		archived           string
		want               [2]string
	}{
		{"released", "a", "2026-01-01T00:00:00Z", git, placeholder, [2]string{"a", "2026-01-01T00:00:00Z"}},
		{"in a checkout", "", "", git, placeholder, [2]string{"b", "2026-02-02T00:00:00Z"}},
		{"changed there", "", "", dirty, placeholder, [2]string{"b-modified", "2026-02-02T00:00:00Z"}},
		{"from an archive", "", "", &debug.BuildInfo{}, "c 2026-03-03T00:00:00+01:00\n", [2]string{"c", "2026-03-03T00:00:00+01:00"}},
		{"of nothing", "", "", nil, placeholder, [2]string{"unknown", "unknown"}},
	} {
		revision, made := build(tc.commit, tc.date, tc.info, tc.archived)
		if got := [2]string{revision, made}; got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
