package linked

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"service/store/warehouse"
)

// workbook is the type as which a spreadsheet is exported.
const workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// tokens returns the address that gives tokens to accounts.
func (s *source) tokens() string {
	if s.base.Host == "www.googleapis.com" {
		return "https://oauth2.googleapis.com/token"
	}
	return s.base.String() + "/token"
}

// token asks for an access token that may read files of Drive: "Using OAuth 2.0 for Server to Server Applications".
func (s *session) token(ctx context.Context) (string, error) {
	assertion, err := s.source.google.Assertion(s.now(), map[string]any{
		"scope": "https://www.googleapis.com/auth/drive.readonly", "aud": s.source.tokens(),
	})
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
