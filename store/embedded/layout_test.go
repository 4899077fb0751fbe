package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMajor(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{
		"postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1":                          18,
		"postgres (PostgreSQL) 17":                               17,
		"postgres":                                               0,
		"postgres (PostgreSQL) devel":                            0,
	} {
		got, err := parseMajor(version)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("parseMajor(%q) = %d, %v; want %d", version, got, err, want)
		}
	}
}

// fakeBinaries makes a directory with binaries that report a version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"postgres", "initdb"} {
		script := "#!/bin/sh\necho '" + name + " (PostgreSQL) " + version + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fakeClusters makes a state directory with clusters of the given names.
func fakeClusters(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		data := filepath.Join(dir, name)
		if err := os.Mkdir(data, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestChoose(t *testing.T) {
	t.Parallel()
	pg13, pg15, pg18 := fakeBinaries(t, "13.9"), fakeBinaries(t, "15.20"), fakeBinaries(t, "18.4")
	for _, tc := range []struct {
		name     string
		clusters []string
		bins     []string
		want     int
		refusal  []string // texts that the error contains
	}{
		{name: "the first without a cluster", bins: []string{pg18, pg15}, want: 18},
		{name: "too old ones are passed over", bins: []string{pg13, pg15}, want: 15},
		{name: "what wrote the cluster", clusters: []string{"data-15"}, bins: []string{pg18, pg15}, want: 15},
		{name: "the newest cluster", clusters: []string{"data-15", "data-18"}, bins: []string{pg15, pg18}, want: 18},
		{name: "an unfinished cluster does not count", clusters: []string{"data-15.tmp"}, bins: []string{pg18}, want: 18},
		{name: "none", refusal: []string{"apt-get install postgresql", "brew install postgresql@17", "DATABASE_URL"}},
		{name: "only too old", bins: []string{pg13}, refusal: []string{"14 or newer", "13"}},
		{
			name:     "another major",
			clusters: []string{"data-15"}, bins: []string{pg18},
			refusal: []string{"PostgreSQL 15", "18", "pg_upgrade", "pg_dump", "DATABASE_URL"},
		},
		{
			name:     "never back to the older cluster",
			clusters: []string{"data-15", "data-18"}, bins: []string{pg15}, refusal: []string{"PostgreSQL 18"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, got, err := choose(fakeClusters(t, tc.clusters...), tc.bins)
			if got != tc.want || (err == nil) != (tc.want > 0) {
				t.Fatalf("got %d, %v; want %d", got, err, tc.want)
			}
			for _, phrase := range tc.refusal {
				if !strings.Contains(err.Error(), phrase) {
					t.Errorf("the refusal does not name %s: %v", phrase, err)
				}
			}
		})
	}
}

// TestRecipe: the recipe of a cluster changes with the minor version, and has the arguments of initdb.
func TestRecipe(t *testing.T) {
	seen := map[string]bool{}
	for _, version := range []string{"15.20", "15.21", "15.20"} {
		t.Setenv("PATH", fakeBinaries(t, version)+":/usr/bin:/bin")
		recipe, err := Recipe(t.TempDir())
		if err != nil || !strings.Contains(recipe, version) || !strings.Contains(recipe, "--encoding=UTF8") {
			t.Errorf("%s: %s, %v", version, recipe, err)
		}
		seen[recipe] = true
	}
	if len(seen) != 2 {
		t.Errorf("two versions have the recipes %v", seen)
	}
}

func TestCandidatesNewestFirst(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	root := t.TempDir()
	var want []string
	for _, version := range []string{"18", "9", "15", "10"} {
		bin := filepath.Join(root, version, "bin")
		if err := os.MkdirAll(filepath.Dir(bin), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(fakeBinaries(t, version), bin); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []string{"18", "15", "10", "9"} {
		want = append(want, filepath.Join(root, version, "bin"))
	}
	if diff := cmp.Diff(want, candidates([]string{filepath.Join(root, "*", "bin"), filepath.Join(root, "18", "bin")})); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}

func TestSocketDir(t *testing.T) {
	t.Parallel()
	if got := socketDir("/srv/service"); got != "/srv/service/run" {
		t.Errorf("short: %s", got)
	}
	long := "/srv/" + strings.Repeat("x", 90)
	for _, dir := range []string{long, "/srv/a,b"} {
		got := socketDir(dir)
		if !strings.HasPrefix(got, "/tmp/service-") || len(got) > 40 {
			t.Errorf("%s: %s", dir, got)
		}
	}
	if socketDir(long) == socketDir(long+"y") {
		t.Error("two directories share a socket")
	}
}

func TestLongDirectoryStarts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(stateDir(t), strings.Repeat("long", 30))
	s := start(t, dir)
	if !strings.HasPrefix(s.layout.socket, "/tmp/") {
		t.Fatalf("the socket is in %s, so this test proves nothing", s.layout.socket)
	}
	query(t, s, `SELECT 'answers'`)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.layout.socket); err == nil {
		t.Error("Stop left the directory in /tmp")
	}
}

func TestPlantedSocketDirIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, plant := range map[string]func(path string) error{
		"open to others": func(path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chmod(path, 0o755)
		},
		"a link":  func(path string) error { return os.Symlink(t.TempDir(), path) },
		"a file":  func(path string) error { return os.WriteFile(path, nil, 0o700) },
		"foreign": func(path string) error { return foreignDir(path) },
	} {
		if name == "foreign" && os.Geteuid() != 0 {
			continue // only root can make one
		}
		p := &layout{socket: filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))}
		if os.Geteuid() == 0 {
			p.as = credential(65534, 65534)
		}
		if err := plant(p.socket); err != nil {
			t.Fatal(err)
		}
		if err := p.makeSocketDir(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	p := &layout{socket: filepath.Join(dir, "fine")}
	for range 2 { // made, then found
		if err := p.makeSocketDir(); err != nil {
			t.Error(err)
		}
	}
}

func foreignDir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.Chown(path, 12345, 12345)
}

func TestAccount(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, passwd string
		want         uint32
	}{
		{"postgres first", "root:x:0:0::/:/bin/sh\nnobody:x:99:98::/:\nann:x:1000:1000::/:\npostgres:x:26:27::/:\n", 26},
		{"then nobody", "root:x:0:0::/:/bin/sh\nann:x:1000:1000::/:\nnobody:x:99:98::/:\n", 99},
		{"then the first other", "root:x:0:0::/:/bin/sh\nann:x:1000:1000::/:\nbob:x:1001:1001::/:\nbroken\n", 1000},
		{"never root", "root:x:0:0::/:/bin/sh\ntoor:x:0:0::/:\n", 0},
	} {
		file := filepath.Join(t.TempDir(), "passwd")
		if err := os.WriteFile(file, []byte(tc.passwd), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := account(filepath.Join(t.TempDir(), "missing"), file)
		if (err == nil) != (tc.want > 0) || err == nil && got.Uid != tc.want {
			t.Errorf("%s: %+v, %v", tc.name, got, err)
		}
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	private := filepath.Join(t.TempDir(), "not", "there")
	if got, want := Reachable(private), os.Geteuid() != 0; got != want {
		t.Errorf("below a directory of mode 0700: %t, want %t", got, want)
	}
	if !Reachable(filepath.Join(stateDir(t), "not", "there")) {
		t.Error("below a directory that is open to all: false")
	}
}

func TestAccountIsTheOwnerOfTheCluster(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	data := filepath.Join(t.TempDir(), "data")
	if err := foreignDir(data); err != nil {
		t.Fatal(err)
	}
	got, err := account(data, "/etc/passwd")
	if err != nil || got.Uid != 12345 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestExists: a directory has a cluster once initdb has finished one.
func TestExists(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	for _, step := range []struct {
		made string // within dir
		want bool
	}{{"", false}, {"log", false}, {"data-15.tmp", false}, {"data-15", true}} {
		if step.made != "" {
			at := filepath.Join(dir, step.made)
			if err := errors.Join(os.MkdirAll(at, 0o700), os.WriteFile(filepath.Join(at, "PG_VERSION"), []byte("15\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if got := Exists(dir); got != step.want {
			t.Errorf("with %q: %t", step.made, got)
		}
	}
}
