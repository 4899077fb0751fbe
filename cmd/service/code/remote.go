package code

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	yaml "go.yaml.in/yaml/v3"

	"service/store/message"
)

// A listed is an item of list_dashboards.
type listed struct {
	Slug        string   `json:"slug"`
	Name        string   `json:"name"`
	Tags        []string `json:"tags"`
	Chart       string   `json:"chart"`
	Refreshable bool     `json:"refreshable"`
	Connection  string   `json:"connection"`
	Schedule    string   `json:"schedule"`
	Timezone    string   `json:"timezone"`
}

// A remote is a page on the server.
type remote struct {
	Page
	Version string
	Code    *origin // of its current version, if that was published from a file
	Aliases bool    // it was found by a former slug
	ids     *yaml.Node
}

// An origin is the file from which a version was published.
type origin struct {
	Commit string `json:"commit"`
	Path   string `json:"path"`
	Hash   string `json:"hash"`
}

// metaOrigin is the key of an [origin] in _meta of publish_dashboard, and of get_dashboard_spec.
const metaOrigin = "service/from_code"

// atOnce is how many calls a command makes at once.
const atOnce = 4

// each calls f for every item, atOnce at a time, and returns the first error.
func each[T any](ctx context.Context, items []T, f func(context.Context, int, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, item := range items {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if err := f(ctx, i, item); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// list lists all dashboards of the workspace.
func (c *Client) list(ctx context.Context) ([]listed, error) {
	var all []listed
	for cursor := ""; ; {
		args := c.args(map[string]any{"limit": 200})
		if cursor != "" {
			args["cursor"] = cursor
		}
		var page struct {
			Dashboards []listed `json:"dashboards"`
			Next       string   `json:"next_cursor"`
		}
		if err := c.call(ctx, "list_dashboards", args, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Dashboards...)
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}

// sources are the connections and the uploaded files of the caller.
type sources struct {
	env         Environment
	Connections []connection `json:"connections"`
}

type connection struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"`
	Uploads []upload `json:"uploads"`
}

type upload struct {
	ID       string `json:"id"`
	Filename string `json:"filename"`
	Sheet    string `json:"sheet"` // that a dashboard reads
}

func (c *Client) sources(ctx context.Context) (sources, error) {
	out := sources{env: c.env}
	return out, c.call(ctx, "list_connections", map[string]any{}, nil, &out)
}

// id returns the id of a name in a spec.
func (s sources) id(kind nameKind, name, connectionName string) (string, error) {
	names, what, of := s.env.Connections, "connection", ""
	if kind == anUpload {
		names, what = s.env.Uploads, "uploaded file"
	}
	label := name
	if mapped, ok := names[name]; ok {
		label = mapped
	}
	if uuid.Validate(label) == nil {
		return label, nil
	}
	var found, all []string
	for _, c := range s.Connections {
		switch {
		case kind == aConnection:
			all = append(all, c.Label)
			if c.Label == label {
				found = append(found, c.ID)
			}
			continue
		case connectionName != self && c.Label != s.label(connectionName):
			continue
		}
		for _, u := range c.Uploads {
			all = append(all, u.Filename)
			if u.Filename == label {
				found = append(found, u.ID)
			}
		}
	}
	if label != name {
		of = fmt.Sprintf(`, as %s calls "%s",`, ConfigFile, name)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		have := "there is none"
		if len(all) > 0 {
			have = "there is " + strings.Join(all[:min(len(all), 10)], ", ")
		}
		return "", message.Refuse(`no %s "%s"%s is among yours at %s: %s`, what, label, of, s.env.Server, have)
	}
	return "", message.Refuse(`%d of your %ss at %s are called "%s": rename all but one, or give the id of the one that is meant in %s`,
		len(found), what, s.env.Server, label, ConfigFile)
}

func (s sources) label(name string) string {
	if mapped, ok := s.env.Connections[name]; ok {
		return mapped
	}
	return name
}

// name returns the name of a label or an id in files: the one in service.yaml, or else the label.
func name(names map[string]string, label, id string) string {
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if names[n] == label || names[n] == id {
			return n
		}
	}
	return label
}

// page reads all of a dashboard.
func (c *Client) page(ctx context.Context, d listed, known sources) (*remote, error) {
	got, raw, err := c.spec(ctx, d.Slug)
	if err != nil {
		return nil, err
	}
	spec, err := decodeJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("the spec of %s: %w", d.Slug, err)
	}
	r := &remote{Version: got.VersionID, Code: got.Code, Aliases: got.Slug != d.Slug, ids: spec}
	names, err := c.binding(ctx, d, known)
	if err != nil {
		return nil, err
	}
	// The source of the dashboard counts: it need not be in the spec.
	bound := without(spec, "connection", "upload", "sheet", "uploads")
	lead := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if d.Connection != self {
		lead.Content = append(lead.Content, textNode("connection"), textNode(names.connection))
	}
	if names.upload != "" {
		lead.Content = append(lead.Content, textNode("upload"), textNode(names.upload))
	}
	if names.sheet != "" {
		lead.Content = append(lead.Content, textNode("sheet"), textNode(names.sheet))
	}
	if len(names.uploads) > 0 {
		files := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, table := range slices.Sorted(maps.Keys(names.uploads)) {
			files.Content = append(files.Content, textNode(table), names.uploads[table].node())
		}
		lead.Content = append(lead.Content, textNode("uploads"), files)
	}
	bound.Content = append(lead.Content, bound.Content...)
	if bound, err = renamed(bound, func(kind nameKind, id, _ string) (string, error) {
		if n := names.files[id]; kind == anUpload && n != "" { // of one dataset
			return n, nil
		}
		return id, nil
	}); err != nil {
		return nil, err
	}
	r.Page = Page{Slug: got.Slug, Spec: bound, Head: Head{d.Name, d.Tags, d.Chart, d.Schedule, d.Timezone}}
	if r.Head.Tags == nil {
		r.Head.Tags = []string{}
	}
	r.Head = r.Head.complete(spec)
	return r, nil
}

// A binding is the source of a dashboard, by the names in files.
type binding struct {
	connection, upload, sheet string
	uploads                   map[string]namedFile // by table
	files                     map[string]string    // by id
}

// A namedFile is an uploaded file by its name in files, and the sheet that is read from it, or "".
type namedFile struct{ name, sheet string }

// node returns the file in the form of a spec's uploads.
func (f namedFile) node() *yaml.Node {
	if f.sheet == "" {
		return textNode(f.name)
	}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
		textNode("id"), textNode(f.name), textNode("sheet"), textNode(f.sheet),
	}}
}

func (c *Client) binding(ctx context.Context, d listed, known sources) (binding, error) {
	b := binding{uploads: map[string]namedFile{}, files: map[string]string{}}
	if d.Connection == self {
		return b, nil
	}
	for _, own := range known.Connections {
		if own.ID == d.Connection && len(own.Uploads) == 0 { // a warehouse of the caller's own: it has no files to look up
			b.connection = name(c.env.Connections, own.Label, own.ID)
			return b, nil
		}
	}
	var got struct {
		Connection struct{ ID, Label string } `json:"connection"`
		Upload     *upload                    `json:"upload"`
		Uploads    []struct {
			upload
			Table   string `json:"table"`
			Dataset string `json:"dataset"`
		} `json:"uploads"`
	}
	if err := c.call(ctx, "get_source_config", c.args(map[string]any{"slug": d.Slug}), nil, &got); err != nil {
		return b, err
	}
	if got.Connection.Label == "" {
		return b, message.Refuse("%s reads a connection of another workspace, or one that was deleted: it has no name for a file", d.Slug)
	}
	b.connection = name(c.env.Connections, got.Connection.Label, got.Connection.ID)
	if got.Upload != nil {
		b.upload, b.sheet = name(c.env.Uploads, got.Upload.Filename, got.Upload.ID), got.Upload.Sheet
	}
	for _, u := range got.Uploads {
		n := name(c.env.Uploads, u.Filename, u.ID)
		if b.files[u.ID] = n; u.Dataset == "" {
			b.uploads[u.Table] = namedFile{n, u.Sheet}
		}
	}
	return b, nil
}

// A specAnswer is the answer of get_dashboard_spec.
type specAnswer struct {
	Slug      string          `json:"slug"`
	VersionID string          `json:"version_id"`
	Code      *origin         `json:"from_code"`
	Spec      json.RawMessage `json:"spec"`
	Cut       bool            `json:"cut"`
	Outline   []struct {
		Pointer string `json:"pointer"`
		Type    string `json:"type"`
		Bytes   int    `json:"bytes"`
	} `json:"outline"`
	Left int `json:"outline_left"`
}

// spec reads the current spec of a dashboard, in parts if it is too long for an answer.
func (c *Client) spec(ctx context.Context, slug string) (specAnswer, json.RawMessage, error) {
	var whole specAnswer
	if err := c.call(ctx, "get_dashboard_spec", c.args(map[string]any{"slug": slug}), nil, &whole); err != nil {
		return whole, nil, err
	}
	raw, err := c.parts(ctx, slug, "", whole)
	return whole, raw, err
}

// parts assembles a value: the answer has it, or the pointers of its parts.
func (c *Client) parts(ctx context.Context, slug, pointer string, got specAnswer) (json.RawMessage, error) {
	switch {
	case got.Cut:
		return nil, message.Refuse("the text at %s of %s is longer than an answer of the server", pointer, slug)
	case len(got.Outline) == 0:
		return got.Spec, nil
	case got.Left > 0:
		return nil, message.Refuse("the spec of %s has more parts at %s than an answer of the server lists", slug, pointer)
	}
	var b bytes.Buffer
	list := true
	for i, part := range got.Outline {
		token, direct := strings.CutPrefix(part.Pointer, pointer+"/")
		if !direct || strings.Contains(token, "/") { // a part of a part
			continue
		}
		if _, err := strconv.Atoi(token); err != nil || i == 0 && token != "0" {
			list = false
		}
		var inner specAnswer
		err := c.call(ctx, "get_dashboard_spec", c.args(map[string]any{"slug": slug, "pointer": part.Pointer, "version_id": got.VersionID}),
			nil, &inner)
		if err != nil {
			return nil, err
		}
		value, err := c.parts(ctx, slug, part.Pointer, inner)
		if err != nil {
			return nil, err
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		if !list {
			b.Write(quoteJSON(strings.NewReplacer("~1", "/", "~0", "~").Replace(token)))
			b.WriteByte(':')
		}
		b.Write(value)
	}
	if list {
		return json.RawMessage("[" + b.String() + "]"), nil
	}
	return json.RawMessage("{" + b.String() + "}"), nil
}

// find reads a dashboard that is not in the list, by a former slug. It returns nil if there is no such dashboard.
func (c *Client) find(ctx context.Context, slug string, all []listed, known sources) (*remote, error) {
	got, _, err := c.spec(ctx, slug)
	if no, ok := errors.AsType[*Refused](err); ok && strings.HasPrefix(no.Text, `No dashboard named "`) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if d.Slug == got.Slug {
			r, err := c.page(ctx, d, known)
			if r != nil {
				r.Aliases = true
			}
			return r, err
		}
	}
	return nil, nil
}

// A drawn is a panel of a dry run.
type drawn struct {
	Index   int    `json:"index"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Rows    int    `json:"rows"`
	Problem string `json:"problem"`
	Summary string `json:"summary"`
}

// A tried is the answer of publish_dashboard.
type tried struct {
	Slug      string   `json:"slug"`
	URL       string   `json:"url"`
	VersionID string   `json:"version_id"`
	Created   bool     `json:"created"`
	Runs      int      `json:"runs"`
	Warnings  []string `json:"warnings"`
	Drawn     []drawn  `json:"drawn"`
	DrawnLeft int      `json:"drawn_left"`
	Told      []struct {
		What string   `json:"what"`
		To   []string `json:"to"`
		Next string   `json:"next"`
	} `json:"told"`
}

// A publication is a page to be published.
type publication struct {
	slug      string
	head      *Head // nil keeps name, tags and chart
	spec      json.RawMessage
	ifVersion string // "none": it must be new
	origin    *origin
	dryRun    bool
}

func (c *Client) publish(ctx context.Context, p publication) (tried, error) {
	args := c.args(map[string]any{"path": p.slug, "spec": p.spec})
	if h := p.head; h != nil {
		args["tags"], args["chart"] = h.Tags, h.Chart
		if h.Name != "" {
			args["name"] = h.Name
		}
	}
	if p.ifVersion != "" {
		args["if_version"] = p.ifVersion
	}
	if p.dryRun {
		args["dry_run"] = true
	}
	var meta mcp.Meta
	if p.origin != nil {
		meta = mcp.Meta{metaOrigin: p.origin}
	}
	var out tried
	return out, c.call(ctx, "publish_dashboard", args, meta, &out)
}

// specFor returns the spec of a file with the ids of the server instead of names.
func specFor(p *Page, known sources) (json.RawMessage, error) {
	spec, err := renamed(p.Spec, known.id)
	if err != nil {
		return nil, err
	}
	return toJSON(spec), nil
}
