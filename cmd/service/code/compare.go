package code

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"service/store/dashboard"
	"service/store/message"
)

// A Run is one command on a project and the server of an environment.
type Run struct {
	*Project
	*Client
	Out io.Writer
}

func (r Run) printf(format string, args ...any) { fmt.Fprintf(r.Out, format+"\n", args...) }

// A pair is a dashboard in files and on the server. One of them may be missing.
type pair struct {
	slug   string
	file   *Page
	server *remote
	err    error // the server's page cannot be put into a file
}

// same reports whether file and server are the same.
func (p pair) same() bool {
	return p.file != nil && p.server != nil && p.file.Hash() == p.server.Hash()
}

// moved reports whether the server's version differs from the one that it last had in common with the file. That one is in the lock file,
// or the version on the server came from the file.
func (r Run) moved(p pair, commit *commit) bool {
	if p.server == nil || p.same() {
		return false
	}
	hash := p.server.Hash()
	if hash == r.synced(r.env.Name, p.slug) {
		return false
	}
	from := p.server.Code
	if from == nil || from.Hash != hash {
		return true
	}
	return p.file != nil && commit != nil && from.Path != commit.path(p.file.File)
}

// edited reports whether the file differs from the version that it last had in common with the server.
func (r Run) edited(p pair) bool {
	return p.file != nil && !p.same() && p.file.Hash() != r.synced(r.env.Name, p.slug)
}

// A found is what files and server have.
type found struct {
	pairs  []pair
	known  sources
	static []string // slugs of the dashboards on the server without a spec
	left   []string // slugs of those that had a file when file and server were last the same, and have none now; only without chosen slugs
}

// leftWords explains in a line what becomes of the dashboards on the server whose file is gone; it is empty if there is no such dashboard.
func (f found) leftWords() string {
	if len(f.left) == 0 {
		return ""
	}
	return fmt.Sprintf("On the server, and no longer in a file: %s. To delete a dashboard, do so on the server. "+
		"To rename one, rename it on the server, and then pull.", strings.Join(f.left, ", "))
}

// gather reads files and server: the dashboards of slugs, or else all with a file and, if everything is true, all on the server.
func (r Run) gather(ctx context.Context, slugs []string, everything bool) (f found, err error) {
	wanted := slugs
	if everything { // a slug may be on the server alone
		wanted = nil
	}
	pages, err := r.Pages(wanted)
	if err != nil {
		return f, err
	}
	all, err := r.list(ctx)
	if err != nil {
		return f, err
	}
	if f.known, err = r.sources(ctx); err != nil {
		return f, err
	}
	on := map[string]listed{}
	for _, d := range all {
		if on[d.Slug] = d; !d.Refreshable {
			f.static = append(f.static, d.Slug)
		}
	}
	var pairs []pair
	for _, page := range pages {
		if len(slugs) == 0 || slices.Contains(slugs, page.Slug) {
			pairs = append(pairs, pair{slug: page.Slug, file: page})
		}
	}
	for _, d := range all {
		has := slices.ContainsFunc(pairs, func(p pair) bool { return p.slug == d.Slug })
		if everything && d.Refreshable && !has && (len(slugs) == 0 || slices.Contains(slugs, d.Slug)) {
			pairs = append(pairs, pair{slug: d.Slug})
		}
	}
	for _, slug := range slugs {
		if !slices.ContainsFunc(pairs, func(p pair) bool { return p.slug == slug }) {
			pairs = append(pairs, pair{slug: slug, err: message.Refuse("no dashboard %s is on the server or in a file", slug)})
		}
	}
	if len(slugs) == 0 {
		f.left = r.withoutFile(pages, on)
	}
	err = each(ctx, pairs, func(ctx context.Context, i int, p pair) (err error) {
		switch d, ok := on[p.slug]; {
		case ok && !d.Refreshable:
			pairs[i].err = message.Refuse("%s is static on the server: it has no spec that a file could replace", p.slug)
		case ok:
			pairs[i].server, err = r.page(ctx, d, f.known)
		case p.file != nil:
			pairs[i].server, err = r.find(ctx, p.slug, all, f.known)
		}
		if _, ok := message.As(err); ok { // the others can be read
			pairs[i].err, err = err, nil
		}
		if p.file != nil && pairs[i].server != nil && p.file.Head.Name == "" {
			p.file.Head.Name = pairs[i].server.Head.Name // the server's stays
		}
		return err
	})
	renamed := map[string]bool{} // dashboards whose file has a slug that they had before
	for _, p := range pairs {
		if p.server != nil && p.server.Aliases {
			renamed[p.server.Slug] = true
		}
	}
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return p.file == nil && renamed[p.slug] })
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.slug, b.slug) })
	f.pairs = pairs
	return f, err
}

// withoutFile returns the slugs of the dashboards on the server that had a file when both were last the same, but have none in pages. The
// lock forgets the dashboards that are in neither.
func (r Run) withoutFile(pages []*Page, on map[string]listed) []string {
	var left []string
	for slug := range r.lock[r.env.Name] {
		if slices.ContainsFunc(pages, func(p *Page) bool { return p.Slug == slug }) {
			continue
		}
		if _, ok := on[slug]; ok {
			left = append(left, slug)
		} else {
			r.sync(r.env.Name, slug, "")
		}
	}
	slices.Sort(left)
	return left
}

// changes lists in words the differences between from and to.
func changes(from, to *Page) []string {
	var out []string
	value := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf(`%s: "%s" → "%s"`, what, a, b))
		}
	}
	value("name", from.Head.Name, to.Head.Name)
	if !slices.Equal(from.Head.Tags, to.Head.Tags) {
		out = append(out, fmt.Sprintf("tags: %s → %s", listWords(from.Head.Tags), listWords(to.Head.Tags)))
	}
	value("chart", from.Head.Chart, to.Head.Chart)
	value("schedule", from.Head.scheduleWords(), to.Head.scheduleWords())
	value("connection", specText(from.Spec, "connection", self), specText(to.Spec, "connection", self))
	value("upload", specText(from.Spec, "upload", ""), specText(to.Spec, "upload", ""))
	value("sheet", specText(from.Spec, "sheet", ""), specText(to.Spec, "sheet", ""))
	if a, b := uploads(from.Spec), uploads(to.Spec); !bytes.Equal(a, b) {
		out = append(out, "uploads changed")
	}
	before, now := parsed(from), parsed(to)
	if before == nil || now == nil {
		return append(out, "the spec changed")
	}
	before.Upload, now.Upload = "", ""
	out = append(out, dashboard.Diff(before, now)...)
	if len(out) == 0 && from.Hash() != to.Hash() {
		out = append(out, "the form of the spec: what it shows stays the same")
	}
	return out
}

// uploads is the value of the key uploads, or nil.
func uploads(spec *yaml.Node) []byte {
	_, files := member(spec, "uploads")
	if files == nil {
		return nil
	}
	return canonical(files)
}

func listWords(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}

func (h Head) scheduleWords() string {
	if h.Schedule == "off" || h.Timezone == "" {
		return h.Schedule
	}
	return h.Schedule + " (" + h.Timezone + ")"
}

// parsed parses the spec of a page, whose connection and files have ids made from their names. It returns nil for a spec of an earlier
// release that no longer parses.
func parsed(p *Page) *dashboard.Spec {
	spec, err := dashboard.ParseStored(toJSON(withIDs(p.Spec)))
	if err != nil {
		return nil
	}
	return spec
}

// Checked checks the files of the project without a server. The error is [Mistakes].
func (p *Project) Checked(slugs []string, out io.Writer) error {
	pages, err := p.Pages(slugs)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s checked, no mistakes.\n", count(len(pages), "dashboard"))
	return err
}

// count returns a number with its noun: 1 panel, 2 panels. The plural of query is queries.
func count(n int, noun string) string {
	switch stem, y := strings.CutSuffix(noun, "y"); {
	case n == 1:
		return "1 " + noun
	case y:
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// failures joins the errors of single dashboards.
func failures(pairs []pair) error {
	var all error
	for _, p := range pairs {
		all = joined(all, p.err)
	}
	return all
}

// joined returns an error of the lines of both, either of which may be nil.
func joined(a, b error) error {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return message.Refuse("%v\n%v", a, b)
}
