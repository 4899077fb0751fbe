package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"service/auth"
	"service/store/storetest"
)

// TestSCIMIsServed: the operator's token opens SCIM on the app host, and nowhere else; without one there is no SCIM.
func TestSCIMIsServed(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdef0123456789abcdef"
	for _, on := range []bool{true, false} {
		_, db := storetest.New(t)
		environ := []string{"DATABASE_URL=" + databaseURL(db), "SERVICE_OIDC_ISSUER=https://id.example.com", "SERVICE_OIDC_CLIENT_ID=service"}
		if on {
			environ = append(environ, "SERVICE_SCIM_TOKEN=another-token-0123456789abcdef0123,"+token)
		}
		in := install(t, environ...)
		r, err := (&program{environ: in.environ, stdout: t.Output(), stderr: t.Output()}).begin(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		defer r.close() //nolint:errcheck // other tests check how it ends
		server, err := r.newServer(t.Context(), auth.OIDC{Issuer: "https://id.example.com", ClientID: "service"})
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			host, token string
			want        int
		}{
			{"app.", token, http.StatusOK},
			{"app.", token + "x", http.StatusUnauthorized},
			{"", token, http.StatusNotFound},
			{"acme.", token, http.StatusNotFound},
		} {
			if !on {
				test.want = http.StatusNotFound
			}
			req := httptest.NewRequestWithContext(t.Context(), "GET", "/scim/v2/Users", nil)
			req.Host = test.host + r.config.DashboardDomain
			req.Header.Set("Authorization", "Bearer "+test.token)
			answer := httptest.NewRecorder()
			server.Handler().ServeHTTP(answer, req)
			if got := answer.Code; got != test.want && !(test.host == "acme." && got == http.StatusFound) { // to the sign-in
				t.Errorf("on %t, host %s, token %s: status %d, want %d", on, req.Host, test.token, got, test.want)
			}
		}
	}
}
