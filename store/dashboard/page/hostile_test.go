package page

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	nethtml "golang.org/x/net/html"

	"service/store/dashboard"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/cube"
)

// attacks are texts that end elements, attributes, scripts and comments.
var attacks = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</style><script>alert(1)</script>`,
	`</title><svg onload=alert(1)>`, `javascript:alert(1)`, `<!--`, `]]>`, `&lt;script&gt;`, "\x00<script>", `{{d.name}}`,
	`</textarea></select></details><iframe src=//evil.example>`, "\u202e\u2066<b onclick=alert(1)>", `[x](javascript:alert(1))`,
	"`<script>`", "=cmd|' /C calc'!A0", "\ue0000\ue001", `<a href="https://evil.example" style="x">`, "\xff\xfe<script>", `/\evil.example/`,
}

// hostile returns a page with one attack in every text of it.
func hostile(attack string) View {
	panels := zoo()
	for i := range panels {
		panels[i].Title, panels[i].Subtitle, panels[i].Description = attack, attack, attack
		if panels[i].Type == dashboard.Text {
			panels[i].Markdown += "\n\n# " + attack + "\n\n" + attack +
				"\n\n![" + attack + "](https://evil.example/x.png) <" + attack + ">\n\n{{d.name}}"
		}
		panels[i].Reference = []dashboard.Reference{{Kind: "average", Label: attack, Tone: attack}}
		panels[i].Trend, panels[i].Average = "linear", 2
		if panels[i].Type == dashboard.KPI {
			panels[i].TargetBy = "size"
		}
	}
	panels = append(panels, dashboard.Panel{Type: dashboard.Table, Columns: []dashboard.TableColumn{
		{Column: "name", Label: attack, Link: "https://example.com/{{name}}", Format: attack},
		{Column: "name", Link: "{{name}}"},
		{Column: "amount", Link: attack, Heat: true, Sparkline: "day"},
	}, TotalRow: true, Total: []string{attack}}, dashboard.Panel{Type: dashboard.KPI, Value: attack, Data: attack})
	panels = append(panels, dashboard.Panel{
		Type: dashboard.Map, Title: attack, Lat: "amount", Lon: "size", Label: "name", Series: "name", Size: "size",
	})
	for _, p := range []dashboard.Panel{
		{Type: dashboard.Line, X: "day", Y: []string{"amount"}},
		{Type: dashboard.Area, X: "day", Y: []string{"amount"}},
		{Type: dashboard.Bar, X: "day", Y: []string{"amount"}},
		{Type: dashboard.Scatter, X: "amount", Y: []string{"size"}, Label: "day"},
	} {
		p.Title, p.Facet, p.Reference = attack, "name", []dashboard.Reference{{Kind: "average", Label: attack}}
		panels = append(panels, p)
	}
	v := tiny(panels, zooColumns,
		[]any{day("2026-03-01"), attack, 12.0, int64(3)}, []any{day("2026-03-02"), attack + "2", 15.0, int64(4)})
	for i := range v.Spec.Datasets[0].Columns {
		c := &v.Spec.Datasets[0].Columns[i]
		c.Label, c.Description = attack, attack
	}
	v.Spec.Title, v.Spec.Description, v.Spec.Currency, v.Spec.Locale = attack, attack, attack, attack
	v.Spec.Filters = []dashboard.Filter{{Column: "name", Label: attack}, {Column: "day", Label: attack}}
	v.Query = map[string][]string{"f.name": {attack, attack + "2", "gone " + attack}, "f.day": {attack}, "version": {attack}}
	for i := range panels { // all rows of one table are excluded by the search, and others are sorted by no column
		v.Query[fmt.Sprintf("p%d.sort", i)], v.Query[fmt.Sprintf("p%d.page", i)] = []string{attack}, []string{attack}
		if i%2 == 0 {
			v.Query[fmt.Sprintf("p%d.q", i)] = []string{attack}
		}
	}
	v.Header = Header{ // the slug is never empty: the schema has a CHECK
		Workspace: attack, WorkspaceSlug: attack, Slug: cmp.Or(attack, "d"),
		Name: attack, URL: attack, Home: attack, Details: attack, Send: attack,
		Version: attack,
		Preview: true, VersionTime: now,
		AsOf: now, State: "partial", FailingSince: now, Errors: map[string]string{"d": attack}, NextRun: now,
	}
	return v
}

// mayLeadTo reports whether a link may have a target, as a browser reads it: a target with a scheme must be https, and any other must lead
// to the host of the page. Browsers drop tabs and line ends, and invisible characters at both ends, and read a backslash as a slash.
func mayLeadTo(target string) bool {
	target = strings.TrimFunc(target, func(r rune) bool { return r <= ' ' })
	target = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(target)
	if scheme := targetScheme.FindString(target); scheme != "" {
		return strings.EqualFold(scheme, "https:")
	}
	return !strings.HasPrefix(target, "//")
}

var targetScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

func TestMayLeadTo(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]bool{
		"": true, "#": true, "#a": true, "?a=b": true, "/": true, "/a": true, "a": true, "sales?f.a=b#c": true, "a/b:c": true,
		"https://e.example": true, "HTTPS://e.example": true,
		"javascript:x": false, "JavaScript:x": false, " javascript:x": false, "java\nscript:x": false, "\x01javascript:x": false,
		"data:x": false, "http://e.example": false, "mailto:a@b.example": false, "//e.example": false, `/\e.example`: false,
		`\\e.example`: false, "/\t/e.example": false, "vbscript:x": false,
	} {
		if got := mayLeadTo(target); got != want {
			t.Errorf("%q may be led to: %v", target, got)
		}
	}
}

// safe fails the test if a document contains something that pages must not.
func safe(t *testing.T, doc []byte) {
	t.Helper()
	root, err := nethtml.Parse(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for tag := range strings.FieldsSeq(`html head meta title link style script body a header nav svg rect span div time button main
		h1 h2 h3 h4 h5 h6 p section figure line text path pattern circle g ul li i ol b em strong del code pre blockquote br hr
		table thead tbody tfoot tr th td details summary footer form label select option input fieldset legend article
		linearGradient stop mask`) {
		allowed[tag] = true
	}
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		if n.Type == nethtml.ElementNode {
			if !allowed[n.Data] {
				t.Errorf("element <%s>", n.Data)
			}
			for _, a := range n.Attr {
				value := strings.ToLower(strings.TrimSpace(a.Val))
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc", a.Key == "formaction":
					t.Errorf("attribute %s of <%s>", a.Key, n.Data)
				case a.Key == "src" && (n.Data != "script" || a.Val != "/assets/"+ScriptName):
					t.Errorf("src %q of <%s>", a.Val, n.Data)
				case a.Key == "href" && n.Data == "link" && strings.HasPrefix(value, "data:image/svg+xml,"):
				case a.Key == "href" && !mayLeadTo(a.Val):
					t.Errorf("href %q", a.Val)
				case a.Key == "href" && strings.Contains(value, "evil.example") && !strings.Contains(value, "%"):
					if n.Parent == nil || n.Data != "a" {
						t.Errorf("href %q of <%s>", a.Val, n.Data)
					}
				}
			}
			if n.Data == "script" && (n.FirstChild != nil || len(n.Attr) != 1) {
				t.Error("a script that is not ours")
			}
			if n.Data == "style" && !slices.ContainsFunc(html.Styles, func(s html.Style) bool { return s.CSS == n.FirstChild.Data }) {
				t.Error("a style that is not ours")
			}
		}
		if n.Type == nethtml.CommentNode {
			t.Errorf("comment %q", n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
}

func TestNothingEscapes(t *testing.T) {
	t.Parallel()
	for _, attack := range attacks {
		t.Run(fmt.Sprintf("%.20q", attack), func(t *testing.T) {
			t.Parallel()
			doc := render(t, hostile(attack))
			safe(t, doc)
			if n := bytes.Count(doc, []byte("<script")); n != 1 {
				t.Errorf("%d scripts", n)
			}
			text := "# " + attack + "\n\n" + attack + "\n\n[" + attack + "](" + attack + ")"
			md, err := RenderMarkdown(Header{Name: attack, Slug: attack, Workspace: attack, Version: attack}, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			safe(t, md)
			file, err := RenderDownload(Header{Name: attack, Slug: "report", Workspace: attack}, "data.csv", attack, 5)
			if err != nil {
				t.Fatal(err)
			}
			safe(t, file)
			for i := range hostile(attack).Spec.Panels {
				b, err := CSV(hostile(attack), i)
				if err != nil {
					continue
				}
				records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
				if err != nil {
					t.Fatalf("panel %d: %v", i, err)
				}
				for _, r := range records {
					for _, cell := range r {
						if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "@") || strings.HasPrefix(cell, "+") {
							t.Errorf("panel %d: a formula: %q", i, cell)
						}
					}
				}
			}
		})
	}
}

func FuzzRender(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, attack string) {
		v := hostile(attack)
		if rest, ok := strings.CutPrefix(attack, "http://"); ok { // addresses of the service itself may contain it, others must not
			own := "https://" + rest
			v.Header.URL, v.Header.Home, v.Header.Details, v.Header.Send = own, own, own, own
		}
		safe(t, render(t, v))
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Add("| a | b |\n|---|---|\n| <b> | [x](https://e.example) |\n\n~~x~~ http://e.example `c`" +
		"\n\n1. a\n   - b\n\n> q\n\n```js\nx\n```\n\n<div onclick=x>\n\n[a]: javascript:x\n[a]")
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := RenderMarkdown(Header{Name: "Doc", Slug: "doc", Workspace: "Acme"}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		safe(t, doc)
	})
}

// TestOnlyConstantsAreTrusted reads the package's own source: converting anything but a constant to h would write unescaped text into a
// page.
func TestOnlyConstantsAreTrusted(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	seen := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(set, file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "h" {
				seen++
				if _, ok := call.Args[0].(*ast.BasicLit); !ok {
					t.Errorf("%s: h of what is no constant", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
	if seen < 100 {
		t.Errorf("only %d conversions found: the test looks for the wrong thing", seen)
	}
}

// TestStatesOfNumbers draws numbers that break arithmetic.
func TestStatesOfNumbers(t *testing.T) {
	t.Parallel()
	for _, vs := range [][]float64{
		{0, 0},
		{1e308, -1e308},
		{math.MaxFloat64, math.MaxFloat64},
		{5e-324, 0},
		{-1, -1},
		{1e15, 1e15 + 1},
		{-5, 5},
		{0.1, 0.1},
		{-1e-300, 1e-300},
	} {
		var rows [][]any
		for i, v := range vs {
			rows = append(rows, []any{day("2026-03-01").AddDate(0, 0, i), fmt.Sprint("n", i), v, int64(i)})
		}
		doc := render(t, zooView(rows...))
		safe(t, doc)
		for _, bad := range []string{"NaN", "Inf", "=\"-%", "e+"} {
			if i := bytes.Index(doc, []byte(bad)); i >= 0 && !(bad == "e+" && math.Abs(vs[0]) >= 1e18) {
				t.Errorf("%v: %q in …%s…", vs, bad, doc[max(0, i-60):i+20])
			}
		}
	}
}

func TestExtremeTimes(t *testing.T) {
	t.Parallel()
	b := cube.NewBuilder([]cube.Column{{Name: "day", Type: cube.Date}, {Name: "at", Type: cube.Timestamp}, {Name: "n", Type: cube.Integer}})
	for _, s := range []string{"0001-01-01", "1969-12-31", "2026-01-01", "9999-12-31"} {
		if err := b.Add([]any{day(s), day(s).Add(90 * time.Minute), int64(1)}); err != nil {
			t.Fatal(err)
		}
	}
	v := tiny([]dashboard.Panel{
		{Type: dashboard.Line, X: "day", Y: []string{"n"}},
		{Type: dashboard.Bar, X: "at", Y: []string{"n"}},
		{Type: dashboard.Area, X: "at", Y: []string{"n"}},
		{Type: dashboard.Heatmap, X: "day", Y: []string{"at"}, Value: "n"},
		{Type: dashboard.Calendar, X: "at", Value: "n"},
		{Type: dashboard.Pivot, Rows: []string{"day"}, Columns: []dashboard.TableColumn{{Column: "at"}}, Values: []string{"n"}},
		{Type: dashboard.KPI, Value: "n", Sparkline: "at"},
		{Type: dashboard.Table},
	}, []string{"day date", "at timestamp", "n integer sum"})
	v.Cubes["d"] = b.Cube()
	safe(t, render(t, v))
}
