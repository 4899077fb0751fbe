package code

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"service/store/message"
)

// A Client is a session with the server of an environment, in one workspace.
type Client struct {
	env     Environment
	session *mcp.ClientSession
	person  bool                                      // a person authorized the session
	say     func(format string, args ...any)          // progress, for people
	wait    func(context.Context, time.Duration) bool // sleeps; false if the context has ended
}

// Options are the settings of a session in addition to an environment.
type Options struct {
	Version string                           // of this program
	Bearer  string                           // access token
	CI      Pipeline                         // without Bearer
	Login   Login                            // without both, a person signs in, or is signed in
	Say     func(format string, args ...any) // progress, for people
}

// Dial connects to the server of an environment.
func Dial(ctx context.Context, env Environment, o Options) (*Client, error) {
	endpoint, err := endpointOf(env.Server)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex // calls run at the same time
	say := o.Say
	o.Say = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		say(format, args...)
	}
	transport := &mcp.StreamableClientTransport{
		Endpoint: endpoint, DisableStandaloneSSE: true, MaxRetries: -1, HTTPClient: &http.Client{Timeout: callTime},
	}
	if o.Bearer == "" && o.CI.Given() {
		if o.Bearer, err = o.CI.bearer(ctx, env, endpoint, o.Login); err != nil {
			return nil, err
		}
	}
	if o.Bearer != "" {
		transport.OAuthHandler = bearer(o.Bearer)
	} else if transport.OAuthHandler, err = o.Login.handler(endpoint, env.Workspace, o.Say); err != nil {
		return nil, err
	}
	c := &Client{env: env, person: o.Bearer == "", say: o.Say, wait: sleep}
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "service-dashboard", Title: "service dashboard", Version: o.Version}, nil).
		Connect(ctx, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", endpoint, err)
	}
	return c, nil
}

// callTime is the limit of one request. A dry run may wait for a warehouse.
const callTime = 3 * time.Minute

// Close ends the session.
func (c *Client) Close() error { return c.session.Close() }

// endpointOf returns the MCP endpoint of a server, which people name by its origin or by the endpoint itself.
func endpointOf(server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", message.Refuse(`server "%s" is not an address such as https://dash.example.com`, server)
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return "", message.Refuse(`server "%s" must be https: a token would be sent in clear`, server)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/mcp"
	}
	return u.String(), nil
}

func loopback(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "127.0.0.1" || host == "::1"
}

// bearer is an OAuthHandler for a token that does not change.
type bearer string

func (b bearer) TokenSource(context.Context) (oauth2.TokenSource, error) {
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: string(b)}), nil
}

func (bearer) Authorize(_ context.Context, _ *http.Request, res *http.Response) error {
	res.Body.Close()
	return message.Refuse("the server does not accept the access token: it has ended, was revoked, or is another server's")
}

// A Refused is the refusal of a tool, in the server's words.
type Refused struct {
	Tool, Text string
}

func (r *Refused) Error() string { return r.Text }

// throttles is how often a call that is over its rate is repeated. The windows of the server are of a minute.
const throttles = 15

// call calls a tool and decodes the JSON of its answer into out, unless that is nil. The error is *[Refused] for a refusal. A call over
// the rate of its user waits.
func (c *Client) call(ctx context.Context, tool string, args map[string]any, meta mcp.Meta, out any) error {
	for try := 0; ; try++ {
		res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args, Meta: meta})
		if err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		text := textOf(res)
		if res.IsError && strings.HasPrefix(text, "Rate limit exceeded") && try < throttles {
			if try == 0 {
				c.say("The server takes no more calls of %s within this minute: waiting.", tool)
			}
			if c.wait(ctx, throttleWait) {
				continue
			}
			return ctx.Err()
		}
		if res.IsError && c.person && otherWorkspace(text, c.env.Workspace) {
			return &Refused{tool, fmt.Sprintf(
				`%s "service dashboard logout --env %s" forgets this authorization, so that the next command asks for another.`, text, c.env.Name)}
		}
		if res.IsError {
			return &Refused{tool, text}
		}
		if out == nil {
			return nil
		}
		_, rest, found := strings.Cut(text, "BEGIN_JSON\n")
		data, _, _ := strings.Cut(rest, "\nEND_JSON")
		raw := []byte(data)
		if !found {
			if raw, err = json.Marshal(res.StructuredContent); err != nil {
				return fmt.Errorf("%s: %w", tool, err)
			}
		}
		if err := json.Unmarshal(raw, out); err != nil {
			return fmt.Errorf("%s answered what cannot be read: %w", tool, err)
		}
		return nil
	}
}

// otherWorkspace reports whether a refusal is that the person chose another workspace than the environment's, or no workspace.
func otherWorkspace(text, workspace string) bool {
	before, after, _ := strings.Cut(message.LockedElsewhere("\x00", workspace).Error(), "\x00")
	return strings.HasPrefix(text, before) && strings.HasSuffix(text, after) || text == message.LockedToNone().Error()
}

// throttleWait is how long a call that is over its rate waits before it is repeated.
const throttleWait = 5 * time.Second

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, content := range res.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// args adds the workspace of the environment, if it names one, to the arguments of a call.
func (c *Client) args(more map[string]any) map[string]any {
	if c.env.Workspace != "" {
		more["workspace"] = c.env.Workspace
	}
	return more
}
