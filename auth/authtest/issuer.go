package authtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
)

// An Issuer is a fake OpenID Connect issuer of a CI, with discovery, keys and tokens like those of GitHub and GitLab.
type Issuer struct {
	URL  string
	Asks atomic.Int32 // requests for its discovery and keys
	Fail atomic.Bool  // it answers 503
	now  func() time.Time
}

// issuerKeys are the keys of all issuers in this process, and one (stranger) that no issuer publishes.
var issuerKeys = sync.OnceValue(func() (keys struct {
	rsa, stranger *rsa.PrivateKey
	ecdsa         *ecdsa.PrivateKey
},
) {
	var err error
	if keys.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		panic(err)
	}
	if keys.stranger, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		panic(err)
	}
	if keys.ecdsa, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		panic(err)
	}
	return keys
})

// NewIssuer starts an issuer on this machine, which stops with the test. now may be nil for the machine's time.
func NewIssuer(t testing.TB, now func() time.Time) *Issuer {
	t.Helper()
	if now == nil {
		now = time.Now
	}
	i := &Issuer{now: now}
	mux := http.NewServeMux()
	answer := func(path string, v func() any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			i.Asks.Add(1)
			if i.Fail.Load() {
				http.Error(w, "down", http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v())
		})
	}
	answer("/.well-known/openid-configuration", func() any {
		return map[string]any{
			"issuer": i.URL, "jwks_uri": i.URL + "/keys", "response_types_supported": []string{"id_token"},
			"subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		}
	})
	answer("/keys", func() any {
		keys := issuerKeys()
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: keys.rsa.Public(), KeyID: "rsa", Algorithm: "RS256", Use: "sig"},
			{Key: keys.ecdsa.Public(), KeyID: "ecdsa", Algorithm: "ES256", Use: "sig"},
		}}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// Claims returns the claims of a valid token for an audience and a subject.
func (i *Issuer) Claims(audience, subject string) map[string]any {
	now := i.now()
	return map[string]any{
		"iss": i.URL, "aud": audience, "sub": subject, "jti": uuid.NewString(),
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
}

// Token returns a signed valid token whose claims are overridden by other; a nil value removes a claim.
func (i *Issuer) Token(t testing.TB, audience, subject string, other map[string]any) string {
	t.Helper()
	claims := i.Claims(audience, subject)
	maps.Copy(claims, other)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return i.Sign(t, "RS256", claims)
}

// Sign signs claims. algorithm is RS256 or ES256 (with the issuer's keys), HS256 (with the modulus of the public RSA key as secret, an
// attack), or stranger (RS256 with an unpublished key that has the same key id).
func (i *Issuer) Sign(t testing.TB, algorithm string, claims map[string]any) string {
	t.Helper()
	return i.SignAs(t, "JWT", algorithm, claims)
}

// SignAs is like Sign, with the given typ header.
func (i *Issuer) SignAs(t testing.TB, kind, algorithm string, claims map[string]any) string {
	t.Helper()
	keys := issuerKeys()
	var key crypto.PrivateKey = keys.rsa
	id := "rsa"
	switch algorithm {
	case "ES256":
		key, id = keys.ecdsa, "ecdsa"
	case "HS256":
		key = []byte(keys.rsa.N.String())
	case "stranger":
		key, algorithm = keys.stranger, "RS256"
	}
	signer, err := jose.NewSigner(jose.SigningKey{
		Algorithm: jose.SignatureAlgorithm(algorithm), Key: jose.JSONWebKey{Key: key, KeyID: id},
	}, (&jose.SignerOptions{}).WithType(jose.ContentType(kind)))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
