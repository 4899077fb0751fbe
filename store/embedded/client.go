package embedded

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// Client finds one of PostgreSQL's client programs, such as pg_dump, for a server of version major: one of the same version, or else of the
// next newer one, since such programs support all older servers.
func Client(name string, major int) (path string, version int, err error) {
	return client(name, major, installations)
}

func client(name string, major int, patterns []string) (path string, version int, err error) {
	type program struct {
		path  string
		major int
	}
	var found []program
	add := func(path string) {
		if v, err := majorOf(path); err == nil && v >= major && executable(path) {
			found = append(found, program{path, v})
		}
	}
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(filepath.Join(pattern, name)) // the patterns are constants
		for _, path := range matches {
			add(path)
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		add(path)
	}
	if len(found) == 0 {
		return "", 0, fmt.Errorf("%s of PostgreSQL %d or newer was not found on this machine: install it "+
			"(`apt-get install postgresql-client-%d`, `brew install postgresql@%d`)", name, major, major, major)
	}
	best := slices.MinFunc(found, func(a, b program) int { return cmp.Compare(a.major, b.major) })
	return best.path, best.major, nil
}
