package tools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
	"service/store/view"
)

var getRefreshStatus = tool[getRefreshStatusArgs]{
	name:  "get_refresh_status",
	title: "Get refresh status",
	description: `Reports the refreshes of a dashboard. state is that of the newest refresh of the current version: "never" ` +
		`(none yet), queued, running, succeeded, partial (some datasets failed) or failed. run and datasets have times, rows, ` +
		`truncation and errors; serving: the rows that the page shows now (after a failure, the last good ones). While state is ` +
		`queued or running, call again after retry_after_seconds. blockers lists the reasons why a dashboard cannot refresh.`,
	hints:   hints{readOnly: true, idempotent: true},
	scope:   dashboardScope,
	viewers: true,
	run:     runGetRefreshStatus,
}

type getRefreshStatusArgs struct{ target }

type refreshStatus struct {
	answer
	Workspace         string          `json:"workspace"`
	Slug              string          `json:"slug"`
	Refreshable       bool            `json:"refreshable"`
	State             string          `json:"state"`
	Run               *runDetail      `json:"run,omitempty"`
	Datasets          []datasetStatus `json:"datasets"`
	LastSuccessAt     string          `json:"last_success_at,omitempty"`
	FailingSince      string          `json:"failing_since,omitempty"`
	NextRunAt         string          `json:"next_run_at,omitempty"`
	Serving           serving         `json:"serving"`
	Alerts            []alertStatus   `json:"alerts,omitempty"`
	Blockers          []string        `json:"blockers"`
	RetryAfterSeconds int             `json:"retry_after_seconds,omitempty"`
}

// neverRefreshed is the state of a dashboard whose current version has had no refresh.
const neverRefreshed = "never"

type runDetail struct {
	RunID      string `json:"run_id"`
	VersionID  string `json:"version_id"`
	Cause      string `json:"cause"`
	State      string `json:"state"`
	QueuedAt   string `json:"queued_at"`
	StartedAt  string `json:"started_at,omitempty"`
	FinishedAt string `json:"finished_at,omitempty"`
	Error      string `json:"error,omitempty"`
}

type datasetStatus struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Rows      int    `json:"rows"`
	ElapsedMS int    `json:"elapsed_ms,omitempty"`
	Truncated bool   `json:"truncated"`
	Error     string `json:"error,omitempty"`
}

// serving describes the current rows of the page.
type serving struct {
	Datasets int    `json:"datasets"` // that have rows
	Of       int    `json:"of"`       // that the spec declares
	Rows     int    `json:"rows"`
	AsOf     string `json:"as_of,omitempty"` // time of the oldest rows shown
	Stale    bool   `json:"stale"`           // the newest refresh did not replace all of them
}

func runGetRefreshStatus(ctx context.Context, c call, in getRefreshStatusArgs) (*reply, error) {
	found, err := c.Store.Dashboards.DetailWith(ctx, c.Member, string(in.Slug), store.PartSource)
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.NoDashboardNamed(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	status, d := found.Status(), found.Dashboard
	out := refreshStatus{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, Refreshable: d.Refreshable(),
		State: stateOf(status.Run), Run: runOf(status.Run), Datasets: []datasetStatus{},
		LastSuccessAt: when(d.RefreshedAt), FailingSince: when(d.FailingSince), NextRunAt: when(d.NextRunAt), Blockers: []string{},
	}
	if !d.Refreshable() {
		draft := ". derive_dashboard_spec drafts a spec that could be refreshed."
		if !c.Edits() {
			draft = "."
		}
		return replyWith(&out, `"%s" is static and has no refreshes: %s%s`, d.Slug, out.URL, draft), nil
	}
	out.Blockers = c.bindingTo(d, found.Bound).blockers
	declared, err := c.specOf(ctx, d)
	if err != nil {
		return nil, err
	}
	out.Datasets = datasetsOf(declared, status)
	out.Serving = servingOf(declared, status)
	if !c.Cut(d).All {
		if err := c.countOwn(ctx, d, &out); err != nil {
			return nil, err
		}
	}
	failed, err := c.lastFailure(ctx, d, status.Run)
	if err != nil {
		return nil, err
	}
	if by := view.Withheld(c.Member, d); by != "" {
		failed = nil // causes name data sources, and may quote values
		out.withoutCauses(by)
	}
	if out.Alerts, err = c.alerts(ctx, d, declared, failed); err != nil {
		return nil, err
	}
	if status.Run != nil && status.Run.Active() {
		out.RetryAfterSeconds = 2
	}
	return replyWith(&out, "%s", c.statusSentence(d, status, out)), nil
}

// countOwn replaces the numbers of rows by those of the rows that the member may read.
func (c call) countOwn(ctx context.Context, d store.Dashboard, s *refreshStatus) error {
	v, err := c.Views.View(ctx, c.Member, d, uuid.Nil, url.Values{})
	if err != nil {
		return err
	}
	s.Serving.Rows = 0
	for i := range s.Datasets {
		s.Datasets[i].Rows = 0
		if own := v.Cubes[s.Datasets[i].ID]; own != nil {
			s.Datasets[i].Rows = own.Rows()
		}
		s.Serving.Rows += s.Datasets[i].Rows
	}
	return nil
}

// withoutCauses replaces causes, which name data sources, tables, columns and values, by a sentence.
func (s *refreshStatus) withoutCauses(by string) {
	for i := range s.Blockers {
		s.Blockers[i] = by
	}
	s.Blockers = slices.Compact(s.Blockers)
	if s.Run != nil && s.Run.Error != "" {
		s.Run.Error = by
	}
	for i := range s.Datasets {
		if s.Datasets[i].Error != "" {
			s.Datasets[i].Error = by
		}
	}
}

func (c call) statusSentence(d store.Dashboard, s store.RefreshStatus, out refreshStatus) string {
	page := "the page has no rows yet"
	if out.Serving.Datasets > 0 {
		page = fmt.Sprintf("the page shows %s of %d of %s",
			count(out.Serving.Rows, "row"), out.Serving.Datasets, count(out.Serving.Of, "dataset"))
	}
	page += firingWords(out.Alerts)
	text := fmt.Sprintf(`"%s" (%s): `, d.Slug, out.URL)
	switch {
	case s.Run == nil:
		text += "no refresh yet"
	case s.Run.Active():
		text += fmt.Sprintf("a refresh is %s, since %s", s.Run.State, ago(c.Now(), s.Run.QueuedAt))
	default:
		text += fmt.Sprintf("the newest refresh %s %s", ended(out.State), ago(c.Now(), *s.Run.FinishedAt))
	}
	text += "; " + page + truncatedWords(out.Datasets)
	switch {
	case len(out.Blockers) > 0:
		return text + ". It cannot refresh: " + out.Blockers[0]
	case out.Run != nil && out.Run.Error != "":
		return text + ". What went wrong: " + out.Run.Error
	}
	return text + "."
}

// truncatedWords names the datasets that are truncated at a limit.
func truncatedWords(sets []datasetStatus) string {
	var cut []string
	for _, set := range sets {
		if set.Truncated {
			cut = append(cut, quoted(set.ID))
		}
	}
	switch n := len(cut); {
	case n == 0:
		return ""
	case n > 5:
		return fmt.Sprintf(", %d datasets of them truncated at a limit", n)
	}
	return ", truncated at a limit: " + strings.Join(cut, ", ")
}

func ended(state string) string {
	switch state {
	case store.RunSucceeded:
		return "succeeded"
	case store.RunPartial:
		return "partly failed"
	}
	return "failed"
}

// stateOf returns the state of a dashboard's refreshes. A cancelled run counts as
// failed.
func stateOf(r *store.Run) string {
	switch {
	case r == nil:
		return neverRefreshed
	case r.State == store.RunCancelled:
		return store.RunFailed
	}
	return r.State
}

// lastFailure returns the last failed refresh of the current version of d, if no refresh has succeeded since. That is
// newest, which may be nil, or the one before while newest is queued or running. It returns nil if refreshes do not fail.
func (c call) lastFailure(ctx context.Context, d store.Dashboard, newest *store.Run) (*store.Run, error) {
	switch {
	case d.FailingSince == nil || newest == nil:
		return nil, nil
	case !newest.Active():
		return newest, nil
	}
	runs, err := c.Store.Refreshes.Runs(ctx, c.Member, d.Slug, 2)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		if r := &runs[i]; r.Version == d.VersionID && !r.Active() {
			return r, nil
		}
	}
	return nil, nil
}

// causeOf returns why a refresh of a dataset failed; if dataset is "", of the first dataset that failed. It returns
// "" if no cause is known.
func causeOf(r *store.Run, dataset string) string {
	for _, d := range r.Datasets {
		switch {
		case d.Error == "":
		case d.ID == dataset:
			return clip(d.Error, maxErrorText)
		case dataset == "" && r.Error == "":
			return clip(fmt.Sprintf(`Dataset "%s": %s`, d.ID, d.Error), maxErrorText)
		}
	}
	return clip(r.Error, maxErrorText)
}

func runOf(r *store.Run) *runDetail {
	if r == nil {
		return nil
	}
	return &runDetail{
		RunID: r.ID.String(), VersionID: r.Version.String(), Cause: r.Cause, State: r.State, QueuedAt: stamp(r.QueuedAt),
		StartedAt: when(r.StartedAt), FinishedAt: when(r.FinishedAt), Error: clip(r.Error, maxErrorText),
	}
}

// datasetsOf returns the outcome of the newest run for each dataset. While that run is
// active, the rows are those of the previous run.
func datasetsOf(declared *dashboard.Spec, s store.RefreshStatus) []datasetStatus {
	out := make([]datasetStatus, 0, len(declared.Datasets))
	for _, set := range declared.Datasets {
		d := datasetStatus{ID: set.ID, State: stateOf(s.Run)}
		for _, r := range s.Results {
			if r.Dataset == set.ID {
				d.Rows, d.Truncated = r.Rows, r.Truncated
			}
		}
		if s.Run != nil {
			for _, r := range s.Run.Datasets {
				if r.ID == set.ID {
					d.State, d.ElapsedMS, d.Error = r.State, r.ElapsedMS, clip(r.Error, maxErrorText)
				}
			}
		}
		out = append(out, d)
	}
	return out
}

func servingOf(declared *dashboard.Spec, s store.RefreshStatus) serving {
	out := serving{Of: len(declared.Datasets), Stale: s.Run != nil && s.Run.State != store.RunSucceeded}
	var oldest time.Time
	for _, r := range s.Results {
		if declared.Dataset(r.Dataset) == nil {
			continue // of an earlier version: the page does not show it
		}
		out.Datasets++
		out.Rows += r.Rows
		if oldest.IsZero() || r.RefreshedAt.Before(oldest) {
			oldest = r.RefreshedAt
		}
	}
	out.AsOf = stamp(oldest)
	return out
}
