package main

import (
	"regexp"
	"strings"
	"testing"
)

// The numbers of the demo's page of flights agree with each other: a KPI of routes with the table that lists them, and the
// airports of the funnel's first step with those of the other panels. No page of the demo has a check that fails.
func TestDemoAgrees(t *testing.T) {
	t.Parallel()
	s := startSite(t, "SERVICE_DEMO=true")
	ann := s.browser(t)
	ann.signIn(s.app+"/", demoPeople()[0].Email)
	c := s.connect(t, ann, demoWorkspace)
	said := map[string]string{} // of the page of flights: summaries by title
	for _, page := range demoPages {
		if strings.HasSuffix(page.file, ".json") {
			c.refreshed(page.slug)
		}
		got := c.call("verify_dashboard", map[string]any{"slug": page.slug})
		if got.data["ok"] != true {
			t.Errorf("%s: %s", page.slug, got.text)
		}
		if page.slug != "us-flights" {
			continue
		}
		for _, p := range got.data["panels"].([]any) {
			panel := p.(map[string]any)
			if title, _ := panel["title"].(string); panel["type"] != "section" {
				said[title] = panel["summary"].(string)
			}
		}
	}
	first := func(title, form string) string {
		m := regexp.MustCompile(form).FindStringSubmatch(said[title])
		if m == nil {
			t.Fatalf("%s has nothing of the form %s: %q", title, form, said)
		}
		return m[1]
	}
	routes := first("Routes", `^([\d,]+)\.`)
	for title, form := range map[string]string{"All routes": `^([\d,]+) rows`, "Most routes are thin": `^([\d,]+) `} {
		if got := first(title, form); got != routes {
			t.Errorf("%s: %s, but there are %s routes", title, got, routes)
		}
	}
	airports := first("From a strip to a hub", `Any other ([\d,]+)`)
	for title, form := range map[string]string{"Hubs reach further": `^([\d,]+) points`, "The busiest airports": `of ([\d,]+) values`} {
		if got := first(title, form); got != airports {
			t.Errorf("%s: %s, but there are %s airports", title, got, airports)
		}
	}
}
