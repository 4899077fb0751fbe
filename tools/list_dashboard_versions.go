package tools

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"service/store"
	"service/store/linediff"
	"service/store/message"
	"service/store/rawjson"
)

var listDashboardVersions = tool[listDashboardVersionsArgs]{
	name:  "list_dashboard_versions",
	title: "List dashboard versions",
	description: `Lists the stored versions of a dashboard, newest first, up to 50: version_id, name, time and cause (publish or ` +
		`restore), size, and changes from the version before. The 20 newest unnamed versions and up to 30 named ones are kept. The page ` +
		`shows the one marked current; the others have a preview URL. compare: differences of two versions, in words and by lines.`,
	hints:   hints{readOnly: true, idempotent: true},
	scope:   dashboardScope,
	viewers: true,
	run:     runListDashboardVersions,
}

type listDashboardVersionsArgs struct {
	target
	Compare comparedPair `json:"compare"`
}

// comparedPair names two versions; the zero id means the current one. It is nil for no comparison.
type comparedPair []uuid.UUID

func (p *comparedPair) set(name string, raw json.RawMessage) error {
	items, n := rawjson.List(raw, 2)
	if n != 2 {
		return message.Refuse(`%s must be two versions, such as ["<version_id>", "current"]`, name)
	}
	for i, item := range items {
		id, ok := parseUUID(text(item))
		switch {
		case text(item) == currentVersion:
			id = uuid.Nil
		case !ok || id == uuid.Nil:
			return message.Refuse(`%s[%d] must be a version id, a UUID from list_dashboard_versions, or "current" (got %s)`,
				name, i, clip(string(item), 60))
		}
		*p = append(*p, id)
	}
	return nil
}

// currentVersion means the version that is on the page.
const currentVersion = "current"

func (comparedPair) jsonType() (string, string) { return "array", "string" }

func (comparedPair) describe() (doc, example string) {
	return `Two version ids, before and after; "current" is one. Default: none.`, `["0198c0de-…", "current"]`
}

type versionList struct {
	answer
	Workspace string          `json:"workspace"`
	Slug      string          `json:"slug"`
	Versions  []storedVersion `json:"versions"`
	Kept      keptVersions    `json:"kept"`
	Preview   string          `json:"preview"` // address of the page of one version, for members
	Compared  *comparison     `json:"compared,omitempty"`
	NextStep  string          `json:"next_step" schema:"-"`
}

// A comparison describes how the second of two versions differs from the first.
type comparison struct {
	Before  string   `json:"before"`
	After   string   `json:"after"`
	Changes []string `json:"changes"` // in words
	Lines   []string `json:"lines"`   // "-" before a removed line, "+" before an added one, " " before a line around them
	Left    int      `json:"lines_left,omitempty"`
	Binary  bool     `json:"binary,omitempty"` // one of the two is not text, so its lines are not compared
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
	Changes   []string `json:"changes"` // from the version that it replaced, in words
}

func runListDashboardVersions(ctx context.Context, c call, in listDashboardVersionsArgs) (*reply, error) {
	versions, err := c.Store.Dashboards.Versions(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.DashboardNotFound()
	}
	if err != nil {
		return nil, err
	}
	d, err := c.Store.Dashboards.Dashboard(ctx, c.Member, string(in.Slug))
	if errors.Is(err, store.ErrNotFound) {
		return nil, message.DashboardNotFound()
	}
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 {
		return &reply{text: fmt.Sprintf(`Dashboard "%s" has no stored versions: %s. Its next publish makes one.`, d.Slug, c.url(d.Slug))}, nil
	}
	if in.Compare != nil {
		if !c.Edits() { // lines of SQL
			return nil, c.Store.Members.RefuseViewer(ctx, c.Member)
		}
		return c.compareVersions(ctx, d, in.Compare)
	}
	out := versionList{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug,
		Kept: keptVersions{store.MaxAutomatic, store.MaxNamed}, Preview: c.url(d.Slug) + "?version={version_id}",
		NextStep: "get_dashboard_spec shows the spec of a version; restore_dashboard_version makes one current; " +
			"update_dashboard_version gives one a name, which keeps it.",
	}
	if !c.Edits() {
		out.NextStep = ""
	}
	named := 0
	for _, v := range versions {
		if v.Name != nil {
			named++
		}
		out.Versions = append(out.Versions, versionShown(v))
	}
	shortenChanges(out.Versions)
	return replyWith(&out, `%s of "%s", %d of them named; the newest was made %s: %s`,
		count(len(versions), "version"), d.Slug, named, ago(c.Now(), versions[0].CreatedAt), out.URL).structure(), nil
}

func versionShown(v store.Version) storedVersion {
	s := storedVersion{
		VersionID: v.ID.String(), Current: v.Current, CreatedAt: stamp(v.CreatedAt), Cause: v.Cause, Kind: v.Kind,
		Bytes: v.Size, SHA256: hex.EncodeToString(v.SHA256), Changes: v.Changes,
	}
	if v.Name != nil {
		s.Name = *v.Name
	}
	return s
}

// compareVersions answers how the second of two versions of d differs from the first.
func (c call) compareVersions(ctx context.Context, d store.Dashboard, pair comparedPair) (*reply, error) {
	var sides [2]store.Version
	var contents [2][]byte
	for i, id := range pair {
		if id == uuid.Nil {
			id = d.VersionID
		}
		var err error
		if sides[i], err = c.Store.Dashboards.Version(ctx, c.Member, d.Slug, id); err != nil {
			return nil, versionRefusal(err, d.Slug, id)
		}
		if contents[i], err = c.Store.Dashboards.VersionContent(ctx, c.Member, sides[i]); err != nil {
			return nil, err
		}
	}
	words, err := c.Store.Dashboards.CompareVersions(ctx, c.Member, d, sides[0], sides[1])
	if err != nil {
		return nil, err
	}
	lines, left, isText := linediff.Compare(contents[0], contents[1])
	found := comparison{Before: sides[0].ID.String(), After: sides[1].ID.String(), Binary: !isText}
	space := room
	found.Changes, _ = fit(words, &space)
	removed, added := 0, 0
	shown := make([]string, len(lines))
	for i, l := range lines {
		switch {
		case l.Skipped > 0:
			shown[i] = fmt.Sprintf("@@ %d the same @@", l.Skipped)
		case l.Sign == "+":
			added++
			shown[i] = "+" + l.Text
		case l.Sign != "":
			removed++
			shown[i] = "-" + l.Text
		default:
			shown[i] = " " + l.Text
		}
	}
	var cut int
	found.Lines, cut = fit(shown, &space)
	found.Left = left + cut
	out := versionList{
		answer: answer{URL: c.url(d.Slug)}, Workspace: c.Workspace(), Slug: d.Slug,
		Versions: []storedVersion{versionShown(sides[0]), versionShown(sides[1])},
		Kept:     keptVersions{store.MaxAutomatic, store.MaxNamed}, Preview: c.url(d.Slug) + "?version={version_id}", Compared: &found,
		NextStep: "restore_dashboard_version makes one of the two current.",
	}
	what := "they show the same"
	if len(words) > 0 {
		what = clip(strings.Join(found.Changes, "; "), 1_000)
	}
	switch {
	case found.Binary:
		what += "; one of the two is not text, so lines are not compared"
	case removed+added > 0:
		what += fmt.Sprintf("; %s removed, %d added", count(removed, "line"), added)
	}
	return replyWith(&out, `"%s" from version %s to %s: %s. %s`, d.Slug, found.Before, found.After, what, out.URL).structure(), nil
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
