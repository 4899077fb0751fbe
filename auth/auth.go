package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"service/store"
	"service/store/dashboard/locale"
	"service/store/message"
	"service/store/warehouse"
)

// Config is the configuration of a [Server].
type Config struct {
	BaseURL         string         // origin of the MCP host and issuer, no trailing slash
	AppURL          string         // origin of the web app, no trailing slash
	DashboardDomain string         // workspaces are at <workspace>.<DashboardDomain>; with the port unless it is the scheme's default
	OIDC            OIDC           // the identity provider
	TrustedProxies  []netip.Prefix // proxies whose X-Forwarded-For is trusted; empty: the peer is the client
	RedirectSchemes []string       // private-use schemes that redirect URIs of clients may have, in addition to the built-in ones
	RefreshGrace    time.Duration  // how long a rotated refresh token returns the same answer again; 0: never
	Store           *store.Store
	Log             *slog.Logger          // slog.Default by default
	Now             func() time.Time      // time.Now by default
	Delay           func(context.Context) // waits before the refusal of a token, when the address has sent too many bad ones; optional
	HTTPClient      *http.Client          // to the identity provider; by default one with a timeout of 10 s and a limit of 4 MiB

	AllowPrivateIssuers bool // issuers of trusts may be at private addresses

	ClientDocuments bool         // the id of a client may be the address of a document that describes it
	DocumentClient  *http.Client // fetches these documents; by default one that reaches public addresses only, without redirects
	IDJAG           bool         // assertions of the identity provider make grants without a consent
}

// OIDC names an OpenID Connect provider and this service's registration there, whose
// redirect URI is <AppURL>/sign-in/callback.
type OIDC struct {
	Issuer, ClientID, ClientSecret string

	GroupsClaim string            // claim with a person's groups, which give memberships; empty for none
	Attributes  map[string]string // claims that give attributes for row rules, by the attribute's name
	IDClaim     string            // claim with the id of a person in SCIM; sub by default
}

// A Server is the authorization server, the sign-in and the gate. It is safe for
// concurrent use.
type Server struct {
	cfg      Config
	secure   bool   // https: cookies are Secure and have the __Host- prefix
	suffix   string // of cookie names on http, where ports share cookies
	provider provider
	register http.Handler // this and the next four are limited per client address
	start    http.Handler
	signIn   http.Handler
	token    http.Handler
	revoke   http.Handler
	refuse   http.Handler // answers requests without a good bearer token
	csrf     *http.CrossOriginProtection
	metadata metadata
	issuers  *issuers // of trusts

	documents chan struct{} // a slot for each document of a client that is being fetched
}

// New returns a server, or an error if cfg is incomplete. It does not contact the
// identity provider, so that the service can start while the provider is down.
func New(_ context.Context, cfg Config) (*Server, error) {
	base, err := origin(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("auth: base URL: %w", err)
	}
	app, err := origin(cfg.AppURL)
	if err != nil {
		return nil, fmt.Errorf("auth: app URL: %w", err)
	}
	switch {
	case app.Scheme != base.Scheme:
		return nil, errors.New("auth: base URL and app URL differ in scheme")
	case cfg.DashboardDomain == "":
		return nil, errors.New("auth: no dashboard domain")
	case cfg.OIDC.Issuer == "" || cfg.OIDC.ClientID == "":
		return nil, errors.New("auth: no identity provider")
	case cfg.Store == nil:
		return nil, errors.New("auth: no store")
	}
	for _, scheme := range cfg.RedirectSchemes {
		if err := CheckRedirectScheme(scheme); err != nil {
			return nil, fmt.Errorf("auth: redirect schemes: %w", err)
		}
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Delay == nil {
		cfg.Delay = func(context.Context) {}
	}
	if cfg.HTTPClient == nil {
		transport := &sparing{RoundTripper: limitedBodies{http.DefaultTransport, maxProvider}}
		cfg.HTTPClient = &http.Client{Timeout: 10 * time.Second, Transport: transport}
	}
	cfg.DashboardDomain = strings.ToLower(cfg.DashboardDomain)
	s := &Server{cfg: cfg, secure: app.Scheme == "https", csrf: http.NewCrossOriginProtection()}
	if !s.secure {
		s.suffix = "_" + app.Port()
	}
	s.issuers = newIssuers(cfg.AllowPrivateIssuers)
	s.documents = make(chan struct{}, documentCalls)
	if s.cfg.DocumentClient == nil {
		s.cfg.DocumentClient = &http.Client{
			Timeout: documentTime, Transport: guarded(warehouse.Dialer{}),
			CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("a document must not redirect") },
		}
	}
	s.metadata = newMetadata(cfg.BaseURL, cfg.AppURL)
	s.register = s.limited(store.RateRegister, s.handleRegister, func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, &oauthError{http.StatusTooManyRequests, "rate_limited", message.TooManyRegistrations})
	})
	s.start = s.limited(store.RateAuthorize, s.handleAuthorize, s.tooMany)
	s.signIn = s.limited(store.RateSignIn, s.handleSignIn, s.tooMany)
	s.token = s.limited(store.RateToken, s.handleToken, func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, &oauthError{http.StatusTooManyRequests, "rate_limited", string(tooManyRequests)})
	})
	s.revoke = s.limited(store.RateToken, s.handleRevoke, func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, &oauthError{http.StatusTooManyRequests, "rate_limited", string(tooManyRequests)})
	})
	s.refuse = s.clientIP(http.HandlerFunc(s.handleStranger))
	return s, nil
}

const tooManyRequests locale.Key = "Too many requests from this address. Wait about 60 seconds and try again."

func (s *Server) tooMany(w http.ResponseWriter, r *http.Request) {
	s.WritePage(w, r, Page{Status: http.StatusTooManyRequests, Title: "Too many requests", Text: tooManyRequests})
}

// limited passes requests to next while their client's address is within rate, and passes the others
// to refuse.
func (s *Server) limited(rate store.Rate, next http.HandlerFunc, refuse http.HandlerFunc) http.Handler {
	return s.clientIP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ok, _ := s.cfg.Store.Rates.Allow(r.Context(), rate, clientKey(r.Context())); !ok {
			refuse(w, r)
			return
		}
		next(w, r)
	}))
}

// origin parses a URL that consists of a scheme and a host.
func origin(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || raw != u.Scheme+"://"+u.Host {
		return nil, fmt.Errorf(`"%s" is not an origin such as https://example.com`, raw)
	}
	return u, nil
}

// clientIP puts the client's address into the context of a request. It uses X-Forwarded-For only as
// far as trusted proxies wrote it.
func (s *Server) clientIP(next http.Handler) http.Handler {
	if len(s.cfg.TrustedProxies) == 0 {
		return middleware.ClientIPFromRemoteAddr(next)
	}
	trusted := make([]string, len(s.cfg.TrustedProxies))
	for i, p := range s.cfg.TrustedProxies {
		trusted[i] = p.String()
	}
	return middleware.ClientIPFromXFF(trusted...)(next)
}

// clientKey is the key under which a client's address is rate limited. Addresses of an
// IPv6 /64 share one, and so do all unknown addresses.
func clientKey(ctx context.Context) string {
	ip := middleware.GetClientIPAddr(ctx)
	switch {
	case !ip.IsValid():
		return "unknown"
	case ip.Is6():
		return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
	}
	return ip.String()
}
