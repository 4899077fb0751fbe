package linked

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"service/store/warehouse"
)

// workbook is the type as which a spreadsheet is exported.
const workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// An account is a service account of Google.
type account struct {
	email, keyID string
	key          *rsa.PrivateKey
}

// parseAccount reads the JSON file that Google makes for the key of a service account.
func parseAccount(text string) (*account, error) {
	var file struct {
		Type         string `json:"type"`
		PrivateKeyID string `json:"private_key_id"`
		PrivateKey   string `json:"private_key"`
		ClientEmail  string `json:"client_email"`
	}
	err := json.Unmarshal([]byte(text), &file)
	key, ok := warehouse.ParseKey(file.PrivateKey)
	if err != nil || file.Type != "service_account" || file.ClientEmail == "" || !ok {
		return nil, warehouse.Errorf(warehouse.Auth,
			"The key is not that of a service account: paste the whole JSON file that Google Cloud made for it.")
	}
	return &account{file.ClientEmail, file.PrivateKeyID, key}, nil
}

// tokens returns the address that gives tokens to accounts.
func (s *source) tokens() string {
	if s.base.Host == "www.googleapis.com" {
		return "https://oauth2.googleapis.com/token"
	}
	return s.base.String() + "/token"
}

// token asks for an access token that may read files of Drive: "Using OAuth 2.0 for Server to Server Applications".
func (s *session) token(ctx context.Context) (string, error) {
	assertion, err := s.source.google.assertion(s.source.tokens(), s.now())
	if err != nil {
		return "", err
	}
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.source.tokens(), strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, body, err := s.do(r)
	if err != nil {
		return "", err
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	if status != http.StatusOK || json.Unmarshal(body, &answer) != nil || answer.Token == "" ||
		strings.ContainsFunc(answer.Token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", warehouse.Errorf(warehouse.Auth, "Google refused the key of the service account. It may be deleted, or the clock of this "+
			"machine wrong.")
	}
	return answer.Token, nil
}

// assertion returns a JSON web token that is signed by the key.
func (a *account) assertion(audience string, now time.Time) (string, error) {
	var parts []string
	for _, part := range []any{
		map[string]string{"alg": "RS256", "typ": "JWT", "kid": a.keyID},
		map[string]any{
			"iss": a.email, "scope": "https://www.googleapis.com/auth/drive.readonly", "aud": audience,
			"iat": now.Unix(), "exp": now.Unix() + 3600,
		},
	} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(text))
	}
	digest := sha256.Sum256([]byte(strings.Join(parts, ".")))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return strings.Join(append(parts, base64.RawURLEncoding.EncodeToString(signature)), "."), nil
}
