package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

var restoreDashboardVersion = tool[restoreDashboardVersionArgs]{
	name:  "restore_dashboard_version",
	title: "Restore dashboard version",
	description: `Makes an earlier version's contents, name, tags and chart current again, as one new version; slug and URL stay. Name, ` +
		`tags and chart are those of the moment when the version was named, else of when it was last on the page; the answer ` +
		`lists those that changed. The state it replaces is stored as a version (previous_version_id), and restoring that one ` +
		`undoes this; only a schedule is lost when a static version replaces a spec. Its stored rows are on the page at once, ` +
		`and a refreshable dashboard is queued for a refresh. Each call makes a version.`,
	hints: hints{destructive: true},
	scope: dashboardScope,
	run:   runRestoreDashboardVersion,
}

type restoreDashboardVersionArgs struct {
	Slug    slug            `json:"slug" arg:"required"`
	Version requiredVersion `json:"version_id" arg:"required"`
	inWorkspace
}

type restoredVersion struct {
	answer
	Workspace    string     `json:"workspace"`
	Slug         string     `json:"slug"`
	RestoredFrom string     `json:"restored_from"`
	VersionID    string     `json:"version_id"`
	Replaced     string     `json:"previous_version_id,omitempty"` // the state before, which can be restored
	Name         string     `json:"name"`
	Tags         []string   `json:"tags"`
	Chart        string     `json:"chart"`
	Changed      []string   `json:"changed"` // which of name, tags and chart have changed
	Refreshable  bool       `json:"refreshable"`
	Refresh      *queuedRun `json:"refresh,omitempty"`
}

// A queuedRun is a refresh that a call has queued.
type queuedRun struct {
	RunID string `json:"run_id"`
	State string `json:"state"`
}

func runRestoreDashboardVersion(ctx context.Context, c call, in restoreDashboardVersionArgs) (*reply, error) {
	p, err := c.Store.RestoreVersion(ctx, c.Member, string(in.Slug), in.Version.UUID)
	if err != nil {
		return nil, versionRefusal(err, string(in.Slug), in.Version.UUID)
	}
	d := p.Dashboard
	out := restoredVersion{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, RestoredFrom: in.Version.String(),
		VersionID: d.VersionID.String(), Name: d.Name, Tags: list(d.Tags), Chart: d.Chart, Changed: list(p.Changed), Refreshable: d.Refreshable(),
	}
	if p.Previous.ID != uuid.Nil {
		out.Replaced = p.Previous.ID.String()
	}
	details := " Name, tags and chart stay as they were."
	if len(p.Changed) > 0 {
		details = fmt.Sprintf(" With it %s changed: name %s, tags %s, chart %s.", strings.Join(p.Changed, ", "),
			quoted(d.Name), clip(string(encode(out.Tags)), 200), quoted(d.Chart))
	}
	if !d.Refreshable() {
		return replyWith(&out, `Restored "%s" from version %s: %s.%s`, d.Slug, out.RestoredFrom, out.URL, details), nil
	}
	out.Refresh = &queuedRun{p.Run.ID.String(), p.Run.State}
	return replyWith(&out, `Restored "%s" from version %s: %s.%s A refresh is %s; get_refresh_status follows it.`,
		d.Slug, out.RestoredFrom, out.URL, details, p.Run.State), nil
}

// versionRefusal turns the store's error for a dashboard or version that does not exist into
// the refusal of the version tools.
func versionRefusal(err error, slug string, id uuid.UUID) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return message.DashboardNotFound()
	case errors.Is(err, store.ErrNoVersion):
		return message.Refuse(`dashboard "%s" has no version %s. list_dashboard_versions lists those it has.`, slug, id)
	}
	return err
}
