package warehouse

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
)

// keyBits is the length of keys that are made here: the shortest that Snowflake accepts.
const keyBits = 2048

// NewKey makes a key pair, and returns its private half as PEM (PKCS #8), for kinds with [Kind.MakesKeys].
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
