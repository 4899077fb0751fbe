package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

type publishedSpec struct {
	answer
	Workspace string `json:"workspace"`
	Slug      string `json:"slug"`
	VersionID string `json:"version_id,omitempty"` // none in a dry run
	replacement
	copied
	Created    bool     `json:"created"`
	DryRun     bool     `json:"dry_run"`
	Name       string   `json:"name"`
	Tags       []string `json:"tags"`
	Chart      string   `json:"chart"`
	Connection string   `json:"connection"`
	boundFiles
	Refreshable  bool             `json:"refreshable"`
	Runs         int              `json:"runs,omitempty"` // of SQL at each refresh, if viewers choose parameters
	Datasets     []datasetColumns `json:"datasets"`
	DatasetsLeft int              `json:"datasets_left,omitempty"` // datasets that are not in this answer
	Panels       int              `json:"panels"`
	Refresh      *queuedRun       `json:"refresh,omitempty"`
	Warnings     []string         `json:"warnings"`
	Alerts       []triedAlert     `json:"alerts,omitempty"`      // in a dry run
	Told         []told           `json:"told,omitempty"`        // recipients of alerts and deliveries from now on
	ToldBefore   []told           `json:"told_before,omitempty"` // where it changes
	Drawn        []verifiedPanel  `json:"drawn,omitempty"`       // the panels, in a dry run
	DrawnLeft    int              `json:"drawn_left,omitempty"`  // panels that are not in this answer
	NextStep     string           `json:"next_step"`
}

type datasetColumns struct {
	ID      string       `json:"id"`
	Checked bool         `json:"checked"` // its SQL was described by the source
	Columns []cubeColumn `json:"columns"`
}

func (c call) publishSpec(ctx context.Context, in publishDashboardArgs) (*reply, error) {
	before, err := c.before(ctx, in.Path.slug)
	if err != nil {
		return nil, err
	}
	kept := before // whose source an edit keeps
	var from copied
	switch {
	case in.CopyOf != "":
		if kept, from, err = c.copy(ctx, &in, before); err != nil {
			return nil, err
		}
	case in.Patch != nil:
		if err := c.patch(ctx, &in, before); err != nil {
			return nil, err
		}
	}
	s, parseErr := dashboard.Parse(in.Spec)
	if s == nil {
		return nil, parseErr
	}
	if err := shapeProblem(parseErr); err != nil {
		return nil, err
	}
	parseErr = dashboard.Join(parseErr, checkTexts(s), c.checkChannels(ctx, s))
	if (in.Patch != nil || from.Of != "") && s.Connection == "" && !in.Connection.given { // an edit keeps the source
		in.keep(s, kept)
	}
	src, err := c.agreed(ctx, in.source, s)
	if err != nil {
		return nil, err
	}
	bound, err := c.bind(ctx, src)
	if err != nil {
		return nil, err
	}
	checked, err := c.checkSpec(ctx, s, in.Path.slug, parseErr, src, bound)
	if err != nil {
		return nil, err
	}
	moved := before.Refreshable() && (before.Connection != src.Connection || !before.Files.Same(src.Files))
	seen, err := c.seen(ctx, before)
	if err != nil {
		return nil, err
	}
	replacing := replacing(in, s, before, seen.Spec, src)
	if w := c.overCode(before); w != nil {
		replacing = append(replacing, *w)
	}
	dead, err := c.linkWarnings(ctx, s, in.Path.slug)
	if err != nil {
		return nil, err
	}
	readers, err := c.readerWarnings(ctx, s, before, checked.columns)
	if err != nil {
		return nil, err
	}
	blind, err := c.accessWarnings(ctx, s)
	if err != nil {
		return nil, err
	}
	replacing = slices.Concat(replacing, readers, blind)
	checked.warnings = slices.Concat(checked.warnings, c.costAsScheduled(checked, before),
		textWarnings(s, c.url(in.Path.slug)), dead, replacing)
	p := in.publication()
	if p.Code, err = c.code(); err != nil {
		return nil, err
	}
	p.Spec, p.ContentType, p.Content, p.Before = s, "application/json", in.Spec, seen
	p.Connection, p.Files, p.Panels = src.Connection, src.Files, len(s.Panels)
	p.DefaultName, p.DefaultChart = defaultName(specHeading(s), p.Slug), defaultChart(firstFigure(s))
	p.Edit = in.Patch != nil && in.CopyOf == ""
	p.Definitions, p.Tables = definitions(s, moved), s.Tables()
	published, err := c.Store.Dashboards.Publish(ctx, c.Member, p)
	if err != nil {
		return nil, err
	}
	for _, i := range published.Waiting {
		checked.warnings = append(checked.warnings, dashboard.Warnf(dashboard.WarnDeliveryWaits, fmt.Sprintf("deliver[%d]", i),
			"nothing is sent until an owner of the workspace allows it on the dashboard's page in the web application."))
	}
	checked.warnings = dashboard.JoinWarnings(checked.warnings)
	return c.publishedSpec(in, s, checked, published, from), nil
}

// keep uses the source of the dashboard before for the parts of the source that an
// edited spec does not name.
func (in *publishDashboardArgs) keep(s *dashboard.Spec, before store.Dashboard) {
	in.Connection.UUID = before.Connection
	keepOne := s.Upload == "" && in.Upload.UUID == uuid.Nil
	keepNamed := len(s.Uploads)+len(in.Uploads) == 0
	for _, f := range before.Files.Of("") {
		switch named := f.Table != dashboard.UploadTable; {
		case named && keepNamed:
			in.Uploads = append(in.Uploads, dashboard.Upload{Table: f.Table, ID: f.Upload.String(), Sheet: f.Sheet})
		case !named && keepOne:
			in.Upload.UUID = f.Upload
			if s.Sheet == "" && in.Sheet == "" {
				in.Sheet = sheetArg(f.Sheet)
			}
		}
	}
}

// otherFiles is a text for other files than files.
func otherFiles(files store.Files) string {
	if len(files) == 1 {
		return "another uploaded file"
	}
	return "other uploaded files"
}

// patch applies the patch to the stored spec of before and makes the result the spec of in.
// It also sets the basis, so that the publish fails if it would undo the changes of another
// publish in the meantime.
func (c call) patch(ctx context.Context, in *publishDashboardArgs, before store.Dashboard) error {
	switch {
	case before.ID == uuid.Nil:
		return message.Refuse(`There is no dashboard "%s" whose spec a patch could edit. list_dashboards finds slugs; spec makes a new `+
			`one.`, in.Path.slug)
	case !before.Refreshable():
		return message.Refuse(`Dashboard "%s" is static: it has no spec to patch. derive_dashboard_spec drafts one.`, before.Slug)
	}
	stored, err := c.Store.Dashboards.Content(ctx, c.Member, before)
	if err != nil {
		return err
	}
	patched, err := in.Patch.apply(stored)
	if err != nil {
		return err
	}
	in.Spec = specArg(patched)
	if in.IfVersion.UUID == nil {
		in.basis = &before.VersionID
	}
	return nil
}

func (c call) publishedSpec(
	in publishDashboardArgs, s *dashboard.Spec, checked checkedSpec, published store.Published, from copied,
) *reply {
	d := published.Dashboard
	out := publishedSpec{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Created: published.Created, DryRun: in.DryRun,
		Name: d.Name, Tags: list(d.Tags), Chart: d.Chart, Connection: d.ConnectionName(), Refreshable: true, Panels: len(s.Panels),
	}
	out.boundFiles = filesShown(d.Files)
	space := room
	out.Warnings, _ = fit(warningLines(checked.warnings), &space)
	out.Datasets, out.DatasetsLeft = fit(checked.datasets, &space)
	what := fmt.Sprintf("%s and %s", count(len(s.Datasets), "dataset"), count(len(s.Panels), "panel"))
	if n := len(checked.warnings); n > 0 {
		what += ", " + count(n, "warning")
	}
	var first string
	out.replacement, first = in.replaced(published)
	out.copied = from
	out.Told, out.ToldBefore = toldShown(published)
	words := toldWords(out.Told, out.ToldBefore)
	if runs := s.RunWords(); runs != "" {
		out.Runs, words = len(s.Runs()), words+" "+runs
	}
	if in.DryRun {
		out.Alerts, _ = fit(checked.alerts, &space)
		out.Drawn, _ = panelsShown(checked.panels)
		out.Drawn, out.DrawnLeft = fit(out.Drawn, &space)
		out.NextStep = "The same call without dry_run publishes it." + unscheduled(s, d)
		return replyWith(&out, `%sDry run passed: "%s" would be %s with %s; nothing was written.%s `+
			`%s`, first, d.Slug, madeWord(published.Created), what, from.words()+words, out.URL)
	}
	out.VersionID = d.VersionID.String()
	out.Refresh = &queuedRun{published.Run.ID.String(), published.Run.State}
	out.NextStep = "get_refresh_status shows when the first refresh has ended; verify_dashboard then checks the page." +
		unscheduled(s, d)
	return replyWith(&out, `%sPublished "%s", %s with %s: %s.%s Its refresh is %s; get_refresh_status follows it.`,
		first, d.Slug, madeWord(published.Created), what, out.URL, from.words()+words, published.Run.State)
}

// shapeProblem is the problem of a malformed connection or of malformed uploads in the spec. Without a
// source, the rest of the spec cannot be checked.
func shapeProblem(err error) error {
	problems, ok := errors.AsType[*dashboard.Problems](err)
	if !ok {
		return nil
	}
	for _, p := range *problems {
		switch {
		case p.Path == "connection", p.Path == "upload":
			return message.Refuse("%s", p.Message)
		case p.Path == "sheet", strings.HasPrefix(p.Path, "uploads"),
			strings.HasPrefix(p.Path, "datasets[") && (strings.HasSuffix(p.Path, "].upload") || strings.HasSuffix(p.Path, "].sheet")):
			return message.Refuse("%s", p.String())
		}
	}
	return nil
}

// replacing warns of changes to the existing dashboard that a forgotten argument probably caused. was is the spec of that dashboard, or nil
// if it has no spec that parses.
func replacing(in publishDashboardArgs, s *dashboard.Spec, before store.Dashboard, was *dashboard.Spec, src origin) []dashboard.Warning {
	if !before.Refreshable() {
		return nil
	}
	var out []dashboard.Warning
	switch {
	case before.Connection != src.Connection:
		out = append(out, dashboard.Warnf(dashboard.WarnConnectionChange, "connection",
			`the dashboard read from connection "%s" before and reads from "%s" now.`, before.ConnectionName(), src.name()))
	case !before.Files.Same(src.Files):
		out = append(out, dashboard.Warnf(dashboard.WarnConnectionChange, "upload", `the dashboard read %s before.`, otherFiles(before.Files)))
	}
	if in.Name.string != nil || s.Title == "" || s.Title == before.Name || was == nil {
		return out
	}
	if was.Title != s.Title {
		out = append(out, dashboard.Warnf(dashboard.WarnNameKept, "title",
			`the title changed to "%s", and the dashboard keeps its name "%s": the argument name, or update_dashboard, changes that.`,
			clip(s.Title, 100), clip(before.Name, 100)))
	}
	return out
}

// seen returns the spec of the dashboard before, or zero if it has no spec that parses: a stored spec that no longer parses can still be
// replaced.
func (c call) seen(ctx context.Context, before store.Dashboard) (store.SeenSpec, error) {
	if !before.Refreshable() {
		return store.SeenSpec{}, nil
	}
	spec, err := c.specOf(ctx, before)
	if _, unread := errors.AsType[*dashboard.Unread](err); unread {
		return store.SeenSpec{}, nil
	}
	return store.SeenSpec{SHA256: before.SHA256, Spec: spec}, err
}

// maxTried is the limit of the rows that one publish keeps to draw its page, in bytes of memory.
const maxTried = 16 << 20

// describers is the number of datasets of a spec that are described concurrently.
const describers = 4

// definitions returns hashes of everything but the source that the rows of each run of a dataset
// depend on. If the source changes, they match no stored hash, so that no rows of the
// version before are kept.
func definitions(s *dashboard.Spec, sourceChanged bool) map[string][]byte {
	out := map[string][]byte{}
	for _, run := range s.Runs() {
		out[run.ID] = nil
		if !sourceChanged {
			out[run.ID] = run.Dataset.Definition(run.Spec(s))
		}
	}
	return out
}

// specHeading returns the title of a spec, or else the first heading on its page.
func specHeading(s *dashboard.Spec) string {
	if s.Title != "" {
		return s.Title
	}
	for _, p := range s.Panels {
		switch p.Type {
		case dashboard.Section:
			return p.Title
		case dashboard.Text:
			if h := firstHeading(p.Markdown); h != "" {
				return h
			}
		}
	}
	return ""
}

// firstFigure returns the type of the first panel that shows data or, without one, of the first panel; "" without panels.
func firstFigure(s *dashboard.Spec) string {
	for i := range s.Panels {
		if dashboard.NeedsData(s.Panels[i].Type) {
			return s.Panels[i].Type
		}
	}
	if len(s.Panels) == 0 {
		return ""
	}
	return s.Panels[0].Type
}
