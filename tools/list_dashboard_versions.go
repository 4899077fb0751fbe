package tools

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

var listDashboardVersions = tool[listDashboardVersionsArgs]{
	name:  "list_dashboard_versions",
	title: "List dashboard versions",
	description: `Lists the stored versions of a dashboard, newest first, up to 50, without paging: version_id, name, when and why it ` +
		`was made (publish or restore), size, and what changed against the version before it. A dashboard keeps its 20 newest ` +
		`unnamed versions and up to 30 named ones, which are not pruned. The one marked current is on the page; preview is the ` +
		`address of the others.`,
	hints: hints{readOnly: true, idempotent: true},
	scope: dashboardScope,
	run:   runListDashboardVersions,
}

type listDashboardVersionsArgs struct{ target }

type versionList struct {
	answer
	Workspace string          `json:"workspace"`
	Slug      string          `json:"slug"`
	Versions  []storedVersion `json:"versions"`
	Kept      keptVersions    `json:"kept"`
	Preview   string          `json:"preview"` // address of the page of one version, for members
	NextStep  string          `json:"next_step" schema:"-"`
}

type keptVersions struct {
	Automatic int `json:"automatic"`
	Named     int `json:"named"`
}

type storedVersion struct {
	VersionID string   `json:"version_id"`
	Name      string   `json:"name,omitempty"`
	Current   bool     `json:"current,omitempty"`
	CreatedAt string   `json:"created_at"`
	Cause     string   `json:"cause"`
	Kind      string   `json:"kind"` // spec or body
	Bytes     int      `json:"bytes"`
	SHA256    string   `json:"sha256"`
	Changes   []string `json:"changes"` // against the version it replaced, in words
}

func runListDashboardVersions(ctx context.Context, c call, in listDashboardVersionsArgs) (*reply, error) {
	versions, err := c.Store.Versions(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.DashboardNotFound()
	}
	if err != nil {
		return nil, err
	}
	d, err := c.Store.Dashboard(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.DashboardNotFound()
	}
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 {
		return &reply{text: fmt.Sprintf(`Dashboard "%s" has no stored versions: %s. Its next publish makes one.`, d.Slug, c.url(d.Slug))}, nil
	}
	out := versionList{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug,
		Kept: keptVersions{store.MaxAutomatic, store.MaxNamed}, Preview: c.url(d.Slug) + "?version={version_id}",
		NextStep: "get_dashboard_spec shows the spec of a version; restore_dashboard_version makes one current; " +
			"update_dashboard_version gives one a name, which keeps it.",
	}
	named := 0
	for _, v := range versions {
		s := storedVersion{
			VersionID: v.ID.String(), Current: v.Current, CreatedAt: stamp(v.CreatedAt), Cause: v.Cause, Kind: v.Kind,
			Bytes: v.Size, SHA256: hex.EncodeToString(v.SHA256), Changes: v.Changes,
		}
		if v.Name != nil {
			s.Name = *v.Name
			named++
		}
		out.Versions = append(out.Versions, s)
	}
	shortenChanges(out.Versions)
	return replyWith(&out, `%s of "%s", %d of them named; the newest was made %s: %s`,
		count(len(versions), "version"), d.Slug, named, ago(c.Now(), versions[0].CreatedAt), out.URL).structure(), nil
}

// shortenChanges cuts the lists of changes until all versions fit into an answer. It does
// not omit versions, because there is no second page.
func shortenChanges(versions []storedVersion) {
	whole := make([][]string, len(versions))
	for i, v := range versions {
		whole[i] = v.Changes
	}
	for most := 16; ; most /= 2 {
		b, err := marshal(versions)
		if err != nil || utf8.RuneCount(b) <= room {
			return
		}
		for i, changes := range whole {
			if more := len(changes) - most; more > 0 {
				versions[i].Changes = append(slices.Clone(changes[:most]), fmt.Sprintf("and %d more", more))
			}
		}
		if most == 0 {
			return
		}
	}
}

// noVersion is the refusal for a dashboard without a stored version, which exists only in
// databases that are older than versions.
func noVersion(d store.Dashboard) error {
	if d.VersionID != uuid.Nil {
		return nil
	}
	return message.Refuse(`Dashboard "%s" has no stored version, so there is nothing to read. Its next publish makes one.`, d.Slug)
}
