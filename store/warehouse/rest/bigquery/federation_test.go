package bigquery_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/google"
	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/rest/resttest"
)

const (
	providerName = "projects/123456789012/locations/global/workloadIdentityPools/dashboards/providers/service"
	acting       = "dashboards@acme-prod.iam.gserviceaccount.com"
)

// A federation is a stand-in of Google's Security Token Service (v1, token), of the IAM Service Account Credentials API
// (projects.serviceAccounts.generateAccessToken), and of the check of their tokens by BigQuery.
type federation struct {
	*resttest.Server[col]
	direct  bool   // no service account
	asked   int    // tokens
	good    string // the token that BigQuery accepts
	refuse  string // a path whose requests are refused
	status  int
	refusal string
	expires int // seconds that a token is good
}

// startFederation starts a stand-in of BigQuery with the services of Google that give tokens.
func startFederation(t *testing.T, direct bool) *federation {
	f := &federation{Server: start(t), direct: direct, expires: 3599}
	serve := f.Serve
	f.Before(func(w http.ResponseWriter, r *http.Request) bool {
		switch path := r.URL.Path; {
		case f.refuse != "" && strings.Contains(path, f.refuse):
			w.WriteHeader(f.status)
			fmt.Fprint(w, f.refusal)
		case path == "/v1/token":
			f.exchange(w, r)
		case strings.HasPrefix(path, "/v1/projects/"):
			f.act(w, r)
		case r.Header.Get("Authorization") != "Bearer "+f.good:
			refuse(w, resttest.Err(http.StatusUnauthorized, "authError", "Invalid Credentials"))
		default:
			asAccount(r) // the stand-in of BigQuery checks self-signed tokens
			serve(w, r)
		}
		return true
	})
	return f
}

// asAccount replaces the token of a request by one that the stand-in of BigQuery accepts.
func asAccount(r *http.Request) {
	now := time.Now().Unix()
	token, err := warehouse.SignToken(resttest.Key(), "0123abc", map[string]any{
		"iss": account, "sub": account, "aud": "https://127.0.0.1/", "iat": now, "exp": now + 3600,
	})
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
}

// scopes are those that lead to BigQuery, and to a service account first.
func (f *federation) scope() string {
	if f.direct {
		return "https://www.googleapis.com/auth/bigquery"
	}
	return "https://www.googleapis.com/auth/cloud-platform"
}

// exchange is token: ExchangeTokenRequest, and "If the token is an OIDC JWT, it must use the JWT format defined in RFC 7523".
func (f *federation) exchange(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.Header.Get("Authorization") != "" {
		f.Errorf("token: %v", err) // "do not send the Authorization HTTP header in the request"
	}
	form := r.PostForm
	want := map[string]string{
		"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": "//iam.googleapis.com/" + providerName, "scope": f.scope(),
		"requested_token_type": "urn:ietf:params:oauth:token-type:access_token", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
	}
	var head struct{ Alg, Typ, Kid string }
	var claims struct {
		Iss, Sub, Aud string
		Iat, Exp      int64
	}
	err := resttest.Token("Bearer "+form.Get("subject_token"), &head, &claims)
	now := time.Now().Unix()
	if err != nil || head.Alg != "RS256" || head.Kid != warehouse.KeyID(resttest.Key()) || claims.Iss != google.Issuer ||
		claims.Sub != google.Subject || claims.Aud != "https://iam.googleapis.com/"+providerName || claims.Iat > now ||
		claims.Exp <= now || claims.Exp > claims.Iat+24*3600 { // "iat … must be in the past", "exp … must not be more than 24 hours"
		f.Errorf("the subject token is %+v, %+v, %v", head, claims, err)
	}
	form.Del("subject_token")
	got := map[string]string{}
	for name := range form {
		got[name] = form.Get(name)
	}
	if !maps.Equal(got, want) {
		f.Errorf("token is asked with %v", got)
	}
	f.asked++
	token := fmt.Sprint("federated.", f.asked)
	if f.direct {
		f.good = token
	}
	resttest.Answer(w, http.StatusOK, map[string]any{
		"access_token": token, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer",
		"expires_in": f.expires,
	})
}

// act is generateAccessToken.
func (f *federation) act(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Scope    []string `json:"scope"`
		Lifetime string   `json:"lifetime"`
	}
	err := resttest.Decode(r, &body)
	if err != nil || f.direct || r.Method != http.MethodPost ||
		r.URL.Path != "/v1/projects/-/serviceAccounts/"+acting+":generateAccessToken" ||
		!slices.Equal(body.Scope, []string{"https://www.googleapis.com/auth/bigquery"}) || body.Lifetime != "3600s" ||
		r.Header.Get("Authorization") != fmt.Sprint("Bearer federated.", f.asked) {
		f.Errorf("generateAccessToken: %v, %s, %+v", err, r.URL.Path, body)
	}
	f.good = fmt.Sprint("acting.", f.asked)
	resttest.Answer(w, http.StatusOK, map[string]any{
		"accessToken": f.good, "expireTime": time.Now().Add(time.Duration(f.expires) * time.Second).UTC().Format(time.RFC3339Nano),
	})
}

// target returns a target without a key of Google's.
func (f *federation) target() warehouse.Target {
	t := f.TargetAt("")
	t.Database, t.Password, t.Place, t.User = "acme-prod.shop", resttest.PEM(), "//iam.googleapis.com/"+providerName, acting
	if f.direct {
		t.User = ""
	}
	return t
}

// ask runs a query on a new connector.
func (f *federation) ask(t *testing.T) *warehouse.Error {
	t.Helper()
	c, err := bigquery.Open(f.target(), warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	_, bad := resttest.Ask(t, c, resttest.One, time.Minute)
	return bad
}

// TestFederation: a connection without a key exchanges a token that its own key pair has signed, for the service account or for itself. A
// connector asks once, and again when BigQuery refuses the token or when it is about to expire.
func TestFederation(t *testing.T) {
	t.Parallel()
	for name, direct := range map[string]bool{"as a service account": false, "directly": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFederation(t, direct)
			target := f.target()
			c, err := bigquery.Open(target, warehouse.Dialer{AllowPrivate: true})
			if err != nil {
				t.Fatal(err)
			}
			ask := func(asked int) {
				t.Helper()
				if rows, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad != nil || len(rows.Rows) != 1 || f.asked != asked {
					t.Errorf("%v, %v after %d tokens, want %d", rows, bad, f.asked, asked)
				}
			}
			ask(1)
			ask(1)
			f.good, f.expires = "another", 60
			ask(2)
			f.expires = 3599
			ask(3)
			ask(3)
			facts, err := warehouse.Facts(t.Context(), c, "bigquery", target)
			if err != nil || !strings.HasPrefix(facts[2].Value, "workload identity federation") {
				t.Errorf("%v, %v", facts, err)
			}
		})
	}
}

// TestFederationRefused: a refusal of Google is a sentence about its remedy, without the answer and without the token.
func TestFederationRefused(t *testing.T) {
	t.Parallel()
	f := startFederation(t, false)
	for name, c := range map[string]struct {
		path    string
		status  int
		answer  string
		class   warehouse.Class
		message string
	}{
		"no provider":    {"/v1/token", 400, `{"error":"invalid_target","error_description":"s3cret"}`, warehouse.Auth, "number of the project"},
		"another key":    {"/v1/token", 400, `{"error":"invalid_grant","error_description":"s3cret"}`, warehouse.Auth, "key pair"},
		"no grant":       {"/v1/projects/", 403, `{"error":{"code":403,"message":"s3cret"}}`, warehouse.Auth, "Workload Identity User"},
		"no account":     {"/v1/projects/", 404, `{"error":{"code":404,"message":"s3cret"}}`, warehouse.Auth, "Workload Identity User"},
		"busy":           {"/v1/token", 503, `s3cret`, warehouse.Busy, "Try again"},
		"throttled":      {"/v1/projects/", 429, `s3cret`, warehouse.Busy, "Try again"},
		"no JSON":        {"/v1/token", 200, `s3cret`, warehouse.Failed, "form that is not known"},
		"no token":       {"/v1/token", 200, `{}`, warehouse.Failed, "form that is not known"},
		"a hostile one":  {"/v1/token", 200, `{"access_token":"s3cret\r\nX-Evil: 1"}`, warehouse.Failed, "form that is not known"},
		"a redirect":     {"/v1/token", 307, ``, warehouse.Failed, "form that is not known"},
		"an endless one": {"/v1/token", 200, strings.Repeat(" ", 17<<20) + "{}", warehouse.TooLarge, "larger than"},
	} {
		f.refuse, f.status, f.refusal = c.path, c.status, c.answer
		bad := f.ask(t)
		if bad == nil || bad.Class != c.class || !strings.Contains(bad.Message, c.message) || strings.Contains(bad.Message, "s3cret") {
			t.Errorf("%s: %+v", name, bad)
		}
	}
	f.refuse = ""
	f.Before(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/v1/token":
			f.exchange(w, r)
		case strings.HasPrefix(r.URL.Path, "/v1/projects/"):
			f.act(w, r)
		default:
			refuse(w, resttest.Err(http.StatusUnauthorized, "authError", "s3cret"))
		}
		return true
	})
	if bad := f.ask(t); bad == nil || bad.Class != warehouse.Auth || !strings.Contains(bad.Message, "identity of the connection") {
		t.Errorf("%+v", bad)
	}
}

// TestFederationFields: a provider, an account or a dataset that cannot be one is refused by the name of its field before anything is
// dialled, and so is a key where none belongs.
func TestFederationFields(t *testing.T) {
	t.Parallel()
	f := &federation{Server: start(t)}
	external, _ := json.Marshal(map[string]any{
		"type": "external_account", "audience": "//iam.googleapis.com/" + providerName, "token_url": "https://sts.googleapis.com/v1/token",
		"credential_source": map[string]string{"file": "/etc/passwd"},
	})
	for name, c := range map[string]struct {
		spoil func(t *warehouse.Target)
		want  string
	}{
		"no provider":         {func(t *warehouse.Target) { t.Place = "dashboards" }, "place must be the full name"},
		"the id of a project": {func(t *warehouse.Target) { t.Place = strings.Replace(t.Place, "123456789012", "acme", 1) }, "place must be"},
		"a pool":              {func(t *warehouse.Target) { t.Place, _, _ = strings.Cut(t.Place, "/providers") }, "place must be"},
		"another host":        {func(t *warehouse.Target) { t.Place = "//evil.example/" + providerName }, "place must be"},
		"an injection":        {func(t *warehouse.Target) { t.Place = providerName + "\nrm -rf /" }, "place must be"},
		"no account":          {func(t *warehouse.Target) { t.User = "ann" }, "user must be"},
		"a person":            {func(t *warehouse.Target) { t.User = "ann@example.com" }, "user must be"},
		"a path for account":  {func(t *warehouse.Target) { t.User = "../x@a.iam.gserviceaccount.com" }, "user must be"},
		"no project":          {func(t *warehouse.Target) { t.Database = "shop" }, "database must be a dataset with its project"},
		"a key": {func(t *warehouse.Target) {
			target(t)
			t.Database = "acme-prod.shop"
		}, "place must be empty for the key of a service account"},
		"an account with a key": {func(t *warehouse.Target) {
			target(t)
			t.Place = ""
		}, "user must be empty"},
		"a configuration":          {func(t *warehouse.Target) { t.Place, t.User, t.Password = "", "", string(external) }, "leave the key empty"},
		"a key pair, no provider":  {func(t *warehouse.Target) { t.Place, t.User = "", "" }, "The key is not that of a service account"},
		"neither key nor provider": {func(t *warehouse.Target) { t.Place, t.User, t.Password = "", "", "" }, "paste the whole JSON file"},
	} {
		at := f.target()
		c.spoil(&at)
		_, err := bigquery.Open(at, warehouse.Dialer{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFederationSteps: the commands have the names of the target and the public half of its key, and nothing of the private half.
func TestFederationSteps(t *testing.T) {
	t.Parallel()
	f := &federation{Server: start(t)}
	steps := google.Steps(f.target())
	for _, want := range []string{
		"gcloud iam workload-identity-pools create dashboards --location global --project 123456789012\n",
		"providers create-oidc service --location global --project 123456789012 \\\n  --workload-identity-pool dashboards ",
		"--issuer-uri https://service.invalid \\\n  --attribute-mapping google.subject=assertion.sub --jwk-json-path keys.json",
		"add-iam-policy-binding " + acting + " \\\n  --role roles/iam.workloadIdentityUser --member \"principal://iam.googleapis.com/projects/" +
			"123456789012/locations/global/workloadIdentityPools/dashboards/subject/service\"",
	} {
		if !strings.Contains(steps, want) {
			t.Errorf("%s is not in\n%s", want, steps)
		}
	}
	_, rest, _ := strings.Cut(steps, "<<'EOF'\n")
	set, _, _ := strings.Cut(rest, "\nEOF")
	var keys struct {
		Keys []map[string]string `json:"keys"`
	}
	if err := json.Unmarshal([]byte(set), &keys); err != nil || len(keys.Keys) != 1 || len(keys.Keys[0]) != 6 || keys.Keys[0]["e"] != "AQAB" ||
		keys.Keys[0]["kid"] != warehouse.KeyID(resttest.Key()) {
		t.Errorf("%v, %v", keys, err)
	}
}
