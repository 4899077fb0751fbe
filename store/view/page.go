package view

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/blob"
	"service/store/dashboard"
	"service/store/dashboard/export"
	"service/store/dashboard/page"
)

// TypeHTML is the content type of drawn pages.
const TypeHTML = "text/html; charset=utf-8"

// A Page is the answer to a browser for a dashboard. It is shared and must not be changed.
type Page struct {
	Body        []byte
	Gzip        []byte // compressed Body; nil if compression does not pay off
	ContentType string
	ETag        string // quoted
	Attachment  string // file name of a download; empty for a page
	Part        bool   // a list of a page, which does not count as a view
}

// A Request selects the part of a dashboard to show.
type Request struct {
	File    string     // filename in the path; [dashboard.DefaultFile] for a bare slug
	Version uuid.UUID  // to preview; zero for the current one
	Query   url.Values // filters; panel=N with format=csv or xlsx downloads the contents of a panel, list=COLUMN lists the values of a filter
	Picture Picture    // in place of the page
	As      string     // name of the member as whom another person looks; empty for the member's own page
}

// Page returns the page of d for a member: drawn from the stored rows, the data file itself, or a page that links it. The error is
// [store.ErrNotFound] for a missing file, [store.ErrNoVersion] for a missing version, and [export.ErrTooLarge] for a panel that can only be
// downloaded as CSV.
func (r *Renderer) Page(ctx context.Context, m store.Member, d store.Dashboard, q Request) (*Page, error) {
	if q.As != "" || q.Version != uuid.Nil && q.Version != d.VersionID { // previews are too rare to be cached
		return r.drawPage(ctx, m, d, q)
	}
	if key, ok := r.pageKey(m, d, q); ok {
		if p, ok := r.pages.get(key); ok {
			return p, nil
		}
	}
	p, err := r.drawPage(ctx, m, d, q)
	if err != nil {
		return nil, err
	}
	if key, ok := r.pageKey(m, d, q); ok {
		r.pages.put(key, p, len(p.Body)+len(p.Gzip))
	}
	return p, nil
}

// pageKey returns a key of everything that a page of the current version depends on, as far as d contains it, so that a cached page costs
// no query. Days begin at quarters of an hour in every time zone, so a quarter has one date everywhere. ok is false if the parameters of
// the page are unknown; drawing the page determines them.
func (r *Renderer) pageKey(m store.Member, d store.Dashboard, q Request) (key string, ok bool) {
	params, ok := r.params.get(d.VersionID.String())
	if !ok {
		return "", false
	}
	state := ""
	if d.RunState != nil {
		state = *d.RunState
	}
	if !m.Edits() && (state == store.RunFailed || state == store.RunPartial) {
		state += " for viewers" // who see no reasons
	}
	id := m.WorkspaceID()
	parts := append(make([]byte, 0, 512), id[:]...)
	parts = append(parts, d.VersionID[:]...)
	for _, text := range []string{m.WorkspaceName(), d.Slug, d.Name, d.RowsTag, state, q.File, q.Picture.Format, m.Cut(d).Key()} {
		parts = append(binary.AppendUvarint(parts, uint64(len(text))), text...)
	}
	for _, at := range []*time.Time{&d.UpdatedAt, d.RunAt, d.FailingSince, d.NextRunAt} {
		if at == nil {
			at = &time.Time{}
		}
		parts = binary.AppendVarint(parts, at.UnixMicro())
	}
	quarter := r.now().Truncate(15 * time.Minute).Unix()
	for _, number := range []int64{quarter, int64(q.Picture.Panel), int64(q.Picture.Width)} {
		parts = binary.AppendVarint(parts, number)
	}
	if read := params.Read(q.Query); len(read) > 0 { // as long as a URL may be
		parts = append(parts, blob.Hash([]byte(read.Encode()))...)
	}
	if unread := params.Unread(q.Query); len(unread) > 0 { // the page names them
		parts = append(parts, blob.Hash([]byte("\n"+strings.Join(unread, "\n")))...)
	}
	return string(parts), true
}

func (r *Renderer) drawPage(ctx context.Context, m store.Member, d store.Dashboard, q Request) (*Page, error) {
	v, err := r.View(ctx, m, d, q.Version, q.Query)
	if err != nil {
		return nil, err
	}
	if v.Header.As = q.As; q.As != "" {
		v.Header.Send = "" // it would be sent to the person who looks, and with other rows
	}
	if q.Version == uuid.Nil || q.Version == d.VersionID {
		params := v.params()
		r.params.put(d.VersionID.String(), params, paramBytes*len(params))
	}
	switch {
	case q.Picture.Format != "":
		return r.drawPicture(ctx, v, q.Picture)
	case q.File == v.Filename && v.kind == contentFile:
		return newPage(v.Content, v.ContentType, v.Filename, v.sha256), nil
	case q.File != dashboard.DefaultFile:
		return nil, store.ErrNotFound
	}
	return v.draw(ctx, d, q.Query)
}

// An AddressError is the error of a download whose address names a part that the dashboard does not have.
type AddressError = export.AddressError

// downloads are the formats in which a panel can be downloaded.
var downloads = map[string]struct {
	write       func(v page.View, panel int) ([]byte, error)
	contentType string
}{
	"csv":  {page.CSV, "text/csv; charset=utf-8"},
	"xlsx": {page.XLSX, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
}

// draw draws the page. If ctx ends because the caller has left, it stops between two panels: each drawing is for one request, and only
// complete pages are cached.
func (v View) draw(ctx context.Context, d store.Dashboard, query url.Values) (*Page, error) {
	switch v.kind {
	case contentFile:
		body, err := page.RenderDownload(v.Header, v.Filename, v.ContentType, len(v.Content))
		return drawn(body), err
	case contentMarkdown:
		body, err := page.RenderMarkdown(v.Header, v.Content)
		return drawn(body), err
	}
	if f, ok := downloads[query.Get("format")]; ok {
		panel, err := strconv.Atoi(query.Get("panel"))
		if err != nil || panel < 0 || panel >= len(v.Spec.Panels) {
			return nil, store.ErrNotFound
		}
		body, err := f.write(v.View, panel)
		if errors.Is(err, export.ErrNoPanel) {
			return nil, store.ErrNotFound
		}
		return newPage(body, f.contentType, fmt.Sprintf("%s-%d.%s", d.Slug, panel, query.Get("format")), blob.Hash(body)), err
	}
	if body := page.Values(v.View); body != nil {
		list := drawn(body)
		list.Part = true
		return list, nil
	}
	body, err := page.Render(ctx, v.View)
	return drawn(body), err
}

func drawn(body []byte) *Page {
	p := newPage(body, TypeHTML, "", blob.Hash(body))
	p.Gzip = blob.Compress(body)
	return p
}

func newPage(body []byte, contentType, attachment string, hash []byte) *Page {
	return &Page{Body: body, ContentType: contentType, Attachment: attachment, ETag: `"` + hex.EncodeToString(hash[:16]) + `"`}
}
