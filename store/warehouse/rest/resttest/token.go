package resttest

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
)

// Key is the key by which the client signs in, and PEM its private part as people paste it.
var Key = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// PEM: see Key.
func PEM() string {
	private, err := x509.MarshalPKCS8PrivateKey(Key())
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// Token reads the token of an Authorization header: a JWT that [Key] has signed by RS256, without claims other than those of head and
// claims.
func Token(authorization string, head, claims any) error {
	token, ok := strings.CutPrefix(authorization, "Bearer ")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		return errors.New("it is not a bearer token of three parts")
	}
	for i, to := range []any{head, claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return err
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(to); err != nil {
			return err
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	return rsa.VerifyPKCS1v15(&Key().PublicKey, crypto.SHA256, digest[:], signature)
}
