package scim_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"service/server/browsertest"
)

// TestAnotherImplementation has a client with the types of npm's scimmy, another implementation of SCIM, read each kind of answer and
// make changes, which must have the same result here and there.
func TestAnotherImplementation(t *testing.T) {
	t.Parallel()
	const from = "testdata/scimmy/"
	lock, err := os.ReadFile(from + "package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	installed := browsertest.Installed(t, "scimmy", lock)
	node := browsertest.Program(t, "node")
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	client, err := os.ReadFile(from + "client.mjs")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "client.mjs"), client, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := setup(t)
	out, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "client.mjs"), w.url, token).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
