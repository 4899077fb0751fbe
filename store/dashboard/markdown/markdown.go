package markdown

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"service/store/dashboard/canvas/html"
	"service/store/pattern"
)

// Limits of Markdown. goldmark's time grows with the square of some of these quantities, and its memory with the cells of tables, which
// need no bytes. The cost of the worst input within all limits is in docs/decisions/0009-markdown.md.
const (
	MaxPanel = 20_000  // bytes of one text panel
	MaxPage  = 200_000 // bytes of a document, and of all text panels of a page together

	maxNesting    = 16      // block quotes and lists inside each other
	maxMarks      = 1_000   // inline marks of one paragraph, heading or cell
	maxPageMarks  = 40_000  // of a document
	maxParagraph  = 10_000  // bytes of a paragraph, heading or cell that has marks
	MaxPageCells  = 10_000  // cells of all tables of a document, as the parser fills them
	MaxPanelCells = 2_000   // the same of a text panel
	maxTargets    = 1 << 20 // bytes of the targets of links, counted at each use
	maxHTML       = 4 << 20 // bytes
)

// An Error names a limit that a text exceeds, and the line.
type Error struct {
	Line    int // from 1; 0 for the text as a whole
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Check checks a document that is to be published: an error is a
// [*Error]. The HTML is cached for the page that will show it.
func Check(document []byte) error {
	if n := len(document); n > MaxPage {
		return tooLong(n, MaxPage)
	}
	src := Clean(document)
	if heading, rest := CutHeading(src); heading != "" {
		src = rest // the page has the heading as its title, or its own name
	}
	return Render(src, "", MaxPageCells).Err
}

// CheckPanel is [Check] for the text of one panel.
func CheckPanel(text string) error {
	if n := len(text); n > MaxPanel {
		return tooLong(n, MaxPanel)
	}
	src, _ := cutFields(text)
	return Render(src, "", MaxPanelCells).Err
}

func tooLong(n, limit int) *Error {
	return &Error{Message: fmt.Sprintf("%d bytes of Markdown, over the limit of %d", n, limit)}
}

// Render turns Markdown, whose length was checked, into HTML that is safe to put into a page, or returns the limit that it exceeds. The
// result is cached by the hash of the text: as long as it is in the cache, a page view parses nothing. address is the page's own: links to
// other pages of its workspace may begin like it.
func Render(src, address string, cells int) Rendered {
	origin := originOf(address)
	if !strings.Contains(src, origin) {
		origin = "" // the text is the same on every page
	}
	key := keyOf(src, origin, cells)
	v, ok := cached.get(key)
	if !ok {
		v = convert([]byte(src), origin, cells)
		cached.put(key, v)
	}
	return v
}

// convert parses and renders. goldmark leaves out raw HTML, and the policy then allows only known elements.
func convert(src []byte, origin string, cells int) Rendered {
	m := &meter{src: src, origin: origin, cells: cells, cellsLeft: cells}
	pc := parser.NewContext()
	pc.Set(meterKey, m)
	md := converter()
	root := md.Parser().Parse(gtext.NewReader(src), parser.WithContext(pc))
	if m.over != nil {
		return Rendered{Err: m.over}
	}
	out := &capped{left: maxHTML}
	if err := md.Renderer().Render(out, src, root); err != nil {
		return Rendered{Err: &Error{Message: fmt.Sprintf("the text makes more than %d bytes of HTML", maxHTML)}}
	}
	return Rendered{HTML: policy().SanitizeBytes(out.b), plain: m.plain}
}

// A capped collects up to a number of bytes.
type capped struct {
	b    []byte
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, errors.New("too much")
	}
	c.b = append(c.b, p...)
	return len(p), nil
}

// converter is goldmark with tables, strikethrough and bare links. Headings begin at the second level, because the page has the first.
var converter = sync.OnceValue(func() goldmark.Markdown {
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		if b.Priority == 300 || b.Priority == 800 { // lists and block quotes
			blocks[i].Value = container{b.Value.(parser.BlockParser)}
		}
	}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...),
			parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(marks{}, 1))...),
			parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(paragraphs{}, 1))...),
			parser.WithASTTransformers(util.Prioritized(demote{}, 500)),
		)),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.NewLinkify(
			extension.WithLinkifyURLRegexp(bareURL.Regexp()), extension.WithLinkifyWWWRegexp(bareWWW.Regexp()),
		)),
		goldmark.WithRendererOptions(goldmarkhtml.WithXHTML()),
	)
})

// Bare links, as the extension matches them by default, but without its bound of 256 characters, for which regexp makes 256 states.
var (
	bareURL = pattern.New(`^(?:http|https|ftp)://[-a-zA-Z0-9@:%._\+~#=]+\.[a-z]+(?::\d+)?` +
		`(?:[/#?][-a-zA-Z0-9@:%_+.~#$!?&/=\(\);,'">\^{}\[\]` + "`" + `]*)?`)
	bareWWW = pattern.New(`^www\.[-a-zA-Z0-9@:%._\+~#=]+\.[a-z]+(?:[/#?][-a-zA-Z0-9@:%_\+.~#!?&/=\(\);,'">\^{}\[\]` + "`" + `]*)?`)
)

var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "del", "code", "pre", "blockquote",
		"table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("href").Matching(linkShape.Regexp()).OnElements("a")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^\d{1,9}$`)).OnElements("ol")
	p.AllowURLSchemes("https")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	return p
})

// A meter counts the results of one parse. It uses the parser's own hooks instead of reading the text a second time, so it counts exactly
// what the parser finds. As soon as a limit is exceeded, the parser is stopped, and its result is dropped.
type meter struct {
	src    []byte
	origin string   // of the page; "" if the text does not contain it
	plain  []string // targets of links that are shown as plain text
	last   struct { // the target of the last link, and whether it is allowed
		to string
		ok bool
	}
	cells     int // limit
	cellsLeft int
	block     ast.Node // whose marks are counted
	marks     int      // of the block
	allMarks  int
	over      *Error
}

var meterKey = parser.NewContextKey()

func meterOf(pc parser.Context) *meter { return pc.Get(meterKey).(*meter) }

// refuse stores the first excess of a limit, which is at a byte of the text.
func (m *meter) refuse(at int, format string, args ...any) {
	if m.over == nil {
		line := 1 + bytes.Count(m.src[:min(max(at, 0), len(m.src))], []byte{'\n'})
		m.over = &Error{Line: line, Message: fmt.Sprintf(format, args...)}
	}
}

// A container is the parser of lists or block quotes.
type container struct{ parser.BlockParser }

// Open opens no block that is nested too deeply.
func (c container) Open(parent ast.Node, reader gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	m := meterOf(pc)
	depth := 0
	for n := parent; n != nil && depth < maxNesting; n = n.Parent() {
		if k := n.Kind(); k == ast.KindList || k == ast.KindBlockquote {
			depth++
		}
	}
	if depth < maxNesting {
		return c.BlockParser.Open(parent, reader, pc)
	}
	_, segment := reader.PeekLine()
	node, state := c.BlockParser.Open(parent, reader, pc)
	if node != nil {
		m.refuse(segment.Start, "quotes and lists are nested more than %d deep", maxNesting)
		return nil, parser.NoChildren
	}
	return node, state
}

// A paragraphs checks a paragraph before link definitions and tables are made of it.
type paragraphs struct{}

func (paragraphs) Transform(n *ast.Paragraph, reader gtext.Reader, pc parser.Context) {
	m := meterOf(pc)
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	first, last := lines.At(0), lines.At(lines.Len()-1)
	if size := last.Stop - first.Start; size > maxParagraph && bytes.HasPrefix(bytes.TrimLeft(first.Value(m.src), " "), []byte{'['}) {
		m.refuse(first.Start, "a paragraph that begins with [ has %d bytes, over the limit of %d", size, maxParagraph)
	}
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		columns := tableColumns(line.Value(m.src))
		if columns == 0 {
			continue
		}
		if m.cellsLeft -= columns * (lines.Len() - i); m.cellsLeft < 0 {
			m.refuse(line.Start, "tables have more than %d cells, counting those that short rows leave empty", m.cells)
		}
		break
	}
	if m.over != nil { // a refused text is not shown, so it is not parsed further
		n.Parent().RemoveChild(n.Parent(), n)
	}
}

// tableColumns returns the number of columns of a table if the line is the one below its header, such as |---|:-:|; 0 for another line.
func tableColumns(line []byte) int {
	line = bytes.TrimSpace(line)
	if len(bytes.Trim(line, "-|: \t\v\f\r")) > 0 || len(bytes.Trim(line, "-")) == 0 {
		return 0
	}
	line = bytes.TrimPrefix(bytes.TrimSuffix(line, []byte{'|'}), []byte{'|'})
	return bytes.Count(line, []byte{'|'}) + 1
}

// marks runs before all inline parsers, and keeps them from a paragraph that has too many marks.
type marks struct{}

func (marks) Trigger() []byte { return []byte("*_~`[]!<") }

func (marks) Parse(parent ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	m := meterOf(pc)
	line, segment := block.PeekLine()
	if parent != m.block {
		m.block, m.marks = parent, 0
		size := 0
		for i := range parent.Lines().Len() {
			l := parent.Lines().At(i)
			size += l.Len()
		}
		if size > maxParagraph {
			m.refuse(parent.Lines().At(0).Start, "a paragraph with marks has %d bytes, over the limit of %d", size, maxParagraph)
		}
	}
	m.marks++
	m.allMarks++
	if m.marks > maxMarks {
		m.refuse(segment.Start, "a paragraph has more than %d of the marks * _ ~ ` [ ] ! <", maxMarks)
	}
	if m.allMarks > maxPageMarks {
		m.refuse(segment.Start, "the text has more than %d of the marks * _ ~ ` [ ] ! <", maxPageMarks)
	}
	if m.over == nil {
		return nil // other parsers handle it
	}
	block.Advance(len(line))
	return ast.NewTextSegment(segment)
}

// demote gives headings levels from 2 on, without skipping one, and replaces images by their text.
type demote struct{}

func (demote) Transform(n *ast.Document, _ gtext.Reader, pc parser.Context) {
	m := meterOf(pc)
	if m.over != nil {
		return
	}
	var images []*ast.Image
	var bare []*ast.AutoLink
	var above []int // levels, as written, of the headings above the last one
	targets := 0
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
		case *ast.Link:
			m.link(n)
			targets += len(n.Destination) + len(n.Title)
		case *ast.AutoLink:
			bare = append(bare, n)
		case *ast.Image:
			images = append(images, n)
		}
		return ast.WalkContinue, nil
	})
	if targets > maxTargets { // one definition may be used many times
		m.over = &Error{
			Message: fmt.Sprintf("the targets of links take more than %d bytes, each counted as often as it is used", maxTargets),
		}
	}
	for _, link := range bare {
		m.bareLink(link)
	}
	for _, img := range images {
		for c := img.FirstChild(); c != nil; c = img.FirstChild() {
			img.Parent().InsertBefore(img.Parent(), img, c)
		}
		img.Parent().RemoveChild(img.Parent(), img)
	}
}

// A Rendered is the result for a text: HTML, or why it is refused.
type Rendered struct {
	HTML  []byte
	plain []string // see [PlainLinks]
	Err   error
}

type cacheKey struct {
	sha256 [sha256.Size]byte
	origin string
	cells  int
}

func keyOf(src, origin string, cells int) cacheKey {
	return cacheKey{sha256.Sum256([]byte(src)), origin, cells}
}

// cached is the cache of texts' HTML, for all pages of the process.
var cached cache

// A cache keeps recently used values: when the younger half is full it becomes the older one, and the former older half is dropped.
type cache struct {
	mu         sync.Mutex
	young, old map[cacheKey]Rendered
	size       int // of young, in bytes
}

// halfCache is the size of one of the two halves, in bytes.
const halfCache = 8 << 20

func (c *cache) get(key cacheKey) (Rendered, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.young[key]
	if !ok {
		if v, ok = c.old[key]; ok {
			c.add(key, v)
		}
	}
	return v, ok
}

func (c *cache) put(key cacheKey, v Rendered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, v)
}

func (c *cache) add(key cacheKey, v Rendered) {
	if c.young == nil || c.size > halfCache {
		c.old, c.young, c.size = c.young, map[cacheKey]Rendered{}, 0
	}
	if _, ok := c.young[key]; !ok {
		c.young[key] = v
		c.size += cap(v.HTML) + 256
	}
}

// Plain shows a text as it was written, cut at a limit: a text that was published before there were limits, and that exceeds one, is never
// parsed.
func Plain(src string, limit int) []byte {
	var d html.Doc
	d.Add(html.H(`<p><em>This text is over a limit of Markdown, so it is shown as it was written.`))
	if len(src) > limit {
		d.Add(html.H(` What is beyond `), limit, html.H(` bytes is left out.`))
		src = strings.ToValidUTF8(src[:limit], "")
	}
	d.Add(html.H(`</em></p><pre>`))
	d.Esc(src)
	d.Add(html.H(`</pre>`))
	return d.B
}

// CutHeading cuts a first line such as "# Heading" out of a document; the lines keep their numbers. heading is empty if the first line is
// not a heading.
func CutHeading(src string) (heading, rest string) {
	trimmed := strings.TrimLeft(src, "\r\n\t ")
	first, rest, _ := strings.Cut(trimmed, "\n")
	if !strings.HasPrefix(first, "# ") {
		return "", src
	}
	return strings.TrimSpace(strings.TrimPrefix(first, "#")), src[:len(src)-len(trimmed)] + "\n" + rest
}

// Clean returns a document as valid UTF-8, without a byte order mark.
func Clean(text []byte) string {
	return strings.TrimPrefix(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), "\ufeff")
}
