package resources

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/auth"
	"service/store"
	"service/store/dashboard"
	"service/store/view"
)

// pageSize is how many resources a page lists. Clients read all pages when they connect,
// so it is larger than the page size of list_dashboards.
const pageSize = 100

// scheme is the prefix of every resource URI: service://{handle}/{slug}, where the
// handle is the slug of the workspace.
const scheme = "service://"

// The error codes of resources/list and resources/read. Any error without a code is an
// infrastructure failure, which the edge answers with -32000.
var (
	errCursor  = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid cursor"}
	errURI     = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid resource URI: expected " + scheme + "<workspace>/<slug>"}
	errMissing = &jsonrpc.Error{Code: -32002, Message: "Resource not found"}
)

// Config is the configuration of [Resources].
type Config struct {
	Store *store.Store
	Views *view.Renderer
}

// Resources lists and reads dashboards.
type Resources struct {
	store *store.Store
	views *view.Renderer
}

// New returns the resources of a store.
func New(c Config) *Resources { return &Resources{c.Store, c.Views} }

// List returns one page of the dashboards that the grant in ctx can see, newest first,
// and the cursor of the next page, which is "" on the last page. The cursors are those
// of list_dashboards.
func (r *Resources) List(ctx context.Context, cursor string) ([]*mcp.Resource, string, error) {
	members, err := r.members(ctx)
	if err != nil {
		return nil, "", err
	}
	if len(members) == 0 {
		if cursor != "" { // the server has issued no cursors
			return nil, "", errCursor
		}
		return []*mcp.Resource{}, "", nil
	}
	page, err := r.store.Dashboards.ListDashboards(ctx, members, store.DashboardQuery{Cursor: cursor, Limit: pageSize})
	if errors.Is(err, store.ErrCursor) {
		return nil, "", errCursor
	}
	if err != nil {
		return nil, "", err
	}
	list := make([]*mcp.Resource, len(page.Dashboards))
	for i, d := range page.Dashboards {
		list[i] = resource(d)
	}
	return list, page.Next, nil
}

// members returns the memberships in the workspaces that the grant in ctx can see.
func (r *Resources) members(ctx context.Context) ([]store.Member, error) {
	g, ok := auth.GrantFrom(ctx)
	if !ok {
		return nil, errors.New("resources: no grant in the request's context")
	}
	switch {
	case g.Locked():
		return []store.Member{g.Member}, nil
	case g.Lock == store.LockLegacy:
		return r.store.Members.Memberships(ctx, g.Account)
	}
	return nil, nil
}

func resource(d store.Dashboard) *mcp.Resource {
	modified := d.UpdatedAt
	if d.RefreshedAt != nil && d.RefreshedAt.After(modified) {
		modified = *d.RefreshedAt
	}
	return &mcp.Resource{
		URI:         scheme + d.Workspace + "/" + d.Slug,
		Name:        d.Slug,
		Title:       d.Name,
		Description: description(d),
		MIMEType:    mimeType(d),
		Size:        size(d),
		Annotations: &mcp.Annotations{LastModified: modified.UTC().Format(time.RFC3339)},
	}
}

// description returns a dashboard's kind, workspace and freshness.
func description(d store.Dashboard) string {
	kind := "Static dashboard"
	switch {
	case d.Refreshable():
		kind = "Refreshable dashboard"
	case d.Filename != dashboard.DefaultFile:
		kind = "Data file " + d.Filename
	}
	text := fmt.Sprintf("%s of workspace %s, chart %s", kind, d.Workspace, d.Chart)
	if d.RefreshedAt != nil {
		text += ", last refreshed " + d.RefreshedAt.UTC().Format(time.RFC3339)
	}
	return text + "."
}

// mimeType returns the content type of the body that [Resources.Read] returns: a page, or
// a data file.
func mimeType(d store.Dashboard) string {
	if d.Filename == dashboard.DefaultFile {
		return "text/html"
	}
	t, _, _ := strings.Cut(d.ContentType, ";")
	return t
}

// size returns the size of a data file in bytes. It returns 0 for a page, whose size is
// unknown until it is drawn.
func size(d store.Dashboard) int64 {
	if d.Filename == dashboard.DefaultFile {
		return 0
	}
	return int64(d.Size)
}

// Read returns the body of the dashboard at uri: the page without filters, or the data
// file.
func (r *Resources) Read(ctx context.Context, uri string) (*mcp.ResourceContents, error) {
	handle, slug, err := parse(uri)
	if err != nil {
		return nil, err
	}
	m, err := r.member(ctx, handle)
	if err != nil {
		return nil, err
	}
	d, err := r.store.Dashboards.Dashboard(ctx, m, slug)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errMissing
	}
	if err != nil {
		return nil, err
	}
	page, err := r.views.Page(ctx, m, d, view.Request{File: d.Filename})
	if errors.Is(err, store.ErrNotFound) { // deleted in the meantime
		return nil, errMissing
	}
	if err != nil {
		return nil, err
	}
	c := &mcp.ResourceContents{URI: uri, MIMEType: mimeType(d)}
	if utf8.Valid(page.Body) {
		c.Text = string(page.Body)
	} else {
		c.Blob = page.Body
	}
	return c, nil
}

// member returns the membership with which the grant in ctx can access the workspace
// called handle.
func (r *Resources) member(ctx context.Context, handle string) (store.Member, error) {
	g, ok := auth.GrantFrom(ctx)
	switch {
	case !ok:
		return store.Member{}, errors.New("resources: no grant in the request's context")
	case g.Locked():
		if handle != g.Member.Workspace() {
			return store.Member{}, errMissing
		}
		return g.Member, nil
	case g.Lock == store.LockLegacy:
		m, err := r.store.Members.Member(ctx, g.Account, handle)
		if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrNotMember) {
			return m, errMissing
		}
		return m, err
	}
	return store.Member{}, errMissing
}

// parse splits service://{handle}/{slug}. It does not unescape, because neither part can
// contain a character that a URI escapes.
func parse(uri string) (handle, slug string, err error) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", errURI
	}
	handle, slug, ok = strings.Cut(rest, "/")
	if !ok || dashboard.CheckSlug(handle) != nil || dashboard.CheckSlug(slug) != nil {
		return "", "", errURI
	}
	return handle, slug, nil
}
