package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/store/message"
)

// Version is the version that MCP clients get (specification, "Versioning"). The program has its own: see [Release].
const Version = "0.6.0"

// Resources are the dashboards a caller can see. Errors are a *jsonrpc.Error
// (-32602 for an invalid cursor or URI, -32002 for a missing resource), or
// anything else for an infrastructure failure (-32000).
type Resources interface {
	// List returns one page, in the order and with the cursors of list_dashboards. After
	// the last page, next is "".
	List(ctx context.Context, cursor string) (page []*mcp.Resource, next string, err error)
	// Read returns the body of the dashboard at uri.
	Read(ctx context.Context, uri string) (*mcp.ResourceContents, error)
}

// newSDK returns the SDK's streamable handler with the tools, prompts and
// resources of c. It negotiates the specification's two revisions.
func newSDK(c Config, e *edge) http.Handler {
	srv := mcp.NewServer(&mcp.Implementation{Name: "service", Version: Version}, &mcp.ServerOptions{
		Instructions:              c.Instructions,
		SupportedProtocolVersions: []string{"2025-06-18", "2024-11-05"},
		Capabilities: &mcp.ServerCapabilities{ // set explicitly, so that the SDK sends no list-changed notifications
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
		},
	})
	c.Tools(srv)
	c.Prompts(srv)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{
		Name:        "dashboard",
		Title:       "Dashboard",
		Description: "A dashboard's page: handle is the slug of its workspace, slug its own.",
		URITemplate: "service://{handle}/{slug}",
		MIMEType:    "text/html",
	}, nil) // never called: handle answers resources/read
	srv.AddReceivingMiddleware(e.receive)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{
		Stateless:                  true,
		JSONResponse:               true,
		DisableLocalhostProtection: true, // a bearer token is required, and a proxy may run on this machine
		MaxRequestBodyBytes:        -1,   // bounded by edge.body
	})
}

// receive runs a call that the SDK has routed and decoded. It returns when the call has
// an outcome, or e.grace after the request has ended, so that a handler that ignores its
// context cannot make the caller wait.
func (e *edge) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		c, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return next(ctx, method, req) // not a call of the edge
		}
		done := make(chan outcome, 1)
		go func() {
			deepen()
			done <- e.handle(c, req, next)
		}()
		select {
		case c.outcome = <-done:
			return &answered{}, nil
		case <-c.ctx.Done():
		}
		select {
		case c.outcome = <-done:
		case <-time.After(e.grace):
			c.outcome = e.broken(c, fmt.Errorf("the handler outlived its request: %w", c.ctx.Err()), nil)
		}
		return &answered{}, nil
	}
}

// deepen grows the stack of a new goroutine at once to the size that a call needs. Go would double it three times from two
// kilobytes, each time with more frames to move, which took a fortieth of a small call's processor time.
//
//go:noinline
func deepen() (room [8 << 10]byte) { return room }

// answered is a result for the SDK, which the edge ignores.
type answered struct{ mcp.ResultBase }

// handle runs one call. It turns a panic, and an error without a JSON-RPC code, into an
// internal error for this caller; in the SDK, a panic would end the process.
func (e *edge) handle(c *call, req mcp.Request, next mcp.MethodHandler) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = e.broken(c, fmt.Errorf("panic: %v", p), debug.Stack())
		}
	}()
	var res any
	var err error
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		p.Arguments = c.arguments
		res, err = next(c.ctx, c.method, req)
		if codeOf(err) == jsonrpc.CodeInvalidParams { // the only error that the SDK itself finds: the tool's name
			res, err = e.unknownTool(c.ctx, p.Name), nil
		}
	case *mcp.ListResourcesParams:
		res, err = e.listResources(c.ctx, p)
	case *mcp.ReadResourceParams:
		res, err = e.readResource(c.ctx, p)
	case *mcp.ListToolsParams, *mcp.ListPromptsParams, *mcp.ListResourceTemplatesParams:
		if res, err = next(c.ctx, c.method, req); err != nil { // the parameters are valid otherwise
			err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid cursor"}
		}
	default:
		res, err = next(c.ctx, c.method, req)
	}
	if err == nil {
		out.result, err = replyOf(res)
	}
	if coded, ok := errors.AsType[*jsonrpc.Error](err); ok && coded.Code != codeInternal {
		return outcome{err: coded}
	}
	if err != nil {
		return e.broken(c, err, nil)
	}
	return out
}

// codeOf returns the JSON-RPC code of err, or 0.
func codeOf(err error) int64 {
	if coded, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return coded.Code
	}
	return 0
}

// unknownTool refuses a call of a tool that does not exist, and counts it. The caller
// chooses its name, so it is not used as a label and not logged.
func (e *edge) unknownTool(ctx context.Context, name string) *mcp.CallToolResult {
	e.metrics.ToolCall("unknown", "refused", 0)
	e.traces.Called(ctx, "unknown", "refused")
	e.log.InfoContext(ctx, "tool call", "tool", "unknown", "outcome", "refused", "ms", 0, "grant_id", grantID(ctx))
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: message.UnknownTool(name).Error()}}, IsError: true}
}

func (e *edge) listResources(ctx context.Context, p *mcp.ListResourcesParams) (any, error) {
	page, next, err := e.resources.List(ctx, p.Cursor)
	return &listing{Resources: append([]*mcp.Resource{}, page...), NextCursor: next}, err
}

func (e *edge) readResource(ctx context.Context, p *mcp.ReadResourceParams) (any, error) {
	c, err := e.resources.Read(ctx, p.URI)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}

// greet logs the name and version of a client that initializes.
func (e *edge) greet(ctx context.Context, params map[string]json.RawMessage) {
	var client struct{ Name, Version string }
	if json.Unmarshal(params["clientInfo"], &client) != nil {
		return
	}
	e.log.InfoContext(ctx, "client connected", "grant_id", grantID(ctx),
		"client_name", clip(client.Name, 80), "client_version", clip(client.Version, 40))
}
