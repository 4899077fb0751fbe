package devidp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// A Person is somebody whom the sign-in page offers to sign in as.
type Person struct{ Email, Name string }

// Config is the configuration of a [Provider].
type Config struct {
	Issuer       string // http on this machine, no trailing slash
	ClientID     string
	ClientSecret string
	RedirectURIs []string
	People       []Person         // offered on the page; any other e-mail address can be typed in
	Mail         string           // folder of the mails that /mail shows; empty: no mailbox
	Offline      bool             // it gives refresh tokens, each of which works once
	Now          func() time.Time // time.Now by default
}

// Provider is the provider, an [http.Handler] for its issuer's host.
type Provider struct {
	cfg  Config
	keys jose.JSONWebKeySet
	sign jose.Signer
	mux  *http.ServeMux

	mu     sync.Mutex // guards the fields below
	codes  map[string]code
	tokens map[string]Person // of refresh tokens
	tamper func(claims map[string]any)
	fail   bool
}

// code is the data behind an authorization code.
type code struct {
	redirectURI, nonce, challenge string
	person                        Person
	expires                       time.Time
}

const codeLifetime = time.Minute

// Subject returns the subject of the person with an e-mail address. It is always the same, so that
// accounts can be created before people sign in.
func Subject(email string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email))))
	return hex.EncodeToString(sum[:16])
}

// processKey is the key of this process's providers. The service has one provider, but tests have
// hundreds, and would spend most of their time generating keys.
var processKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// New makes a provider. It refuses an issuer that other machines could reach.
func New(cfg Config) (*Provider, error) {
	u, err := url.Parse(cfg.Issuer)
	if err != nil || u.Scheme != "http" || !loopback(u.Hostname()) {
		return nil, fmt.Errorf(`devidp: the development identity provider runs on this machine only, not as "%s"`, cfg.Issuer)
	}
	if cfg.ClientID == "" || cfg.ClientSecret == "" || len(cfg.RedirectURIs) == 0 {
		return nil, errors.New("devidp: no client")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	key, err := processKey()
	if err != nil {
		return nil, err
	}
	id := rand.Text() // a new process has a new key, and its id makes clients fetch it
	sign, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	if err != nil {
		return nil, err
	}
	p := &Provider{
		cfg: cfg, sign: sign, codes: map[string]code{}, tokens: map[string]Person{}, mux: http.NewServeMux(),
		keys: jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: id, Algorithm: string(jose.RS256), Use: "sig"}}},
	}
	base := strings.TrimSuffix(u.Path, "/")
	p.mux.HandleFunc("GET "+base+"/.well-known/openid-configuration", p.discovery)
	p.mux.HandleFunc("GET "+base+"/keys", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, p.keys) })
	p.mux.HandleFunc("GET "+base+"/authorize", p.authorize)
	p.mux.HandleFunc("POST "+base+"/authorize", p.authorize)
	p.mux.HandleFunc("POST "+base+"/token", p.token)
	p.mailRoutes(base)
	return p, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback()
}

// ServeHTTP serves the provider.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// Tamper lets a test change the claims of later ID tokens. nil stops it.
func (p *Provider) Tamper(f func(claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tamper = f
}

// Fail makes the token endpoint answer 503 until it is switched off.
func (p *Provider) Fail(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = on
}

// Forget makes all refresh tokens invalid.
func (p *Provider) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.tokens)
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	scopes := []string{"openid", "email", "profile"}
	if p.cfg.Offline {
		scopes = append(scopes, "offline_access", "groups")
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                p.cfg.Issuer,
		"authorization_endpoint":                p.cfg.Issuer + "/authorize",
		"token_endpoint":                        p.cfg.Issuer + "/token",
		"jwks_uri":                              p.cfg.Issuer + "/keys",
		"response_types_supported":              []string{"code"},
		"subject_types_supported":               []string{"public"},
		"scopes_supported":                      scopes,
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
	})
}

// authorize shows the sign-in page, and handles its form.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case q.Get("client_id") != p.cfg.ClientID || !slices.Contains(p.cfg.RedirectURIs, q.Get("redirect_uri")):
		http.Error(w, "unknown client or redirect_uri", http.StatusBadRequest)
		return
	case q.Get("response_type") != "code" || !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		http.Error(w, "this is not an OpenID Connect request for a code", http.StatusBadRequest)
		return
	case q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "":
		http.Error(w, "PKCE with S256 is required", http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodGet {
		p.page(w, http.StatusOK, "")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	email := r.PostFormValue("person") // one of the offered people
	if email == "" {
		email = r.PostFormValue("email")
	}
	email = strings.ToLower(strings.TrimSpace(email))
	if at := strings.IndexByte(email, '@'); at < 1 || at == len(email)-1 || strings.ContainsAny(email, " \x00") {
		p.page(w, http.StatusBadRequest, "That is not an e-mail address.")
		return
	}
	person := Person{Email: email}
	person.Name, _, _ = strings.Cut(email, "@")
	if i := slices.IndexFunc(p.cfg.People, func(known Person) bool { return strings.EqualFold(known.Email, email) }); i >= 0 {
		person.Name = p.cfg.People[i].Name
	}
	secret, now := rand.Text(), p.cfg.Now()
	p.mu.Lock()
	for k, c := range p.codes {
		if now.After(c.expires) {
			delete(p.codes, k)
		}
	}
	p.codes[secret] = code{q.Get("redirect_uri"), q.Get("nonce"), q.Get("code_challenge"), person, now.Add(codeLifetime)}
	p.mu.Unlock()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {secret}, "state": {q.Get("state")}}.Encode(), http.StatusSeeOther)
}

// token exchanges a code for an ID token. A code works once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail {
		http.Error(w, "temporarily unavailable", http.StatusServiceUnavailable)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	id, secret, basic := r.BasicAuth()
	if basic {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != p.cfg.ClientID || subtle.ConstantTimeCompare([]byte(secret), []byte(p.cfg.ClientSecret)) != 1 {
		writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	now := p.cfg.Now()
	if r.PostFormValue("grant_type") == "refresh_token" {
		presented := r.PostFormValue("refresh_token")
		person, found := p.tokens[presented]
		delete(p.tokens, presented)
		if !found {
			writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		p.answer(w, person, "")
		return
	}
	presented := r.PostFormValue("code")
	c, found := p.codes[presented]
	delete(p.codes, presented)
	if !found || now.After(c.expires) || c.redirectURI != r.PostFormValue("redirect_uri") ||
		oauth2.S256ChallengeFromVerifier(r.PostFormValue("code_verifier")) != c.challenge {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	p.answer(w, c.person, c.nonce)
}

// answer answers with an ID token about a person. p.mu is held.
func (p *Provider) answer(w http.ResponseWriter, person Person, nonce string) {
	now := p.cfg.Now()
	claims := map[string]any{
		"iss": p.cfg.Issuer, "sub": Subject(person.Email), "aud": p.cfg.ClientID, "nonce": nonce,
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"email": person.Email, "email_verified": true, "name": person.Name,
	}
	if nonce == "" {
		delete(claims, "nonce")
	}
	if p.tamper != nil {
		p.tamper(claims)
	}
	payload, err := json.Marshal(claims)
	if err == nil {
		var signed *jose.JSONWebSignature
		if signed, err = p.sign.Sign(payload); err == nil {
			var compact string
			if compact, err = signed.CompactSerialize(); err == nil {
				out := map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300, "id_token": compact}
				if p.cfg.Offline {
					refresh := rand.Text()
					p.tokens[refresh] = person
					out["refresh_token"] = refresh
				}
				writeJSON(w, http.StatusOK, out)
				return
			}
		}
	}
	http.Error(w, "signing failed", http.StatusInternalServerError)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
