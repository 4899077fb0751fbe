package tools

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/page"
	"service/store/message"
	"service/store/pattern"
	"service/store/view"
)

var getDashboard = tool[getDashboardArgs]{
	name:  "get_dashboard",
	title: "Get dashboard",
	description: `Returns one dashboard: name, tags, chart, URL, aliases, connection, times of update and refresh (meta), and a ` +
		`summary: the panels with their leading values, or the headings and beginning of a Markdown page. include can add the body: the ` +
		`page as HTML without styles, or the data file. It reads stored rows, not the source.`,
	hints:   hints{readOnly: true, idempotent: true},
	meta:    longResult,
	scope:   dashboardScope,
	viewers: true,
	run:     runGetDashboard,
}

type getDashboardArgs struct {
	Path     path     `json:"path" arg:"required"`
	Include  []string `json:"include" default:"[\"meta\", \"summary\"]" enum:"meta,summary,body"`
	MaxBytes int      `json:"max_bytes" default:"20000" min:"1" max:"30000"`
	FromByte int      `json:"from_byte" default:"0" min:"0" max:"99999999"`
	Params   choices  `json:"params"`
	inWorkspace
}

func (getDashboardArgs) explain(name string) (doc, example string) {
	switch name {
	case "include":
		return "Parts to return.", `["meta", "body"]`
	case "max_bytes":
		return "Limit of the body in bytes.", "8000"
	case "from_byte":
		return "Byte of the body to begin at; a cut answer names the next.", "20000"
	}
	return "", ""
}

type shownDashboard struct {
	answer
	Workspace   string         `json:"workspace"`
	Slug        string         `json:"slug"`
	Filename    string         `json:"filename"`
	FileURL     string         `json:"file_url,omitempty"` // for a data file; url is the page that links to it
	ContentType string         `json:"content_type"`       // of the body
	Meta        *dashboardMeta `json:"meta,omitempty"`
	Panels      []panelSummary `json:"panels,omitempty"`
	PanelsLeft  int            `json:"panels_left,omitempty"` // panels that are not in this answer
	Outline     *textOutline   `json:"outline,omitempty"`     // for a Markdown page
	Body        *bodyPart      `json:"body,omitempty"`
}

type dashboardMeta struct {
	Name        string      `json:"name"`
	Tags        []string    `json:"tags"`
	Chart       string      `json:"chart"`
	Aliases     []string    `json:"aliases"`
	VersionID   string      `json:"version_id,omitempty"`
	Code        *store.Code `json:"from_code,omitempty"` // the file from which it was published
	Bytes       int         `json:"bytes"`
	Refreshable bool        `json:"refreshable"`
	Connection  string      `json:"connection,omitempty"`
	boundFiles
	CreatedAt    string `json:"created_at"`
	UpdatedAt    string `json:"updated_at"`
	LastRefresh  string `json:"last_refresh,omitempty"`
	FailingSince string `json:"failing_since,omitempty"`
	NextRunAt    string `json:"next_run_at,omitempty"`
	State        string `json:"state,omitempty"`
}

type panelSummary struct {
	Index   int    `json:"index"`
	Type    string `json:"type"`
	Title   string `json:"title,omitempty"`
	Summary string `json:"summary"`
}

// longestSummary is the number of characters of a panel's summary.
const longestSummary = 1000

type textOutline struct {
	Headings []string `json:"headings"`
	Text     string   `json:"text"`
	Cut      bool     `json:"cut"`
}

type bodyPart struct {
	MIMEType string `json:"mime_type"`
	Encoding string `json:"encoding"` // utf-8 or base64
	Bytes    int    `json:"bytes"`    // of the whole body; that of a page has no styles and scripts
	Cut      bool   `json:"cut"`      // content is not the whole body
	From     int    `json:"from_byte,omitempty"`
	Next     int    `json:"next_from_byte,omitempty"` // where the next part begins; zero if this is the last one
	Content  string `json:"content"`
}

func runGetDashboard(ctx context.Context, c call, in getDashboardArgs) (*reply, error) {
	if in.FromByte > 0 && !slices.Contains(in.Include, "body") {
		return nil, message.Refuse(`from_byte is a place in the body, which this call does not ask for: add "body" to include, or leave it out`)
	}
	missing := message.FileNotFound(in.Path.slug, in.Path.file, c.Workspace())
	detail, err := c.Store.Dashboards.DetailWith(ctx, c.Member, in.Path.slug, store.PartPage)
	d := detail.Dashboard
	if errors.Is(err, store.ErrNotFound) || err == nil && d.Filename != in.Path.file {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	out := shownDashboard{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Filename: d.Filename, ContentType: mimeType(d.ContentType),
	}
	if d.Filename == dashboard.DefaultFile {
		out.ContentType = mimeType(view.TypeHTML) // pages are drawn as HTML
	}
	out.FileURL = fileURL(out.URL, d.Filename)
	if d.VersionID == uuid.Nil { // there is neither a page nor a body
		in.Include = slices.DeleteFunc(in.Include, func(part string) bool { return part != "meta" })
	}
	space := room
	if slices.Contains(in.Include, "meta") {
		out.Meta = metaOf(detail)
		if !c.Edits() {
			out.Meta.Connection, out.Meta.boundFiles = "", boundFiles{}
		}
		space -= len(encode(out.Meta))
	}
	query, err := c.chosen(ctx, detail, in.Params)
	if err != nil {
		return nil, err
	}
	withBody := slices.Contains(in.Include, "body")
	if slices.Contains(in.Include, "summary") {
		part := space
		if withBody {
			part /= 2
		}
		space -= part
		if err := c.summarize(ctx, detail, query, &out, &part); err != nil {
			return nil, err
		}
		space += part
	}
	if withBody {
		if out.Body, err = c.bodyOf(ctx, d, query, in.FromByte, min(in.MaxBytes, max(space, 1))); err != nil {
			return nil, err
		}
	}
	text := c.shownSentence(d, out)
	if len(query) > 0 {
		text += " Chosen as in " + clip(out.URL+"?"+query.Encode(), 1000) + "."
	}
	return replyWith(&out, "%s", text), nil
}

// chosen returns the query of the address that chooses values of the params and filters of a page.
func (c call) chosen(ctx context.Context, d store.Detail, in choices) (url.Values, error) {
	if len(in) == 0 {
		return nil, nil
	}
	v, err := c.Views.Of(ctx, c.Member, d, url.Values{})
	if err != nil {
		return nil, err
	}
	if !v.Drawn() {
		return nil, message.Refuse(`"%s" has no panels, so it has no params or filters to choose.`, d.Slug)
	}
	return in.query(v.Spec), nil
}

func (c call) shownSentence(d store.Dashboard, out shownDashboard) string {
	text := fmt.Sprintf(`"%s" (%s), updated %s`, d.Slug, out.URL, ago(c.Now(), d.UpdatedAt))
	switch {
	case d.VersionID == uuid.Nil:
		text += ", has no stored version to show. Its next publish makes one."
	case !d.Refreshable():
		text += ", is static."
	case !c.Edits() && d.RefreshedAt != nil:
		text += fmt.Sprintf(`, was refreshed %s.`, ago(c.Now(), *d.RefreshedAt))
	case !c.Edits():
		text += ", had no good refresh yet."
	case d.RefreshedAt != nil:
		text += fmt.Sprintf(`, reads from "%s" and was refreshed %s.`, d.ConnectionName(), ago(c.Now(), *d.RefreshedAt))
	default:
		text += fmt.Sprintf(`, reads from "%s" and had no good refresh yet.`, d.ConnectionName())
	}
	if out.PanelsLeft > 0 {
		text += fmt.Sprintf(" %d more panels did not fit", out.PanelsLeft)
		if c.Edits() {
			text += "; verify_dashboard lists them without values"
		}
		text += "."
	}
	if out.Body != nil && out.Body.Cut {
		text += " " + cutBody(out)
	}
	return text
}

// cutBody returns the sentence about a cut body: the part that is in the answer, and which call or address has the rest.
func cutBody(out shownDashboard) string {
	b := out.Body
	what, rest := "file", out.FileURL
	if out.FileURL == "" {
		what, rest = "page", out.URL
	}
	part := "only its beginning is in this answer, which is not the whole " + what
	switch {
	case b.From > 0 && b.Next == 0:
		part = fmt.Sprintf("this answer has the end, from byte %d", b.From)
	case b.From > 0:
		part = fmt.Sprintf("this answer has the part from byte %d to %d", b.From, b.Next)
	}
	text := fmt.Sprintf("The body has %d bytes and is cut: %s; max_bytes sets the limit, at most 30000, ", b.Bytes, part)
	if b.Next > 0 {
		text += fmt.Sprintf("from_byte %d reads on, ", b.Next)
	}
	text += fmt.Sprintf("and %s has all of it for people.", rest)
	if out.Meta != nil && out.Meta.Refreshable {
		text += " summary has what each panel shows, and get_dashboard_spec the spec."
	}
	return text
}

func metaOf(d store.Detail) *dashboardMeta {
	m := &dashboardMeta{
		Name: d.Name, Tags: list(d.Tags), Chart: d.Chart, Code: d.Code, Bytes: d.Size, Refreshable: d.Refreshable(),
		Connection: d.ConnectionName(), CreatedAt: stamp(d.CreatedAt), UpdatedAt: stamp(d.UpdatedAt),
		LastRefresh: when(d.RefreshedAt), FailingSince: when(d.FailingSince), NextRunAt: when(d.NextRunAt),
	}
	space := room / 8
	m.Aliases, _ = fit(d.Aliases, &space)
	if d.VersionID != uuid.Nil {
		m.VersionID = d.VersionID.String()
	}
	m.boundFiles = filesShown(d.Files)
	if d.RunState != nil {
		m.State = *d.RunState
	}
	return m
}

// summarize adds the contents of the page: panels with their leading values, or the
// headings and the beginning of a Markdown page. It adds nothing for a data file.
func (c call) summarize(ctx context.Context, d store.Detail, query url.Values, out *shownDashboard, space *int) error {
	v, err := c.Views.Of(ctx, c.Member, d, query)
	if err != nil {
		return err
	}
	switch {
	case v.Drawn():
		said := page.Summaries
		if len(query) == 0 { // these are cached
			said = func(page.View) []page.Summary { return c.Views.Said(c.Member, d, v) }
		}
		for _, s := range said(v.View) {
			out.Panels = append(out.Panels, panelSummary{s.Index, s.Type, clip(s.Title, 200), clip(summaryText(s), longestSummary)})
		}
		share(out.Panels, *space)
		out.Panels, out.PanelsLeft = fit(out.Panels, space)
	case d.Filename == dashboard.DefaultFile:
		text := string(v.Content)
		o := &textOutline{Headings: []string{}, Text: clip(text, 4000)}
		o.Cut = o.Text != text
		for _, h := range headings(text) {
			o.Headings = append(o.Headings, clip(h, 200))
		}
		most := *space / 4
		o.Headings, _ = fit(o.Headings, &most)
		for len(encode(o)) > *space { // JSON escapes can make it much longer
			o.Text, o.Cut = clip(o.Text, utf8.RuneCountInString(o.Text)/2), true
		}
		*space -= len(encode(o))
		out.Outline = o
	}
	return nil
}

// share shortens the longest texts of panels so far that all panels fit into space bytes of JSON.
func share(panels []panelSummary, space int) {
	size := func(most int) (n int) {
		for _, p := range panels {
			n += len(encode(p.cut(most))) + 1
		}
		return n
	}
	if size(longestSummary) <= space {
		return
	}
	// Search returns the number of characters by which the texts must be shorter.
	by := sort.Search(longestSummary, func(by int) bool { return size(longestSummary-by) <= space })
	for i, p := range panels {
		panels[i] = p.cut(longestSummary - by)
	}
}

// cut returns the panel with texts of at most n characters.
func (p panelSummary) cut(n int) panelSummary {
	p.Title, p.Summary = clip(p.Title, n), clip(p.Summary, n)
	return p
}

func summaryText(s page.Summary) string {
	text := s.Text
	if s.Problem != "" {
		text = strings.TrimSpace(text + " " + s.Problem)
	}
	if s.Truncated {
		text += " (of truncated rows)"
	}
	return text
}

// headings lists the headings of a Markdown document.
func headings(text string) []string {
	var out []string
	for len(out) < 50 {
		h := firstHeading(text)
		if h == "" {
			break
		}
		out = append(out, h)
		_, rest, _ := strings.Cut(text, h)
		_, text, _ = strings.Cut(rest, "\n")
	}
	return out
}

// styles matches the styles and scripts of a page. Texts and values of a page have no tags.
var styles = pattern.New(`(?s)<style[^>]*>.*?</style>|<script[^>]*>.*?</script>`)

// bodyOf returns the drawn page or the data file from byte from on, cut to most bytes of JSON. Styles and scripts of a page, which are
// longer than a part, are left out.
func (c call) bodyOf(ctx context.Context, d store.Dashboard, query url.Values, from, most int) (*bodyPart, error) {
	p, err := c.Views.Page(ctx, c.Member, d, view.Request{File: d.Filename, Query: query})
	if err != nil {
		return nil, err
	}
	body := p.Body
	if p.ContentType == view.TypeHTML {
		body = styles.Regexp().ReplaceAll(body, nil)
	}
	if from > 0 && from >= len(body) {
		return nil, message.Refuse("from_byte is %d, and the body has %d bytes", from, len(body))
	}
	b := &bodyPart{MIMEType: mimeType(p.ContentType), Encoding: "utf-8", Bytes: len(body), From: from}
	end := 0
	if utf8.Valid(body) {
		b.From = boundary(body, from)
		b.Content = textPart(body[b.From:], most)
		end = b.From + len(b.Content)
	} else {
		b.Encoding = "base64"
		end = min(from+max(most/4, 1)*3, len(body))
		b.Content = base64.StdEncoding.EncodeToString(body[from:end])
	}
	if b.Cut = len(body) > end || b.From > 0; end < len(body) {
		b.Next = end
	}
	return b, nil
}

// textPart returns the beginning of text that has most bytes of JSON, and at least one character.
func textPart(text []byte, most int) string {
	part := string(text[:boundary(text, most)])
	for n := len(encode(part)); n > most+2; n = len(encode(part)) { // JSON escapes count too; 2 for the quotes
		part = part[:boundary(text, len(part)*most/n)]
	}
	if _, n := utf8.DecodeRune(text); part == "" {
		part = string(text[:n])
	}
	return part
}

// boundary returns the largest index up to n at which s can be cut between characters.
func boundary[T string | []byte](s T, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// fileURL returns the URL of a data file, and "" for a page, which has no other URL.
func fileURL(url, filename string) string {
	if filename == dashboard.DefaultFile {
		return ""
	}
	return url + "/" + filename
}

// mimeType returns a content type without its parameters.
func mimeType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.TrimSpace(t)
}
