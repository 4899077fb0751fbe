package tools

import (
	"context"
	"errors"
	"strings"

	"service/store"
	"service/store/message"
)

var updateDashboard = tool[updateDashboardArgs]{
	name:  "update_dashboard",
	title: "Update dashboard details",
	description: `Changes a dashboard's name, tags or chart, or renames its slug: all changes or none are stored. An omitted or null ` +
		`argument keeps the stored value; tags [] clears all tags; a name cannot be cleared. A rename leaves the old slug as an ` +
		`alias whose URL redirects to the new one. The tool makes no version and no refresh; the contents stay.`,
	hints: hints{destructive: true, idempotent: true},
	scope: dashboardScope,
	run:   runUpdateDashboard,
}

type updateDashboardArgs struct {
	Slug    slug    `json:"slug" arg:"required"`
	NewSlug newSlug `json:"new_slug"`
	metadata
	inWorkspace
}

func (updateDashboardArgs) explain(name string) (doc, example string) {
	if name == "new_slug" {
		return "Slug to rename to: a-z, 0-9 and -, 1 to 64 characters, not in use. Default: no rename.", "sales-2026"
	}
	return "", ""
}

type updatedDashboard struct {
	answer
	Workspace    string   `json:"workspace"`
	Slug         string   `json:"slug"`
	PreviousSlug string   `json:"previous_slug"`
	PreviousURL  string   `json:"previous_url"`
	Aliases      []string `json:"aliases"`
	Name         string   `json:"name"`
	Tags         []string `json:"tags"`
	Chart        string   `json:"chart"`
	Changed      []string `json:"changed"`
}

func runUpdateDashboard(ctx context.Context, c call, in updateDashboardArgs) (*reply, error) {
	u, err := c.Store.Dashboards.UpdateDashboard(ctx, c.Member, string(in.Slug), store.Update{
		NewSlug: in.NewSlug.string, Name: in.Name.string, Chart: in.Chart.string, Tags: in.Tags,
	})
	if no, ok := message.As(err); ok && in.NewSlug.string != nil {
		return nil, message.RenameRejected(no.Error())
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.NotFoundForSlug(string(in.Slug))
	}
	if err != nil {
		return nil, err
	}
	d := u.Dashboard
	out := updatedDashboard{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, PreviousSlug: u.Previous, PreviousURL: c.url(u.Previous),
		Name: d.Name, Tags: list(d.Tags), Chart: d.Chart, Changed: list(u.Changed),
	}
	space := room / 2
	left := 0
	out.Aliases, left = fit(u.Aliases, &space)
	switch {
	case len(u.Changed) == 0:
		return replyWith(&out, `Nothing changed: "%s" has these values already. Only new_slug, name, tags and chart can be changed. `+
			`%s`, d.Slug, out.URL), nil
	case u.Previous != d.Slug && left > 0:
		return replyWith(&out, `Renamed "%s" to "%s": %s. The old URL redirects there. %d more aliases are not listed.`, u.Previous, d.Slug,
			out.URL, left), nil
	case u.Previous != d.Slug:
		return replyWith(&out, `Renamed "%s" to "%s": %s. The old URL redirects there.`, u.Previous, d.Slug, out.URL), nil
	}
	return replyWith(&out, `Updated %s of "%s": %s`, strings.Join(u.Changed, " and "), d.Slug, out.URL), nil
}
