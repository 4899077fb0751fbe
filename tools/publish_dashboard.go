package tools

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

var publishDashboard = tool[publishDashboardArgs]{
	name:  "publish_dashboard",
	title: "Publish dashboard",
	description: "Publishes a dashboard at path: creates it, or replaces its contents and keeps the old ones as a version. " +
		"Takes one of spec, patch, body. " +
		`spec refreshes from SQL: {"title", "datasets": [{"id", "sql"}], "filters": [{"column"}], "panels": [{"type", "data": ` +
		`dataset id, ...}]}. Panels except table need keys naming columns: ` +
		dashboard.TypesNeed() + " " +
		"patch edits the stored spec. " +
		"body is static: Markdown, a JSON report (rows, not sql) or, at <slug>/<file>, a data file. " +
		"All mistakes are reported together, with valid keys; warnings name rows left out. " +
		"dry_run only checks. " +
		"5 MiB; 60 calls a minute per account.",
	hints: hints{destructive: true, openWorld: true},
	meta:  alwaysLoad,
	scope: dashboardScope,
	rate:  store.RatePublish,
	large: true,
	run:   runPublishDashboard,
}

type publishDashboardArgs struct {
	Path   path     `json:"path" arg:"required"`
	Spec   specArg  `json:"spec"`
	Patch  patchArg `json:"patch"`
	CopyOf copyOf   `json:"copy_of"`
	Body   bodyArg  `json:"body"`
	source
	metadata
	IfVersion ifVersion `json:"if_version"`
	DryRun    bool      `json:"dry_run" doc:"Check all and write nothing." default:"false" eg:"true"`
	inWorkspace

	basis *uuid.UUID // the version that a patch without if_version edits
}

func (publishDashboardArgs) explain(name string) (doc, example string) {
	if name == "body" {
		return "Markdown or a JSON report for <slug>; for <slug>/<file> " +
				".csv .tsv .json .ndjson .txt .md as text, .parquet .xlsx in base64. At most 5 MiB, Markdown of a page 200,000 bytes. " +
				"No HTML, XML, SVG or script. Default: none.",
			"# Findings"
	}
	return "", ""
}

// check checks the arguments against each other.
func (a publishDashboardArgs) check() error {
	if err := dashboard.CheckNewSlug(a.Path.slug); err != nil {
		return err
	}
	if err := a.checkCopy(); err != nil {
		return err
	}
	switch {
	case a.Patch != nil && (a.Spec != nil || a.Body.string != nil):
		return message.Refuse("pass one of spec, patch and body: patch edits the stored spec, so it excludes the others")
	case a.Patch != nil && a.CopyOf == "" && a.IfVersion.UUID != nil && *a.IfVersion.UUID == uuid.Nil:
		return message.Refuse(`patch edits a stored spec, and if_version "none" says that there is none: omit one of them`)
	case a.Spec != nil && a.Body.string != nil:
		return message.Refuse("pass either spec or body, not both: spec makes a refreshable dashboard, body a static one")
	case a.Spec == nil && a.Body.string == nil && a.Patch == nil && a.CopyOf == "":
		return message.Refuse("pass spec, which makes a refreshable dashboard, or body, a Markdown or JSON report or a data file")
	case a.Body.string == nil && a.Path.file != dashboard.DefaultFile:
		return message.Refuse(`path "%s/%s" names a data file, and a spec is drawn as a page: publish it to "%s"`,
			a.Path.slug, a.Path.file, a.Path.slug)
	}
	return nil
}

func runPublishDashboard(ctx context.Context, c call, in publishDashboardArgs) (*reply, error) {
	if in.Body.string != nil {
		return c.publishBody(ctx, in)
	}
	return c.publishSpec(ctx, in)
}

// ifVersion is the version that a publish may replace: nil for any version, the zero UUID
// if the dashboard must be new.
type ifVersion struct{ *uuid.UUID }

func (v *ifVersion) set(name string, raw json.RawMessage) error {
	if text(raw) == "none" {
		v.UUID = new(uuid.Nil)
		return nil
	}
	id, ok := parseUUID(text(raw))
	if !ok || id == uuid.Nil {
		return message.Refuse(`%s must be a version id, a UUID from list_dashboard_versions, or "none" (got %s)`, name, clip(string(raw), 60))
	}
	v.UUID = &id
	return nil
}

func (ifVersion) jsonType() (string, string) { return "string", "" }

func (ifVersion) describe() (doc, example string) {
	return `Publish only if this version id is current; "none": only if the dashboard is new. Default: no check.`, "none"
}

// A replacement describes the version that a publish replaced.
type replacement struct {
	Version string `json:"previous_version_id,omitempty"`
	Of      string `json:"previous_published_by,omitempty"` // if another person published it
}

// replaced describes the version that was replaced. words are the beginning of the answer,
// with the way to go back. They are empty unless another person published that version and
// the caller did not name it in if_version.
func (in publishDashboardArgs) replaced(p store.Published) (out replacement, words string) {
	if p.Previous.ID == uuid.Nil {
		return out, ""
	}
	out.Version = p.Previous.ID.String()
	if p.Previous.Own {
		return out, ""
	}
	if out.Of = p.Previous.Author; out.Of == "" {
		out.Of = "a deleted account"
	}
	switch {
	case in.IfVersion.UUID != nil:
		return out, ""
	case in.DryRun:
		return out, fmt.Sprintf("This would replace version %s, which %s published. ", out.Version, out.Of)
	}
	return out, fmt.Sprintf("This replaced what %s published: restore_dashboard_version with version %s goes back to it. ",
		out.Of, out.Version)
}

// publication returns the part of a publication that specs and bodies share.
func (in publishDashboardArgs) publication() store.Publication {
	only := in.IfVersion.UUID
	if in.basis != nil {
		only = in.basis
	}
	return store.Publication{
		Slug: in.Path.slug, Filename: in.Path.file, Name: in.Name.string, Chart: in.Chart.string, Tags: in.Tags,
		IfVersion: only, DryRun: in.DryRun,
	}
}

type publishedBody struct {
	answer
	Workspace string `json:"workspace"`
	Slug      string `json:"slug"`
	Filename  string `json:"filename"`
	FileURL   string `json:"file_url,omitempty"`   // for a data file; url is the page that links to it
	VersionID string `json:"version_id,omitempty"` // none in a dry run
	replacement
	Created     bool     `json:"created"`
	DryRun      bool     `json:"dry_run"`
	Name        string   `json:"name"`
	Tags        []string `json:"tags"`
	Chart       string   `json:"chart"`
	Bytes       int      `json:"bytes"`
	SHA256      string   `json:"sha256"`
	ContentType string   `json:"content_type"`
	Refreshable bool     `json:"refreshable"`
	Warnings    []string `json:"warnings"`

	Drawn     []verifiedPanel `json:"drawn,omitempty"`      // the panels of a JSON report, in a dry run
	DrawnLeft int             `json:"drawn_left,omitempty"` // panels that are not in this answer
	NextStep  string          `json:"next_step"`
}

func (c call) publishBody(ctx context.Context, in publishDashboardArgs) (*reply, error) {
	if from := in.origin(); from.Connection != uuid.Nil || len(from.Files) > 0 {
		if _, err := c.bind(ctx, from); err != nil {
			return nil, err
		}
		return nil, message.Refuse("connection and upload go with spec: a body brings its own contents and reads no source")
	}
	b, err := readBody(in.Path.file, *in.Body.string, c.url(in.Path.slug))
	if err != nil {
		return nil, err
	}
	if b.report != nil {
		dead, err := c.linkWarnings(ctx, b.report, in.Path.slug)
		if err != nil {
			return nil, err
		}
		b.warnings = append(b.warnings, dead...)
	}
	p := in.publication()
	p.ContentType, p.Content, p.Panels, p.Colors = b.contentType, b.content, b.panels, b.colors
	p.DefaultName, p.DefaultChart = defaultName(b.heading, p.Slug), defaultChart(b.chart)
	published, err := c.Store.Dashboards.Publish(ctx, c.Member, p)
	if err != nil {
		return nil, err
	}
	d := published.Dashboard
	out := publishedBody{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Filename: d.Filename, Created: published.Created,
		DryRun: in.DryRun,
		Name:   d.Name, Tags: list(d.Tags), Chart: d.Chart, Bytes: d.Size, SHA256: hex.EncodeToString(d.SHA256), ContentType: d.ContentType,
		Warnings: warningLines(dashboard.JoinWarnings(b.warnings)),
		NextStep: "derive_dashboard_spec drafts a spec that would keep it fresh from a connection.",
	}
	out.FileURL = fileURL(out.URL, d.Filename)
	var first string
	out.replacement, first = in.replaced(published)
	if in.DryRun {
		space := room
		out.Drawn, _ = panelsShown(b.drawn)
		out.Drawn, out.DrawnLeft = fit(out.Drawn, &space)
		out.NextStep = "The same call without dry_run publishes it."
		return replyWith(&out, `%sDry run passed: "%s" would be %s; nothing was written. `+
			`%s`, first, d.Slug, madeWord(published.Created), out.URL).structure(), nil
	}
	out.VersionID = d.VersionID.String()
	return replyWith(&out, `%sPublished "%s", %s and static: %s`, first, d.Slug, madeWord(published.Created), out.URL).structure(), nil
}

func madeWord(created bool) string {
	if created {
		return "new"
	}
	return "a new version"
}

// bind checks the source of a publish. It may be any of the caller's own connections, even
// in another workspace: such a binding is allowed, but never refreshes (specification,
// "Connection").
func (c call) bind(ctx context.Context, o origin) (store.Connection, error) {
	if err := o.checkSelf(); err != nil {
		return store.Connection{}, err
	}
	if o.Connection == uuid.Nil {
		return store.Connection{}, nil
	}
	return c.Store.Connections.CheckConnection(ctx, c.Member, o.Connection, o.Files, true)
}

// defaultName returns the name of a new dashboard when none is given.
func defaultName(heading, slug string) string {
	heading = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, heading))
	if heading == "" {
		return slug
	}
	return clip(heading, dashboard.MaxName-1)
}

// defaultChart returns the chart of a new dashboard when none is given.
func defaultChart(first string) string {
	if first == "" {
		return "document"
	}
	return first
}

// agree returns the source of a publish. If the spec names a source too, it must be the
// same as in the arguments.
func agree(arg source, s *dashboard.Spec) (origin, error) {
	if s.Connection != "" {
		inSpec := uuid.Nil
		if s.Connection != self {
			inSpec, _ = uuid.Parse(s.Connection) // checked by the spec's own rules
		}
		if arg.Connection.given && inSpec != arg.Connection.UUID {
			return origin{}, message.Refuse(`connection is "%s" as argument and "%s" in the spec: they must be the same, or one of them omitted`,
				connectionName(arg.Connection.UUID), s.Connection)
		}
		arg.Connection.UUID = inSpec
	}
	if s.Upload != "" {
		inSpec, _ := uuid.Parse(s.Upload)
		if arg.Upload.UUID != uuid.Nil && inSpec != arg.Upload.UUID {
			return origin{}, message.Refuse(`upload is "%s" as argument and "%s" in the spec: they must be the same, or one of them omitted`,
				arg.Upload, s.Upload)
		}
		arg.Upload.UUID = inSpec
	}
	if s.Sheet != "" {
		if arg.Sheet != "" && !strings.EqualFold(string(arg.Sheet), s.Sheet) {
			return origin{}, message.Refuse(`sheet is "%s" as argument and "%s" in the spec: they must be the same, or one of them omitted`,
				arg.Sheet, s.Sheet)
		}
		arg.Sheet = sheetArg(s.Sheet)
	}
	if err := arg.checkSheet(); err != nil {
		return origin{}, err
	}
	if len(s.Uploads) > 0 {
		if len(arg.Uploads) > 0 && !slices.Equal(arg.Uploads, s.Uploads) {
			return origin{}, message.Refuse("uploads differs as argument and in the spec: they must be the same, or one of them omitted")
		}
		arg.Uploads = s.Uploads
	}
	for i, d := range s.Datasets {
		if d.Sheet != "" && d.Upload == "" && arg.Upload.UUID == uuid.Nil {
			return origin{}, message.Refuse(`datasets[%d].sheet needs upload, the id of a workbook, beside it or at the top of the spec`, i)
		}
	}
	out := arg.origin()
	out.Files = out.Files.WithOwn(s)
	return out, nil
}

// before returns the dashboard that a publish is about to replace, or the zero
// Dashboard.
func (c call) before(ctx context.Context, slug string) (store.Dashboard, error) {
	d, err := c.Store.Dashboards.Dashboard(ctx, c.Member, slug)
	if errors.Is(err, store.ErrNotFound) {
		return store.Dashboard{}, nil
	}
	return d, err
}

// warningLines returns warnings as answers list them.
func warningLines(warnings []dashboard.Warning) []string {
	lines := []string{}
	for _, w := range warnings {
		lines = append(lines, w.String())
	}
	return lines
}
