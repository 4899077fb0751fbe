package locale

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// saying are the packages with fixed texts, in Go or in templates.
var saying = []string{
	"..", "../alert",
	"../canvas/html", "../canvas/picture", "../canvas/text", "../encode", "../format", "../page", "../panel", "../../channel",
	"../../../auth", "../../../server/host", "../../../server/notify", "../../../server/web",
}

// Every fixed text of the program is in every catalogue, with the same arguments and
// the plural forms of the language, and nothing else is. A new text is put into all
// files of texts/.
func TestTexts(t *testing.T) {
	t.Parallel()
	keys := said(t)
	if len(keys) < 50 {
		t.Fatalf("only %d fixed texts are found", len(keys))
	}
	names, err := fs.Glob(texts, "texts/*.json")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".json")
		tag := language.MustParse(base)
		c, ok := catalogOf(tag)
		if !ok || tag.String() != base {
			t.Fatalf("%s is of no language", name)
		}
		english := strings.HasPrefix(base, "en-")
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			translated, ok := c[Key(key)]
			if !ok && !english {
				t.Errorf("%s lacks %q, said in %s", name, key, keys[key].at)
			}
			if ok {
				checkText(t, name, tag, key, keys[key].counted, translated)
			}
		}
		for key := range c {
			if _, ok := keys[string(key)]; !ok {
				t.Errorf("%s has %q, which nothing says", name, key)
			}
		}
	}
}

var places = regexp.MustCompile(`%\[\d\]s|%s`)

// arguments are the arguments that a text has a place for.
func arguments(s string) []string {
	var out []string
	for i, p := range places.FindAllString(s, -1) {
		if p == "%s" {
			p = fmt.Sprintf("%%[%d]s", i+1)
		}
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func checkText(t *testing.T, name string, tag language.Tag, key string, counted bool, translated text) {
	t.Helper()
	var want []plural.Form
	if counted {
		want = pluralsOf(tag)
	} else {
		want = []plural.Form{plural.Other}
	}
	if got := slices.Sorted(maps.Keys(translated)); !slices.Equal(got, want) {
		t.Errorf("%s: %q has the plural forms %v, want %v", name, key, got, want)
	}
	for form, s := range translated {
		if !slices.Equal(arguments(s), arguments(key)) {
			t.Errorf("%s: %q and %q have different arguments", name, key, s)
		}
		if exact := form == plural.Zero || form == plural.One || form == plural.Two; counted &&
			strings.Count(s, "%d") != 1 && !(exact && strings.Count(s, "%d") == 0) {
			t.Errorf("%s: %q does not say the number in %q", name, key, s)
		}
		if strings.TrimSpace(s) != s && strings.TrimSpace(key) == key {
			t.Errorf("%s: %q has spaces around it", name, s)
		}
	}
}

// pluralsOf are the forms that whole numbers have in a language. CLDR has one for
// millions in some, which differs from the other only before nouns in full: the
// catalogues have it nevertheless.
func pluralsOf(tag language.Tag) []plural.Form {
	forms := map[plural.Form]bool{plural.Other: true}
	for n := range 1000 {
		forms[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)] = true
	}
	forms[plural.Cardinal.MatchPlural(tag, 1_000_000, 0, 0, 0, 0)] = true
	return slices.Sorted(maps.Keys(forms))
}

// A place is the position of a text in a source file.
type place struct {
	at      string
	counted bool
}

// said collects the fixed texts: the constants of type Key in the code.
func said(t *testing.T) map[string]place {
	t.Helper()
	c := collector{
		T: t, keys: map[string]place{}, fields: map[string]bool{},
		params: map[string]map[int]bool{"Text": {0: true}, "Count": {2: true}},
	}
	var files []*ast.File
	set := token.NewFileSet()
	for _, dir := range saying {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			f, err := parser.ParseFile(set, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		templates, err := filepath.Glob(filepath.Join(dir, "*.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range templates {
			c.template(t, file)
		}
	}
	c.set = set
	for _, f := range files { // first the functions that take texts
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				c.takes(fn)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					for _, name := range field.Names {
						if isKey(field.Type) {
							c.fields[spec.Name.Name+"."+name.Name] = true
							c.fields[filepath.Dir(set.Position(n.Pos()).Filename)+"."+name.Name] = true
						}
					}
				}
			}
			return true
		})
	}
	for _, f := range files {
		for _, d := range f.Decls {
			c.walk(d)
		}
	}
	return c.keys
}

// A collector finds constants of type Key by the types that are written in the code:
// of parameters, results, variables and literals.
type collector struct {
	*testing.T
	set    *token.FileSet
	keys   map[string]place
	params map[string]map[int]bool // by function: which of its arguments are texts
	fields map[string]bool         // of structs that are texts: Type.Field, and folder.Field
}

// template collects the texts of a template, in calls of t and of n.
func (c *collector) template(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tree := parse.New(file)
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(string(text), "", "", trees); err != nil {
		t.Fatal(err)
	}
	for _, tree := range trees {
		c.nodes(tree, reflect.ValueOf(tree.Root))
	}
}

// nodes looks for calls of t and n in a node of a template and in all below it.
func (c *collector) nodes(tree *parse.Tree, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		c.nodes(tree, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			c.nodes(tree, v.Index(i))
		}
	case reflect.Pointer:
		if call, ok := v.Interface().(*parse.CommandNode); ok {
			if text, counted := called(call); text != nil {
				at, _ := tree.ErrorContext(call)
				c.say(text.Text, place{at, counted})
			}
		}
		if _, ok := v.Interface().(parse.Node); ok && !v.IsNil() {
			c.nodes(tree, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); v.Type().Field(i).IsExported() {
				c.nodes(tree, f)
			}
		}
	}
}

// called returns the text of a call, or nil.
func called(call *parse.CommandNode) (text *parse.StringNode, counted bool) {
	name, ok := call.Args[0].(*parse.IdentifierNode)
	switch {
	case ok && name.Ident == "t" && len(call.Args) > 1:
		text, _ = call.Args[1].(*parse.StringNode)
	case ok && name.Ident == "n" && len(call.Args) > 3:
		text, _ = call.Args[3].(*parse.StringNode)
		return text, true
	}
	return text, false
}

// say adds a text, which must be counted either always or never.
func (c *collector) say(s string, p place) {
	if before, ok := c.keys[s]; ok {
		if before.counted != p.counted {
			c.Errorf("%q is counted at %s or at %s, but not at both", s, before.at, p.at)
		}
	}
	c.keys[s] = p
}

// counting are the arguments that are the plural form of a counted text. The singular form is not a key.
func counting(name string) bool { return strings.Contains(strings.ToLower(name), "count") }

func (c *collector) takes(fn *ast.FuncDecl) {
	i := 0
	for _, p := range fn.Type.Params.List {
		for range max(len(p.Names), 1) {
			if isKey(p.Type) && !(counting(fn.Name.Name) && p.Names[0].Name == "one" && len(p.Names) > 1 && i == firstOf(fn, "one")) {
				if c.params[fn.Name.Name] == nil {
					c.params[fn.Name.Name] = map[int]bool{}
				}
				c.params[fn.Name.Name][i] = true
			}
			i++
		}
	}
}

func firstOf(fn *ast.FuncDecl, name string) int {
	i := 0
	for _, p := range fn.Type.Params.List {
		for _, n := range p.Names {
			if n.Name == name {
				return i
			}
			i++
		}
	}
	return -1
}

func isKey(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && x.Name == "locale" && e.Sel.Name == "Key"
	case *ast.ArrayType:
		return isKey(e.Elt)
	case *ast.MapType:
		return isKey(e.Value)
	}
	return false
}

func (c *collector) walk(d ast.Decl) {
	results := map[string]bool{} // names of type Key
	returns := false
	if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.Results != nil {
		for i, r := range fn.Type.Results.List {
			returns = returns || i == 0 && isKey(r.Type)
			for _, n := range r.Names {
				results[n.Name] = isKey(r.Type)
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			c.call(n, results)
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if of, isMap := n.Type.(*ast.MapType); ok && isMap { // whose literals may leave out their type
					if value, isLit := kv.Value.(*ast.CompositeLit); isLit && value.Type == nil {
						value.Type = of.Value
					}
				}
				switch {
				case ok && c.fields[nameOf(n.Type)+"."+nameOf(kv.Key)]:
					c.add(kv.Value, false)
				case ok && isKey(n.Type):
					c.add(kv.Value, false)
				case isKey(n.Type):
					c.add(e, false)
				}
			}
		case *ast.ValueSpec:
			for i, v := range n.Values {
				if n.Type != nil && isKey(n.Type) {
					c.add(v, false)
					results[n.Names[i].Name] = true
				}
			}
		case *ast.ReturnStmt:
			if returns && len(n.Results) > 0 {
				c.add(n.Results[0], false)
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if i >= len(n.Rhs) {
					break
				}
				name, ok := to.(*ast.Ident)
				if call, isCall := n.Rhs[i].(*ast.CallExpr); ok && isCall && n.Tok == token.DEFINE && c.returnsKey(call) {
					results[name.Name] = true
				}
				_, isField := to.(*ast.SelectorExpr)
				if ok && results[name.Name] || isField && c.fields[filepath.Dir(c.set.Position(n.Pos()).Filename)+"."+nameOf(to)] {
					c.add(n.Rhs[i], false)
				}
			}
		}
		return true
	})
}

// returnsKey reports whether a call is a conversion to a Key, or of when.
func (c *collector) returnsKey(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	return isKey(call.Fun) || ok && name.Name == "when"
}

func (c *collector) call(n *ast.CallExpr, _ map[string]bool) {
	if isKey(n.Fun) && len(n.Args) == 1 {
		c.add(n.Args[0], false)
		return
	}
	name := nameOf(n.Fun)
	for i := range c.params[name] {
		if i < len(n.Args) {
			c.add(n.Args[i], counting(name))
		}
	}
}

// nameOf is the last name of an expression, without its package.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// add takes a constant text.
func (c *collector) add(e ast.Expr, counted bool) {
	s, ok := constant(e)
	if !ok || s == "" {
		return
	}
	at := c.set.Position(e.Pos())
	c.say(s, place{fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line), counted})
}

func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok1 := constant(e.X)
		b, ok2 := constant(e.Y)
		return a + b, ok1 && ok2
	case *ast.ParenExpr:
		return constant(e.X)
	}
	return "", false
}

func TestNegotiate(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"": "en", "de-CH,de;q=0.9,en;q=0.5": "de", "sv,fr;q=0.8": "fr", "en-AU": "en-GB", "pt-PT": "pt", "zh-CN": "zh", "ar-EG": "ar",
		"tlh": "en", "*": "en", "de;q=": "en", "en-XA": "en-XA", strings.Repeat("a-", 9000): "en",
	} {
		if got := Negotiate(accept).Lang; got != want {
			t.Errorf("%.20q: %s, want %s", accept, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"a b":        fill("%s %s", []string{"a", "b"}),
		"b a":        fill("%[2]s %[1]s", []string{"a", "b"}),
		"100 % of a": fill("100 % of %s", []string{"a"}),
		"%s 5%":      fill("%s 5%", []string{"%s"}),
		"a ":         fill("%s %s", []string{"a"}),
		"%s":         fill("%s", nil),
		"1 Nov.":     fill("1 %s.", []string{"Nov."}),
		"1 r.\u200f": fill("1 %s.", []string{"r.\u200f"}),
		"Nov. 1.":    fill("%s 1.", []string{"Nov."}),
		"b., a.":     fill("%[2]s., %[1]s.", []string{"a.", "b."}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTextAndCount(t *testing.T) {
	t.Parallel()
	en, pseudo := For("en-US"), For("en-XA")
	for want, got := range map[string]string{
		"1 row":                  en.Count(1, "%d row", "%d rows"),
		"2,000 rows":             en.Count(2000, "%d row", "%d rows"),
		"[!! Download !!]":       pseudo.Text("Download"),
		"of 3 neighbors each":    For("sv").Text("of %s neighbors each", "3"),
		"of 3 neighbours each":   For("en-NZ").Text("of %s neighbors each", "3"),
		"en en en-GB":            For("sv").Lang + " " + pseudo.English().Lang + " " + For("en-GB").Lang,
		"Download":               pseudo.English().Text("Download"),
		"never translated to %s": For("de").Text("never translated to %s"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
