package browsertest

import (
	"bytes"
	_ "embed" // embeds the lock file of axe-core
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Installed returns the folder in the user's cache into which .ci/npm installed the npm
// packages of a lock file. If there is none for this lock file, it skips the test, or
// fails it if CI=true.
func Installed(t testing.TB, name string, lock []byte) (dir string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(cache, "service", name)
	installed, err := os.ReadFile(filepath.Join(dir, "installed"))
	if err == nil && bytes.Equal(installed, lock) {
		return dir
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI needs %s, which .ci/npm brings: %v", name, err)
	}
	t.Skipf("%s is not here as its lock file has it: .ci/npm brings it", name)
	return ""
}

// Program returns the path of a program that the machine has. Without it, it skips the test, or fails it if CI=true.
func Program(t testing.TB, name string) (path string) {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("CI needs %s: %v", name, err)
	default:
		t.Skip(name + " is not installed")
	}
	return path
}

//go:embed testdata/axe/package-lock.json
var axeLock []byte

// Axe returns the source of axe-core, which checks the accessibility of a page. See
// [Installed] for what happens without it.
func Axe(t testing.TB) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(Installed(t, "axe", axeLock), "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// Violations returns the rules of accessibility that the open page breaks, with the
// elements that break them. options are those of axe.run, in JavaScript.
func (b *Tab) Violations(axe, options string) []string {
	b.Helper()
	Eval[bool](b, "if (!window.axe) { "+axe+" } true")
	return Eval[[]string](b, `axe.run(document, `+options+`).then((r) =>
		r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.failureSummary + " " + n.html.slice(0, 300))))`)
}
