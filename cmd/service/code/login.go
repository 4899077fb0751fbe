package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"service/store/message"
)

// A Login stores a person's authorizations in a file, and obtains new ones in a browser.
type Login struct {
	File    string             // path of the token file, which has mode 0600
	Browser func(string) error // opens an address; nil: it is only printed
}

// TokenFileIn returns the path of the token file in a user's configuration directory.
func TokenFileIn(config string) string { return filepath.Join(config, "service", "tokens.json") }

// OpenBrowser opens an address in the browser of the person at this machine.
func OpenBrowser(address string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address).Start()
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address).Start()
	}
	return exec.Command("xdg-open", address).Start()
}

// An authorization is the client registration and token stored for one server.
type authorization struct {
	ClientID string           `json:"client_id"`
	Secret   string           `json:"client_secret,omitempty"`
	TokenURL string           `json:"token_url"`
	Style    oauth2.AuthStyle `json:"auth_style"`
	Token    *oauth2.Token    `json:"token"`
}

// config returns the OAuth configuration for refreshing the token.
func (a authorization) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: a.ClientID, ClientSecret: a.Secret, Endpoint: oauth2.Endpoint{TokenURL: a.TokenURL, AuthStyle: a.Style},
	}
}

// loginTime is how long a person may take to authorize.
const loginTime = 10 * time.Minute

// keyOf returns the key of the authorization for a workspace in the token file: a person can have another for each workspace of a server.
func keyOf(endpoint, workspace string) string {
	if workspace == "" {
		return endpoint
	}
	return endpoint + " workspace " + workspace
}

// handler returns the authorization for a workspace at an endpoint: the stored one, refreshed if necessary, or a new one, for which a
// browser is opened.
func (l Login) handler(endpoint, workspace string, say func(string, ...any)) (auth.OAuthHandler, error) {
	h := &handler{Login: l, key: keyOf(endpoint, workspace), workspace: workspace, say: say}
	all, err := l.read()
	if err != nil {
		return nil, err
	}
	if a, ok := all[h.key]; ok && a.Token != nil {
		h.source = h.keep(a)
	}
	return h, nil
}

// A handler authorizes the requests to one endpoint, for one workspace.
type handler struct {
	Login
	key       string // in the token file
	workspace string // that service.yaml names; may be empty
	say       func(string, ...any)

	mu     sync.Mutex
	source oauth2.TokenSource
}

// TokenSource implements auth.OAuthHandler. It returns nil if the stored token can no longer be refreshed.
func (h *handler) TokenSource(context.Context) (oauth2.TokenSource, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.source == nil {
		return nil, nil
	}
	if _, err := h.source.Token(); err != nil {
		if gone, ok := errors.AsType[*oauth2.RetrieveError](err); ok && gone.Response.StatusCode < 500 {
			h.source = nil
			return nil, nil
		}
		return nil, err
	}
	return h.source, nil
}

// Authorize implements auth.OAuthHandler. It listens on a port of this machine, to which the browser returns with the code.
func (h *handler) Authorize(ctx context.Context, req *http.Request, res *http.Response) error {
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	arrived := make(chan *auth.AuthorizationResult, 1)
	failed := make(chan error, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		text := "The command is authorized. You can close this window."
		switch {
		case r.URL.Path != "/callback":
			http.NotFound(w, r)
			return
		case q.Get("error") != "":
			text = "Not authorized: " + q.Get("error_description")
			notify(failed, error(message.Refuse("not authorized: %s (%s)", q.Get("error_description"), q.Get("error"))))
		default:
			notify(arrived, &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")})
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		fmt.Fprintf(w, "<!doctype html><title>service dashboard</title><p>%s</p>\n", html.EscapeString(text))
	})}
	go func() { _ = server.Serve(listener) }()
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // leave the browser time to load the page
		defer cancel()
		_ = server.Shutdown(end)
	}()
	redirect := "http://" + listener.Addr().String() + "/callback"
	flow, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		RedirectURL:         redirect,
		RequestRefreshToken: true,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "service dashboard", RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			h.say("Authorize this command in a browser, and choose %s there:\n  %s", strings.TrimSpace("the workspace "+h.workspace), args.URL)
			if h.Browser != nil {
				_ = h.Browser(args.URL) // the address is printed
			}
			select {
			case got := <-arrived:
				return got, nil
			case err := <-failed:
				return nil, err
			case <-ctx.Done():
				return nil, message.Refuse("nobody authorized the command: %s", context.Cause(ctx))
			}
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			a := authorization{c.ClientID, c.ClientSecret, c.Endpoint.TokenURL, c.Endpoint.AuthStyle, t}
			source := h.keep(a)
			h.mu.Lock()
			h.source = source
			h.mu.Unlock()
			return source, h.store(a)
		},
	})
	if err != nil {
		return err
	}
	return flow.Authorize(ctx, req, res)
}

func notify[T any](c chan T, v T) {
	select {
	case c <- v:
	default: // the callback was requested twice: ignore the second request
	}
}

// keep returns a source of tokens that stores each new one.
func (h *handler) keep(a authorization) oauth2.TokenSource { return &keeper{h: h, a: a} }

// A keeper refreshes the token of an authorization, and stores the new one before it is used, because the refresh token changes too.
type keeper struct {
	h  *handler
	mu sync.Mutex
	a  authorization
}

// refreshTime is the limit of a refresh.
const refreshTime = 30 * time.Second

func (k *keeper) Token() (*oauth2.Token, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.a.Token.Valid() {
		return k.a.Token, nil
	}
	if all, err := k.h.read(); err == nil { // another process may have refreshed it
		if a, ok := all[k.h.key]; ok && a.Token.Valid() {
			k.a = a
			return a.Token, nil
		}
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Timeout: refreshTime})
	t, err := k.a.config().TokenSource(ctx, k.a.Token).Token()
	if err != nil {
		return nil, err
	}
	k.a.Token = t
	return t, k.h.store(k.a)
}

// read returns the stored authorizations by key.
func (l Login) read() (map[string]authorization, error) {
	all := map[string]authorization{}
	raw, err := os.ReadFile(l.File)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, message.Refuse("%s cannot be read: delete it, and authorize again", l.File)
	}
	return all, nil
}

// store keeps the authorization.
func (h *handler) store(a authorization) error {
	all, err := h.read()
	if err != nil {
		return err
	}
	all[h.key] = a
	return h.write(all)
}

func (l Login) write(all map[string]authorization) error {
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.File), 0o700); err != nil {
		return err
	}
	return replaceFile(l.File, append(raw, '\n'), 0o600)
}

// Forget deletes the stored authorization for an environment from the token file, without revoking it. It reports whether there was one.
func (l Login) Forget(env Environment) (bool, error) {
	endpoint, err := endpointOf(env.Server)
	if err != nil {
		return false, err
	}
	all, err := l.read()
	if err != nil {
		return false, err
	}
	key := keyOf(endpoint, env.Workspace)
	_, known := all[key]
	if !known {
		return false, nil
	}
	delete(all, key)
	return true, l.write(all)
}
