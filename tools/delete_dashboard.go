package tools

import (
	"context"
	"errors"

	"service/store"
	"service/store/message"
)

var deleteDashboard = tool[deleteDashboardArgs]{
	name:  "delete_dashboard",
	title: "Delete dashboard",
	description: `Deletes a dashboard for good, with its versions (named ones too), stored rows, refresh schedule and history. Its slug ` +
		`and aliases become free and its URLs answer 404. There is no undo. A repeated call is refused as not found.`,
	hints: hints{destructive: true, idempotent: true},
	scope: dashboardScope,
	run:   runDeleteDashboard,
}

type deleteDashboardArgs struct{ target }

type deletedDashboard struct {
	answer
	Workspace       string   `json:"workspace"`
	Slug            string   `json:"slug"`
	Deleted         bool     `json:"deleted"`
	VersionsDeleted int      `json:"versions_deleted"`
	AliasesReleased []string `json:"aliases_released"`
}

func runDeleteDashboard(ctx context.Context, c call, in deleteDashboardArgs) (*reply, error) {
	gone, err := c.Store.DeleteDashboard(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.DeleteRejected(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	out := deletedDashboard{
		answer: answer{URL: c.url(gone.Slug)}, Workspace: c.Workspace(), Slug: gone.Slug, Deleted: true, VersionsDeleted: gone.Versions,
	}
	space := room
	out.AliasesReleased, _ = fit(gone.Aliases, &space)
	return replyWith(&out, `Deleted "%s" with %s and %s; %s is 404 now.`,
		gone.Slug, count(gone.Versions, "version"), count(len(gone.Aliases), "alias"), out.URL), nil
}
