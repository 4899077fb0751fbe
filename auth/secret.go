package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
)

// Prefixes let secret scanners recognise a token that leaked.
const (
	accessPrefix  = "svc_at_"
	refreshPrefix = "svc_rt_"
	secretPrefix  = "svc_cs_" // of a client
)

// newSecret returns a prefix and 256 random bits in base64url.
func newSecret(prefix string) string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// hashed is the hash under which a secret is stored. The secrets are random, so a plain
// hash is enough.
func hashed(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// seal encrypts v so that reading it requires token. The database keeps the answer to a rotated
// refresh token in this form.
func seal(token string, v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	aead, err := sealer(token)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain, nil), nil
}

// open decrypts what [seal] encrypted with the same token.
func open(token string, sealed []byte, v any) error {
	aead, err := sealer(token)
	if err != nil {
		return err
	}
	plain, err := aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return errors.New("a sealed answer does not open")
	}
	return json.Unmarshal(plain, v)
}

func sealer(token string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(token), nil, "refresh answer", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
