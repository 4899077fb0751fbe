package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"service/store"
)

// A refused form shows the typed values, has one message above that it must be
// corrected, links the problem to its field, and gives the first such field the focus.
// Secrets are not shown again.
func TestFormsAreKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	first := s.publish(t, m, "sales", "Sales")
	version := first.Dashboard.VersionID.String()
	for name, test := range map[string]struct {
		to, field string
		form      url.Values
		others    []string // values of the other fields, as the page writes them
	}{
		"time zone":          {"/account/timezone", "timezone", url.Values{"timezone": {"<Mars>"}}, nil},
		"deletion":           {"/account/delete", "confirm", url.Values{"confirm": {"<no>"}}, nil},
		"workspace":          {"/workspaces", "slug", url.Values{"name": {"A & B"}, "slug": {"-<a>-"}}, []string{`value="A &amp; B"`}},
		"workspace's name":   {"/workspaces", "name", url.Values{"name": {""}, "slug": {"fine"}}, []string{`value="fine"`}},
		"rename":             {"/w/engine/settings/name", "name", url.Values{"name": {" "}}, nil},
		"end of a workspace": {"/w/engine/settings/delete", "slug", url.Values{"slug": {"<x>"}}, []string{`value="Engine"`}},
		"member": {
			"/w/engine/members", "email", url.Values{"email": {"<nobody>"}, "role": {store.RoleOwner}}, []string{`value="owner" selected`},
		},
		"connection": {
			"/w/engine/connections", "host",
			url.Values{
				"kind": {"postgres"}, "label": {"<Sales>"}, "host": {""}, "port": {"x1"},
				"database": {"d&b"}, "user": {"reader"}, "password": {"hunter-2"}, "tls": {"require"},
			},
			[]string{
				`value="&lt;Sales&gt;"`, `value="x1"`, `value="d&amp;b"`, `value="reader"`,
				`value="require" selected`, "Type the password again: it was not saved.",
			},
		},
		"schedule": {
			"/w/engine/d/sales/schedule", "schedule",
			url.Values{"schedule": {"<often>"}, "timezone": {"Asia/Tokyo"}},
			[]string{`value="Asia/Tokyo"`},
		},
		"zone of a schedule": {
			"/w/engine/d/sales/schedule", "timezone", url.Values{"schedule": {"1h"}, "timezone": {"<Mars>"}}, []string{`value="1h"`},
		},
		"name of a dashboard": {"/w/engine/d/sales/details", "title", url.Values{"title": {""}, "tags": {"a<b"}}, []string{`value="a&lt;b"`}},
		"name of a version": {
			"/w/engine/d/sales/versions/" + version + "/name", "name-" + version,
			url.Values{"name": {strings.Repeat("<", 301)}},
			[]string{"<details class=\"menu end\" open>"},
		},
		"upload without a file": {"/w/engine/uploads", "file", nil, nil},
	} {
		page := p.post(test.to, test.form).
			want(http.StatusUnprocessableEntity, append(test.others, `<p class="error" role="alert">`, `id="`+test.field+`-problem"`)...).
			lacks("hunter-2")
		tag := regexp.MustCompile(`<(?:input|select) id="` + test.field + `"[^>]*>`).FindString(page.body)
		if !strings.Contains(tag, `aria-invalid="true"`) || !strings.Contains(tag, "autofocus") ||
			!regexp.MustCompile(`aria-describedby="`+test.field+`-problem[" ]`).MatchString(tag) {
			t.Errorf("%s: the field is %s", name, tag)
		}
		if n := strings.Count(page.body, "autofocus"); n != 1 {
			t.Errorf("%s: %d fields have the focus", name, n)
		}
		for _, value := range test.form {
			if strings.Contains(value[0], "<") && strings.Contains(page.body, `value="`+value[0]+`"`) {
				t.Errorf("%s: %s is not escaped", name, value[0])
			}
		}
	}
}
