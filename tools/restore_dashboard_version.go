package tools

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

var restoreDashboardVersion = tool[restoreDashboardVersionArgs]{
	name:        "restore_dashboard_version",
	title:       "Restore dashboard version",
	description: `Makes an earlier version's contents, name, tags and chart current again, as one new version; slug and URL stay. The state it replaces is a stored version already, so nothing is lost and restoring that one undoes this. Its stored rows are on the page at once, and a refreshable dashboard is queued for a refresh: get_refresh_status follows it. list_dashboard_versions has the ids. Each call makes a version.`,
	hints:       hints{destructive: true},
	scope:       dashboardScope,
	run:         runRestoreDashboardVersion,
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
	Name         string     `json:"name"`
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
		VersionID: d.VersionID.String(), Name: d.Name, Refreshable: d.Refreshable(),
	}
	if !d.Refreshable() {
		return replyWith(&out, `Restored "%s" from version %s: %s`, d.Slug, out.RestoredFrom, out.URL), nil
	}
	out.Refresh = &queuedRun{p.Run.ID.String(), p.Run.State}
	return replyWith(&out, `Restored "%s" from version %s: %s. A refresh is %s; get_refresh_status follows it.`,
		d.Slug, out.RestoredFrom, out.URL, p.Run.State), nil
}

// versionRefusal words what the version tools return for a dashboard or a
// version that is not there.
func versionRefusal(err error, slug string, id uuid.UUID) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return message.DashboardNotFound()
	case errors.Is(err, store.ErrNoVersion):
		return message.Refuse(`dashboard "%s" has no version %s. list_dashboard_versions lists those it has.`, slug, id)
	}
	return err
}
