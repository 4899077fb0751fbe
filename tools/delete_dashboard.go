package tools

import (
	"context"
	"errors"
	"fmt"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

var deleteDashboard = tool[deleteDashboardArgs]{
	name:  "delete_dashboard",
	title: "Delete dashboard",
	description: `Deletes a dashboard. Slug and aliases become free, URLs return 404; schedule, alerts and deliveries end. For 30 days ` +
		`(configurable) the bin keeps versions, rows and history; the returned version_id can be restored.`,
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
	VersionID       string   `json:"version_id,omitempty"` // that brings it back
	KeptUntil       string   `json:"kept_until,omitempty"` // when it is erased; empty: it was
	Warnings        []string `json:"warnings,omitempty"`
}

func runDeleteDashboard(ctx context.Context, c call, in deleteDashboardArgs) (*reply, error) {
	gone, err := c.Store.Dashboards.DeleteDashboard(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.DeleteRejected(string(in.Slug))
	}
	if no, ok := message.As(err); ok {
		return nil, message.DeletionRejected(no.Error())
	}
	if err != nil {
		return nil, err
	}
	out := deletedDashboard{
		answer: answer{URL: c.url(gone.Slug)}, Workspace: c.Workspace(), Slug: gone.Slug, Deleted: true, VersionsDeleted: gone.Versions,
	}
	space := room
	out.AliasesReleased, _ = fit(gone.Aliases, &space)
	words := fmt.Sprintf(`Deleted "%s" with %s and %s; %s is 404 now.`,
		gone.Slug, count(gone.Versions, "version"), count(len(gone.Aliases), "alias"), out.URL)
	for _, r := range gone.Readers {
		w := dashboard.Warnf(dashboard.WarnReaders, "", `dataset "%s" of dashboard "%s" reads its "%s": it keeps its rows and fails.`,
			r.Dataset, r.Slug, r.Of)
		out.Warnings = append(out.Warnings, w.String())
	}
	if out.Warnings, _ = fit(out.Warnings, &space); len(gone.Readers) > 0 {
		words += fmt.Sprintf(" Other dashboards read its rows: %s.", count(len(gone.Readers), "dataset"))
	}
	if gone.Until.IsZero() {
		return replyWith(&out, `%s It is erased, and nothing brings it back.`, words), nil
	}
	out.VersionID, out.KeptUntil = gone.VersionID.String(), stamp(gone.Until)
	return replyWith(&out, `%s The bin keeps it until %s: restore_dashboard_version with this slug and version_id %s brings it back.`,
		words, out.KeptUntil, out.VersionID), nil
}
