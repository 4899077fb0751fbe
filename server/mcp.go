package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/store/message"
)

// Version is the server's version (specification, "Versioning").
const Version = "0.6.0"

// Resources are the dashboards a caller can see. Errors are a *jsonrpc.Error
// (-32602 for an invalid cursor or URI, -32002 for a missing resource), or
// anything else for an infrastructure failure (-32000).
type Resources interface {
	// List returns one page, in the order and with the cursors of list_dashboards.
	// The last page has no next cursor.
	List(ctx context.Context, cursor string) (page []*mcp.Resource, next string, err error)
	// Read returns the body of the dashboard at uri.
	Read(ctx context.Context, uri string) (*mcp.ResourceContents, error)
}

// edge answers JSON-RPC calls.
type edge struct {
	sdk       http.Handler
	url       *url.URL
	header    http.Header
	resources Resources
	tools     map[string]bool // by name, all there are
	log       *slog.Logger
	metrics   *Metrics
	grace     time.Duration // after the end of a request, for its handler to come back in its own words
}

// newEdge registers tools, prompts and resources on an SDK server of its own,
// which negotiates the specification's two revisions.
func newEdge(ctx context.Context, c Config) (*edge, error) {
	e := &edge{
		url: &url.URL{Scheme: "http", Host: "mcp", Path: "/mcp"},
		// The SDK insists on these. What the client negotiates by header is no
		// concern of the specification, so it is not passed on.
		header: http.Header{
			"Accept":       {"application/json, text/event-stream"},
			"Content-Type": {"application/json"},
		},
		resources: c.Resources,
		log:       c.Log,
		metrics:   c.Metrics,
		grace:     c.Grace,
	}
	srv := mcp.NewServer(&mcp.Implementation{Name: "service", Version: Version}, &mcp.ServerOptions{
		Instructions:              c.Instructions,
		SupportedProtocolVersions: []string{"2025-06-18", "2024-11-05"},
		Capabilities: &mcp.ServerCapabilities{ // named, so that the SDK sends no list-changed notification
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
	}, nil) // never called: receive answers resources/read
	srv.AddReceivingMiddleware(e.receive)
	e.sdk = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{
		Stateless:                  true,
		JSONResponse:               true,
		DisableLocalhostProtection: true, // a bearer is required, and a proxy may sit on this host
		MaxRequestBodyBytes:        -1,   // bounded by endpoint
	})
	return e, e.learnTools(ctx)
}

// learnTools asks the SDK for the names of its tools.
func (e *edge) learnTools(ctx context.Context) error {
	out := e.forward(ctx, "tools/list", []byte("{}"), nil)
	if out.err != nil {
		return fmt.Errorf("server: listing the tools: %w", out.err)
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		NextCursor string `json:"nextCursor"`
	}
	if err := json.Unmarshal(out.result, &list); err != nil {
		return fmt.Errorf("server: listing the tools: %w", err)
	}
	if list.NextCursor != "" {
		return errors.New("server: the tools do not fit on one page")
	}
	e.tools = make(map[string]bool, len(list.Tools))
	for _, tool := range list.Tools {
		e.tools[tool.Name] = true
	}
	return nil
}

// receive takes a call over from the SDK, once routed and decoded, and answers
// it by its exchange.
func (e *edge) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		x, ok := ctx.Value(exchangeKey{}).(*exchange)
		if !ok {
			return next(ctx, method, req) // the SDK's own housekeeping
		}
		x.answer <- e.handle(x, method, req, next)
		return &answered{}, nil
	}
}

// answered tells the SDK that there is nothing more to do.
type answered struct{ mcp.ResultBase }

// handle runs one call. A panic, and any error that names no JSON-RPC code, is
// an internal error of this caller alone: the SDK would end the process.
func (e *edge) handle(x *exchange, method string, req mcp.Request, next mcp.MethodHandler) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = e.broken(x.ctx, method, fmt.Errorf("panic: %v", p), debug.Stack())
		}
	}()
	var res any
	var err error
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return e.callTool(x, p, req, next)
	case *mcp.ListResourcesParams:
		res, err = e.listResources(x.ctx, p)
	case *mcp.ReadResourceParams:
		res, err = e.readResource(x.ctx, p)
	case *mcp.ListToolsParams, *mcp.ListPromptsParams, *mcp.ListResourceTemplatesParams:
		if res, err = next(x.ctx, method, req); err != nil { // there is nothing else to be wrong
			err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid cursor"}
		}
	default:
		res, err = next(x.ctx, method, req)
	}
	if err == nil {
		out.result, err = encode(worded(res))
	}
	if err != nil {
		return e.failed(x.ctx, method, err)
	}
	return out
}

// failed is the outcome of a call that returned err.
func (e *edge) failed(ctx context.Context, method string, err error) outcome {
	if coded, ok := errors.AsType[*jsonrpc.Error](err); ok && coded.Code != codeInternal {
		return outcome{err: coded}
	}
	return e.broken(ctx, method, err, nil)
}

// callTool runs one tool, and counts, times and logs it.
func (e *edge) callTool(x *exchange, p *mcp.CallToolParamsRaw, req mcp.Request, next mcp.MethodHandler) (out outcome) {
	start, name, verdict := time.Now(), p.Name, "error"
	if !e.tools[name] {
		name = "unknown" // a stranger's word is neither a label nor a log line
	}
	defer func() {
		if p := recover(); p != nil {
			out = e.broken(x.ctx, "tools/call "+name, fmt.Errorf("panic: %v", p), debug.Stack())
		}
		took := time.Since(start)
		e.metrics.toolCall(name, verdict, took)
		e.log.InfoContext(x.ctx, "tool call", "tool", name, "outcome", verdict,
			"ms", took.Milliseconds(), "grant_id", grantID(x.ctx))
	}()
	var res *mcp.CallToolResult
	if !e.tools[p.Name] {
		res = refusal(message.UnknownTool(p.Name))
	} else {
		p.Arguments = x.arguments
		got, err := next(x.ctx, "tools/call", req)
		if err != nil {
			return e.failed(x.ctx, "tools/call "+name, err)
		}
		res, _ = got.(*mcp.CallToolResult)
	}
	var err error
	if out.result, err = encode(wordedCall(res)); err != nil {
		return e.failed(x.ctx, "tools/call "+name, err)
	}
	verdict = verdictOf(name, res)
	return out
}

// verdictOf names the outcome of a tool for metrics and log. A throttled call
// is known by its sentence, which is fixed.
func verdictOf(name string, res *mcp.CallToolResult) string {
	if !res.IsError {
		return "ok"
	}
	if len(res.Content) == 1 {
		if said, ok := res.Content[0].(*mcp.TextContent); ok {
			switch said.Text {
			case message.Throttled(name).Error():
				return "throttled"
			case message.RefreshBudgetSpent().Error():
				return "over_budget"
			}
		}
	}
	return "refused"
}

func refusal(no *message.Refusal) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: no.Error()}}, IsError: true}
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
	b := contents{URI: c.URI, MIMEType: c.MIMEType, Blob: c.Blob}
	if c.Blob == nil {
		b.Text = &c.Text
	}
	return &listing{Contents: []contents{b}}, nil
}

// greet notes in the log which program a new client is.
func (e *edge) greet(ctx context.Context, params map[string]json.RawMessage) {
	var client struct{ Name, Version string }
	if json.Unmarshal(params["clientInfo"], &client) != nil {
		return
	}
	e.log.InfoContext(ctx, "client connected", "grant_id", grantID(ctx),
		"client_name", clip(client.Name, 80), "client_version", clip(client.Version, 40))
}
