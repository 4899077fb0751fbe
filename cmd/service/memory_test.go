package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	missing := filepath.Join(dir, "missing")
	for name, tc := range map[string]struct {
		files []string
		want  int64
	}{
		"no cgroup":                 {[]string{missing, missing}, 1 << 30},
		"version 2":                 {[]string{file("v2", "1000000000\n"), missing}, 700_000_000},
		"version 2 without a limit": {[]string{file("max", "max\n"), missing}, 1 << 30},
		"version 1":                 {[]string{missing, file("v1", "2000000000\n")}, 1_400_000_000},
		"version 1 without a limit": {[]string{missing, file("v1max", "9223372036854771712\n")}, 1 << 30},
	} {
		if got := softLimit(cgroupLimit(tc.files...)); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
