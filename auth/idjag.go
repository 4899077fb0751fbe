package auth

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"service/store"
)

// typeIDJAG is the type of an Identity Assertion JWT Authorization Grant: the identity provider asserts that a person may use a client
// here.
const typeIDJAG = "oauth-id-jag+jwt"

// profileIDJAG names the kind of assertion in the metadata.
const profileIDJAG = "urn:ietf:params:oauth:grant-profile:id-jag"

// isIDJAG reports whether an assertion, whose signature has not been checked yet, is an ID-JAG by its header.
func isIDJAG(raw string) bool {
	algorithms := make([]jose.SignatureAlgorithm, len(assertionAlgorithms))
	for i, name := range assertionAlgorithms {
		algorithms[i] = jose.SignatureAlgorithm(name)
	}
	token, err := jose.ParseSignedCompact(raw, algorithms)
	if err != nil || len(token.Signatures) != 1 {
		return false
	}
	kind, _ := token.Signatures[0].Header.ExtraHeaders[jose.HeaderType].(string)
	return kind == typeIDJAG
}

// exchangeIDJAG answers an ID-JAG of the identity provider that people sign in with. It must be for the calling client.
func (s *Server) exchangeIDJAG(r *http.Request, form url.Values, raw string) (*tokens, error) {
	if !s.cfg.IDJAG {
		return nil, badRequest("unsupported_grant_type", "Assertions of the identity provider are not accepted here.")
	}
	client, err := s.authenticate(r, form)
	if err != nil {
		return nil, err
	}
	p, _, err := s.discover(r.Context())
	if err != nil {
		s.cfg.Log.WarnContext(r.Context(), "the identity provider cannot be discovered", "err", err)
		return nil, &oauthError{http.StatusBadGateway, "temporarily_unavailable", "The identity provider's keys could not be fetched. Try again."}
	}
	verifier := p.Verifier(&oidc.Config{ClientID: s.cfg.BaseURL, SupportedSigningAlgs: assertionAlgorithms, Now: s.cfg.Now})
	token, err := verifier.Verify(s.oidcContext(r.Context()), raw)
	if err != nil {
		s.cfg.Log.InfoContext(r.Context(), "assertion of the identity provider refused", "err", err)
		return nil, badAssertion("The assertion's signature, issuer, audience or time is not valid.")
	}
	var c struct {
		ClientID string   `json:"client_id"`
		Resource audience `json:"resource"`
		ID       string   `json:"jti"`
		IssuedAt float64  `json:"iat"`
	}
	all := map[string]json.RawMessage{}
	if token.Claims(&c) != nil || token.Claims(&all) != nil {
		return nil, badAssertion("The claims of the assertion cannot be read.")
	}
	at, now := time.Unix(int64(c.IssuedAt), 0), s.cfg.Now()
	switch {
	case len(token.Audience) != 1:
		return nil, badAssertion("The assertion must be for this server alone.")
	case c.ClientID == "" || c.ClientID != client.ID:
		return nil, badAssertion("The assertion is for another client: its client_id must be the one that the client has here.")
	case !s.audience(c.Resource):
		return nil, badAssertion("The assertion is for another resource than " + s.resource() + ".")
	case c.IssuedAt <= 0 || c.ID == "" || token.Subject == "":
		return nil, badAssertion("The assertion must have sub, iat and jti.")
	case now.Sub(at) > store.AssertionAge || at.Sub(now) > store.AssertionSkew:
		return nil, badAssertion("The assertion was issued more than 10 minutes ago, or in the future.")
	}
	id := sha256.Sum256([]byte(token.Issuer + "\x00" + c.ID))
	out := tokens{Access: newSecret(accessPrefix)}
	issued, err := s.cfg.Store.OAuth.GrantAsserted(r.Context(), client,
		store.Identity{Issuer: token.Issuer, Subject: token.Subject, External: s.cfg.OIDC.externalID(token.Subject, all)},
		store.Assertion{ID: id[:], IssuedAt: at, Subject: token.Subject}, form.Get("workspace"), scope, s.resource(), hashed(out.Access))
	switch {
	case errors.Is(err, store.ErrReplayed):
		return nil, badAssertion("The assertion was used before: it counts once.")
	case errors.Is(err, store.ErrNotFound):
		return nil, badAssertion("The person has no account here: they sign in to the web app once, or SCIM provisions them.")
	case errors.Is(err, store.ErrRemoved):
		return nil, badAssertion("The identity provider removed this person.")
	case errors.Is(err, store.ErrNotMember):
		return nil, badAssertion("The person does not belong to this workspace, or to any.")
	case errors.Is(err, store.ErrWhichWorkspace):
		return nil, badAssertion("The person belongs to several workspaces: name one by the parameter workspace, or authorize in the browser.")
	case err != nil:
		return nil, err
	}
	return s.answer(out, issued.Scope, issued.Expires), nil
}
