package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzip"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
)

// The content types of bodies that the service draws a page of. Any other body is
// a data file.
const (
	TypeHTML     = "text/html; charset=utf-8"
	TypeMarkdown = "text/markdown; charset=utf-8"
	TypeReport   = "application/json"
)

// A Page is what a browser is sent for a dashboard. It is shared: nobody changes
// it.
type Page struct {
	Body        []byte
	Gzip        []byte // Body compressed; nil when that is not worth it
	ContentType string
	ETag        string // quoted
	Attachment  string // file name of a download; empty for a page
}

// A PageRequest says what of a dashboard to show.
type PageRequest struct {
	File    string     // as in its path; [dashboard.DefaultFile] for the bare slug
	Version uuid.UUID  // to preview; zero for the current one
	Query   url.Values // filters; panel=N with format=csv downloads what a panel shows
}

// Page returns what a member sees of d: the page drawn from the stored rows, the
// data file, or the page that links it. It is [ErrNotFound] for a file that d
// does not have, and [ErrNoVersion] for a version.
func (s *Store) Page(ctx context.Context, m Member, d Dashboard, r PageRequest) (*Page, error) {
	if r.Version != uuid.Nil && r.Version != d.VersionID { // a preview is too rare to be kept
		return s.drawPage(ctx, m, d, r)
	}
	key := s.pageKey(m, d, r)
	if p, ok := s.cache.pages.get(key); ok {
		return p, nil
	}
	p, err := s.drawPage(ctx, m, d, r)
	if err == nil {
		s.cache.pages.put(key, p, len(p.Body)+len(p.Gzip))
	}
	return p, err
}

// pageKey names all that a page of the current version depends on, as far as d
// tells: with it, a page that is in the cache costs no query. Days begin at
// quarters of an hour in every time zone, so a quarter has one date everywhere.
func (s *Store) pageKey(m Member, d Dashboard, r PageRequest) string {
	at := func(t *time.Time) int64 {
		if t == nil {
			return 0
		}
		return t.UnixMicro()
	}
	state := ""
	if d.RunState != nil {
		state = *d.RunState
	}
	parts, err := json.Marshal([]any{
		m.name, d.Slug, d.Name, d.UpdatedAt.UnixMicro(), d.VersionID, d.RowsTag, state, at(d.RunAt), at(d.FailingSince), at(d.NextRunAt),
		r.File, r.Query, s.now().Truncate(15 * time.Minute).Unix(),
	})
	if err != nil {
		panic(err) // strings and numbers alone
	}
	return m.workspace.String() + string(hashOf(parts))
}

func (s *Store) drawPage(ctx context.Context, m Member, d Dashboard, r PageRequest) (*Page, error) {
	v, err := s.View(ctx, m, d, r.Version, r.Query)
	switch {
	case err != nil:
		return nil, err
	case r.File == v.Filename && v.kind == contentFile:
		return newPage(v.Content, v.ContentType, v.Filename, v.sha256), nil
	case r.File != dashboard.DefaultFile:
		return nil, ErrNotFound
	}
	return v.draw(d, r.Query)
}

// How the content of a version is shown.
type contentKind int

const (
	contentPanels contentKind = iota // a spec or a JSON report
	contentMarkdown
	contentFile
)

// A View is a dashboard and all that its page is drawn from.
type View struct {
	page.View          // of a spec or a report; the header alone otherwise
	Filename    string // of the version
	ContentType string
	Content     []byte // the spec or the body
	Results     []Result

	kind   contentKind
	sha256 []byte
}

// Drawn reports whether the view has panels.
func (v View) Drawn() bool { return v.kind == contentPanels }

// View returns what the page of d, or of one of its versions, is drawn from.
func (s *Store) View(ctx context.Context, m Member, d Dashboard, id uuid.UUID, query url.Values) (View, error) {
	v := View{Filename: d.Filename, ContentType: d.ContentType, sha256: d.SHA256}
	kind, name, made := d.Kind, d.Name, d.UpdatedAt
	preview := id != uuid.Nil && id != d.VersionID
	if preview {
		of, err := s.Version(ctx, m, d.Slug, id)
		if err != nil {
			return v, err
		}
		v.Filename, v.ContentType, v.sha256 = of.Filename, of.ContentType, of.SHA256
		kind, name, made = of.Kind, of.Title, of.CreatedAt
	} else {
		id = d.VersionID
	}
	var err error
	if v.Content, err = s.blob(ctx, s.pool, m.workspace, v.sha256); err != nil {
		return v, err
	}
	v.Query = query
	v.Now = s.now()
	v.Header = page.Header{
		Workspace: m.name, WorkspaceSlug: m.slug, Slug: d.Slug, Name: name, Version: id.String(), State: "static",
		URL: s.opt.URL(m.slug, d.Slug), Home: s.opt.App(m.slug, ""), Details: s.opt.App(m.slug, d.Slug),
		Preview: preview, VersionTime: made,
	}
	if err := v.read(kind); err != nil {
		return v, fmt.Errorf("version %s: what is stored does not parse", id)
	}
	if kind == KindSpec {
		return v, s.fill(ctx, m, d, id, preview, &v)
	}
	v.Header.AsOf = made
	return v, nil
}

// read finds out how the content is shown, and parses it.
func (v *View) read(kind string) (err error) {
	switch {
	case kind == KindSpec:
		v.Spec, err = dashboard.Parse(v.Content)
	case v.Filename != dashboard.DefaultFile:
		v.kind = contentFile
	case v.ContentType == TypeMarkdown:
		v.kind = contentMarkdown
	default:
		v.Spec, v.Cubes, err = dashboard.ParseReport(v.Content)
	}
	return err
}

// fill adds the rows of a spec's datasets, and how its refreshes go.
func (s *Store) fill(ctx context.Context, m Member, d Dashboard, id uuid.UUID, preview bool, v *View) (err error) {
	if v.Results, err = s.Results(ctx, m, id); err != nil {
		return err
	}
	v.Cubes = map[string]*cube.Cube{}
	v.Truncated = map[string]bool{}
	for _, r := range v.Results {
		if v.Cubes[r.Dataset], err = s.Cube(ctx, m, r); err != nil {
			return err
		}
		v.Truncated[r.Dataset] = r.Truncated
		if at := v.Header.AsOf; at.IsZero() || r.RefreshedAt.Before(at) {
			v.Header.AsOf = r.RefreshedAt // the page is as old as its oldest rows
		}
	}
	if preview { // as it was: nothing is under way there
		v.Header.State = RunSucceeded
		return nil
	}
	v.Header.State = "never"
	if d.RunState != nil {
		v.Header.State = *d.RunState
	}
	if d.FailingSince != nil {
		v.Header.FailingSince = *d.FailingSince
	}
	if d.NextRunAt != nil {
		v.Header.NextRun = *d.NextRunAt
	}
	if v.Header.State == RunFailed || v.Header.State == RunPartial {
		status, err := s.RefreshStatus(ctx, m, d.Slug)
		if err != nil || status.Run == nil {
			return err
		}
		v.Header.Errors = map[string]string{}
		for _, dataset := range v.Spec.Datasets {
			v.Header.Errors[dataset.ID] = status.Run.Error // of all, when none was even asked
		}
		for _, r := range status.Run.Datasets {
			if v.Header.Errors[r.ID] = r.Error; r.Error == "" {
				delete(v.Header.Errors, r.ID)
			}
		}
	}
	return nil
}

// draw makes the page.
func (v View) draw(d Dashboard, query url.Values) (*Page, error) {
	switch v.kind {
	case contentFile:
		body, err := page.RenderDownload(v.Header, v.Filename, v.ContentType, len(v.Content))
		return drawn(body), err
	case contentMarkdown:
		body, err := page.RenderMarkdown(v.Header, v.Content)
		return drawn(body), err
	}
	if query.Get("format") == "csv" {
		panel, err := strconv.Atoi(query.Get("panel"))
		if err != nil || panel < 0 || panel >= len(v.Spec.Panels) {
			return nil, ErrNotFound
		}
		body, err := page.CSV(v.View, panel)
		if errors.Is(err, page.ErrNoPanel) {
			return nil, ErrNotFound
		}
		return newPage(body, "text/csv; charset=utf-8", fmt.Sprintf("%s-%d.csv", d.Slug, panel), hashOf(body)), err
	}
	body, err := page.Render(v.View)
	return drawn(body), err
}

func drawn(body []byte) *Page {
	p := newPage(body, TypeHTML, "", hashOf(body))
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(body) // a bytes.Buffer takes all
	w.Close()
	p.Gzip = z.Bytes()
	return p
}

func newPage(body []byte, contentType, attachment string, hash []byte) *Page {
	return &Page{Body: body, ContentType: contentType, Attachment: attachment, ETag: `"` + hex.EncodeToString(hash[:16]) + `"`}
}
