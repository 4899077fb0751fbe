package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestReleaseNeedsPatchedGo: a release is not built with a Go whose standard library lacks security fixes.
func TestReleaseNeedsPatchedGo(t *testing.T) {
	t.Parallel()
	for version, refused := range map[string]bool{
		"go1.25.12": true, "go1.26.0": true, "go1.26.8": true, "go1.26.9": false, "go1.26.10": false,
		"go1.27.0": true, "go1.27.2": true, "go1.27.3": false, "go1.27.10": false, "go1.28.0": false,
	} {
		bin := programs(t, map[string]string{
			"go": "case $2 in GOVERSION) echo " + version + ";; *) echo asked for $2 >&2; exit 9;; esac",
		}, "bash", "dirname", "sed", "sort", "head")
		script, _ := filepath.Abs("packaging/release.sh")
		cmd := exec.Command("bash", script)
		cmd.Env = []string{"PATH=" + bin}
		out, _ := cmd.CombinedOutput()
		if got := strings.Contains(string(out), "lacks fixes of security"); got != refused {
			t.Errorf("%s: refused %v, want %v:\n%s", version, got, refused, out)
		}
	}
}

// TestImageNeedsPatchedGo: the image is built with the Go that go.mod names.
func TestImageNeedsPatchedGo(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(mod), "\ntoolchain go")
	version, _, _ := strings.Cut(after, "\n")
	if !ok {
		t.Fatal("go.mod names no toolchain")
	}
	docker, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if want := "FROM golang:" + version + "-"; !strings.Contains(string(docker), want) {
		t.Errorf("Dockerfile has no %q", want)
	}
}

// TestNeeds: `make run` and `make test` name all that the machine lacks, with the one line that installs it.
func TestNeeds(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the packages are those of Debian and Fedora")
	}
	const (
		newGo    = "echo go1.26.8"
		oldGo    = "[ $2 = GOVERSION ] && echo go1.21.0 || echo auto"
		localGo  = "[ $2 = GOVERSION ] && echo go1.24.1 || echo local"
		compiler = "cat > /dev/null"
	)
	tools := []string{"bash", "uname", "mktemp", "rm", "env", "cat"}
	for _, tt := range []struct {
		name string
		fake map[string]string
		env  []string
		what string
		want []string // parts of the answer; empty: nothing is missing
		code int
	}{
		{name: "all there", fake: map[string]string{"go": newGo, "cc": compiler, "postgres": ""}, what: "run"},
		{name: "a Go that fetches another", fake: map[string]string{"go": oldGo, "cc": compiler, "postgres": ""}, what: "test"},
		{name: "a database of one's own", fake: map[string]string{"go": newGo, "cc": compiler}, env: []string{"DATABASE_URL=x"}, what: "run"},
		{
			name: "a Go that is too old and may not fetch another",
			fake: map[string]string{"go": localGo, "cc": compiler, "postgres": ""}, what: "run", want: []string{"Go 1.26"}, code: 1,
		},
		{
			name: "nothing there, Debian", fake: map[string]string{"apt-get": "exit 1"}, env: []string{"SERVICE_INSTALL=no"}, what: "ci",
			want: []string{"Go 1.26", "C++ compiler", "Chromium", "MariaDB", "npm", "apt-get install", "g++", "mariadb-server"}, code: 1,
		},
		{
			name: "no compiler, Fedora", fake: map[string]string{"go": newGo, "postgres": "", "dnf": "exit 1"}, what: "run",
			want: []string{"C++ compiler", "dnf install", "gcc-c++"}, code: 1,
		},
		{
			name: "no compiler, Homebrew", fake: map[string]string{"go": newGo, "postgres": "", "brew": "exit 1"}, what: "run",
			want: []string{"C++ compiler", "brew install gcc"}, code: 1,
		},
		{
			name: "a compiler without the library of C++",
			fake: map[string]string{"go": newGo, "cc": compiler + "; exit 1", "postgres": "", "apt-get": ""},
			env:  []string{"SERVICE_INSTALL=no"}, what: "test", want: []string{"C++ compiler", "apt-get install", "g++"}, code: 1,
		},
		{
			name: "no package manager", fake: map[string]string{"go": newGo, "postgres": ""}, what: "run",
			want: []string{"C++ compiler", "your package manager"}, code: 1,
		},
		{
			name: "it is installed when somebody says so",
			fake: map[string]string{
				"go": newGo, "postgres": "", "sudo": `"$@"`,
				"apt-get": `echo "ran $*"; cc=${0%apt-get}cc; [ "$1" = update ] || { printf '#!/bin/sh\ncat >/dev/null\n' > $cc; /bin/chmod 755 $cc; }`,
			},
			env: []string{"SERVICE_INSTALL=yes"}, what: "run", want: []string{"ran update", "ran install -y --no-install-recommends g++"},
		},
		{
			name: "it is still missing afterwards", fake: map[string]string{"go": newGo, "postgres": "", "sudo": `"$@"`, "apt-get": ""},
			env: []string{"SERVICE_INSTALL=yes"}, what: "run", want: []string{"Still missing", "C++ compiler"}, code: 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script, _ := filepath.Abs("../../.ci/needs")
			cmd := exec.Command("bash", script, tt.what)
			cmd.Env = append(tt.env, "PATH="+programs(t, tt.fake, tools...), "TMPDIR="+t.TempDir())
			out, _ := cmd.CombinedOutput()
			if got := cmd.ProcessState.ExitCode(); got != tt.code || len(tt.want) == 0 && len(out) > 0 {
				t.Errorf("exit status %d, want %d:\n%s", got, tt.code, out)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in the answer:\n%s", want, out)
				}
			}
		})
	}
}

// programs returns a folder for PATH with shell scripts and links to programs of the machine.
func programs(t *testing.T, scripts map[string]string, links ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range links {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
