package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// oldest is the oldest PostgreSQL that the schema supports.
const oldest = 14

// installations are where package managers put the server's binaries, which
// are often not on PATH.
var installations = []string{
	"/usr/lib/postgresql/*/bin",                                 // Debian
	"/usr/pgsql-*/bin",                                          // PGDG for Red Hat
	"/usr/local/pgsql/bin",                                      // built from source
	"/opt/homebrew/opt/postgresql@*/bin",                        // Homebrew
	"/usr/local/opt/postgresql@*/bin",                           // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",           // Homebrew on Linux
	"/Applications/Postgres.app/Contents/Versions/*/bin",        // Postgres.app
	"/run/current-system/sw/bin", "/nix/var/nix/profiles/*/bin", // Nix
}

var errNoBinaries = errors.New("no PostgreSQL was found on this machine: install one " +
	"(`apt-get install postgresql`, `brew install postgresql@17`), or set DATABASE_URL to a database of your own")

// candidates lists directories that contain both binaries: first PATH, then each pattern's newest version.
func candidates(patterns []string) []string {
	var dirs []string
	add := func(dir string) {
		if executable(filepath.Join(dir, "postgres")) && executable(filepath.Join(dir, "initdb")) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if found, err := exec.LookPath("postgres"); err == nil {
		// initdb looks for its files relative to itself, so links are resolved.
		if real, err := filepath.EvalSymlinks(found); err == nil {
			add(filepath.Dir(real))
		}
	}
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(pattern) // the patterns are constants
		slices.SortFunc(matches, func(a, b string) int {
			if len(a) != len(b) { // 9 sorts before 10
				return len(b) - len(a)
			}
			return strings.Compare(b, a)
		})
		for _, dir := range matches {
			add(dir)
		}
	}
	return dirs
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// choose picks binaries of the version of the cluster under dir. It never starts an empty cluster next to one of another version, which
// would look like lost data.
func choose(dir string, bins []string) (bin string, major int, err error) {
	if len(bins) == 0 {
		return "", 0, errNoBinaries
	}
	have, err := clusters(dir)
	if err != nil {
		return "", 0, err
	}
	var seen []string
	for _, bin := range bins {
		major, err := majorOf(filepath.Join(bin, "postgres"))
		if err != nil {
			return "", 0, err
		}
		switch {
		case have == 0 && major >= oldest, have == major:
			return bin, major, nil
		}
		seen = append(seen, strconv.Itoa(major))
	}
	found := strings.Join(slices.Compact(seen), ", ")
	if have == 0 {
		return "", 0, fmt.Errorf("PostgreSQL %d or newer is needed, and only %s was found: "+
			"install a newer one, or set DATABASE_URL", oldest, found)
	}
	return "", 0, fmt.Errorf("the data in %s was written by PostgreSQL %d, and only PostgreSQL %s was found: "+
		"install PostgreSQL %d again (`apt-get install postgresql-%d`, `brew install postgresql@%d`), "+
		"or move the data to the new version with pg_upgrade or pg_dump, or set DATABASE_URL",
		clusterDir(dir, have), have, found, have, have, have)
}

// clusters returns the newest major version that has a cluster under dir, or 0.
func clusters(dir string) (newest int, err error) {
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), "data-*", "PG_VERSION"))
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		name := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "data-")
		if major, err := strconv.Atoi(name); err == nil { // data-15.tmp is one that initdb never finished
			newest = max(newest, major)
		}
	}
	return newest, nil
}

// Exists reports whether [Start] finds a cluster in dir. A directory that this account cannot read counts as one that has a cluster.
func Exists(dir string) bool {
	if _, err := os.ReadDir(dir); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	newest, err := clusters(dir)
	return err != nil || newest > 0
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func clusterDir(dir string, major int) string {
	return filepath.Join(dir, "data-"+strconv.Itoa(major))
}

// Recipe returns a text that changes with the content of the cluster that [Start] would make in dir: the version of the server, and the
// arguments of initdb.
func Recipe(dir string) (string, error) {
	bin, _, err := choose(dir, candidates(installations))
	if err != nil {
		return "", err
	}
	version, err := versionOf(filepath.Join(bin, "postgres"))
	return version + strings.Join(initdbArgs, " "), err
}

// majorOf returns the major version of a server binary.
func majorOf(postgres string) (int, error) {
	version, err := versionOf(postgres)
	if err != nil {
		return 0, err
	}
	return parseMajor(version)
}

// versionOf returns what a server binary prints as its version.
func versionOf(postgres string) (string, error) {
	out, err := exec.Command(postgres, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", postgres, err)
	}
	return string(out), nil
}

// parseMajor reads "postgres (PostgreSQL) 15.20 (Debian …)", "… 18beta1" and
// the like.
func parseMajor(version string) (int, error) {
	fields := strings.Fields(version)
	if len(fields) >= 3 {
		digits := fields[2]
		if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
			digits = digits[:i]
		}
		if major, err := strconv.Atoi(digits); err == nil {
			return major, nil
		}
	}
	return 0, fmt.Errorf("cannot read the version of PostgreSQL from %q", version)
}
