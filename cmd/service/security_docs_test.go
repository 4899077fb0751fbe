package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"testing"
)

// TestSecurityDocsNameTests checks that each test that docs/security.md and SECURITY.md name
// exists, and that each row of the tables in docs/security.md, or its section, names one.
func TestSecurityDocsNameTests(t *testing.T) {
	t.Parallel()
	const module = "../.."
	docs, err := os.ReadFile(module + "/docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	promises, err := os.ReadFile(module + "/SECURITY.md")
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
	a := regexp.MustCompile("`(Test[A-Za-z0-9]+)")
	rows := 0
	head, rest, _ := bytes.Cut(docs, []byte("<!-- bounds -->"))
	_, tail, _ := bytes.Cut(rest, []byte("<!-- end of bounds -->")) // TestBounds writes that table
	for row := range bytes.Lines(slices.Concat(head, tail)) {
		if !bytes.HasPrefix(row, []byte("| ")) || bytes.HasPrefix(row, []byte("| Threat ")) || bytes.HasPrefix(row, []byte("| Promise ")) {
			continue
		}
		if rows++; !a.Match(row) && !bytes.Contains(row, []byte("([below](#")) {
			t.Errorf("no test is named for: %s", row)
		}
	}
	if rows < 40 {
		t.Errorf("the tables have %d rows", rows)
	}
	for _, name := range a.FindAllSubmatch(append(docs, promises...), -1) {
		if !bytes.Contains(tests, []byte("\nfunc "+string(name[1])+"(")) {
			t.Errorf("there is no %s", name[1])
		}
	}
}
