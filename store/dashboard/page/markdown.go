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
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "del", "code", "pre", "blockquote",
		"table", "thead", "tbody", "tr", "th", "td")
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

// Marks that no Markdown may contain hold the places of values until the text
// has become HTML, so that a value can never be read as Markdown.
const (
	markOpen  = "\uE000"
	markClose = "\uE001"
)

// A richText is Markdown with values in it.
type richText struct {
	markdown string   // with marks in the places of values
	values   []string // which are no Markdown
	html     string   // sanitized, and with its values escaped
}

// newRichText reads Markdown in which value returns what stands in the place of
// each match of places.
func newRichText(src string, places *regexp.Regexp, value func(match []string) string) *richText {
	t := &richText{}
	src = strings.NewReplacer(markOpen, "", markClose, "").Replace(src)
	t.markdown = places.ReplaceAllStringFunc(src, func(place string) string {
		t.values = append(t.values, value(places.FindStringSubmatch(place)))
		return markOpen + strconv.Itoa(len(t.values)-1) + markClose
	})
	t.html = t.fill(string(markdown()([]byte(t.markdown))), func(v string) string {
		var d doc
		d.esc(v)
		return string(d.b)
	})
	return t
}

// fill puts the values, as write writes them, in their places.
func (t *richText) fill(s string, write func(string) string) string {
	for i, v := range t.values {
		s = strings.ReplaceAll(s, markOpen+strconv.Itoa(i)+markClose, write(v))
	}
	return s
}

// blank reports whether nothing of the text can be shown.
func (t *richText) blank() bool { return strings.TrimSpace(t.html) == "" }

// plain is the text on one line, with its values cut to 60 characters.
func (t *richText) plain() string {
	return t.fill(plainText(t.markdown), func(v string) string { return clip(v, 60) })
}
