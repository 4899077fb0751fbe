package tools

import (
	"context"
	"errors"

	"service/store"
	"service/store/message"
)

var triggerRefresh = tool[triggerRefreshArgs]{
	name:  "trigger_refresh",
	title: "Refresh now",
	description: `Queues a refresh of a refreshable dashboard and returns at once with its run_id: the page shows the new rows when the ` +
		`run has ended. If a refresh is already queued or running, the call adds no other, and deduplicated is true. The call is refused ` +
		`for a static dashboard, and if the connection is inactive or deleted, or a file was deleted. Limits per minute: 20 calls for ` +
		`each account, and a budget that all members of the workspace share.`,
	hints: hints{openWorld: true},
	scope: dashboardScope,
	rate:  store.RateTrigger,
	run:   runTriggerRefresh,
}

type triggerRefreshArgs struct{ target }

type triggeredRefresh struct {
	answer
	Workspace    string        `json:"workspace"`
	Slug         string        `json:"slug"`
	RunID        string        `json:"run_id"`
	State        string        `json:"state"`
	Deduplicated bool          `json:"deduplicated"`
	Budget       refreshBudget `json:"budget"`
}

type refreshBudget struct {
	UserLeft      int `json:"user_left"`
	WorkspaceLeft int `json:"workspace_left"`
}

func runTriggerRefresh(ctx context.Context, c call, in triggerRefreshArgs) (*reply, error) {
	d, err := c.Store.Dashboards.Dashboard(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.NoDashboardWithSlug(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	t, err := c.Store.Refreshes.TriggerRefresh(ctx, c.Member, d.Slug)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, message.NoDashboardWithSlug(string(in.Slug))
	case errors.Is(err, store.ErrStatic):
		return nil, staticRefusal(d)
	case err != nil:
		return nil, err
	}
	out := triggeredRefresh{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, RunID: t.Run.ID.String(), State: t.Run.State,
		Deduplicated: t.Deduplicated, Budget: refreshBudget{t.UserLeft, t.WorkspaceLeft},
	}
	if t.Deduplicated {
		return replyWith(&out, `A refresh of "%s" is %s already: %s. get_refresh_status follows it.`, d.Slug, t.Run.State, out.URL), nil
	}
	return replyWith(&out, `A refresh of "%s" is %s: %s. get_refresh_status follows it.`, d.Slug, t.Run.State, out.URL), nil
}

// staticRefusal returns the refusal to refresh a dashboard without a spec.
func staticRefusal(d store.Dashboard) error {
	return message.Refuse(`Dashboard "%s" is static: it has no spec to refresh. `+
		`derive_dashboard_spec drafts one, and publish_dashboard with that spec makes it refreshable.`, d.Slug)
}
