package main

import (
	"regexp"
	"strings"
	"testing"

	"service/store/storetest"
)

// The data of an installation of commit cb97e63, between the releases 0.6.0 and 0.7.0, still exist after an upgrade: pages, versions,
// aliases, an alert with its channel, a delivery, a schedule, sealed secrets, and members, of whom those with the role member are editors.
// The dump was made once by that program.
func TestUpgradeFromCB97E63(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	in := install(t, "DATABASE_URL="+databaseURL(db), "SERVICE_SECRET_KEY=a-passphrase-of-forty-characters-for-tests")
	if got := in.must("restore", "../../store/archive/testdata/cb97e63.dump"); !strings.Contains(got, "2 accounts, 2 dashboards, 3 versions") {
		t.Errorf("%s", got)
	}
	in.serve()
	site := siteAt(in.port, in.environ)
	ann, bob := site.browser(t), site.browser(t)
	ann.signIn(site.app+"/", "ann@example.com")
	bob.signIn(site.app+"/", "bob@example.com")
	for address, want := range map[string]string{
		"/revenue": "43,749", "/sales": "43,749", "/notes": "Written with <strong>cb97e63</strong>",
		"/revenue?f.region=EMEA": "3,346", "/revenue?panel=2&format=csv": "40403",
	} {
		if page := ann.get(site.workspace("acme") + address); page.status != 200 || !strings.Contains(page.text, want) {
			t.Errorf("%s: %d, without %s\n%.400s", address, page.status, want, page.text)
		}
	}
	c, b := site.connect(t, ann, "acme"), site.connect(t, bob, "acme")
	if got := c.call("trigger_refresh", map[string]any{"slug": "revenue"}); got.failed {
		t.Errorf("%s", got.text)
	}
	c.refreshed("revenue")
	for _, call := range []struct {
		of   *client
		tool string
		args map[string]any
		want string
	}{
		{c, "list_dashboard_versions", map[string]any{"slug": "revenue"}, `First draft`},
		{c, "get_dashboard_spec", map[string]any{"slug": "revenue"}, `High sales`},
		{c, "get_refresh_status", map[string]any{"slug": "revenue"}, `"id":"high"`},
		{c, "list_connections", map[string]any{}, `Warehouse`},
		{c, "get_source_config", map[string]any{"slug": "revenue"}, `"schedule":"1h"`},
		{b, "check_readiness", map[string]any{}, `"role":"editor"`},
		{b, "publish_dashboard", map[string]any{"path": "notes", "body": "# New notes"}, `/notes`},
		{b, "delete_dashboard", map[string]any{"slug": "notes"}, `notes`}, // he first published it
	} {
		if got := call.of.call(call.tool, call.args); got.failed || !strings.Contains(got.text, call.want) {
			t.Errorf("%s %v: %.800s", call.tool, call.args, got.text)
		}
	}
	if got := b.call("delete_dashboard", map[string]any{"slug": "revenue"}); !got.failed || !strings.Contains(got.text, "delete rejected:") {
		t.Errorf("an editor deletes what the owner first published: %s", got.text)
	}
	if page := ann.get(site.workspace("acme") + "/gone"); page.status != 404 {
		t.Errorf("what was deleted before: %d", page.status)
	}
	if got := in.must("admin", "member", "list", "acme"); !regexp.MustCompile(`(?m)^owner .* invited +cat@example.com$`).MatchString(got) ||
		!regexp.MustCompile(`(?m)^editor .* bob@example.com$`).MatchString(got) {
		t.Errorf("members:\n%s", got)
	}
	if got := in.must("admin", "key", "rotate"); !regexp.MustCompile(`[23] secrets`).MatchString(got) { // of a connection and a channel
		t.Errorf("%s", got)
	}
	channels := ann.get(site.app + "/w/acme/channels")
	alerts := ann.get(site.app + "/w/acme/alerts")
	if !strings.Contains(channels.text, "Ops") || !strings.Contains(alerts.text, "High sales") {
		t.Errorf("channels %d, alerts %d:\n%s\n%s", channels.status, alerts.status, channels.text, alerts.text)
	}
}
