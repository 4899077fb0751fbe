package page

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writers are the files that write markup: the frame of the page around its figures. Package html paints the figures.
var writers = []string{
	"alert_line.go", "card.go", "document.go", "form.go", "markup.go", "render.go", "wall.go",
}

// drawing are the folders of the files that draw pages and panels.
var drawing = []string{".", "../panel", "../export"}

// TestFiguresWriteNoMarkup reads the source of the code that draws pages: only the files in writers contain HTML.
func TestFiguresWriteNoMarkup(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, dir := range drawing {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, where := range markup(t, name, source) {
				found[name] = true
				if !slices.Contains(writers, name) {
					t.Errorf("%s: markup", where)
				}
			}
		}
	}
	for _, name := range writers {
		if !found[name] {
			t.Errorf("%s writes no markup, and need not be in the list", name)
		}
	}
	for source, want := range map[string]int{
		"package page; var a = `<p>`":                  1,
		"package page; var a = \"x &amp; y\"":          1,
		"package page; func f(d *html.Doc) {}":         1,
		"package page; func f(w *html.Painter) {}":     1,
		"package page; var a = h(\"x\")":               1,
		"package page; var a = \"a < b && c > d\"":     0,
		"package page; var s = html.Styles; var b = 1": 0,
	} {
		if got := markup(t, "x.go", []byte(source)); len(got) != want {
			t.Errorf("%s: found %v", source, got)
		}
	}
}

var tag = regexp.MustCompile(`</?[a-zA-Z!]|&#?\w+;`)

// markup returns the places where a file writes markup, or could.
func markup(t *testing.T, name string, source []byte) []string {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && tag.MatchString(text) {
				out = append(out, set.Position(n.Pos()).String())
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == "html" && slices.Contains([]string{"Doc", "H", "Painter"}, n.Sel.Name) {
				out = append(out, set.Position(n.Pos()).String())
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "h" {
				out = append(out, set.Position(n.Pos()).String())
			}
		}
		return true
	})
	return out
}
