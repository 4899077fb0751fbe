package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"service/server/browsertest"
)

// completionScript is the script of the package that completes servicectl in bash. It asks the program itself, not servicectl, which only
// root may run: people write "sudo servicectl", and complete as themselves. Completing needs no configuration.
func completionScript(t *testing.T) string {
	t.Helper()
	root := (&program{stdout: io.Discard, stderr: io.Discard}).root()
	root.Use = "servicectl"
	var b bytes.Buffer
	if err := root.GenBashCompletionV2(&b, true); err != nil {
		t.Fatal(err)
	}
	const asks = `requestComp="${words[0]} __complete`
	if strings.Count(b.String(), asks) != 1 {
		t.Fatalf("cobra's script has changed:\n%s", &b)
	}
	return "# Written by go test ./cmd/service -run ServicectlCompletion -update.\n" +
		strings.Replace(b.String(), asks, `requestComp="`+packagedProgram+" __complete", 1)
}

// packagedProgram is the path of the program in packages.
const packagedProgram = "/usr/lib/service/service"

// TestServicectlCompletion completes commands and flags of servicectl in bash, by the package's script.
func TestServicectlCompletion(t *testing.T) {
	t.Parallel()
	const file = "packaging/files/servicectl.bash"
	want := completionScript(t)
	requireCurrent(t, file, want)
	if packages := string(readFile(t, "cmd/service/packaging/nfpm.yaml")); !strings.Contains(packages,
		"/servicectl.bash\", dst: /usr/share/bash-completion/completions/servicectl,") {
		t.Error("the packages lack the script")
	}
	bash := browsertest.Program(t, "bash")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stand := filepath.Join(t.TempDir(), "service")
	if err := os.WriteFile(stand, []byte("#!/bin/sh\n"+asProgram+"=1 exec '"+self+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	// The first function is bash-completion's, for words without quotes. compopt works only while bash completes.
	const script = `
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${words[cword]} prev=${words[cword-1]}; }
servicectl() { echo "only root may run this" >&2; return 1; }
source /dev/stdin
compopt() { :; }
COMP_WORDS=($1 "$2") COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_TYPE=9
__start_servicectl
printf '%s\n' "${COMPREPLY[@]}"
`
	for _, x := range [][3]string{
		{"servicectl", "mig", "migrate"},
		{"servicectl admin", "mem", "member"},
		{"servicectl admin member add", "--ro", "--role"},
	} {
		cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-c", script, "bash", x[0], x[1])
		cmd.Stdin = strings.NewReader(strings.ReplaceAll(want, packagedProgram, stand))
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimRight(string(out), " \n") != x[2] {
			t.Errorf("%s %s: %v\n%s\nwant %s", x[0], x[1], err, out, x[2])
		}
	}
}
