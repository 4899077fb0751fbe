package auth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"service/store"
)

// callbackPath is the path to which the identity provider sends browsers back.
const callbackPath = "/sign-in/callback"

// A provider is the identity provider. It is discovered when it is first needed, so that
// the service starts, and answers other requests, while the provider is down.
type provider struct {
	mu    sync.Mutex
	found *oidc.Provider
}

// errProvider marks a failure of the identity provider, which is answered with 502.
var errProvider = errors.New("identity provider")

// oidcContext makes the OpenID library use our HTTP client.
func (s *Server) oidcContext(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, s.cfg.HTTPClient)
}

// discover returns the provider and this service's role as its client.
func (s *Server) discover(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	s.provider.mu.Lock()
	p := s.provider.found
	s.provider.mu.Unlock()
	if p == nil { // discovered without the lock, so that requests do not queue up while the provider is down
		var err error
		if p, err = oidc.NewProvider(s.oidcContext(ctx), s.cfg.OIDC.Issuer); err != nil {
			return nil, nil, fmt.Errorf("%w: discovery: %w", errProvider, err)
		}
		s.provider.mu.Lock()
		s.provider.found = p
		s.provider.mu.Unlock()
	}
	return p, &oauth2.Config{
		ClientID:     s.cfg.OIDC.ClientID,
		ClientSecret: s.cfg.OIDC.ClientSecret,
		Endpoint:     p.Endpoint(),
		RedirectURL:  s.cfg.AppURL + callbackPath,
		Scopes:       s.scopes(p),
	}, nil
}

// claims are a provider's claims about a person, from an ID token or its userinfo endpoint.
type claims struct {
	Email             string  `json:"email"`
	Verified          boolean `json:"email_verified"`
	Name              string  `json:"name"`
	PreferredUsername string  `json:"preferred_username"`
	AuthorizedParty   string  `json:"azp"`
}

// boolean is a JSON boolean, which some providers send as a string.
type boolean bool

func (b *boolean) UnmarshalJSON(data []byte) error {
	*b = string(data) == "true" || string(data) == `"true"`
	return nil
}

// identity exchanges the provider's code and returns the identity of the person who signed in. An
// error that wraps [errProvider] is temporary; after any other, the answer cannot be trusted.
func (s *Server) identity(ctx context.Context, code string, in store.SignIn) (store.Identity, error) {
	ctx = s.oidcContext(ctx)
	p, client, err := s.discover(ctx)
	if err != nil {
		return store.Identity{}, err
	}
	token, err := client.Exchange(ctx, code, oauth2.VerifierOption(in.Verifier))
	if err != nil {
		if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok && answer.Response.StatusCode < http.StatusInternalServerError {
			return store.Identity{}, fmt.Errorf("code exchange: status %d, %s", answer.Response.StatusCode, answer.ErrorCode)
		}
		return store.Identity{}, fmt.Errorf("%w: code exchange failed", errProvider) // err may contain the secrets that were sent
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return store.Identity{}, errors.New("the answer holds no ID token")
	}
	id, err := p.Verifier(&oidc.Config{ClientID: s.cfg.OIDC.ClientID, Now: s.cfg.Now}).Verify(ctx, raw)
	if err != nil {
		return store.Identity{}, fmt.Errorf("ID token: %w", err)
	}
	var c claims
	if err := id.Claims(&c); err != nil {
		return store.Identity{}, fmt.Errorf("ID token: %w", err)
	}
	switch {
	case id.Subject == "":
		return store.Identity{}, errors.New("ID token: no subject")
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(in.Nonce)) != 1:
		return store.Identity{}, errors.New("ID token: wrong nonce")
	case c.AuthorizedParty != "" && c.AuthorizedParty != s.cfg.OIDC.ClientID,
		c.AuthorizedParty == "" && slices.ContainsFunc(id.Audience, func(a string) bool { return a != s.cfg.OIDC.ClientID }):
		return store.Identity{}, errors.New("ID token: issued to another client")
	}
	all := map[string]json.RawMessage{}
	if err := id.Claims(&all); err != nil {
		return store.Identity{}, fmt.Errorf("ID token: %w", err)
	}
	// Some providers put neither e-mail addresses nor groups into ID tokens.
	if (c.Email == "" || !s.cfg.OIDC.hasProvided(all)) && p.UserInfoEndpoint() != "" {
		info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return store.Identity{}, fmt.Errorf("%w: userinfo failed", errProvider)
		}
		if info.Subject != id.Subject {
			return store.Identity{}, errors.New("userinfo: another subject")
		}
		more := map[string]json.RawMessage{}
		if err := info.Claims(&more); err != nil {
			return store.Identity{}, fmt.Errorf("userinfo: %w", err)
		}
		if c.Email == "" {
			if err := info.Claims(&c); err != nil {
				return store.Identity{}, fmt.Errorf("userinfo: %w", err)
			}
		}
		merge(all, more)
	}
	provided, err := s.cfg.OIDC.provided(all)
	if err != nil {
		return store.Identity{}, err
	}
	if s.cfg.OIDC.provides() {
		provided.Refresh = token.RefreshToken
	}
	if c.Name == "" {
		c.Name = c.PreferredUsername
	}
	return store.Identity{
		Issuer: id.Issuer, Subject: id.Subject, Email: c.Email, Verified: bool(c.Verified), Name: c.Name, Provided: provided,
		External: s.cfg.OIDC.externalID(id.Subject, all),
	}, nil
}
