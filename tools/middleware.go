package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/auth"
	"service/store"
	"service/store/dashboard"
	"service/store/message"
	"service/store/warehouse"
)

// A tool is one MCP tool: its description for clients, its checks, and the function that
// runs once they have passed. In is its argument struct (args.go).
type tool[In any] struct {
	name        string
	title       string
	description string // facts, the purpose first; clients cut it at 2,048 characters
	hints       hints
	meta        mcp.Meta
	output      any        // zero value of its structuredContent, when a schema of it is declared
	scope       scope      // who may call it, and in which workspace it acts
	viewers     bool       // viewers may call it too: it changes nothing, shows no SQL and queries no source
	rate        store.Rate // limit for each account; zero: no limit
	large       bool       // its arguments may exceed maxArguments: whole specs and bodies
	run         func(context.Context, call, In) (*reply, error)
}

// hints are the annotations of a tool. All are sent, including false ones, because the
// protocol's defaults differ.
type hints struct {
	readOnly    bool // makes no lasting change
	destructive bool // may replace or remove something
	idempotent  bool // repeating it changes nothing more
	openWorld   bool // runs SQL on an external source
}

// A call is one call in progress: the calling member, and the configuration of the
// tools.
type call struct {
	Config
	store.Member
	meta mcp.Meta // of the request
}

// url returns the canonical URL of a dashboard of the call's workspace.
func (c call) url(slug string) string { return c.URL(c.Workspace(), slug) }

// Client hints (_meta keys) that Claude Code reads.
var (
	alwaysLoad = mcp.Meta{"anthropic/alwaysLoad": true}            // in the model's context before it searches for tools
	longResult = mcp.Meta{"anthropic/maxResultSizeChars": 200_000} // shown to the model rather than put into a file
)

// registrable is a tool[In] with any In.
type registrable interface {
	definition() *mcp.Tool
	handler(Config) mcp.ToolHandler
}

func (t tool[In]) definition() *mcp.Tool {
	def := &mcp.Tool{
		Meta:        t.meta,
		Name:        t.name,
		Title:       t.title,
		Description: t.description,
		InputSchema: shapeOf[In]().schema(),
		Annotations: &mcp.ToolAnnotations{
			Title:           t.title, // for clients that do not read the tool's own
			ReadOnlyHint:    t.hints.readOnly,
			DestructiveHint: &t.hints.destructive,
			IdempotentHint:  t.hints.idempotent,
			OpenWorldHint:   &t.hints.openWorld,
		},
	}
	if t.output != nil {
		def.OutputSchema = outputSchema(t.output)
	}
	return def
}

// handler returns the handler for the SDK's low-level Server.AddTool. The generic AddTool
// would refuse arguments in the SDK's words, but the specification defines other words.
// The handler counts, times and logs each call, including calls that panic.
func (t tool[In]) handler(c Config) mcp.ToolHandler {
	shape := shapeOf[In]()
	return func(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		begin, outcome := time.Now(), outcomeError
		defer func() {
			took := time.Since(begin)
			c.Called(ctx, t.name, outcome, took)
			grant, _ := auth.GrantFrom(ctx)
			c.Log.InfoContext(ctx, "tool call", "tool", t.name, "outcome", outcome, "ms", took.Milliseconds(), "grant_id", grant.ID.String())
		}()
		r, err := t.handle(ctx, c, shape, req.Params.Arguments, req.Params.Meta)
		if err == nil {
			res, err = r.result()
		}
		if err == nil {
			outcome = outcomeOK
			return res, nil
		}
		if unread, ok := errors.AsType[*dashboard.Unread](err); ok { // not an internal error: the caller can replace the document
			c.Log.ErrorContext(ctx, "a stored document cannot be read", "tool", t.name, "err", err)
			return &mcp.CallToolResult{IsError: true, Content: content(unreadSentence(unread))}, nil
		}
		if text, ok := refusal(err); ok {
			if outcome = outcomeOf(err); outcome == outcomeThrottled || outcome == outcomeOverBudget {
				c.Delay(ctx)
			}
			return &mcp.CallToolResult{IsError: true, Content: content(clip(text, maxRefusal))}, nil
		}
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
}

// The outcomes of a call, for metrics and log.
const (
	outcomeOK         = "ok"
	outcomeRefused    = "refused"
	outcomeThrottled  = "throttled"   // over the caller's rate
	outcomeOverBudget = "over_budget" // over the workspace's budget of refreshes
	outcomeError      = "error"       // an internal failure
)

// errThrottled is in the chain of the refusal of a call over its rate.
var errThrottled = errors.New("throttled")

// outcomeOf returns the outcome of a call that was refused with err.
func outcomeOf(err error) string {
	switch {
	case errors.Is(err, errThrottled):
		return outcomeThrottled
	case errors.Is(err, store.ErrRefreshBudget):
		return outcomeOverBudget
	}
	return outcomeRefused
}

// handle checks one call and runs the tool. The specification defines the order of the
// checks: a caller without access learns nothing about its arguments, and a call with bad
// arguments does not count towards the rate.
func (t tool[In]) handle(ctx context.Context, c Config, shape shape, raw json.RawMessage, meta mcp.Meta) (*reply, error) {
	grant, ok := auth.GrantFrom(ctx)
	if !ok {
		return nil, errors.New("no grant in the request's context")
	}
	if len(raw) > maxArguments && !t.large {
		return nil, message.Refuse("the arguments of %s have %d bytes, and may have at most 1 MiB", t.name, len(raw))
	}
	args, err := parse(raw)
	if err != nil {
		return nil, err
	}
	member, err := t.scope(ctx, c.Store, grant, args)
	if err != nil {
		return nil, err
	}
	if !t.viewers && !member.Edits() {
		return nil, c.Store.Members.RefuseViewer(ctx, member)
	}
	unknown := shape.unknown(args)
	var in In
	if err := shape.bind(args, &in); err != nil {
		return nil, explained(err, unknown)
	}
	if grant.DryRunOnly && !t.hints.readOnly && !triesOnly(in) {
		return nil, message.Refuse("This authorization allows only reading and dry runs, like its trust: it cannot call %s%s. "+
			"The operator's trust of another subject may.", t.name, unlessDry(in))
	}
	if a, ok := any(in).(interface{ check() error }); ok { // arguments that must fit together
		if err := a.check(); err != nil {
			return nil, explained(err, unknown)
		}
	}
	if t.rate.Ceiling > 0 {
		if ok, _ := c.Store.Rates.Allow(ctx, t.rate, grant.Account.String()); !ok {
			return nil, fmt.Errorf("%w: %w", errThrottled, message.Throttled(t.name))
		}
	}
	r, err := t.run(ctx, call{c, member, meta}, in)
	if err != nil {
		return nil, err
	}
	r.ignoring(unknown)
	return r, nil
}

// triesOnly reports whether a call with these arguments writes nothing.
func triesOnly(in any) bool {
	p, ok := in.(publishDashboardArgs)
	return ok && p.DryRun
}

// unlessDry is the end of a refusal of a call that would be allowed as a dry run.
func unlessDry(in any) string {
	if _, ok := in.(publishDashboardArgs); ok {
		return " without dry_run"
	}
	return ""
}

// explained adds the unknown arguments to a refusal, because a misspelt name is the most
// likely reason for a missing argument.
func explained(err error, unknown []unknownArgument) error {
	text, ok := refusal(err)
	if !ok || len(unknown) == 0 {
		return err
	}
	return message.Refuse("%s. %s", strings.TrimSuffix(text, "."), ignoredSentence(unknown))
}

// refusal returns the words for the caller in err's chain, if there are any.
func refusal(err error) (string, bool) {
	if no, ok := message.As(err); ok {
		return no.Error(), true
	}
	if problems, ok := errors.AsType[*dashboard.Problems](err); ok {
		return problems.Error(), true
	}
	if no, ok := errors.AsType[*warehouse.Error](err); ok {
		return clip(no.Message, maxErrorText), true
	}
	return "", false
}

// unreadSentence is the answer to a call that needs a stored document which the service cannot read any more.
func unreadSentence(u *dashboard.Unread) string {
	return fmt.Sprintf("A stored document that this call reads does not fit the rules of documents (%s), so it cannot be read. "+
		"get_dashboard_spec returns it as it is, and publish_dashboard with a corrected one replaces it.", u.Places())
}

// maxArguments is the limit of a tool's arguments in bytes, unless it takes whole
// documents.
const maxArguments = 1 << 20

// maxRefusal is the limit of a refusal, in characters. Refusals quote arguments, and
// clients cut longer texts.
const maxRefusal = 10_000

// maxErrorText is the limit of a source's error text in an answer, in characters.
const maxErrorText = 500
