package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"service/store"
)

// askTime is how long a request waits for the provider's answer about a person who signed in earlier.
const askTime = 5 * time.Second

// maxClaimValues is the maximum of values that are read from a claim.
const maxClaimValues = 2000

// provides reports whether claims of the identity provider give memberships or attributes.
func (o OIDC) provides() bool { return o.GroupsClaim != "" || len(o.Attributes) > 0 }

// scopes returns the scopes of a sign-in. Scopes beyond the usual ones are requested only if the provider lists them, because some
// providers refuse them.
func (s *Server) scopes(p *oidc.Provider) []string {
	out := []string{oidc.ScopeOpenID, "email", "profile"}
	if !s.cfg.OIDC.provides() {
		return out
	}
	var listed struct {
		Scopes []string `json:"scopes_supported"`
	}
	_ = p.Claims(&listed) // a provider without the list has no more scopes
	for _, scope := range []string{oidc.ScopeOfflineAccess, "groups"} {
		if slices.Contains(listed.Scopes, scope) {
			out = append(out, scope)
		}
	}
	return out
}

// externalID returns the id in SCIM of the person with these claims; empty for none.
func (o OIDC) externalID(subject string, claims map[string]json.RawMessage) (id string) {
	if o.IDClaim == "" || o.IDClaim == "sub" {
		return subject
	}
	_ = json.Unmarshal(claims[o.IDClaim], &id) // a claim of another type names nobody
	return id
}

// hasProvided reports whether claims contain all claims that the configuration names.
func (o OIDC) hasProvided(claims map[string]json.RawMessage) bool {
	if _, ok := claims[o.GroupsClaim]; !ok && o.GroupsClaim != "" {
		return false
	}
	for _, claim := range o.Attributes {
		if _, ok := claims[claim]; !ok {
			return false
		}
	}
	return true
}

// provided reads groups and attributes from claims. A missing claim names nothing; a claim that cannot be read is an error, because it
// could have named fewer groups than before.
func (o OIDC) provided(claims map[string]json.RawMessage) (p store.Provided, err error) {
	if o.GroupsClaim != "" {
		if _, distributed := claims["_claim_names"]; distributed && claims[o.GroupsClaim] == nil {
			return p, fmt.Errorf("the claim %s is not in the token: the person is in too many groups for it", o.GroupsClaim)
		}
		if p.Groups, err = texts(claims[o.GroupsClaim]); err != nil {
			return p, fmt.Errorf("the claim %s: %w", o.GroupsClaim, err)
		}
	}
	p.Attributes = map[string][]string{}
	for name, claim := range o.Attributes {
		if p.Attributes[name], err = texts(claims[claim]); err != nil {
			return p, fmt.Errorf("the claim %s: %w", claim, err)
		}
	}
	return p, nil
}

// texts reads a claim that is a text or a list of texts.
func texts(raw json.RawMessage) (out []string, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		out = []string{one}
	} else if err := json.Unmarshal(raw, &out); err != nil {
		return nil, errors.New("it is neither a text nor a list of texts")
	}
	if len(out) > maxClaimValues {
		return nil, fmt.Errorf("it has more than %d values", maxClaimValues)
	}
	return out, nil
}

// merge adds to claims the entries of more whose names claims lacks.
func merge(claims, more map[string]json.RawMessage) {
	for name, value := range more {
		if _, ok := claims[name]; !ok {
			claims[name] = value
		}
	}
}

// askAgain asks the identity provider about an account that signed in earlier, if the provider issued a token for that and some time has
// passed. It returns [store.ErrSignInAgain] if the provider refuses, and nil if it does not answer: then the next use asks.
func (s *Server) askAgain(ctx context.Context, account uuid.UUID) error {
	if !s.cfg.OIDC.provides() {
		return nil
	}
	token, err := s.cfg.Store.Sessions.LeaseProviderToken(ctx, account)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.oidcContext(ctx), askTime)
	defer cancel()
	p, client, err := s.discover(ctx)
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "the identity provider was not asked again", "err", err)
		return nil
	}
	fresh, err := client.TokenSource(ctx, &oauth2.Token{RefreshToken: token}).Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode == "invalid_grant" {
		if err := s.cfg.Store.Sessions.ProviderRefused(ctx, account); err != nil {
			return err
		}
		return store.ErrSignInAgain
	}
	if err != nil { // the error may contain the token
		s.cfg.Log.WarnContext(ctx, "the identity provider did not answer about a person", "account", account)
		return nil
	}
	provided, err := s.providedAgain(ctx, p, fresh, account)
	if errors.Is(err, errProvider) {
		s.cfg.Log.WarnContext(ctx, "the identity provider did not answer about a person", "account", account, "err", err)
		provided, err = nil, nil // the new token counts
	}
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "the identity provider's answer about a person cannot be read", "account", account, "err", err)
		if err := s.cfg.Store.Sessions.ProviderRefused(ctx, account); err != nil {
			return err
		}
		return store.ErrSignInAgain
	}
	return s.cfg.Store.Sessions.ProviderAnswered(ctx, account, fresh.RefreshToken, provided)
}

// providedAgain reads the claims of a refreshed token of the provider; nil if its answers do not have them.
func (s *Server) providedAgain(ctx context.Context, p *oidc.Provider, token *oauth2.Token, account uuid.UUID) (*store.Provided, error) {
	a, err := s.cfg.Store.Accounts.Account(ctx, account)
	if err != nil {
		return nil, err
	}
	claims := map[string]json.RawMessage{}
	raw, signed := token.Extra("id_token").(string)
	if signed {
		id, err := p.Verifier(&oidc.Config{ClientID: s.cfg.OIDC.ClientID, Now: s.cfg.Now}).Verify(ctx, raw)
		if err != nil || id.Issuer != a.Issuer || id.Subject != a.Subject {
			return nil, errors.New("the ID token is not this person's")
		}
		if err := id.Claims(&claims); err != nil {
			return nil, err
		}
	}
	if !s.cfg.OIDC.hasProvided(claims) && p.UserInfoEndpoint() != "" {
		info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return nil, fmt.Errorf("%w: userinfo failed", errProvider)
		}
		if info.Subject != a.Subject {
			return nil, errors.New("userinfo: another subject")
		}
		more := map[string]json.RawMessage{}
		if err := info.Claims(&more); err != nil {
			return nil, err
		}
		merge(claims, more)
	}
	if !signed && !s.cfg.OIDC.hasProvided(claims) {
		return nil, nil // the claims are only in ID tokens, and the provider issues these only at sign-ins
	}
	out, err := s.cfg.OIDC.provided(claims)
	return &out, err
}

// askSession asks the provider about the account of a session whose request was just recorded, and reports whether the
// session has to be looked up again. Between two records, no page waits for the provider.
func (s *Server) askSession(r *http.Request, a store.Account) (again bool, err error) {
	if !a.Renewed() || !s.cfg.OIDC.provides() {
		return false, nil
	}
	err = s.askAgain(r.Context(), a.ID)
	if errors.Is(err, store.ErrSignInAgain) {
		return true, nil // its session has ended
	}
	return true, err
}
