package auth_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
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

// An identity provider whose answers never end costs a few megabytes, not the memory of the machine.
func TestEndlessAnswersOfTheProvider(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/.well-known/openid-configuration", "/keys", "/userinfo", "/token"} {
		t.Run(strings.Trim(path, "/"), func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.idp.Tamper(func(c map[string]any) { delete(c, "email") }) // so that userinfo is asked
			var sent atomic.Int64
			w.provider = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Type", "application/json")
				switch {
				case r.URL.Path == path:
					n, err := io.WriteString(rw, `{"x":"`)
					for part := strings.Repeat("x", 1<<16); err == nil && sent.Load() < 64<<20; n, err = io.WriteString(rw, part) {
						sent.Add(int64(n))
					}
				case strings.HasPrefix(r.URL.Path, "/.well-known/"):
					rec := httptest.NewRecorder()
					w.idp.ServeHTTP(rec, r)
					document := answer{rec.Result(), rec.Body.String()}.json(t)
					document["userinfo_endpoint"] = w.issuer + "/userinfo"
					_ = json.NewEncoder(rw).Encode(document)
				default:
					w.idp.ServeHTTP(rw, r)
				}
			})
			b := w.browser(t)
			a := b.get(w.app + "/sign-in")
			if a.StatusCode == http.StatusSeeOther || a.StatusCode == http.StatusFound {
				a = b.signIn(w.app+"/sign-in", "ana@example.com")
			}
			if a.StatusCode < http.StatusBadRequest {
				t.Errorf("status %d", a.StatusCode)
			}
			if got := sent.Load(); got == 0 || got > 24<<20 { // buffers of both ends hold a few
				t.Errorf("%d MB of the answer were read", got>>20)
			}
		})
	}
}
