package page

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// markdown turns Markdown into HTML that is safe to put into a page: goldmark
// leaves raw HTML out, and the policy then lets only known elements through.
// Headings begin at the second level, since the page has the first.
var markdown = sync.OnceValue(func() func(src []byte) []byte {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(demote{}, 500))),
		goldmark.WithRendererOptions(html.WithXHTML()),
	)
	policy := textPolicy()
	return func(src []byte) []byte {
		var b bytes.Buffer
		if err := md.Convert(src, &b); err != nil {
			return nil // a bytes.Buffer takes every write
		}
		return policy.SanitizeBytes(b.Bytes())
	}
})

func textPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "del", "code", "pre", "blockquote", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(https://[^\s]+|[a-z0-9-]{1,64}|#[\w-]+)$`)).OnElements("a")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^\d{1,9}$`)).OnElements("ol")
	p.AllowURLSchemes("https")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	return p
}

// demote gives headings levels from the second on, none of them skipped, and
// takes images out, leaving their text.
type demote struct{}

func (demote) Transform(n *ast.Document, r gtext.Reader, _ parser.Context) {
	var images []*ast.Image
	var above []int                                                           // levels, as written, of the headings that the last one is under
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // never fails
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			for len(above) > 0 && above[len(above)-1] >= n.Level {
				above = above[:len(above)-1]
			}
			above = append(above, n.Level)
			n.Level = min(len(above)+1, 6)
		case *ast.Image:
			images = append(images, n)
		}
		return ast.WalkContinue, nil
	})
	for _, img := range images {
		for c := img.FirstChild(); c != nil; c = img.FirstChild() {
			img.Parent().InsertBefore(img.Parent(), img, c)
		}
		img.Parent().RemoveChild(img.Parent(), img)
	}
}

// plainText is Markdown as one line of words, for summaries.
func plainText(src string) string {
	marks := strings.NewReplacer("*", "", "`", "", "#", "", ">", "", "[", "", "]", "", "|", " ")
	return strings.Join(strings.Fields(marks.Replace(src)), " ")
}

var valuePlace = regexp.MustCompile(`\{\{\s*([A-Za-z][A-Za-z0-9_-]*)\.([^{}\n]+?)\s*\}\}`)

// Marks that no Markdown may contain hold the places of values until the text
// has become HTML, so that a value can never be read as Markdown.
const (
	markOpen  = "\uE000"
	markClose = "\uE001"
)

// text works out a text panel.
func (f *figure) text() {
	var values []string
	src := strings.NewReplacer(markOpen, "", markClose, "").Replace(f.panel.Markdown)
	src = valuePlace.ReplaceAllStringFunc(src, func(place string) string {
		m := valuePlace.FindStringSubmatch(place)
		values = append(values, f.page.valueOf(m[1], m[2]))
		return markOpen + strconv.Itoa(len(values)-1) + markClose
	})
	fill := func(s string, write func(string) string) string {
		for i, v := range values {
			s = strings.ReplaceAll(s, markOpen+strconv.Itoa(i)+markClose, write(v))
		}
		return s
	}
	body := fill(string(markdown()([]byte(src))), func(v string) string {
		var d doc
		d.esc(v)
		return string(d.b)
	})
	f.summary = clip(fill(plainText(src), func(v string) string { return clip(v, 60) }), 300)
	if strings.TrimSpace(body) == "" {
		f.empty = "This text is empty."
		return
	}
	f.draw = func(d *doc) {
		d.add(h(`<div class="md">`))
		d.b = append(d.b, body...) // safe: sanitized, and its values escaped
		d.add(h(`</div>`))
	}
}

// valueOf is {{dataset.column}}: a measure over all that the filters leave, the
// last of a dimension's times, its one value, or how many there are.
func (p *page) valueOf(id, column string) string {
	d := p.dataset(id)
	if d == nil || d.cube == nil || len(d.rows) == 0 {
		return none
	}
	c := d.column(column)
	if c == nil {
		return none
	}
	if c.Role == dashboard.Measure {
		g := d.cube.Group(d.rows, cube.Query{Measures: []cube.Measure{d.measure(c)}})
		if v := g.Exact(0, 0); v != nil && g.Problem(0) == "" {
			return p.amount(orInteger(*c), v)
		}
		return none
	}
	g := d.cube.Group(d.rows, cube.Query{By: []cube.Dim{{Column: column, Zone: p.zone}}})
	axis := g.Axes[0]
	if n := len(axis); n > 1 && axis[n-1].Value == nil {
		axis = axis[:n-1]
	}
	if len(axis) == 1 || c.Type == cube.Date || c.Type == cube.Timestamp {
		return clip(p.cell(*c, cube.Exact, axis[len(axis)-1]), 200)
	}
	return p.number(float64(len(axis)), 0) + " values"
}
