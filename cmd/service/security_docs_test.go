package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"testing"
)

// TestSecurityDocsNameTests has each test that docs/security.md names be there.
func TestSecurityDocsNameTests(t *testing.T) {
	t.Parallel()
	const module = "../.."
	text, err := os.ReadFile(module + "/docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests []byte
	err = fs.WalkDir(os.DirFS(module), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".go" {
			var source []byte
			source, err = os.ReadFile(module + "/" + name)
			tests = append(tests, source...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)").FindAllSubmatch(text, -1)
	if len(named) < 20 {
		t.Errorf("%d tests are named", len(named))
	}
	for _, name := range named {
		if !bytes.Contains(tests, []byte("\nfunc "+string(name[1])+"(")) {
			t.Errorf("there is no %s", name[1])
		}
	}
}
