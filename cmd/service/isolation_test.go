package main

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A gate is the access rule of a tool.
type gate struct {
	scope  string // name of the rule: dashboard, readiness or connection
	args   string // aimed at somebody else's data
	hidden string // beginning of the refusal for things that the caller may not see; empty for a tool that lists only the caller's own
}

const (
	dashboardNamed  = `No dashboard named "<slug>" in that workspace.`
	connectionFound = `Connection "<connection>" was not found among your connections.`
	source          = `"connection":"<connection>","upload":"<upload>"`
	someSpec        = `{"datasets":[{"id":"d","sql":"SELECT day, sum(count) AS n FROM metrics GROUP BY 1"}],` +
		`"panels":[{"type":"line","x":"day","y":"n"}]}`
)

// gates has every tool.
var gates = map[string]gate{
	"check_readiness": {"readiness", `{}`, ""},

	"list_dashboards": {"dashboard", `{}`, ""},
	"get_dashboard": {
		"dashboard", `{"path":"<slug>","include":["meta","summary","body"]}`, `404 not found: "<slug>/index.html" under the acme workspace`,
	},
	"publish_dashboard":         {"dashboard", `{"path":"<slug>",` + source + `,"spec":` + someSpec + `}`, connectionFound},
	"update_dashboard":          {"dashboard", `{"slug":"<slug>","name":"Taken","tags":[]}`, `dashboard not found for slug "<slug>"`},
	"delete_dashboard":          {"dashboard", `{"slug":"<slug>"}`, `delete rejected: dashboard not found for slug "<slug>"`},
	"list_dashboard_versions":   {"dashboard", `{"slug":"<slug>"}`, "dashboard not found"},
	"restore_dashboard_version": {"dashboard", `{"slug":"<slug>","version_id":"<version>"}`, "dashboard not found"},
	"update_dashboard_version":  {"dashboard", `{"slug":"<slug>","version_id":"<version>","name":"Taken"}`, "dashboard not found"},
	"get_dashboard_spec":        {"dashboard", `{"slug":"<slug>","version_id":"<version>"}`, dashboardNamed},
	"derive_dashboard_spec":     {"dashboard", `{"slug":"<slug>",` + source + `}`, dashboardNamed},
	"get_source_config":         {"dashboard", `{"slug":"<slug>"}`, dashboardNamed},
	"verify_dashboard":          {"dashboard", `{"slug":"<slug>"}`, dashboardNamed},
	"set_refresh_schedule":      {"dashboard", `{"slug":"<slug>","schedule":"off"}`, dashboardNamed},
	"get_refresh_status":        {"dashboard", `{"slug":"<slug>"}`, dashboardNamed},
	"trigger_refresh":           {"dashboard", `{"slug":"<slug>"}`, `No dashboard found with slug "<slug>" in this workspace.`},

	"list_connections":  {"connection", `{}`, ""},
	"introspect_schema": {"connection", `{` + source + `}`, connectionFound},
	"validate_cube_sql": {"connection", `{"sql":"SELECT day, sum(amount) AS n FROM upload GROUP BY 1",` + source + `}`, connectionFound},
	"explore_data":      {"connection", `{"table":"upload",` + source + `}`, connectionFound},
}

// asides are other ways to the same data: by the file, by a rename, and by another
// member's version or connection on the caller's own dashboard.
var asides = []struct{ tool, args string }{
	{"update_dashboard", `{"slug":"<slug>","new_slug":"taken"}`},
	{"get_dashboard", `{"path":"<slug>/data.csv"}`},
	{"restore_dashboard_version", `{"slug":"mine","version_id":"<version>"}`},
	{"update_dashboard_version", `{"slug":"mine","version_id":"<version>","name":"Taken"}`},
	{"get_dashboard_spec", `{"slug":"mine","version_id":"<version>"}`},
	{"derive_dashboard_spec", `{"slug":"mine",` + source + `}`},
	{"publish_dashboard", `{"path":"mine","connection":"<connection>","dry_run":true,"spec":` + someSpec + `}`},
	{"explore_data", `{"table":"upload","connection":"<connection>"}`},
	{"explore_data", `{"table":"upload","upload":"<upload>"}`},
	{"explore_data", `{"table":"x","connection":"<connection>","uploads":{"x":"<upload>"}}`},
	{"introspect_schema", `{"connection":"<connection>","uploads":{"x":"<upload>"}}`},
	{"validate_cube_sql", `{"sql":"SELECT 1 AS n FROM x","connection":"<connection>","uploads":{"x":"<upload>"}}`},
	{"publish_dashboard", `{"path":"mine","connection":"<connection>","dry_run":true,` +
		`"spec":{"uploads":{"x":"<upload>"},"datasets":[{"id":"d","sql":"SELECT 1 AS n FROM x"}]}}`},
	{"publish_dashboard", `{"path":"mine","connection":"<connection>","dry_run":true,` +
		`"spec":{"datasets":[{"id":"d","upload":"<upload>","sql":"SELECT 1 AS n FROM upload"}]}}`},
}

// inWorkspace returns arguments with a workspace argument.
func inWorkspace(args, slug string) string {
	if args == `{}` {
		return `{"workspace":"` + slug + `"}`
	}
	return `{"workspace":"` + slug + `",` + args[1:]
}

// TestIsolation has everybody without access to a workspace try every tool, resource,
// page and screen (specification, "Authorization grant scope", "Scope refusals" and
// "Dashboard not found"; decisions on ends of access).
func TestIsolation(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	for _, step := range []struct {
		name string
		run  func(*vault, *testing.T)
	}{
		{"every tool has a gate", (*vault).everyTool},
		{"locked elsewhere", (*vault).lockedElsewhere},
		{"locked to none", (*vault).lockedToNone},
		{"legacy", (*vault).fromBeforeLocks},
		{"resources", (*vault).resources},
		{"cursors", (*vault).cursors},
		{"pages", (*vault).pages},
		{"screens", (*vault).screens},
		{"another member", (*vault).anotherMember},
		{"another workspace of its owner", (*vault).otherLock},
		{"one timing class", (*vault).timing},
		{"same slug", (*vault).sameSlug}, // publishes it, so it must follow the tests in which it is missing
	} {
		t.Run(step.name, func(t *testing.T) { step.run(v, t) })
		if now := v.fingerprint(t, "vault"); now != v.state {
			t.Errorf("%s changed the foreign workspace:\n%s\nfrom\n%s", step.name, now, v.state)
			v.state = now
		}
	}
	t.Run("removed member", v.removedMember)
	t.Run("revoked grant", v.revokedGrant)
	t.Run("deleted workspace", v.deletedWorkspace)

	v.stop()
	if log := v.log.String(); strings.Contains(log, canary) || !strings.Contains(log, `"tool call"`) {
		t.Errorf("the log has the data, or nothing: %d bytes\n%s", len(log), linesWith(log, canary))
	}
}

func linesWith(text, part string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// clean fails the test if an answer contains data of the foreign workspace that the
// caller did not send.
func clean(t *testing.T, what, answer string) {
	t.Helper()
	for _, secret := range []string{canary, hiddenSlug} {
		if strings.Contains(answer, secret) {
			t.Errorf("%s: the answer has %s in it: %s", what, secret, linesWith(answer, secret))
		}
	}
}

// said returns the answer to a stranger's call of a tool, without the strings that the
// call itself contained.
func (v *vault) said(t *testing.T, token, tool, args string, a aim) (text string, refused bool) {
	t.Helper()
	r := v.call(t, token, tool, a.fill(args))
	clean(t, tool, r.visible())
	text, refused = r.text(t)
	return a.hide(text), refused
}

// refused fails the test unless a call is refused with words that begin with want.
func (v *vault) refused(t *testing.T, token, tool, args, want string) {
	t.Helper()
	text, refused := v.said(t, token, tool, args, v.there)
	if !refused || text != want && (want != connectionFound || !strings.HasPrefix(text, want)) {
		t.Errorf("%s %s: %q (refused: %v), want %q", tool, args, text, refused, want)
	}
}

// blind fails the test unless a call for something that exists in another workspace gets
// the same answer, byte for byte, as a call for something that does not exist.
func (v *vault) blind(t *testing.T, token, tool, args string) {
	t.Helper()
	there, nowhere := v.call(t, token, tool, v.there.fill(args)), v.call(t, token, tool, missing.fill(args))
	if a, b := v.there.hide(there.visible()), missing.hide(nowhere.visible()); a != b {
		t.Errorf("%s %s distinguishes forbidden from missing:\n%s\n%s", tool, args, a, b)
	}
	clean(t, tool, there.visible())
}

func (v *vault) everyTool(t *testing.T) {
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(v.rpc(t, v.own, "tools/list", nil).body), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if known := slices.Sorted(maps.Keys(gates)); !slices.Equal(names, known) {
		t.Fatalf("tools/list has\n%s\nand the table\n%s", names, known)
	}
}

func (v *vault) lockedElsewhere(t *testing.T) {
	for tool, g := range gates {
		if g.hidden != "" {
			v.refused(t, v.own, tool, g.args, g.hidden)
		}
		v.blind(t, v.own, tool, g.args)
		for _, slug := range []string{"vault", "nowhere"} {
			args := inWorkspace(g.args, slug)
			switch {
			case g.scope == "dashboard":
				v.refused(t, v.own, tool, args,
					`This connection is authorized for the "acme" workspace and cannot act on "`+slug+`". Re-authorize and choose that workspace.`)
			case g.hidden != "":
				v.refused(t, v.own, tool, args, g.hidden)
			default:
				v.blind(t, v.own, tool, args)
			}
		}
	}
	for _, aside := range asides {
		if _, refused := v.said(t, v.own, aside.tool, aside.args, v.there); !refused {
			t.Errorf("%s %s is not refused", aside.tool, aside.args)
		}
		v.blind(t, v.own, aside.tool, aside.args)
	}
}

const (
	personal = "Dashboards outside a workspace are retired. " +
		"This connection is authorized for the personal account, so nothing can be published or acted on. Re-authorize and choose a workspace."
	namesNone = `Dashboards outside a workspace are retired. This connection names no workspace. ` +
		`Pass "workspace" with the slug of a workspace you belong to, or re-authorize and choose one.`
	notReady = "This connection is not authorized for any workspace, so it cannot publish a dashboard anywhere. " +
		"Re-authorize and choose a workspace."
	nothingToList = "Data sources belong to a workspace. " +
		"This connection is authorized for none, so there is nothing to list. Re-authorize and choose a workspace."
	missingResource = `{"code":-32002,"message":"Resource not found"}`
)

// unlocked has the sentences of the tools without a workspace argument.
var unlocked = map[string]string{"readiness": notReady, "connection": nothingToList}

func (v *vault) lockedToNone(t *testing.T) {
	for tool, g := range gates {
		want := unlocked[g.scope]
		if g.scope == "dashboard" {
			want = personal
		}
		for _, args := range []string{g.args, inWorkspace(g.args, "acme"), inWorkspace(g.args, "vault"), inWorkspace(g.args, "nowhere")} {
			v.refused(t, v.none, tool, args, want)
		}
	}
}

func (v *vault) fromBeforeLocks(t *testing.T) {
	for tool, g := range gates {
		for slug, want := range map[string]string{
			"":        namesNone,
			"vault":   `not a member of workspace "vault"`,
			"nowhere": `workspace "nowhere" not found`,
			"acme":    g.hidden,
		} {
			args := g.args
			if slug != "" {
				args = inWorkspace(args, slug)
			}
			switch {
			case g.scope != "dashboard":
				v.refused(t, v.legacy, tool, args, unlocked[g.scope])
			case want != "":
				v.refused(t, v.legacy, tool, args, want)
			default:
				v.blind(t, v.legacy, tool, args)
			}
		}
	}
}

func (v *vault) resources(t *testing.T) {
	for name, token := range map[string]string{"locked": v.own, "none": v.none, "legacy": v.legacy} {
		list := v.rpc(t, token, "resources/list", nil)
		clean(t, "resources/list", list.visible())
		if n := strings.Count(list.body, `"uri":"service://acme/mine"`); strings.Contains(list.body, "vault") ||
			n != strings.Count(list.body, `"uri"`) || (n == 1) != (name != "none") {
			t.Errorf("%s: resources/list: %s", name, list.body)
		}
		for _, handle := range []string{"vault", "nowhere"} {
			for _, slug := range []string{"secrets", "files", "former", hiddenSlug, "nothing", "mine"} {
				r := v.rpc(t, token, "resources/read", map[string]any{"uri": "service://" + handle + "/" + slug})
				if !strings.Contains(r.body, missingResource) || r.status != 200 {
					t.Errorf("%s: reading service://%s/%s: %d %s", name, handle, slug, r.status, r.body)
				}
				clean(t, "resources/read", r.visible())
			}
		}
	}
}

func (v *vault) cursors(t *testing.T) {
	cursor, _ := v.owner.call("list_dashboards", map[string]any{"limit": 1}).data["next_cursor"].(string)
	if cursor == "" {
		t.Fatal("there is no cursor to try")
	}
	stranger := v.call(t, v.own, "list_dashboards", `{"cursor":"`+cursor+`"}`)
	broken := v.call(t, v.own, "list_dashboards", `{"cursor":"x`+cursor[1:]+`"}`)
	if text, refused := stranger.text(t); !refused || stranger.visible() != broken.visible() {
		t.Errorf("a cursor of another workspace: %s", text)
	}
	if r := v.rpc(t, v.own, "resources/list", map[string]any{"cursor": cursor}); !strings.Contains(r.body, `"code":-32602`) {
		t.Errorf("resources/list with a cursor of another workspace: %s", r.body)
	}
}

// anotherMember checks that another member sees the dashboards of the workspace, and
// nothing of its owner's personal data.
func (v *vault) anotherMember(t *testing.T) {
	if text, refused := v.call(t, v.member, "get_dashboard", `{"path":"secrets"}`).text(t); refused || !strings.Contains(text, canary) {
		t.Errorf("a member cannot read: %s", text)
	}
	if text, _ := v.call(t, v.member, "list_connections", `{}`).text(t); !strings.HasPrefix(text, "You have no warehouse connections.") {
		t.Errorf("list_connections: %s", text)
	}
	for tool, g := range gates {
		if g.hidden == connectionFound {
			v.refused(t, v.member, tool, g.args, connectionFound)
			v.blind(t, v.member, tool, g.args)
		}
	}
	v.refused(t, v.member, "derive_dashboard_spec", `{"slug":"files",`+source+`}`, connectionFound)
}

// otherLock tries a grant of the data's owner that is locked to another of their
// workspaces. A dashboard there can be bound to the connection, which gives no access to
// data: it can be published but never refreshed (specification, "Connection"), and neither
// the grant nor the other members there learn more about the connection than its id.
func (v *vault) otherLock(t *testing.T) {
	v.admin(t, "workspace", "create", "annex", "--owner", canary+"@example.com")
	v.admin(t, "member", "add", "annex", "ada@example.com")
	owner, other := v.grant(t, canary+"@example.com", "workspace", "annex"), v.grant(t, "ada@example.com", "workspace", "annex")
	for tool, g := range gates {
		switch {
		case tool == "publish_dashboard":
		case g.hidden != "":
			v.refused(t, owner, tool, g.args, strings.Replace(g.hidden, "acme", "annex", 1))
			v.blind(t, owner, tool, g.args)
		default:
			v.blind(t, owner, tool, g.args)
		}
	}
	for _, args := range []string{
		`{"path":"bound","dry_run":true,` + source + `,"spec":` + someSpec + `}`, `{"path":"bound",` + source + `,"spec":` + someSpec + `}`,
	} {
		if text, refused := v.said(t, owner, "publish_dashboard", args, v.there); refused || strings.Contains(text, "amount") {
			t.Errorf("publishing with a connection of another workspace: %s", text)
		}
	}
	eventually(t, func() error {
		text, _ := v.said(t, owner, "get_refresh_status", `{"slug":"bound"}`, v.there)
		if !strings.Contains(text, `"state":"failed"`) {
			return errors.New(text)
		}
		return nil
	})
	for _, token := range []string{owner, other} {
		for _, c := range []struct{ tool, args string }{
			{"get_source_config", `{"slug":"bound"}`},
			{"verify_dashboard", `{"slug":"bound"}`},
			{"get_refresh_status", `{"slug":"bound"}`},
			{"get_dashboard", `{"path":"bound","include":["meta","summary","body"]}`},
			{"list_dashboards", `{}`},
			{"list_dashboard_versions", `{"slug":"bound"}`},
		} {
			if text, refused := v.said(t, token, c.tool, c.args, v.there); refused {
				t.Errorf("%s: %s", c.tool, text)
			}
		}
		v.refused(t, token, "trigger_refresh", `{"slug":"bound"}`, "The connection belongs to another workspace than the dashboard, "+
			"so it can never refresh it. Publish again with a connection of this workspace.")
	}
	clean(t, "the page", v.ada.get(v.workspace("annex")+"/bound").text)
	screen := v.ada.get(v.app + "/w/annex/d/bound")
	members := strings.NewReplacer("by "+canary+"@example.com", "by its publisher", ">"+canary+"@example.com</a>", ">its publisher</a>")
	clean(t, "the screen", members.Replace(screen.text)) // the publisher is a member of this workspace
	if screen.status != 200 {
		t.Errorf("the screen: %d", screen.status)
	}
	v.exec(t, `UPDATE connection SET status = 'failing' WHERE id = $1`, v.there.connection)
	v.refused(t, owner, "publish_dashboard", gates["publish_dashboard"].args,
		`Connection "<connection>" is not active (status: failing). Test it in the web application and retry once it is active.`)
	v.exec(t, `UPDATE connection SET status = 'active' WHERE id = $1`, v.there.connection)
}

// sameSlug has a stranger publish, change and delete a dashboard with the same slug as
// one of the vault, in their own workspace.
func (v *vault) sameSlug(t *testing.T) {
	for _, c := range []struct{ tool, args string }{
		{"publish_dashboard", `{"path":"secrets","body":"# Mine as well"}`},
		{"update_dashboard", `{"slug":"secrets","name":"Also mine","new_slug":"former"}`},
		{"get_dashboard", `{"path":"secrets","include":["meta","summary","body"]}`},
		{"list_dashboard_versions", `{"slug":"former"}`},
		{"delete_dashboard", `{"slug":"former"}`},
	} {
		text, refused := v.said(t, v.own, c.tool, c.args, aim{slug: "-", version: "-", connection: "-", upload: "-"})
		if refused || strings.Contains(text, "vault") {
			t.Errorf("%s: %s", c.tool, text)
		}
	}
}

// ended fails the test unless a token is useless.
func (v *vault) ended(t *testing.T, token string) {
	t.Helper()
	for tool, g := range gates {
		r := v.call(t, token, tool, v.there.fill(g.args))
		if r.status != http.StatusUnauthorized || !strings.Contains(r.header.Get("WWW-Authenticate"), "/.well-known/oauth-protected-resource") {
			t.Errorf("%s: %d %v", tool, r.status, r.header)
		}
		clean(t, tool, r.visible())
	}
	for _, method := range []string{"initialize", "ping", "tools/list", "resources/list", "prompts/list"} {
		if r := v.rpc(t, token, method, nil); r.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", method, r.status)
		}
	}
}

func (v *vault) removedMember(t *testing.T) {
	locked, legacy := v.grant(t, "mel@example.com", "workspace", "vault"), v.grant(t, "mel@example.com", "legacy", "")
	args := `{"path":"secrets","workspace":"vault"}`
	for _, token := range []string{locked, legacy} {
		if text, refused := v.call(t, token, "get_dashboard", args).text(t); refused {
			t.Fatal(text)
		}
	}
	if got := v.mel.get(v.workspace("vault") + "/secrets"); got.status != 200 || !strings.Contains(got.text, canary) {
		t.Fatalf("a member's page: %d", got.status)
	}
	v.admin(t, "member", "remove", "vault", "mel@example.com")
	v.ended(t, locked)
	v.ended(t, v.grant(t, "mel@example.com", "workspace", "vault")) // a grant that was overlooked
	for tool, g := range gates {
		if g.scope == "dashboard" {
			v.refused(t, legacy, tool, inWorkspace(g.args, "vault"), `not a member of workspace "vault"`)
		}
	}
	v.strange(t, v.mel)
}

func (v *vault) revokedGrant(t *testing.T) {
	token := v.grant(t, canary+"@example.com", "workspace", "vault")
	if text, refused := v.call(t, token, "list_dashboards", `{}`).text(t); refused {
		t.Fatal(text)
	}
	v.admin(t, "grant", "revoke", v.grantOf(t, token).String())
	v.ended(t, token)
}

func (v *vault) deletedWorkspace(t *testing.T) {
	v.exec(t, `DELETE FROM workspace WHERE slug = 'vault'`)
	v.ended(t, v.owner.token.AccessToken)
	v.ended(t, v.member)
	for tool, g := range gates {
		if g.scope == "dashboard" {
			v.refused(t, v.legacy, tool, inWorkspace(g.args, "vault"), `workspace "vault" not found`)
		}
	}
	v.strange(t, v.vic) // the former owner
	v.strange(t, v.ada)
}
