package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
	"service/store/message"
	"service/store/warehouse"
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

// A checkedSpec is the result of the checks of a spec against its source.
type checkedSpec struct {
	datasets []datasetColumns
	columns  map[string][]cube.Column // of the datasets whose columns are known
	warnings []dashboard.Warning
	alerts   []triedAlert
	panels   []page.Summary // from the current rows; empty if the SQL was not run
	bytes    int64          // that a refresh reads, as far as they are known
	source   store.Source
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

// checkSpec describes the SQL of every dataset and checks the panels against the columns. parseErr has the problems that are
// known already; all problems are returned together. A spec with problems is not drawn, and its alerts are not tried.
// Connections of another workspace are not queried, because the grant's lock does not cover that workspace.
func (c call) checkSpec(
	ctx context.Context, s *dashboard.Spec, slug string, parseErr error, src origin, bound store.Connection,
) (checkedSpec, error) {
	out := checkedSpec{}
	fed, feedErr := c.feeds(ctx, s, slug)
	if _, ok := errors.AsType[*dashboard.Problems](feedErr); feedErr != nil && !ok {
		return out, feedErr
	}
	var found described
	var describeErr error
	if s.Queries() && (src.Connection == uuid.Nil || bound.WorkspaceID == c.WorkspaceID()) {
		out.source, found, describeErr = c.ask(ctx, s, src)
	}
	if _, ok := errors.AsType[*dashboard.Problems](describeErr); describeErr != nil && !ok {
		return out, dashboard.Join(parseErr, describeErr)
	}
	if found.unreached != "" {
		out.warnings = append(out.warnings, dashboard.Warnf(dashboard.WarnSQLNotChecked, "",
			"the SQL could not be checked against the connection: %s", found.unreached))
	}
	if found.columns == nil { // nothing was asked
		found.columns, found.bytes = map[string][]cube.Column{}, map[string]int64{}
	}
	columns := found.columns
	if feedErr == nil {
		feedErr = fed.bound()
	}
	if feedErr == nil {
		if feedErr = fed.describe(ctx, c, columns); feedErr != nil {
			if _, ok := errors.AsType[*dashboard.Problems](feedErr); !ok {
				return out, feedErr
			}
		}
	}
	s, out.columns = fed.spec, columns
	drawn, rowWarnings := c.tryRows(ctx, out.source, s, found, fed)
	out.bytes = refreshBytes(s, found.bytes)
	warnings, err := s.CheckRows(columns, drawn.Cubes)
	if err := dashboard.Join(parseErr, feedErr, describeErr, err); err != nil {
		return out, err
	}
	rowWarnings = append(fed.warnings(), rowWarnings...)
	panels, pageWarnings := page.Examine(drawn)
	if len(drawn.Cubes) > 0 {
		out.panels, pageWarnings = panels, withProblems(pageWarnings, panels)
	}
	tried, alertWarnings := tryAlerts(ctx, c.Log, drawn)
	out.alerts = tried
	out.warnings = slices.Concat(out.warnings, warnings, rowWarnings, pageWarnings, alertWarnings)
	for _, set := range s.Datasets {
		cols, checked := columns[set.ID]
		shown := datasetColumns{ID: set.ID, Checked: checked, Columns: []cubeColumn{}}
		for _, col := range set.Resolve(cols) {
			if checked {
				shown.Columns = append(shown.Columns, cubeColumn{clip(col.Name, 200), string(col.Type), string(col.Role), string(col.Agg)})
			}
		}
		out.datasets = append(out.datasets, shown)
	}
	if len(columns) == 0 && len(out.warnings) == 0 {
		out.warnings = append(out.warnings, dashboard.Warnf(dashboard.WarnSQLNotChecked, "",
			"the columns of the datasets were not checked; the first refresh checks them."))
	}
	return out, nil
}

// ask describes every dataset at its source. If an active connection does not answer, it
// returns unreached instead of a refusal, because the source may be available again at
// the refresh.
func (c call) ask(ctx context.Context, s *dashboard.Spec, from origin) (
	src store.Source, found described, err error,
) {
	src, err = c.open(ctx, from)
	if words, ok := refusal(err); ok {
		return src, described{unreached: words}, nil
	}
	if err != nil {
		return src, described{}, err
	}
	src = src.In(s.Location())
	found, err = c.describeAll(ctx, src, s)
	return src, found, err
}

// tryRows runs the SQL of the datasets whose columns are known, all within one tool's
// time. It warns of rows that a limit will cut, which would make totals on the page wrong.
// It returns the page with the rows, of which it keeps at most [maxTried] bytes; a dataset
// beyond that is not drawn. It adds the bytes that complete runs have read to found, where they were not known.
func (c call) tryRows(
	ctx context.Context, source store.Source, s *dashboard.Spec, found described, fed *feeds,
) (page.View, []dashboard.Warning) {
	limited, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	warned := make([]*dashboard.Warning, len(s.Datasets))
	read := make([]int64, len(s.Datasets))
	sinks := make([]*cube.Collector, len(s.Datasets))
	truncated := make([]bool, len(s.Datasets))
	shelf := cube.Shelf{Most: maxTried}
	v := page.View{
		Spec: s, Cubes: map[string]*cube.Cube{}, Truncated: map[string]bool{}, Now: c.Now(), Header: page.Header{AsOf: c.Now()},
		Log: c.Log,
	}
	slots := make(chan struct{}, describers)
	var wg sync.WaitGroup
	for i := range s.Datasets {
		d := &s.Datasets[i]
		if _, known := found.columns[d.ID]; !known || len(d.From) > 0 {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			src := source.For(d.ID)
			sql, args, err := d.Bind(s, c.Now(), src.Placeholder)
			if err != nil {
				return // dashboard.Parse has reported it
			}
			limits := warehouse.Limits{Rows: d.Rows, Bytes: dashboard.MaxResultBytes, Time: toolTime}
			rows := shelf.Collect()
			stats, err := src.Query(limited, sql, args, limits, rows)
			if err != nil {
				rows.Drop()
			}
			sinks[i], truncated[i] = rows, stats.Truncated
			read[i] = bytesOf(found.bytes[d.ID], stats, err)
			warned[i] = rowWarning(i, d, stats, err, timedOut(ctx, err))
		})
	}
	wg.Wait()
	var out []dashboard.Warning
	for i := range s.Datasets {
		id := s.Datasets[i].ID
		if warned[i] != nil {
			out = append(out, *warned[i])
		}
		if sinks[i] == nil {
			continue
		}
		found.bytes[id] = read[i]
		if c := sinks[i].Cube(); c != nil {
			v.Cubes[id], v.Truncated[id] = c, truncated[i]
		}
		if sinks[i].Over() {
			out = append(out, dashboard.Warnf(dashboard.WarnPageNotDrawn, fmt.Sprintf("datasets[%d]", i),
				"its rows are too many to be drawn before they are stored; after the refresh, verify_dashboard reports what its panels cut or merge."))
		}
	}
	return v, append(out, fed.try(limited, c, &v, found.columns, &shelf)...)
}

// maxTried is the limit of the rows that one publish keeps to draw its page, in bytes of memory.
const maxTried = 16 << 20

// rowWarning returns the warning that follows from one run of a dataset's query, or nil.
func rowWarning(i int, d *dashboard.Dataset, stats warehouse.Stats, err error, timedOut bool) *dashboard.Warning {
	at := fmt.Sprintf("datasets[%d]", i)
	no, isSource := errors.AsType[*warehouse.Error](err)
	switch {
	case timedOut:
		return new(dashboard.Warnf(dashboard.WarnRowsNotCounted, at+".sql",
			"the query did not end within 5 seconds, so its rows were not counted; a refresh gives it 30."))
	case isSource && !no.Class.OfSource():
		return new(dashboard.Warnf(dashboard.WarnQueryFails, at+".sql", "the query fails when it is run: %s", located(no)))
	case err != nil: // the refresh will report it, if the error persists
		return new(dashboard.Warnf(dashboard.WarnRowsNotCounted, at+".sql", "the rows of the query could not be counted."))
	case stats.Truncated && stats.Rows < d.Rows:
		return new(dashboard.Warnf(dashboard.WarnRowLimit, at+".sql",
			"the query returns more than %d MiB at present: the dataset is cut there, after %d rows, and totals miss the rest. "+
				"Group by coarser dimensions, or return fewer columns.", dashboard.MaxResultBytes>>20, stats.Rows))
	case stats.Truncated:
		return new(dashboard.Warnf(dashboard.WarnRowLimit, at+".row_limit",
			"the query returns more than %d rows at present: the dataset is cut there, and totals miss the rest. "+
				"Group by coarser dimensions, or raise row_limit (now %d, at most %d).", stats.Rows, d.Rows, dashboard.MaxRows))
	}
	return nil
}

// describers is the number of datasets of a spec that are described concurrently.
const describers = 4

// described has the columns of datasets by their ids, and the bytes that a run of each reads, or -1. If the source is busy or cannot be
// reached, datasets are missing, and unreached is the reason.
type described struct {
	columns   map[string][]cube.Column
	bytes     map[string]int64
	unreached string
}

// describeAll describes each dataset at a source. Mistakes in SQL are a *dashboard.Problems.
func (c call) describeAll(ctx context.Context, source store.Source, s *dashboard.Spec) (described, error) {
	type result struct {
		columns []cube.Column
		bytes   int64
		err     error
	}
	results := make([]result, len(s.Datasets))
	slots := make(chan struct{}, describers)
	var wg sync.WaitGroup
	for i := range s.Datasets {
		if len(s.Datasets[i].From) > 0 { // see [feeds.describe]
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			src := source.For(s.Datasets[i].ID)
			sql, args, err := s.Datasets[i].Bind(s, c.Now(), src.Placeholder)
			if err == nil {
				results[i].columns, results[i].bytes, err = c.describe(ctx, src, sql, args)
			}
			results[i].err = err
		})
	}
	wg.Wait()
	out := described{columns: map[string][]cube.Column{}, bytes: map[string]int64{}}
	var problems dashboard.Problems
	for i, r := range results {
		at := fmt.Sprintf("datasets[%d].sql", i)
		if len(s.Datasets[i].From) > 0 {
			continue
		}
		problem, err := describeProblem(at, r.err)
		if err != nil {
			return described{}, err
		}
		if problem != nil {
			problems = append(problems, *problem)
		} else if no, isSource := errors.AsType[*warehouse.Error](r.err); isSource {
			out.unreached = clip(no.Message, maxErrorText)
		} else if r.err == nil {
			out.columns[s.Datasets[i].ID], out.bytes[s.Datasets[i].ID] = r.columns, r.bytes
		}
	}
	if len(problems) > 0 {
		return out, &problems
	}
	return out, nil
}

// located returns the text of a source's error with its position in the SQL.
func located(no *warehouse.Error) string {
	text := clip(no.Message, maxErrorText)
	if no.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", no.Line, no.Column)
	}
	return text
}

func clipAll(items []string, most int) []string {
	var out []string
	for _, item := range items[:min(len(items), most)] {
		out = append(out, clip(item, 100))
	}
	return out
}

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
