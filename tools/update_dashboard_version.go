package tools

import (
	"context"
	"encoding/json"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

var updateDashboardVersion = tool[updateDashboardVersionArgs]{
	name:  "update_dashboard_version",
	title: "Name dashboard version",
	description: `Gives a stored version a name, which protects it from pruning, or takes its name away (remove_name). At ` +
		`most 30 versions have a name. Of the others the 20 newest are kept. Naming the current version stores the dashboard's ` +
		`present name, tags and chart with it. It changes neither the page nor the dashboard's own name.`,
	hints: hints{idempotent: true},
	scope: dashboardScope,
	run:   runUpdateDashboardVersion,
}

type updateDashboardVersionArgs struct {
	Slug    slug            `json:"slug" arg:"required"`
	Version requiredVersion `json:"version_id" arg:"required"`
	Name    versionName     `json:"name"`
	Unname  bool            `json:"remove_name" doc:"Take the version's name away, in place of name." default:"false" eg:"true"`
	inWorkspace
}

// check combines name and remove_name. It refuses a call with neither, so that a forgotten
// name does not remove a version's protection.
func (a updateDashboardVersionArgs) check() error {
	switch named := a.Name.string != nil; {
	case named && a.Unname:
		return message.Refuse("pass either name or remove_name, not both")
	case !named && !a.Unname && !a.Name.null:
		return message.Refuse("name is required: the version's name, or remove_name true to take its name away")
	}
	return nil
}

// versionName is a version's new name. null removes the name, but a schema without unions
// cannot express that, so remove_name is in the schema.
type versionName struct {
	*string
	null bool
}

func (n *versionName) set(_ string, raw json.RawMessage) error {
	return setLabel(&n.string, raw, message.NameEmpty(), dashboard.CheckName)
}

func (n *versionName) absent(_ string, raw json.RawMessage) error {
	n.null = raw != nil
	return nil
}

func (versionName) jsonType() (string, string) { return "string", "" }

func (versionName) describe() (doc, example string) {
	return "Name of the version, not blank, at most 300 characters. Default: none; either name or remove_name is needed.",
		"Before the redesign"
}

type namedVersion struct {
	answer
	Workspace  string `json:"workspace"`
	Slug       string `json:"slug"`
	VersionID  string `json:"version_id"`
	Name       string `json:"name,omitempty"`
	Protected  bool   `json:"protected"`
	NamedCount int    `json:"named_count"`
}

func runUpdateDashboardVersion(ctx context.Context, c call, in updateDashboardVersionArgs) (*reply, error) {
	named, err := c.Store.Dashboards.NameVersion(ctx, c.Member, string(in.Slug), in.Version.UUID, in.Name.string)
	if err != nil {
		return nil, versionRefusal(err, string(in.Slug), in.Version.UUID)
	}
	d, err := c.Store.Dashboards.Dashboard(ctx, c.Member, string(in.Slug))
	if err != nil {
		return nil, versionRefusal(err, string(in.Slug), in.Version.UUID)
	}
	out := namedVersion{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug, VersionID: in.Version.String(),
		Protected: in.Name.string != nil, NamedCount: named.Named,
	}
	if in.Name.string == nil {
		return replyWith(&out, `Version %s of "%s" has no name any more and is pruned like the others: %s`, out.VersionID, d.Slug, out.URL), nil
	}
	out.Name = *in.Name.string
	return replyWith(&out, `Named version %s of "%s", which is now protected (%d of %d names used): %s`,
		out.VersionID, d.Slug, named.Named, store.MaxNamed, out.URL), nil
}
