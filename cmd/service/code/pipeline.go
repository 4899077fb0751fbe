package code

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"service/store/message"
)

// A Pipeline is a CI, whose issuer signs a token that the server exchanges for an access token (RFC 7523). It has either an ID token or an
// address that returns one.
type Pipeline struct {
	IDToken string // in a variable, as GitLab passes it

	RequestURL, RequestToken string // of GitHub: the address that returns an ID token, and its secret
}

// Given reports whether there is a CI.
func (p Pipeline) Given() bool { return p.IDToken != "" || p.RequestURL != "" && p.RequestToken != "" }

// pipelineTime is the limit of a request for a token.
const pipelineTime = 30 * time.Second

// bearer returns an access token for an environment: the one that an earlier command of the same job got, as long as it is valid, or a new
// one. An ID token can be used only once, so a second command could not use it.
func (p Pipeline) bearer(ctx context.Context, env Environment, endpoint string, file Login) (string, error) {
	sum := sha256.Sum256([]byte(p.IDToken + "\x00" + p.RequestURL + "\x00" + env.Workspace))
	key := endpoint + " " + hex.EncodeToString(sum[:8])
	all, err := file.read()
	if err != nil {
		return "", err
	}
	if a, ok := all[key]; ok && a.Token.Valid() {
		return a.Token.AccessToken, nil
	}
	origin, err := originOf(endpoint)
	if err != nil {
		return "", err
	}
	client := &http.Client{Timeout: pipelineTime}
	id := p.IDToken
	if id == "" {
		if id, err = p.ask(ctx, client, origin); err != nil {
			return "", err
		}
	}
	var meta struct {
		TokenURL string `json:"token_endpoint"`
	}
	if err := getJSON(ctx, client, origin+"/.well-known/oauth-authorization-server", "", &meta); err != nil {
		return "", err
	}
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {id}}
	if env.Workspace != "" {
		form.Set("workspace", env.Workspace)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, meta.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var got struct {
		Token       string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if err := doJSON(client, req, &got); err != nil {
		return "", err
	}
	if got.Error != "" || got.Token == "" {
		return "", message.Refuse("the server does not let this CI in (%s): %s", got.Error, got.Description)
	}
	all[key] = authorization{Token: &oauth2.Token{AccessToken: got.Token, Expiry: time.Now().Add(time.Duration(got.ExpiresIn) * time.Second)}}
	for k, a := range all { // those of earlier jobs on the same machine
		if a.ClientID == "" && !a.Token.Valid() {
			delete(all, k)
		}
	}
	return got.Token, file.write(all)
}

// ask asks GitHub for an ID token for an audience.
func (p Pipeline) ask(ctx context.Context, client *http.Client, audience string) (string, error) {
	u, err := url.Parse(p.RequestURL)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("audience", audience)
	u.RawQuery = q.Encode()
	var got struct {
		Value string `json:"value"`
	}
	if err := getJSON(ctx, client, u.String(), p.RequestToken, &got); err != nil {
		return "", fmt.Errorf("the CI gave no ID token: %w", err)
	}
	if got.Value == "" {
		return "", message.Refuse("the CI gave no ID token: the job needs the permission id-token: write")
	}
	return got.Value, nil
}

// originOf returns the origin of an endpoint, which is the audience of ID tokens for it.
func originOf(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host, nil
}

func getJSON(ctx context.Context, client *http.Client, address, bearer string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	return doJSON(client, req, out)
}

// maxAnswer is the limit of an answer in JSON.
const maxAnswer = 1 << 20

// doJSON decodes an answer, also that of an error, if it is JSON.
func doJSON(client *http.Client, req *http.Request, out any) error {
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(out); err != nil {
		return fmt.Errorf("%s answered %d: %w", req.URL.Host, res.StatusCode, err)
	}
	return nil
}
