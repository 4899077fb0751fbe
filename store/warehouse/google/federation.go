package google

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"service/store/message"
	"service/store/pattern"
	"service/store/warehouse"
)

// A Do sends a request and returns the answer, whatever it is, with a bounded body. It dials as connections are dialled.
type Do func(r *http.Request) (status int, body []byte, err error)

// The claims of a connection's tokens. Google takes the keys from the provider, to which they were uploaded, and never asks the issuer,
// whose name (RFC 2606) no one can register.
const (
	Issuer  = "https://service.invalid"
	Subject = "service"
)

// provider matches the name of a workload identity provider: projects.locations.workloadIdentityPools.providers, "name". In front of it may
// be the host of IAM, as the console shows it.
var provider = pattern.New(`^(?:(?:https:)?//iam\.googleapis\.com/)?` +
	`(projects/([0-9]{1,20})/locations/global/workloadIdentityPools/([a-z0-9-]{4,32})/providers/([a-z0-9-]{4,32}))$`)

// email matches the address of a service account.
var email = pattern.New(`^[a-z0-9-]{1,64}@[a-z0-9.:-]{1,190}\.gserviceaccount\.com$`)

// A Federation is a sign-in without a key of Google's. It is safe for concurrent use.
type Federation struct {
	project, pool, provider string
	name                    string // of the provider, without a host
	account                 string // the service account that it acts for; empty for none
	key                     *rsa.PrivateKey
	now                     func() time.Time

	mu    sync.Mutex
	token string
	until time.Time
}

// NewFederation returns the federation of a target: its place is the full name of a workload identity provider, its user the address of a
// service account to act for, or empty, and its password the private half of the connection's key pair in PEM. The error is for the person
// who wrote them.
func NewFederation(t warehouse.Target) (*Federation, error) {
	f, err := parseFederation(t)
	if err != nil {
		return nil, err
	}
	var ok bool
	if f.key, ok = warehouse.ParseKey(t.Password); !ok {
		return nil, message.Refuse("place must be empty for the key of a service account. To sign in without it, have a new key pair made")
	}
	return f, nil
}

func parseFederation(t warehouse.Target) (*Federation, error) {
	m := provider.FindStringSubmatch(strings.TrimSpace(t.Place))
	switch {
	case m == nil:
		return nil, message.Refuse("place must be the full name of a workload identity provider, as in " +
			"projects/123456789012/locations/global/workloadIdentityPools/dashboards/providers/service")
	case t.User != "" && !email.MatchString(t.User):
		return nil, message.Refuse("user must be the address of a service account, as in dashboards@acme-prod.iam.gserviceaccount.com, or empty")
	}
	return &Federation{name: m[1], project: m[2], pool: m[3], provider: m[4], account: t.User, now: time.Now}, nil
}

// spare is how long before its expiry a token is no longer used.
const spare = 2 * time.Minute

// Token returns an access token for a scope. It asks Google for one, by do, if it has none or if anew is set. base is the address of the
// connection's host, which answers for all services of Google unless the host is one of Google's.
func (f *Federation) Token(ctx context.Context, do Do, base, scope string, anew bool) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !anew && f.token != "" && f.now().Add(spare).Before(f.until) {
		return f.token, nil
	}
	asked := scope
	if f.account != "" {
		asked = "https://www.googleapis.com/auth/cloud-platform" // generateAccessToken, "Authorization scopes"
	}
	token, until, err := f.exchange(ctx, do, base, asked)
	if err == nil && f.account != "" {
		token, until, err = f.act(ctx, do, base, token, scope)
	}
	if err != nil {
		return "", err
	}
	f.token, f.until = token, until
	return token, nil
}

// exchange exchanges a token of the connection's own for one of Google: "Security Token Service API", v1, token. The audience of the former
// is the name of the provider: OidcConfig, "allowedAudiences".
func (f *Federation) exchange(ctx context.Context, do Do, base, scope string) (token string, until time.Time, err error) {
	now := f.now()
	own, err := warehouse.SignToken(f.key, warehouse.KeyID(f.key), map[string]any{
		"iss": Issuer, "sub": Subject, "aud": "https://iam.googleapis.com/" + f.name, "iat": now.Unix(), "exp": now.Unix() + 600,
	})
	if err != nil {
		return "", until, err
	}
	body := []byte(url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "audience": {"//iam.googleapis.com/" + f.name}, "scope": {scope},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		"subject_token_type":   {"urn:ietf:params:oauth:token-type:jwt"}, "subject_token": {own},
	}.Encode())
	var answer struct {
		Token string `json:"access_token"`
		For   int64  `json:"expires_in"` // seconds
		Error string `json:"error"`
	}
	status, err := post(ctx, do, endpoint(base, "sts")+"/v1/token", "application/x-www-form-urlencoded", "", body, &answer)
	switch {
	case err != nil:
		return "", until, err
	case answer.Error == "invalid_target":
		return "", until, warehouse.Errorf(warehouse.Auth, "Google has no such workload identity provider, or it is switched off. Check its "+
			"name: it has the number of the project, not the project's id.")
	case answer.Error != "" || status/100 == 4:
		return "", until, warehouse.Errorf(warehouse.Auth, "Google refused the connection's key pair. The workload identity provider must have "+
			"the keys, the issuer and the mapping that the page of the connection shows, and the clock of this machine must be right.")
	case !sent(answer.Token):
		return "", until, errForm
	}
	return answer.Token, now.Add(time.Duration(min(max(answer.For, 0), 3600)) * time.Second), nil
}

// act returns a token of the service account: projects.serviceAccounts.generateAccessToken.
func (f *Federation) act(ctx context.Context, do Do, base, by, scope string) (token string, until time.Time, err error) {
	body, err := json.Marshal(map[string]any{"scope": []string{scope}, "lifetime": "3600s"})
	if err != nil {
		return "", until, err
	}
	var answer struct {
		Token string    `json:"accessToken"`
		Until time.Time `json:"expireTime"`
	}
	at := endpoint(base, "iamcredentials") + "/v1/projects/-/serviceAccounts/" + url.PathEscape(f.account) + ":generateAccessToken"
	status, err := post(ctx, do, at, "application/json", by, body, &answer)
	switch {
	case err != nil:
		return "", until, err
	case status/100 == 4:
		return "", until, warehouse.Errorf(warehouse.Auth, "Google does not let the connection act for the service account. It needs the role "+
			"Workload Identity User on the account, and the API IAM Service Account Credentials must be switched on in its project.")
	case !sent(answer.Token):
		return "", until, errForm
	}
	return answer.Token, answer.Until, nil
}

var errForm = warehouse.Errorf(warehouse.Failed, "Google answered in a form that is not known. Try again.")

// post sends a body, and reads the answer unless Google is busy. by is an access token, or empty.
func post(ctx context.Context, do Do, at, kind, by string, body []byte, answer any) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", kind)
	if by != "" {
		r.Header.Set("Authorization", "Bearer "+by)
	}
	status, text, err := do(r)
	switch {
	case err != nil:
		return 0, err
	case status == http.StatusTooManyRequests, status >= 500:
		return 0, warehouse.Errorf(warehouse.Busy, "Google takes no more requests for tokens at the moment. Try again in a little while.")
	case json.Unmarshal(text, answer) != nil && status/100 == 2:
		return 0, errForm
	case status/100 == 3:
		return 0, errForm
	}
	return status, nil
}

// endpoint returns the address of a service of Google for connections to base.
func endpoint(base, service string) string {
	if u, err := url.Parse(base); err == nil && strings.HasSuffix(u.Hostname(), ".googleapis.com") {
		return "https://" + service + ".googleapis.com"
	}
	return base
}

// sent reports whether a text can be sent in a header.
func sent(text string) bool {
	return text != "" && len(text) < 16<<10 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Steps returns what an administrator of the Google project runs in the Cloud Shell, so that Google accepts the key pair of a target. It is
// empty for other targets.
func Steps(t warehouse.Target) string {
	f, err := NewFederation(t)
	if err != nil {
		return ""
	}
	in := " --location global --project " + f.project
	steps := "cat > keys.json <<'EOF'\n" + warehouse.KeySet(f.key) + "\nEOF\n" +
		"gcloud iam workload-identity-pools create " + f.pool + in + "\n" +
		"gcloud iam workload-identity-pools providers create-oidc " + f.provider + in + " \\\n" +
		"  --workload-identity-pool " + f.pool + " --issuer-uri " + Issuer + " \\\n" +
		"  --attribute-mapping google.subject=assertion.sub --jwk-json-path keys.json"
	if f.account == "" {
		return steps
	}
	return steps + "\ngcloud iam service-accounts add-iam-policy-binding " + f.account + " \\\n" +
		"  --role roles/iam.workloadIdentityUser --member " + strconv.Quote(f.member())
}

// member returns the name by which the connection's identity is granted roles: "Principal identifiers".
func (f *Federation) member() string {
	return "principal://iam.googleapis.com/projects/" + f.project + "/locations/global/workloadIdentityPools/" + f.pool + "/subject/" + Subject
}
