package main

import (
	"net/url"
	"strings"
	"testing"
)

// TestSlugsThatNothingHas names slugs that are in no file and not on the server, and of dashboards that have no spec: each command refuses
// them, and does what it can for the others.
func TestSlugsThatNothingHas(t *testing.T) {
	t.Parallel()
	_, c, f := founded(t)
	c.publishPage("plain", metricsSpec("Plain"), nil, nil)
	if got := c.call("publish_dashboard", map[string]any{"path": "notes", "body": "# Notes"}); got.failed {
		t.Fatal(got.text)
	}
	f.run("pull", "plain")
	const missing = "service: no dashboard plian is on the server or in a file\n"
	const static = "service: notes is static on the server: it has no spec that a file could replace\n"
	f.want(1, missing, "pull", "plian")
	f.want(1, "1 file unchanged.\n"+missing, "pull", "plain", "plian")
	f.want(1, static, "pull", "notes")
	f.want(1, missing, "drift", "plian")
	f.want(1, static, "drift", "notes")
	for _, command := range []string{"plan", "apply"} {
		f.want(1, "service: dashboards: no file is called plian.yaml or plian.json\n", command, "plian")
	}
}

// TestDeletedThere deletes a dashboard on the server that has a file: no command publishes it again without being asked to.
func TestDeletedThere(t *testing.T) {
	t.Parallel()
	_, c, f := founded(t)
	c.publishPage("a", metricsSpec("A"), nil, nil)
	c.publishPage("b", metricsSpec("B"), nil, nil)
	f.run("pull")
	if got := c.call("delete_dashboard", map[string]any{"slug": "a"}); got.failed {
		t.Fatal(got.text)
	}
	const why = "the dashboard was deleted on the server after the last pull or apply; delete the file too, or publish it again with " +
		"--take mine"
	f.want(2, "dashboards/a.yaml: is no longer on the server\n1 dashboard not changed on the server.\n", "drift")
	out, code := f.run("plan")
	if want := "dashboards/a.yaml: deleted on the server\n  apply refuses it:\n    " + why + "\n"; code != 2 || !strings.HasPrefix(out, want) {
		t.Errorf("plan exits with %d:\n%s\nwant 2:\n%s", code, out, want)
	}
	if out, _ := f.run("plan", "--markdown"); !strings.Contains(out, "#### `a`: deleted on the server\n\n**Apply refuses it:**\n") {
		t.Errorf("plan --markdown:\n%s", out)
	}
	f.want(1, "service: dashboards/a.yaml: "+why+"\n"+nothing, "apply")
	f.want(0, "dashboards/a.yaml: is no longer on the server; the file stays\n1 dashboard unchanged.\n", "apply", "--take", "theirs")
	if got := c.call("get_dashboard_spec", map[string]any{"slug": "a"}); !got.failed {
		t.Fatalf("a is published again: %s", got.text)
	}
	f.want(0, "dashboards/a.yaml: published: http://acme.localhost:8080/a\n"+
		"1 dashboard unchanged.\n", "apply", "--take", "mine")

	// Without its file, the lock forgets it, and a later dashboard of that slug is a new one.
	if got := c.call("delete_dashboard", map[string]any{"slug": "a"}); got.failed {
		t.Fatal(got.text)
	}
	was := f.read("dashboards/a.yaml")
	f.remove("dashboards/a.yaml")
	f.want(0, "1 file unchanged.\n", "pull")
	if lock := f.read("service.lock"); strings.Contains(lock, `"a"`) {
		t.Errorf("the lock keeps a dashboard that is nowhere: %s", lock)
	}
	f.write("dashboards/a.yaml", was)
	if out, code := f.run("plan"); code != 2 || !strings.HasPrefix(out, "dashboards/a.yaml: new\n") {
		t.Errorf("plan of a file that came again: %d\n%s", code, out)
	}
}

// TestFileGone deletes or renames the file of a dashboard: plan and apply report that the server keeps the dashboard of the former name.
func TestFileGone(t *testing.T) {
	t.Parallel()
	_, c, f := founded(t)
	for _, slug := range []string{"a", "b", "elsewhere"} {
		c.publishPage(slug, metricsSpec(slug), nil, nil)
	}
	f.run("pull", "a", "b")
	text := f.read("dashboards/a.yaml")
	f.remove("dashboards/a.yaml")
	const left = "On the server, and no longer in a file: a. To delete a dashboard, do so on the server. To rename one, " +
		"rename it on the server, and then pull.\n"
	f.want(0, left+"production: 0 new, 0 changed, 1 unchanged.\n", "plan")
	f.want(0, "1 dashboard unchanged.\n"+left, "apply")
	f.want(0, "production: 0 new, 0 changed, 1 unchanged.\n", "plan", "b")
	f.write("dashboards/renamed.yaml", text)
	if out, code := f.run("plan"); code != 2 || !strings.Contains(out, left) {
		t.Errorf("plan of a renamed file: %d\n%s", code, out)
	}
	if out, _ := f.run("plan", "--markdown"); !strings.Contains(out, "\nOn the server, and no longer in a file: a. To delete") {
		t.Errorf("plan --markdown of a renamed file:\n%s", out)
	}
}

// TestTwoWorkspaces has two environments for workspaces of one server: each has an authorization of its own.
func TestTwoWorkspaces(t *testing.T) {
	t.Parallel()
	site, c, f := founded(t)
	f.person.get(site.app + "/workspaces/new")
	f.person.submit("/workspaces", url.Values{"name": {"Beta"}, "slug": {"beta"}})
	c.publishPage("a", metricsSpec("A"), nil, nil)
	f.write("service.yaml", "environments:\n  one:\n    server: "+site.base+"\n    workspace: acme\n"+
		"  two:\n    server: "+site.base+"\n    workspace: beta\n")
	authorize := func(workspace string) string {
		return "Authorize this command in a browser, and choose the workspace " + workspace + " there:\n  (address)\n"
	}
	f.want(0, authorize("acme")+"dashboards/a.yaml: new\n", "pull", "--env", "one")
	f.space = "beta"
	f.want(0, authorize("beta")+"dashboards/a.yaml: published: http://beta.localhost:8080/a\n0 dashboards unchanged.\n",
		"apply", "--env", "two")
	f.want(0, "one: 0 new, 0 changed, 1 unchanged.\n", "plan", "--env", "one")
	f.want(0, "two: 0 new, 0 changed, 1 unchanged.\n", "plan", "--env", "two")

	// A wrong choice is mended by logout, which the refusal names.
	f.want(0, "Forgot the authorization of http://localhost:8080 for the workspace beta.\n", "logout", "--env", "two")
	f.want(0, "There is no authorization of http://localhost:8080 for the workspace beta here.\n", "logout", "--env", "two")
	f.space = "acme"
	const refused = "service: This connection is authorized for the \"acme\" workspace and cannot act on \"beta\". " +
		"Re-authorize and choose that workspace. \"service dashboard logout --env two\" forgets this authorization, " +
		"so that the next command asks for another.\n"
	f.want(1, authorize("beta")+refused, "plan", "--env", "two")
	f.want(1, refused, "plan", "--env", "two")
	f.run("logout", "--env", "two")
	f.space = "beta"
	f.want(0, authorize("beta")+"two: 0 new, 0 changed, 1 unchanged.\n", "plan", "--env", "two")
}
