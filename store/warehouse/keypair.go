package warehouse

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
)

// keyBits is the length of keys that are made here: the shortest that Snowflake accepts.
const keyBits = 2048

// NewKey makes a key pair, and returns its private half as PEM (PKCS #8), for targets whose [Target.NeedsKey] is true.
func NewKey() (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return "", fmt.Errorf("warehouse: make a key pair: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("warehouse: write a key pair: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}

// ParseKey reads an unencrypted RSA key in PEM (PKCS #8). ok is false for any other text.
func ParseKey(text string) (key *rsa.PrivateKey, ok bool) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, false
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, false
	}
	key, ok = parsed.(*rsa.PrivateKey)
	return key, ok
}

// IsKey reports whether a text begins as PEM does.
func IsKey(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "-----BEGIN") }

// PublicKey returns the public half of a private key in PEM: base64 of its SubjectPublicKeyInfo. It is empty for any other text.
func PublicKey(text string) string {
	key, ok := ParseKey(text)
	if !ok {
		return ""
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return ""
	}
	return base64.StdEncoding.EncodeToString(public)
}

// SignToken returns a JSON web token with the given claims, signed with key by RS256. id is the name of the key in the token's header; it
// may be empty.
func SignToken(key *rsa.PrivateKey, id string, claims map[string]any) (string, error) {
	head := map[string]string{"alg": "RS256", "typ": "JWT"}
	if id != "" {
		head["kid"] = id
	}
	var parts []string
	for _, part := range []any{head, claims} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", fmt.Errorf("warehouse: write a token: %w", err)
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(text))
	}
	digest := sha256.Sum256([]byte(strings.Join(parts, ".")))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		return "", fmt.Errorf("warehouse: sign a token: %w", err)
	}
	return strings.Join(append(parts, base64.RawURLEncoding.EncodeToString(signature)), "."), nil
}

// numbers returns the exponent and the modulus of the public half of a key, in the encoding of RFC 7518, section 6.3.1.
func numbers(key *rsa.PrivateKey) (e, n string) {
	return base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()), base64.RawURLEncoding.EncodeToString(key.N.Bytes())
}

// KeyID returns the thumbprint of the public half of a key: RFC 7638.
func KeyID(key *rsa.PrivateKey) string {
	e, n := numbers(key)
	sum := sha256.Sum256([]byte(`{"e":"` + e + `","kty":"RSA","n":"` + n + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// KeySet returns the public half of a key as a JSON Web Key Set: RFC 7517. The name of the key is its [KeyID].
func KeySet(key *rsa.PrivateKey) string {
	e, n := numbers(key)
	return `{"keys": [{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "` + KeyID(key) + `", "e": "` + e + `", "n": "` + n + `"}]}`
}
