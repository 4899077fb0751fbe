package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"service/store/pattern"
)

// TestProcessesStartLight: every query worker is a process of this program, so what packages compute before main is computed for each
// query. No package allocates more than a little for it; tables that only some processes need are computed when they are first used.
func TestProcessesStartLight(t *testing.T) {
	t.Parallel()
	const (
		most  = 1 << 20 // bytes of a package; the schema of a spec took 6.7 MB, and half of the time of a start
		total = 4 << 20 // of all packages of this program; to compile regular expressions took 5 MB
	)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := regexp.MustCompile(`(?m)^init (service/\S+) @.* clock, (\d+) bytes`).FindAllStringSubmatch(string(out), -1)
	if len(all) < 10 {
		t.Fatalf("%d packages of this program are initialised:\n%s", len(all), out)
	}
	sum := 0
	for _, one := range all {
		bytes, err := strconv.Atoi(one[2])
		if err != nil || bytes > most {
			t.Errorf("%s allocates %s bytes before main, over %d: %v", one[1], one[2], most, err)
		}
		sum += bytes
	}
	if sum > total {
		t.Errorf("all packages allocate %d bytes before main, over %d", sum, total)
	}
}

// TestPatternsCompile: the regular expressions of all packages, which are compiled when they are first used, are valid.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	all := pattern.All()
	for _, p := range all {
		if _, err := regexp.Compile(p.String()); err != nil {
			t.Error(err)
		}
	}
	if len(all) < 150 {
		t.Errorf("only %d patterns are found", len(all))
	}
}
