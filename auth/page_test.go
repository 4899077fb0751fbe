package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"service/auth"
	"service/store"
)

// No error page on any host is a dead end: each has a link to the web app or to try again.
func TestPagesLeadOn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	b := w.browser(t)
	home := `<p><a href="` + w.app + `/">Home</a></p>`
	shows := func(what string, a answer, status int, title, link string) {
		t.Helper()
		wantStatus(t, what, a, status)
		if !strings.Contains(a.body, "<title>"+title+" · Dashboards</title>") || !strings.Contains(a.body, link) {
			t.Errorf("%s: no %s in %s", what, link, a.body)
		}
	}
	shows("a wrong method", b.post(w.base+"/authorize", nil), http.StatusMethodNotAllowed, "Method not allowed", home)
	shows("a broken link", b.get(w.base+"/authorize?client_id=a&client_id=b"),
		http.StatusBadRequest, "This authorization link is broken", home)
	shows("a stranger", b.get(w.base+"/authorize?client_id=a"), http.StatusUnauthorized, "This client is not registered here", home)
	shows("another's host", b.get(w.app+"/visit?to=http://evil.example/"), http.StatusBadRequest, "This link does not work", home)
	shows("a late sign-in", b.get(w.app+"/sign-in/callback?state=x"), http.StatusBadRequest,
		"This sign-in is no longer valid", `<p><a href="/sign-in">Sign in</a></p>`)
	shows("a used ticket", b.get("http://acme."+w.domain+"/.session?ticket=x"),
		http.StatusBadRequest, "This link is no longer valid", `<p><a href="`+w.app+`/">Your workspaces</a></p>`)
	w.sql(t, `ALTER TABLE sign_in RENAME TO away`)
	shows("a failure of ours", b.get(w.app+"/sign-in"), http.StatusServiceUnavailable, "Please try again", home)
}

// TestFailure: temporary failures suggest another try, and are not reported as errors of the service.
func TestFailure(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err    error
		status int
		title  string
	}{
		{errors.New("boom"), http.StatusInternalServerError, "Something went wrong"},
		{fmt.Errorf("a page: %w", store.ErrUnavailable), http.StatusServiceUnavailable, "Please try again"},
		{fmt.Errorf("a page: %w", context.DeadlineExceeded), http.StatusServiceUnavailable, "Please try again"},
		{fmt.Errorf("a page: %w", store.ErrStorageFull), http.StatusServiceUnavailable, "The storage is full"},
	} {
		if p := auth.Failure(test.err); p.Status != test.status || string(p.Title) != test.title || p.Text == "" {
			t.Errorf("%v: %+v", test.err, p)
		}
	}
}
