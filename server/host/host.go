package host

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/auth"
	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/export"
	"service/store/dashboard/page"
	"service/store/view"
)

//go:embed icon.svg
var icon []byte

// Config is the configuration of the workspace hosts. Log and Now are optional.
type Config struct {
	Store *store.Store // counts the views
	Views *view.Renderer
	Auth  *auth.Server

	AppURL string                                   // origin of the web app
	URL    func(workspace, dashboard string) string // canonical address of a dashboard

	// Acquire waits for a slot to draw a page for an account; release returns the slot. AcquireDraw is the same for pictures.
	// Both are optional.
	Acquire, AcquireDraw func(ctx context.Context, account uuid.UUID) (release func(), err error)

	// Kept is called with the size in memory of the answer to the request of ctx, in bytes.
	// Optional.
	Kept func(ctx context.Context, bytes int)

	Log *slog.Logger
	Now func() time.Time
}

// Host serves every workspace's host.
type Host struct{ Config }

// New returns the handler of the workspace hosts.
func New(c Config) *Host {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	unlimited := func(context.Context, uuid.UUID) (func(), error) { return func() {}, nil }
	if c.Acquire == nil {
		c.Acquire = unlimited
	}
	if c.AcquireDraw == nil {
		c.AcquireDraw = unlimited
	}
	if c.Kept == nil {
		c.Kept = func(context.Context, int) {}
	}
	return &Host{c}
}

// ServeHTTP routes by the raw path, which it does not clean, decode or redirect, so that
// each page has exactly one address. The server in front has already normalized the
// host.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", page.CSP)  // the default; answers may replace it
	w.Header().Set("Cache-Control", "private, no-cache") // the default
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	switch p := r.URL.EscapedPath(); p {
	case "/.session":
		h.Auth.FinishVisit(w, r)
	case "/assets/" + page.ScriptName:
		asset(w, r, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", page.Script)
	case "/favicon.ico":
		asset(w, r, "image/svg+xml", "public, max-age=86400", icon)
	case "/robots.txt":
		asset(w, r, "text/plain; charset=utf-8", "public, max-age=86400", []byte("User-agent: *\nDisallow: /\n"))
	default:
		if err := h.visit(w, r, p); err != nil {
			h.failed(w, r, err)
		}
	}
}

// visit serves a page. It identifies the visitor and checks that they belong to the
// workspace before it looks at the rest of the request.
func (h *Host) visit(w http.ResponseWriter, r *http.Request, rawPath string) error {
	start := h.Now()
	workspace, _, _ := strings.Cut(r.Host, ".")
	path := strings.TrimPrefix(rawPath, "/")
	target, picture := pictureOf(path)
	slug, file, err := dashboard.ParsePath(target)
	if err != nil {
		slug = "" // no dashboard has this slug
	}
	visit, ok, err := h.Auth.HostVisit(r, workspace, slug, !byItself(r) && page.WallOf(r.URL.Query()) == "")
	switch {
	case err != nil:
		return err
	case !ok:
		h.signIn(w, r)
	case visit.Member == nil:
		h.notFound(w, r)
	case path == "":
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, h.AppURL+"/w/"+workspace+"/", http.StatusFound)
	case visit.Dashboard == nil:
		h.notFound(w, r)
	case visit.Dashboard.Slug != slug:
		h.moved(w, r, *visit.Dashboard, path)
	default:
		if n := panelOf(file); n > 0 && file != visit.Dashboard.Filename { // a file of this name takes precedence
			file, picture = dashboard.DefaultFile, view.Picture{Format: "png", Panel: n}
		}
		return h.dashboard(w, r, *visit.Member, *visit.Dashboard, view.Request{File: file, Picture: picture}, start)
	}
	return nil
}

// pictureOf returns the path of the page that <slug>.png or <slug>.pdf is a picture of. Slugs
// contain no dots, so such a path cannot be a page itself.
func pictureOf(path string) (target string, p view.Picture) {
	for _, format := range []string{"png", "pdf"} {
		if slug, ok := strings.CutSuffix(path, "."+format); ok && !strings.Contains(slug, "/") {
			return slug, view.Picture{Format: format}
		}
	}
	return path, p
}

// panelOf returns the number of the panel, from 1, that <n>.png is a picture of; 0 for
// other names.
func panelOf(file string) int {
	name, ok := strings.CutSuffix(file, ".png")
	n, err := strconv.Atoi(name)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != name {
		return 0
	}
	return n
}

// signIn sends a visitor to sign in and back. If the request comes from a page of this
// host, it may be that page's filter form, whose form-action policy silently blocks a
// redirect to another host. The policy does not apply to a Refresh header, so those
// visitors get a page with one.
func (h *Host) signIn(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		h.Auth.StartVisit(w, r)
		return
	}
	h.Auth.StartVisit(headerOnly{w}, r)
	to := w.Header().Get("Location")
	w.Header().Del("Location")
	w.Header().Set("Refresh", "0;url="+to)
	h.Auth.WritePage(w, r, auth.Page{
		Status: http.StatusForbidden, Title: "You are signed out", Text: "Sign in to continue where you left off.", Link: "Sign in", Href: to,
	})
}

// headerOnly is a ResponseWriter that keeps the header and discards status and body.
type headerOnly struct{ http.ResponseWriter }

func (headerOnly) WriteHeader(int)             {}
func (headerOnly) Write(b []byte) (int, error) { return len(b), nil }

// dashboard serves a file or a picture of d to a member. start is the time of the request.
func (h *Host) dashboard(
	w http.ResponseWriter, r *http.Request, m store.Member, d store.Dashboard, request view.Request, start time.Time,
) error {
	query := r.URL.Query()
	request.Query = query
	if version := query.Get("version"); query.Has("version") {
		var err error
		if request.Version, err = uuid.Parse(version); err != nil || len(version) != 36 || request.Version == uuid.Nil {
			h.notFound(w, r)
			return nil
		}
	}
	reader := m
	if query.Has("as") {
		stand, err := h.as(r.Context(), m, d, query.Get("as"))
		switch {
		case errors.Is(err, store.ErrMayNotLook):
			h.Auth.WritePage(w, r, auth.Page{
				Status: http.StatusForbidden, Title: "This page is not shown as another member sees it",
				Text: "Only an owner, or an editor who gets all rows of this dashboard, can look at it as another member.",
				Link: "Open the dashboard", Href: h.URL(d.Workspace, d.Slug),
			})
			return nil
		case errors.Is(err, store.ErrNotFound):
			h.notFound(w, r)
			return nil
		case err != nil:
			return err
		}
		reader, request.As = stand.Member, stand.Called
		w.Header().Set("Cache-Control", "no-store")
	}
	var address *view.AddressError
	p, err := h.page(r.Context(), m.Account(), reader, d, request)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrNoVersion):
		h.notFound(w, r)
		return nil
	case errors.Is(err, view.ErrBusy):
		w.Header().Set("Retry-After", "5")
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "Too many pictures are being drawn. Try again in a moment.", http.StatusServiceUnavailable)
		return nil
	case errors.Is(err, export.ErrTooLarge):
		h.Auth.WritePage(w, r, tooLarge(query))
		return nil
	case errors.As(err, &address):
		query.Del("format")
		query.Del("panel")
		h.Auth.WritePage(w, r, auth.Page{
			Status: http.StatusBadRequest, Title: "This file was not made",
			Text: "Its address names a filter or an option that this dashboard does not have. Open the dashboard to see which.",
			Link: "Open the dashboard", Href: "?" + query.Encode(),
		})
		return nil
	case err != nil:
		return err
	}
	whole := p.Attachment == "" && !p.Part && request.Picture.Format == ""
	if r.Method == http.MethodGet && request.Version == uuid.Nil && request.As == "" && whole && !byItself(r) {
		// before the answer, so that a reader who has the answer is counted
		h.Store.Dashboards.CountView(m, d.ID, h.Now().Sub(start), len(p.Body))
	}
	h.Kept(r.Context(), len(p.Body)+len(p.Gzip))
	serve(w, r, p)
	return nil
}

// as returns the member with an id, as whom m looks at d.
func (h *Host) as(ctx context.Context, m store.Member, d store.Dashboard, id string) (store.Stand, error) {
	account, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return store.Stand{}, store.ErrNotFound
	}
	return h.Store.Members.As(ctx, m, d, account)
}

// byItself reports whether the browser makes a request without a person: an open page looks for newer data, or a wall moves on to its next
// page. Such a request is not a view, and does not extend a session.
func byItself(r *http.Request) bool {
	looks := r.Header.Get("Sec-Fetch-Dest") == "empty" && r.Header.Get(page.ViewHeader) == ""
	return looks || page.WallOf(r.URL.Query()) != "" && r.Header.Get("Sec-Fetch-Site") == "same-origin"
}

// tooLarge returns the answer for a file that would be too large.
func tooLarge(query url.Values) auth.Page {
	if query.Get("format") == "xlsx" {
		query.Set("format", "csv")
		return auth.Page{
			Status: http.StatusUnprocessableEntity, Title: "This is too large",
			Text: "This is too much for an XLSX file. A CSV file can hold more.", Link: "Export CSV", Href: "?" + query.Encode(),
		}
	}
	query.Del("format")
	query.Del("panel")
	return auth.Page{
		Status: http.StatusUnprocessableEntity, Title: "This is too large",
		Text: "A CSV file holds at most 48 MiB. A filter, or a query with fewer rows or shorter texts, makes it smaller.",
		Link: "Open the dashboard", Href: "?" + query.Encode(),
	}
}

// page waits for a slot of an account and draws a page or a picture for m, who has that account unless it looks as another member.
func (h *Host) page(
	ctx context.Context, account uuid.UUID, m store.Member, d store.Dashboard, request view.Request,
) (*view.Page, error) {
	acquire := h.Acquire
	if request.Picture.Format != "" {
		acquire = h.AcquireDraw
	}
	release, err := acquire(ctx, account)
	if err != nil {
		return nil, err
	}
	defer release()
	return h.Views.Page(ctx, m, d, request)
}

// moved redirects from a former slug to the current one, with the same file and raw
// query.
func (h *Host) moved(w http.ResponseWriter, r *http.Request, d store.Dashboard, rawPath string) {
	to := h.URL(d.Workspace, d.Slug)
	if _, file, ok := strings.Cut(rawPath, "/"); ok {
		to += "/" + file
	} else if _, picture := pictureOf(rawPath); picture.Format != "" {
		to += "." + picture.Format
	}
	if _, query, ok := strings.Cut(r.RequestURI, "?"); ok {
		to += "?" + query
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusMovedPermanently)
}

// serve sends a page, or 304 if the browser has it already.
func serve(w http.ResponseWriter, r *http.Request, p *view.Page) {
	header, body, tag := w.Header(), p.Body, p.ETag
	if p.Gzip != nil {
		header.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			header.Set("Content-Encoding", "gzip")
			body, tag = p.Gzip, strings.TrimSuffix(p.ETag, `"`)+`-gzip"` // an ETag identifies the exact bytes
		}
	}
	header.Set("Content-Type", p.ContentType)
	header.Set("ETag", tag)
	if p.Attachment != "" { // never displayed in the browser, with any content
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": p.Attachment}))
	}
	if r.Method != http.MethodGet || slices.ContainsFunc(conditions, func(name string) bool { return r.Header[name] != nil }) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		return
	}
	// Like http.ServeContent, but with a Content-Length for compressed pages too, and with two writes to the
	// network instead of four.
	header.Set("Accept-Ranges", "bytes")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // fails only when the client has disconnected
}

// conditions are the header fields of conditional and range requests (RFC 9110, sections 13.1 and 14.2).
var conditions = []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Range"}

// acceptsGzip reports whether an Accept-Encoding header allows gzip. A weight of
// zero, such as q=0 or q=0.000, means no.
func acceptsGzip(accept string) bool {
	for coding := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";")
		if strings.EqualFold(name, "gzip") || name == "*" {
			return weight == "" || strings.Trim(weight, "q=0.") != ""
		}
	}
	return false
}

// asset sends a file that is the same for everybody.
func asset(w http.ResponseWriter, r *http.Request, contentType, caching string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", caching)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// notFound answers requests for pages that do not exist or that the visitor may not see.
// The answer contains nothing of the request, not even its id, so that the two cases
// cannot be distinguished.
func (h *Host) notFound(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("X-Request-Id")
	h.Auth.WritePage(w, r, auth.Page{
		Status: http.StatusNotFound, Title: "Not found",
		Text: "This dashboard does not exist, or your account is not a member of its workspace. Check the address, or ask an owner to add you.",
		Link: "Your workspaces", Href: h.AppURL + "/",
	})
}

// failed logs err and shows the error page with the request's id. A visitor who has
// disconnected is not an error, and a request without a slot is not logged.
func (h *Host) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == context.Canceled {
		return
	}
	if !errors.Is(err, store.ErrOverloaded) {
		h.Log.ErrorContext(r.Context(), "dashboard page failed", "path", r.URL.Path, "err", err)
	}
	p := auth.Failure(err)
	p.Request = r.Header.Get("X-Request-Id")
	p.Link, p.Href = "Your workspaces", h.AppURL+"/"
	h.Auth.WritePage(w, r, p)
}
