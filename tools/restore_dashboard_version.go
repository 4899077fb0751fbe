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
	description: `Makes an earlier version's contents, name, tags and chart current again, as one new version; slug and URL stay. The ` +
		`response lists which of these changed. The state it replaces is stored as a version (previous_version_id). If a static version ` +
		`replaces a spec, the schedule is removed. Until a refresh, the page shows the version's stored rows. A version of a deleted ` +
		`dashboard restores it, with schedule, alerts and deliveries off.`,
	hints: hints{destructive: true},
	scope: dashboardScope,
	run:   runRestoreDashboardVersion,
}

type restoreDashboardVersionArgs struct {
	Slug    slug            `json:"slug" arg:"required"`
	Version requiredVersion `json:"version_id" arg:"required"`
	NewSlug newSlug         `json:"new_slug" doc:"Slug for a deleted dashboard. Default: its own." eg:"sales-2"`
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

	Undeleted    bool     `json:"undeleted,omitempty"`     // it was in the bin
	Aliases      []string `json:"aliases,omitempty"`       // that lead to it again
	AliasesTaken []string `json:"aliases_taken,omitempty"` // former slugs that other dashboards have now
	Muted        int      `json:"alerts_muted,omitempty"`
	Waiting      int      `json:"deliveries_waiting,omitempty"` // for an owner's yes
	Schedule     string   `json:"former_schedule,omitempty"`    // which is off now
	Timezone     string   `json:"former_timezone,omitempty"`
}

// A queuedRun is a refresh that a call has queued.
type queuedRun struct {
	RunID string `json:"run_id"`
	State string `json:"state"`
}

func runRestoreDashboardVersion(ctx context.Context, c call, in restoreDashboardVersionArgs) (*reply, error) {
	slug, id := string(in.Slug), in.Version.UUID
	if in.NewSlug.string != nil {
		if _, err := c.Store.Dashboards.Version(ctx, c.Member, slug, id); err == nil {
			return nil, message.Refuse(`new_slug is for a dashboard that was deleted, and "%s" was not: update_dashboard renames it`, slug)
		}
	}
	for last := false; ; last = true {
		p, err := c.Store.Dashboards.RestoreVersion(ctx, c.Member, slug, id)
		if err == nil {
			return c.restored(in, p, restoredVersion{}), nil
		}
		if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrNoVersion) {
			return nil, err
		}
		r := store.Revival{Slug: slug, Version: id}
		if in.NewSlug.string != nil {
			r.NewSlug = *in.NewSlug.string
		}
		revived, missing := c.Store.Dashboards.Revive(ctx, c.Member, r)
		switch {
		case missing == nil:
			return c.undeleted(in, revived), nil
		case errors.Is(missing, store.ErrTaken):
			words, _ := refusal(missing)
			return nil, message.Refuse("%s: pass new_slug, a slug that is free", words)
		case !errors.Is(missing, store.ErrNotFound):
			return nil, missing
		case last:
			return nil, versionRefusal(err, slug, id)
		} // another call may have restored it meanwhile
	}
}

// undeleted answers that a dashboard was restored from the bin, and lists its parts that are off.
func (c call) undeleted(in restoreDashboardVersionArgs, r store.Revived) *reply {
	space := room
	out := restoredVersion{Undeleted: true, Muted: r.Alerts, Waiting: len(r.Waiting)}
	out.Aliases, _ = fit(r.Aliases, &space)
	out.AliasesTaken, _ = fit(r.Missing, &space)
	if r.Schedule.Expression != "" {
		out.Schedule, out.Timezone = r.Schedule.Expression, r.Schedule.Timezone
	}
	return c.restored(in, r.Published, out)
}

// restored answers that p was restored. out already lists the parts that were restored with it.
func (c call) restored(in restoreDashboardVersionArgs, p store.Published, out restoredVersion) *reply {
	d := p.Dashboard
	out.answer, out.Workspace, out.Slug, out.RestoredFrom = answer{URL: c.url(d.Slug)}, c.Workspace(), d.Slug, in.Version.String()
	out.VersionID, out.Name, out.Tags, out.Chart = d.VersionID.String(), d.Name, list(d.Tags), d.Chart
	out.Changed, out.Refreshable = list(p.Changed), d.Refreshable()
	if p.Previous.ID != uuid.Nil {
		out.Replaced = p.Previous.ID.String()
	}
	words := fmt.Sprintf(`Restored "%s" from version %s: %s.`, d.Slug, out.RestoredFrom, out.URL)
	if out.Undeleted {
		words = fmt.Sprintf(`Brought "%s" back from the bin, at version %s: %s.`, d.Slug, out.RestoredFrom, out.URL)
	}
	if len(p.Changed) > 0 {
		words += fmt.Sprintf(" With it %s changed: name %s, tags %s, chart %s.", strings.Join(p.Changed, ", "),
			quoted(d.Name), clip(string(encode(out.Tags)), 200), quoted(d.Chart))
	} else {
		words += " Name, tags and chart stay as they were."
	}
	words += out.off()
	if !d.Refreshable() {
		return replyWith(&out, "%s", words)
	}
	out.Refresh = &queuedRun{p.Run.ID.String(), p.Run.State}
	return replyWith(&out, `%s A refresh is %s; get_refresh_status follows it.`, words, p.Run.State)
}

// off lists the parts of a dashboard restored from the bin that were not restored.
func (r restoredVersion) off() string {
	var words string
	if len(r.AliasesTaken) > 0 {
		words += fmt.Sprintf(" Other dashboards have slugs now that it had: %s.", strings.Join(r.AliasesTaken, ", "))
	}
	if r.Muted > 0 {
		words += fmt.Sprintf(" Muted until somebody ends that on the Alerts screen of the web application: %s.", count(r.Muted, "alert"))
	}
	if r.Waiting > 0 {
		words += fmt.Sprintf(" Not sent until an owner allows it on the dashboard's page in the web application: %s.", deliveries(r.Waiting))
	}
	if r.Schedule != "" {
		words += fmt.Sprintf(` Its schedule is off; it was "%s" in %s, and set_refresh_schedule sets it again.`, r.Schedule, r.Timezone)
	}
	return words
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

// deliveries is a number of deliveries in words.
func deliveries(n int) string {
	if n == 1 {
		return "1 delivery"
	}
	return fmt.Sprintf("%d deliveries", n)
}
