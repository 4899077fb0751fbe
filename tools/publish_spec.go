package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
)

type publishedSpec struct {
	answer
	Workspace    string           `json:"workspace"`
	Slug         string           `json:"slug"`
	VersionID    string           `json:"version_id,omitempty"` // none in a dry run
	Created      bool             `json:"created"`
	DryRun       bool             `json:"dry_run"`
	Name         string           `json:"name"`
	Tags         []string         `json:"tags"`
	Chart        string           `json:"chart"`
	Connection   string           `json:"connection"`
	Upload       string           `json:"upload,omitempty"`
	Refreshable  bool             `json:"refreshable"`
	Datasets     []datasetColumns `json:"datasets"`
	DatasetsLeft int              `json:"datasets_left,omitempty"` // not shown here
	Panels       int              `json:"panels"`
	Refresh      *queuedRun       `json:"refresh,omitempty"`
	Warnings     []string         `json:"warnings"`
	NextStep     string           `json:"next_step"`
}

type datasetColumns struct {
	ID      string       `json:"id"`
	Checked bool         `json:"checked"` // its SQL was described by the source
	Columns []cubeColumn `json:"columns"`
}

func (c call) publishSpec(ctx context.Context, in publishDashboardArgs) (*reply, error) {
	s, parseErr := dashboard.Parse(in.Spec)
	if s == nil {
		return nil, parseErr
	}
	if err := shapeProblem(parseErr); err != nil {
		return nil, err
	}
	src, err := agree(in.source, s.Connection, s.Upload)
	if err != nil {
		return nil, err
	}
	bound, err := c.bind(ctx, src)
	if err != nil {
		return nil, err
	}
	checked, err := c.checkSpec(ctx, s, src, bound)
	if err != nil || parseErr != nil {
		return nil, dashboard.Join(parseErr, err)
	}
	moved, err := c.changedSource(ctx, in.Path.slug, src)
	if err != nil {
		return nil, err
	}
	if moved != "" {
		checked.warnings = append(checked.warnings, moved)
	}
	p := in.publication()
	p.Kind, p.ContentType, p.Content = store.KindSpec, "application/json", in.Spec
	p.Connection, p.Upload, p.Panels = src.Connection.UUID, src.Upload.UUID, len(s.Panels)
	p.DefaultName, p.DefaultChart = defaultName(specHeading(s), p.Slug), defaultChart(firstPanel(s))
	p.Definitions = definitions(s, moved != "")
	published, err := c.Store.Publish(ctx, c.Member, p)
	if err != nil {
		return nil, err
	}
	return c.publishedSpec(in, s, checked, published), nil
}

func (c call) publishedSpec(in publishDashboardArgs, s *dashboard.Spec, checked checkedSpec, published store.Published) *reply {
	d := published.Dashboard
	out := publishedSpec{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Created: published.Created, DryRun: in.DryRun,
		Name: d.Name, Tags: list(d.Tags), Chart: d.Chart, Connection: d.ConnectionName(), Refreshable: true, Panels: len(s.Panels),
	}
	if d.Upload != uuid.Nil {
		out.Upload = d.Upload.String()
	}
	space := room
	out.Warnings, _ = fit(checked.warnings, &space)
	out.Datasets, out.DatasetsLeft = fit(checked.datasets, &space)
	what := fmt.Sprintf("%s and %s", count(len(s.Datasets), "dataset"), count(len(s.Panels), "panel"))
	if in.DryRun {
		out.NextStep = "The same call without dry_run publishes it."
		return replyWith(&out, `Dry run passed: "%s" would be %s with %s; nothing was written. %s`, d.Slug, madeWord(published.Created), what, out.URL)
	}
	out.VersionID = d.VersionID.String()
	out.Refresh = &queuedRun{published.Run.ID.String(), published.Run.State}
	out.NextStep = "get_refresh_status shows when the first refresh has ended; verify_dashboard then checks the page."
	return replyWith(&out, `Published "%s", %s with %s: %s. Its refresh is %s; get_refresh_status follows it.`,
		d.Slug, madeWord(published.Created), what, out.URL, published.Run.State)
}

// shapeProblem is the shape check of a connection or upload that the spec names:
// without a source there is nothing to check the rest against.
func shapeProblem(err error) error {
	problems, ok := errors.AsType[*dashboard.Problems](err)
	if !ok {
		return nil
	}
	for _, p := range *problems {
		if p.Path == "connection" || p.Path == "upload" {
			return message.Refuse("%s", p.Message)
		}
	}
	return nil
}

// A checkedSpec is what checking a spec against its source found.
type checkedSpec struct {
	datasets []datasetColumns
	warnings []string
}

// checkSpec describes the SQL of every dataset and checks what the panels do
// with the columns. A connection of another workspace is not asked: a grant
// never reaches a source outside its lock.
func (c call) checkSpec(ctx context.Context, s *dashboard.Spec, src source, bound store.Connection) (checkedSpec, error) {
	out := checkedSpec{warnings: []string{}}
	var columns map[string][]cube.Column
	var unreached string
	var describeErr error
	if src.Connection.UUID == uuid.Nil || bound.WorkspaceID == c.WorkspaceID() {
		columns, unreached, describeErr = c.ask(ctx, s, src)
	}
	if _, ok := errors.AsType[*dashboard.Problems](describeErr); describeErr != nil && !ok {
		return out, describeErr
	}
	if unreached != "" {
		out.warnings = append(out.warnings, "The SQL could not be checked against the connection: "+unreached)
	}
	warnings, err := s.Check(columns)
	if err := dashboard.Join(describeErr, err); err != nil {
		return out, err
	}
	out.warnings = append(out.warnings, warnings...)
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
		out.warnings = append(out.warnings, "The columns of the datasets were not checked; the first refresh checks them.")
	}
	return out, nil
}

// ask describes every dataset at its source. A connection that is active and does
// not answer is no reason to refuse a spec, since what is down now may be up at
// the refresh: unreached tells of it.
func (c call) ask(ctx context.Context, s *dashboard.Spec, src source) (columns map[string][]cube.Column, unreached string, err error) {
	connector, err := c.open(ctx, src)
	if words, ok := refusal(err); ok {
		return nil, words, nil
	}
	if err != nil {
		return nil, "", err
	}
	return c.describeAll(ctx, connector, s)
}

// describers is how many datasets of a spec are described at once.
const describers = 4

// describeAll asks a source for the columns of each dataset. Mistakes in SQL come
// as *dashboard.Problems; a source that is busy or cannot be reached is told in words,
// and its datasets are missing.
func (c call) describeAll(ctx context.Context, src warehouse.Connector, s *dashboard.Spec) (columns map[string][]cube.Column, unreached string, err error) {
	type result struct {
		columns []cube.Column
		err     error
	}
	results := make([]result, len(s.Datasets))
	slots := make(chan struct{}, describers)
	var wg sync.WaitGroup
	for i := range s.Datasets {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			sql, args, err := s.Datasets[i].Bind(s, c.Now(), src.Placeholder)
			if err == nil {
				results[i].columns, err = c.describe(ctx, src, sql, args)
			}
			results[i].err = err
		})
	}
	wg.Wait()
	columns = map[string][]cube.Column{}
	var problems dashboard.Problems
	for i, r := range results {
		at := fmt.Sprintf("datasets[%d].sql", i)
		no, isSource := errors.AsType[*warehouse.Error](r.err)
		_, isSpec := errors.AsType[*dashboard.Problems](r.err)
		switch {
		case r.err == nil:
			columns[s.Datasets[i].ID] = r.columns
		case isSource && (no.Class.OfSource() || no.Class == warehouse.Timeout):
			unreached = clip(no.Message, maxErrorText)
		case isSource:
			problems = append(problems, dashboard.Problem{Path: at, Message: located(no), Noun: "nearest names", Allowed: clipAll(no.Suggestions, 5)})
		case isSpec: // dashboard.Parse has reported it
		default:
			return nil, "", r.err
		}
	}
	if len(problems) > 0 {
		return columns, unreached, &problems
	}
	return columns, unreached, nil
}

// located is a source's error with its place in the SQL.
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

// definitions are the hashes of what the rows of each dataset depend on. They
// do not cover the source, so when that changes they match nothing, and no row
// of the version before is kept.
func definitions(s *dashboard.Spec, sourceChanged bool) map[string][]byte {
	out := map[string][]byte{}
	for i := range s.Datasets {
		out[s.Datasets[i].ID] = nil
		if !sourceChanged {
			out[s.Datasets[i].ID] = s.Datasets[i].Definition(s)
		}
	}
	return out
}

// specHeading is what a spec calls itself: its title, else the first heading on
// its page.
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

func firstPanel(s *dashboard.Spec) string {
	if len(s.Panels) == 0 {
		return ""
	}
	return s.Panels[0].Type
}
