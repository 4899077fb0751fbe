package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The Makefile lists the packages that are tested under the race detector, which makes
// tests several times slower: all packages in which goroutines share memory.
func TestRaceDocs(t *testing.T) {
	t.Parallel()
	got := slices.Concat(makeList(t, "RACE"), makeList(t, "RACE_SOME"))
	slices.Sort(got)
	want, err := concurrent(repository)
	if err != nil {
		t.Fatal(err)
	}
	want = slices.DeleteFunc(want, func(name string) bool { // packages that are only for tests
		return name == "server/browsertest" || name == "store/storetest" || name == "auth/authtest" ||
			name == "store/warehouse/warehousetest" || name == "store/warehouse/rest/resttest" || name == "store/growthtest"
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("RACE and RACE_SOME in the Makefile (-want +got):\n%s", diff)
	}
}

// makeList reads a list of packages of the Makefile.
func makeList(t *testing.T, name string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(string(readFile(t, "Makefile")), "\n"+name+" := ")
	list, _, ended := strings.Cut(strings.ReplaceAll(rest, "\\\n", ""), "\n")
	if !ok || !ended {
		t.Fatalf("the Makefile has no list %s", name)
	}
	return strings.Fields(strings.ReplaceAll(list, "./", ""))
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`func f() { go f() }`:                   true,
		`func f() { go func() {}() }`:           true,
		`type t struct { mu sync.Mutex }`:       true,
		`var n atomic.Int64`:                    true,
		`var once = sync.OnceValue(f)`:          false, // the result is only read
		`func f() { /* go f() */ _ = "go f()"}`: false,
	} {
		got, err := isConcurrent([]byte("package p\n" + text))
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// concurrent lists the packages whose code, tests aside, starts goroutines or shares
// memory between them.
func concurrent(module fs.FS) (packages []string, err error) {
	err = eachGoFile(module, func(name string, text []byte) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		found, err := isConcurrent(text)
		if found {
			packages = append(packages, path.Dir(name))
		}
		return err
	})
	slices.Sort(packages)
	return slices.Compact(packages), err
}

func isConcurrent(text []byte) (found bool, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	for n := range ast.Preorder(file) {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok {
				found = found || of.Name == "atomic" || of.Name == "sync" && !strings.HasPrefix(n.Sel.Name, "Once")
			}
		}
	}
	return found, nil
}
