package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"service/store"
	"service/store/warehouse"
)

// grantAssertion is the grant type of RFC 7523: a signed token of an issuer that the operator trusts, in place of a person's consent.
const grantAssertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// assertionAlgorithms are the accepted signatures. none and signatures with a shared secret are not among them.
var assertionAlgorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// Limits of issuers.
const (
	maxAssertion = 16 << 10  // of a token, in bytes
	maxKeys      = 256 << 10 // of an issuer's answer, in bytes
	maxProvider  = 4 << 20   // of an answer of the identity provider, in bytes: claims may name thousands of groups
	issuerTime   = 10 * time.Second
	keepIssuer   = time.Hour // how long the discovery document of an issuer is kept
)

// issuers is the cache of discovered issuers of trusts.
type issuers struct {
	client *http.Client

	mu    sync.Mutex
	found map[string]foundIssuer
}

type foundIssuer struct {
	provider *oidc.Provider
	at       time.Time
}

// newIssuers returns a cache whose requests reach public addresses only, unless private is true.
func newIssuers(private bool) *issuers {
	dialer := warehouse.Dialer{AllowPrivate: private}
	return &issuers{found: map[string]foundIssuer{}, client: &http.Client{
		Timeout:       issuerTime,
		Transport:     &sparing{RoundTripper: limitedBodies{guarded(dialer), maxKeys}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("an issuer must not redirect") },
	}}
}

// guarded returns a transport whose connections the dialer makes: to public addresses, unless it allows others.
func guarded(dialer warehouse.Dialer) *http.Transport {
	return &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: issuerTime, MaxIdleConns: 4, IdleConnTimeout: time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// limitedBodies limits the bodies of answers, which the OpenID library reads whole.
type limitedBodies struct {
	http.RoundTripper
	most int64
}

func (l limitedBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, l.most), res.Body}
	}
	return res, err
}

const (
	keepAnswer = 5 * time.Second // how long an answer counts that anybody can get
	maxAnswers = 16              // that are kept
)

// sparing asks for the same document at most once in keepAnswer: the OpenID library fetches the keys of an issuer again for each token
// whose signature is wrong, and anybody can send such tokens. Requests with credentials pass.
type sparing struct {
	http.RoundTripper

	mu   sync.Mutex
	kept map[string]keptAnswer // by address
}

type keptAnswer struct {
	header http.Header
	body   []byte
	at     time.Time
}

func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || r.Header.Get("Authorization") != "" {
		return s.RoundTripper.RoundTrip(r)
	}
	address := r.URL.String()
	s.mu.Lock()
	kept, ok := s.kept[address]
	s.mu.Unlock()
	if !ok || time.Since(kept.at) >= keepAnswer {
		res, err := s.RoundTripper.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusOK {
			return res, err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, err
		}
		kept = keptAnswer{res.Header, body, time.Now()}
		s.mu.Lock()
		if s.kept == nil || len(s.kept) >= maxAnswers {
			s.kept = map[string]keptAnswer{}
		}
		s.kept[address] = kept
		s.mu.Unlock()
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: kept.header.Clone(),
		Body: io.NopCloser(bytes.NewReader(kept.body)), ContentLength: int64(len(kept.body)), Request: r,
	}, nil
}

// provider discovers an issuer. Its keys are fetched when they are needed, and again when a token names an unknown one.
func (i *issuers) provider(ctx context.Context, issuer string, now time.Time) (*oidc.Provider, error) {
	i.mu.Lock()
	known := i.found[issuer]
	i.mu.Unlock()
	if known.provider != nil && now.Sub(known.at) < keepIssuer {
		return known.provider, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), i.client), issuer)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	i.found[issuer] = foundIssuer{p, now} // operators name the issuers, so there are few
	i.mu.Unlock()
	return p, nil
}

// assertionClaims are the claims that are used.
type assertionClaims struct {
	Issuer   string   `json:"iss"`
	Audience audience `json:"aud"`
	Subject  string   `json:"sub"`
	IssuedAt float64  `json:"iat"`
	ID       string   `json:"jti"`
}

// An audience is a text or a list of texts.
type audience []string

func (a *audience) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(a))
}

func badAssertion(description string) error { return badRequest("invalid_grant", description) }

// exchangeAssertion answers the grant type of RFC 7523. It needs no client: the assertion authenticates the caller.
func (s *Server) exchangeAssertion(r *http.Request, form url.Values) (*tokens, error) {
	raw := form.Get("assertion")
	switch {
	case raw == "":
		return nil, badRequest("invalid_request", "assertion is missing.")
	case len(raw) > maxAssertion:
		return nil, badRequest("invalid_request", "assertion is too long.")
	}
	if asked := strings.Fields(form.Get("scope")); len(asked) > 0 && !slices.Contains(asked, scope) {
		return nil, badRequest("invalid_scope", "The grant is for the scope "+scope+".")
	}
	if !s.audience(form["resource"]) {
		return nil, badRequest("invalid_target", "resource must be "+s.resource()+".")
	}
	if isIDJAG(raw) {
		return s.exchangeIDJAG(r, form, raw)
	}
	// Nothing is fetched for a token that no trust fits, whoever signed it.
	claimed, err := unverified(raw)
	if err != nil {
		return nil, err
	}
	trust, err := s.trustFor(r.Context(), claimed, form.Get("workspace"))
	if err != nil {
		return nil, err
	}
	if err := s.verifyAssertion(r.Context(), raw, trust); err != nil {
		return nil, err
	}
	at := time.Unix(int64(claimed.IssuedAt), 0) // the verified token is the one that was read
	now := s.cfg.Now()
	switch {
	case claimed.IssuedAt <= 0 || claimed.ID == "":
		return nil, badAssertion("The assertion must have iat and jti.")
	case now.Sub(at) > store.AssertionAge:
		return nil, badAssertion("The assertion was issued more than 10 minutes ago. Ask the issuer for another one.")
	case at.Sub(now) > store.AssertionSkew:
		return nil, badAssertion("The assertion was issued in the future: a clock is wrong.")
	}
	id := sha256.Sum256([]byte(claimed.Issuer + "\x00" + claimed.ID))
	out := tokens{Access: newSecret(accessPrefix)}
	issued, err := s.cfg.Store.OAuth.GrantTrust(r.Context(), trust, store.Assertion{ID: id[:], IssuedAt: at, Subject: claimed.Subject},
		scope, s.resource(), hashed(out.Access))
	switch {
	case errors.Is(err, store.ErrReplayed):
		return nil, badAssertion("The assertion was used before: it counts once. Keep the access token, or ask the issuer for another assertion.")
	case errors.Is(err, store.ErrNotFound):
		return nil, badAssertion("The trust has ended.")
	case err != nil:
		return nil, err
	}
	return s.answer(out, issued.Scope, issued.Expires), nil
}

// unverified reads the claims of a token whose signature has not been checked yet. An algorithm that is not accepted is refused.
func unverified(raw string) (c assertionClaims, err error) {
	algorithms := make([]jose.SignatureAlgorithm, len(assertionAlgorithms))
	for i, name := range assertionAlgorithms {
		algorithms[i] = jose.SignatureAlgorithm(name)
	}
	token, err := jose.ParseSignedCompact(raw, algorithms)
	if err != nil {
		return c, badAssertion("The assertion must be a JSON Web Token, signed by one of " + strings.Join(assertionAlgorithms, ", ") + ".")
	}
	if json.Unmarshal(token.UnsafePayloadWithoutVerification(), &c) != nil || c.Issuer == "" || c.Subject == "" {
		return c, badAssertion("The assertion must have the claims iss, sub, aud, exp, iat and jti.")
	}
	return c, nil
}

// trustFor returns the one trust that fits the claims; of one workspace, unless that is empty. A subject without * counts before patterns.
func (s *Server) trustFor(ctx context.Context, c assertionClaims, workspace string) (store.Trust, error) {
	all, err := s.cfg.Store.OAuth.TrustsOf(ctx, c.Issuer, workspace)
	if err != nil {
		return store.Trust{}, err
	}
	all = slices.DeleteFunc(all, func(t store.Trust) bool { return !slices.Contains(c.Audience, t.Audience) || !t.Matches(c.Subject) })
	if exact := func(t store.Trust) bool { return t.Subject == c.Subject }; slices.ContainsFunc(all, exact) {
		all = slices.DeleteFunc(all, func(t store.Trust) bool { return !exact(t) })
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return store.Trust{}, badAssertion("No trust fits the issuer, audience and subject of the assertion. " +
			"The operator adds one: service admin trust add.")
	case workspace == "":
		return store.Trust{}, badAssertion("Several trusts fit the assertion: name the one by workspace, or let the operator remove the others.")
	}
	return store.Trust{}, badAssertion("Several trusts of the workspace fit the assertion: the operator must make their " +
		"subjects exclude each other.")
}

// verifyAssertion checks the signature of a token by the keys of its issuer, and its issuer, audience and time.
func (s *Server) verifyAssertion(ctx context.Context, raw string, t store.Trust) error {
	p, err := s.issuers.provider(ctx, t.Issuer, s.cfg.Now())
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "issuer of a trust cannot be discovered", "issuer", t.Issuer, "err", err)
		return &oauthError{http.StatusBadGateway, "temporarily_unavailable", "The issuer's keys could not be fetched. Try again."}
	}
	verifier := p.Verifier(&oidc.Config{ClientID: t.Audience, SupportedSigningAlgs: assertionAlgorithms, Now: s.cfg.Now})
	_, err = verifier.Verify(oidc.ClientContext(ctx, s.issuers.client), raw)
	if expired, ok := errors.AsType[*oidc.TokenExpiredError](err); ok && expired != nil {
		return badAssertion("The assertion has expired. Ask the issuer for another one.")
	}
	if err != nil {
		s.cfg.Log.InfoContext(ctx, "assertion refused", "issuer", t.Issuer, "err", err)
		return badAssertion("The assertion's signature, issuer, audience or time is not valid.")
	}
	return nil
}
