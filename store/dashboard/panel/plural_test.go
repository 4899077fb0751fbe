package panel_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A noun that a number in front of it puts in the plural, or a verb. A limit, and all of which some are, are more than one.
var countedNoun = regexp.MustCompile(`(than |most |of |all |into |takes |are |fits )?%d ` +
	`(?:[a-z]+s[^a-z{][^{]|of %d [^{]* (?:are|have|lie)\b)`)

// No warning puts a number that may be 1 before a noun in the plural: see [dashboard.Sentence].
func TestWarningsCount(t *testing.T) {
	t.Parallel()
	found := 0
	for _, dir := range []string{".", "..", "../encode", "../page"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, b, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !warns(call.Fun) || len(call.Args) < 3 {
					return true
				}
				found++
				text := literal(call.Args[2])
				for _, m := range countedNoun.FindAllStringSubmatch(text, -1) {
					if m[1] == "" {
						t.Errorf("%s: the warning has a number that may be 1 before a plural: %q", set.Position(call.Pos()), m[0])
					}
				}
				return true
			})
		}
	}
	if found < 50 {
		t.Errorf("only %d warnings are found", found)
	}
}

// warns reports whether a function is one that makes a warning of a format, its third argument.
func warns(f ast.Expr) bool {
	switch f := f.(type) {
	case *ast.SelectorExpr:
		return warns(f.Sel)
	case *ast.Ident:
		return f.Name == "Warned" || f.Name == "Warnf"
	}
	return false
}

// literal returns the text of a string, or of the sum of strings.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}
