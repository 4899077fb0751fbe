package auth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"service/auth/devidp"
)

// Some providers return the e-mail address only at their userinfo endpoint. It counts if its subject
// is the same.
func TestUserInfo(t *testing.T) {
	t.Parallel()
	subject := devidp.Subject("ana@example.com")
	for _, test := range []struct {
		name   string
		status int
		info   map[string]any
		want   int
		body   string
	}{
		{
			"a verified address", http.StatusOK,
			map[string]any{"sub": subject, "email": "ana@example.com", "email_verified": true},
			http.StatusOK, "signed in as ana@example.com",
		},
		{"one that is not", http.StatusOK, map[string]any{"sub": subject, "email": "ana@example.com"}, http.StatusOK, "signed in as "},
		{
			"another subject", http.StatusOK,
			map[string]any{"sub": "eve", "email": "ana@example.com", "email_verified": true},
			http.StatusBadRequest, "",
		},
		{"no answer", http.StatusServiceUnavailable, nil, http.StatusBadGateway, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.idp.Tamper(func(c map[string]any) {
				delete(c, "email")
				delete(c, "email_verified")
			})
			w.provider = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/.well-known/openid-configuration":
					rec := httptest.NewRecorder()
					w.idp.ServeHTTP(rec, r)
					document := answer{rec.Result(), rec.Body.String()}.json(t)
					document["userinfo_endpoint"] = w.issuer + "/userinfo"
					rw.Header().Set("Content-Type", "application/json")
					_ = json.NewEncoder(rw).Encode(document)
				case "/userinfo":
					if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
						t.Error("asked without a token")
					}
					rw.Header().Set("Content-Type", "application/json")
					rw.WriteHeader(test.status)
					_ = json.NewEncoder(rw).Encode(test.info)
				default:
					w.idp.ServeHTTP(rw, r)
				}
			})
			b := w.browser(t)
			a := b.signIn(w.app+"/sign-in", "ana@example.com")
			if a.StatusCode != test.want || test.body != "" && a.body != test.body {
				t.Errorf("status %d: %s", a.StatusCode, a.body)
			}
		})
	}
}
