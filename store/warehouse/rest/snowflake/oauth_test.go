package snowflake_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/rest/snowflake"
)

// An issuer is a stand-in of the token endpoint of an identity provider (RFC 6749, 4.4), and of the check of its tokens by Snowflake.
type issuer struct {
	*resttest.Server[col]
	asked   int      // tokens
	revoked bool     // Snowflake accepts no token
	good    string   // the token that Snowflake accepts
	body    string   // of the answer with a token; %s is the token
	refuse  []string // answers instead of tokens, in order: a status and a body
}

const scope = "api://snowflake/.default openid"

// startIssuer starts a stand-in of Snowflake and of an identity provider.
func startIssuer(t *testing.T) *issuer {
	i := &issuer{Server: start(t), body: `{"token_type":"Bearer","expires_in":3599,"access_token":"%s"}`}
	serve := i.Serve
	i.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/tenant/token" {
			i.token(w, r)
			return true
		}
		if kind := r.Header.Get("X-Snowflake-Authorization-Token-Type"); kind != "OAUTH" || strings.Contains(fmt.Sprint(r.Header), "s3cret") {
			t.Errorf("%s: %v", kind, r.Header)
		}
		if i.revoked || r.Header.Get("Authorization") != "Bearer "+i.good {
			refuse(w, resttest.Err(http.StatusUnauthorized, "390303", "Invalid OAuth access token."))
			return true
		}
		asUser(r) // the stand-in of Snowflake checks tokens of key pairs
		serve(w, r)
		return true
	})
	return i
}

// asUser replaces the token of a request by one that the stand-in of Snowflake accepts.
func asUser(r *http.Request) {
	h := http.Header{}
	target := warehouse.Target{Host: "127.0.0.1", Port: 443, User: "reader", Password: resttest.PEM(), TLS: warehouse.TLSOff}
	if err := snowflake.SignAs(target, h); err != nil {
		panic(err)
	}
	maps.Copy(r.Header, h)
}

// token is "Access Token Request", 4.4.2, with client authentication as in 2.3.1: both halves are encoded as in a form.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	if !ok || id != "0f2a-client" || secret != "s3cret%3A%25+word" || r.Method != http.MethodPost ||
		r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || len(r.Header["X-Snowflake-Authorization-Token-Type"]) > 0 {
		i.Errorf("%s %s, %v", r.Method, r.URL, r.Header)
	}
	want := url.Values{"grant_type": {"client_credentials"}, "scope": {scope}}
	if err := r.ParseForm(); err != nil || r.PostForm.Encode() != want.Encode() {
		i.Errorf("%v, %v", r.PostForm, err)
	}
	if len(i.refuse) > 0 {
		status, body, _ := strings.Cut(i.refuse[0], " ")
		var code int
		fmt.Sscan(status, &code)
		i.refuse = i.refuse[1:]
		w.Header().Set("Location", "https://evil.example/")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
		return
	}
	i.asked++
	i.good = fmt.Sprintf("eyJ.token.%d", i.asked)
	fmt.Fprintf(w, i.body, i.good)
}

// target is one that signs in by OAuth.
func (i *issuer) target() warehouse.Target {
	at := i.TargetAt("")
	at.User, at.Password, at.Place = "0f2a-client", "s3cret:% word", "http://"+i.Address()+"/tenant/token "+scope
	return at
}

func (i *issuer) open(t *testing.T, at warehouse.Target) warehouse.Connector {
	t.Helper()
	c, err := snowflake.Open(at, warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOAuth: a connection with a token endpoint sends the token of its identity provider, which it keeps, and requests another when
// Snowflake refuses it. "Authenticating to the server", "Using OAuth". The secret is sent to the endpoint alone.
func TestOAuth(t *testing.T) {
	t.Parallel()
	i := startIssuer(t)
	c := i.open(t, i.target())
	ask := func(tokens int) {
		t.Helper()
		if table, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad != nil || len(table.Rows) != 1 || i.asked != tokens {
			t.Errorf("%v, %v, %d tokens", table.Rows, bad, i.asked)
		}
	}
	ask(1)
	ask(1)
	i.good = "revoked"
	ask(2)
	i.revoked = true
	_, bad := resttest.Ask(t, c, resttest.One, time.Minute)
	const want = "Snowflake refused the token of the identity provider. A security integration of the account must trust it, and map it to " +
		"a user."
	if bad == nil || bad.Class != warehouse.Auth || bad.Message != want || i.asked != 3 {
		t.Errorf("%v, %d tokens", bad, i.asked)
	}
	i.revoked = false
	// Some servers write the lifetime as a text, or leave it out: then the token serves one call.
	for n, body := range []string{
		`{"token_type":"bearer","expires_in":"3599","access_token":"%s"}`, `{"token_type":"Bearer","access_token":"%s"}`,
	} {
		i.body, i.asked = body, 0
		c = i.open(t, i.target())
		ask(1)
		ask(1 + n)
	}
	facts, err := warehouse.Facts(t.Context(), c, "snowflake", i.target())
	text := fmt.Sprint(facts)
	if err != nil || !strings.Contains(text, "{sign-in secret of a client (OAuth)}") || strings.Contains(text, "s3cret") {
		t.Error(text, err)
	}
}

// TestOAuthRefused: the error of a token endpoint names the cause in plain words, and contains nothing of its answer.
func TestOAuthRefused(t *testing.T) {
	t.Parallel()
	const form = "The warehouse answered in a form that is not known. Try again."
	const client = "The identity provider refused the client. Its id or its secret is not right, or the secret has expired."
	for name, try := range map[string]struct {
		answers []string
		class   warehouse.Class
		message string
	}{
		"client":  {[]string{`401 {"error":"invalid_client","error_description":"s3cret"}`}, warehouse.Auth, client},
		"grant":   {[]string{`400 {"error":"unauthorized_client"}`}, warehouse.Auth, client},
		"scope":   {[]string{`400 {"error":"invalid_scope"}`}, warehouse.Connect, warehouse.SayScope},
		"nowhere": {[]string{`404 <html>s3cret</html>`}, warehouse.Connect, warehouse.SayNoIssuer},
		"moved":   {[]string{`302 `}, warehouse.Connect, warehouse.SayNoIssuer},
		"a page":  {[]string{`200 <html>s3cret</html>`}, warehouse.Connect, warehouse.SayNoIssuer},
		"others":  {[]string{`200 {"access_token":"s3cret word","token_type":"bearer"}`}, warehouse.Failed, form},
		"kind":    {[]string{`200 {"access_token":"s3cret","token_type":"mac"}`}, warehouse.Failed, form},
		"busy":    {[]string{`503 `}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := startIssuer(t)
			i.refuse = try.answers
			_, bad := resttest.Ask(t, i.open(t, i.target()), resttest.One, time.Minute)
			switch {
			case try.class == "" && bad != nil:
				t.Error(bad)
			case try.class != "" && (bad == nil || bad.Class != try.class || bad.Message != try.message):
				t.Errorf("%v", bad)
			}
		})
	}
}

// TestOAuthPlace: the place of a target is an address of HTTPS or of the connection's own host. An endpoint on a private address is not
// dialled without permission of the operator, and one without an answer is named. A target without a secret is refused.
func TestOAuthPlace(t *testing.T) {
	t.Parallel()
	at := warehouse.Target{
		Host: "acme.snowflakecomputing.com", Port: 443, Database: "SALES", User: "0f2a", Password: "s3cret", TLS: warehouse.TLSVerify,
	}
	for _, place := range []string{
		"login.example.com", "http://login.example.com/token", "https://ann@login.example.com/token", "https:///token", "file:///etc/passwd",
		"https://login.example.com/token#x",
	} {
		at.Place = place
		_, err := snowflake.Open(at, warehouse.Dialer{})
		if err == nil || !strings.HasPrefix(err.Error(), "place must be the address of a token endpoint") {
			t.Errorf("%s: %v", place, err)
		}
	}
	var met int
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { met++ }))
	defer server.Close()
	at.Place = server.URL + "/token"
	for allow, want := range map[bool]string{
		false: "private or local address", true: warehouse.SayNoIssuer, // its certificate is not trusted
	} {
		c, err := snowflake.Open(at, warehouse.Dialer{AllowPrivate: allow})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), want) || met > 0 {
			t.Errorf("%v after %d requests", err, met)
		}
	}
	at.Password = ""
	_, err := snowflake.Open(at, warehouse.Dialer{})
	if err == nil || !strings.Contains(err.Error(), "The secret of the OAuth client is missing") {
		t.Error(err)
	}
}
