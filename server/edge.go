package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"service/auth"
	"service/store"
	"service/store/limit"
	"service/store/message"
	"service/store/rawjson"
	"service/store/tracing"
)

const (
	anonymousBody = 64 << 10 // limit for parsing the body of a caller that may have no bearer token
	maxBody       = 32 << 20 // allows a 5 MiB spec however its JSON is escaped
	maxBatch      = 100      // members of a batch
	maxForSDK     = 64 << 10 // bytes of parameters other than a tool's arguments: names, cursors, URIs and arguments of prompts
	maxMethod     = 200      // bytes of an unknown method's name that its reply repeats
	parallel      = 32       // members of one batch that run concurrently
)

// edge is the middleware that makes the SDK's streamable handler answer as specified.
// The layers, from the outside: body, the bearer check, calls, the SDK's handler, and
// inside that receive.
type edge struct {
	resources Resources
	log       *slog.Logger
	metrics   *Metrics
	traces    *tracing.Tracer
	large     *Bodies
	answers   *Answers
	grace     time.Duration // after the end of a request, for its handler to return its own answer
	hosts     []string      // of web pages whose scripts may call

	// The tools in slow wait for data sources. Their calls have a separate queue, so that
	// an account whose calls wait for a warehouse can still open dashboards.
	slow             []string
	queue, slowQueue *Queue

	parsing limit.Keyed[string] // bodies that are parsed before their sender is known, by its Authorization header
}

// acquire waits for a slot for a call. A ping does not wait.
func (e *edge) acquire(ctx context.Context, method, tool string) (release func(), err error) {
	if method == "ping" {
		return func() {}, nil
	}
	grant, _ := auth.GrantFrom(ctx)
	if method == "tools/call" && slices.Contains(e.slow, tool) {
		return e.slowQueue.acquire(ctx, grant.Account, Calls)
	}
	return e.queue.acquire(ctx, grant.Account, Calls)
}

// origin refuses calls from web pages, except for the service's own and those of the
// person's own machine, as the protocol requires (MCP 2025-11-25, transports, security
// warning): a page with a stolen token could call from its visitors' addresses. Programs
// send no Origin, or one with a scheme that is not http or https.
func (e *edge) origin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, origin := range r.Header.Values("Origin") {
			if !e.mayCall(origin) {
				http.Error(w, "403 forbidden: web pages of other origins cannot call this server", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// mayCall reports whether pages of an origin may call. "null" is the origin of pages
// without an origin, which can be anybody's.
func (e *edge) mayCall(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme == "" {
		return false
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return true
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback() || slices.Contains(e.hosts, hostname(u.Host))
}

type bodyKey struct{} // the parsed body of a request

// body reads and parses the body of a request, before the bearer check, as the
// specification's table requires. It leaves large bodies to calls, which runs after the
// check, so that anonymous callers cannot make the server parse them.
func (e *edge) body(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, err := io.ReadAll(io.LimitReader(r.Body, anonymousBody+1))
		if len(start) > anonymousBody {
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(start), r.Body)) // the server closes the original body
			next.ServeHTTP(w, r)
			return
		}
		b, ok, waited := e.parse(r, start)
		switch {
		case waited != nil: // the caller has disconnected, or the time of the request is over
			w.Header().Set("Retry-After", "5")
			http.Error(w, "503 the time of the request ended before its body could be read: try again in a few seconds",
				http.StatusServiceUnavailable)
			return
		case err != nil || !ok:
			send(w, http.StatusBadRequest, parseError())
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), bodyKey{}, b)))
	})
}

// parse parses a body. Bodies of one sender, whose Authorization header is all that is known of it yet, wait for each other, so that
// thousands at once use half of the cores.
func (e *edge) parse(r *http.Request, content []byte) (b body, ok bool, err error) {
	release, err := e.parsing.Acquire(r.Context(), r.Header.Get("Authorization"), max(1, runtime.GOMAXPROCS(0)/2))
	if err != nil {
		return body{}, false, err
	}
	defer release()
	b, ok = parseBody(content)
	return b, ok, nil
}

// largeBody reads and parses a body that [edge.body] left unread. If the body is too
// large or not JSON, it writes the answer and returns false.
func largeBody(w http.ResponseWriter, r *http.Request) (b body, ok bool) {
	if r.ContentLength > maxBody {
		tooLarge(w)
		return b, false
	}
	var all bytes.Buffer
	all.Grow(int(max(r.ContentLength, 4*anonymousBody)) + bytes.MinRead)
	_, err := all.ReadFrom(io.LimitReader(r.Body, maxBody+1))
	if all.Len() > maxBody {
		tooLarge(w)
		return b, false
	}
	if errors.Is(err, store.ErrOverloaded) {
		tooManyBodies(w)
		return b, false
	}
	if b, ok = parseBody(all.Bytes()); err != nil || !ok {
		send(w, http.StatusBadRequest, parseError())
		return b, false
	}
	return b, true
}

// tooManyBodies answers a request whose large body is not read completely, because too many others are in
// flight.
func tooManyBodies(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", "5")
	http.Error(w, "503 too many large requests are being read: try again in a few seconds", http.StatusServiceUnavailable)
}

func tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close") // the rest of the body is not read
	text := fmt.Sprintf("413 payload too large: the request body is over the %d-byte limit", maxBody)
	http.Error(w, text, http.StatusRequestEntityTooLarge)
}

// calls passes each call of a body to the SDK's handler as a separate request, also
// those of a batch, and writes the replies.
func (e *edge) calls(sdk http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := r.Context().Value(bodyKey{}).(body)
		if !ok {
			grant, _ := auth.GrantFrom(r.Context())
			release, err := e.large.Acquire(w, r, grant.Account)
			if err != nil {
				tooManyBodies(w)
				return
			}
			defer release()
			if b, ok = largeBody(w, r); !ok {
				return
			}
		}
		line := entryOf(r.Context())
		line.grant = grantID(r.Context())
		switch {
		case !b.batch:
			line.method = labelOf(b.messages[0])
			e.one(w, r, b.messages[0], sdk)
		case len(b.messages) == 0 || len(b.messages) > maxBatch:
			line.method = "batch"
			send(w, http.StatusBadRequest, invalidRequest())
		default:
			line.method = "batch of " + strconv.Itoa(len(b.messages))
			if !slices.ContainsFunc(b.messages, func(m msg) bool { return m.kind != silent }) {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			e.batch(w, r, b.messages, sdk)
		}
	})
}

// one answers a message that is not in a batch.
func (e *edge) one(w http.ResponseWriter, r *http.Request, m msg, sdk http.Handler) {
	a := e.begin(r.Context(), m)
	defer a.kept.written()
	e.run(a, r, sdk)
	switch {
	case a.reply == nil:
		w.WriteHeader(http.StatusAccepted)
	case a.away:
		w.Header().Set("Retry-After", "5")
		respond(w, http.StatusServiceUnavailable, a.reply)
	case m.kind == invalid:
		respond(w, http.StatusBadRequest, a.reply)
	default:
		respond(w, http.StatusOK, a.reply)
	}
}

// batch answers the members of a batch concurrently; at least one of them gets a reply. It writes replies in the order of the
// members, each as soon as possible; notifications get no reply. It admits members in the same order, because the replies of later
// members could fill the account's memory, which is freed only by writing the replies before them.
func (e *edge) batch(w http.ResponseWriter, r *http.Request, members []msg, sdk http.Handler) {
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), batchKey{}, new(atomic.Bool)))
	r = r.WithContext(ctx)
	done := make([]chan *answering, len(members))
	for i := range done {
		done[i] = make(chan *answering, 1)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel() // if the caller has disconnected, the other members are not needed
	wg.Go(func() {
		slots := make(chan struct{}, parallel)
		for i, m := range members {
			slots <- struct{}{}
			a := e.begin(ctx, m)
			wg.Go(func() {
				defer func() { <-slots }()
				e.run(a, r, sdk)
				done[i] <- a
			})
		}
	})
	w.Header().Set("Content-Type", "application/json")
	var out *bufio.Writer // made when there is something to write: hundreds of batches may wait for their first reply
	separator := byte('[')
	for i, one := range done {
		a := <-one
		if i == 0 {
			out = bufio.NewWriterSize(w, stretch)
		}
		if a.reply != nil {
			_ = out.WriteByte(separator)
			separator = ','
			if a.reply.writeTo(out) != nil {
				cancel() // the caller has disconnected; a Writer that has failed writes nothing more
			}
		}
		a.kept.written()
	}
	_ = out.WriteByte(']')
	_ = out.Flush() // fails only when the caller has disconnected
}

// answering is one message and its reply.
type answering struct {
	call   *call       // nil if there is nothing to run
	params []byte      // the parameters that the SDK reads
	kept   *keptAnswer // nil if there is nothing to count
	reply  pieces      // nil if the message gets no reply
	away   bool        // the same call may succeed a little later
}

// begin reads a message and waits for its slot.
func (e *edge) begin(ctx context.Context, m msg) *answering {
	switch m.kind {
	case silent:
		return &answering{}
	case invalid:
		return &answering{reply: plain(invalidRequest())}
	}
	takes, known := methods[m.method]
	if !known {
		return &answering{reply: plain(failure(m.id, &jsonrpc.Error{
			Code: jsonrpc.CodeMethodNotFound, Message: message.MethodNotFound(clip(m.method, maxMethod)),
		}))}
	}
	params, ok := readParams(m)
	forSDK := pick(params, takes)
	if !ok || len(forSDK) > maxForSDK {
		return &answering{reply: plain(failure(m.id, invalidParams()))}
	}
	if m.method == "initialize" {
		e.greet(ctx, params)
	}
	size := int64(smallAnswer)
	if m.method == "resources/read" {
		size = largeAnswer
	}
	ctx, kept := e.answers.counting(ctx, size)
	ctx, span := e.traces.Call(ctx, m.method)
	a := &answering{kept: kept, call: &call{ctx: ctx, id: m.id, method: m.method, arguments: params["arguments"], span: span}}
	tool, _ := text(params["name"])
	release, err := e.acquire(ctx, m.method, tool)
	if err != nil { // a metric counts it; a log line for each would add to the flood
		span.EndCall(true)
		return &answering{kept: kept, away: true, reply: plain(failure(m.id, &jsonrpc.Error{
			Code: codeInternal, Message: message.Unavailable(RequestID(ctx)),
		}))}
	}
	a.call.release = release
	a.params = forSDK
	return a
}

// run runs the call of a message, if it is one, and releases its slot.
func (e *edge) run(a *answering, r *http.Request, sdk http.Handler) {
	c := a.call
	if c == nil {
		return
	}
	failed := true
	defer func() { c.span.EndCall(failed) }()
	defer c.release()
	e.forward(c, r, a.params, sdk)
	failed = c.err != nil && c.err.Code == codeInternal
	if a.reply, a.away = success(c.id, c.result), c.away; c.err != nil {
		a.reply = plain(failure(c.id, c.err))
	}
	a.kept.is(int64(a.reply.bytes()))
}

// readParams decodes a call's parameters and reports whether they are an object. If the
// parameters of initialize cannot be read, they name no revision, so the answer names
// the server's.
func readParams(m msg) (params map[string]json.RawMessage, ok bool) {
	params, err := rawjson.Object(m.params)
	ok = err == nil && (params != nil || m.params == nil || string(m.params) == "null")
	switch m.method {
	case "initialize":
		if _, readable := text(params["protocolVersion"]); !readable {
			delete(params, "protocolVersion")
		}
		return params, true
	case "tools/call":
		_, named := text(params["name"])
		if own := ownMeta(params["_meta"]); own != nil {
			params["_meta"] = own
		} else {
			delete(params, "_meta")
		}
		return params, ok && named
	case "prompts/get":
		_, err := rawjson.Object(params["arguments"])
		return params, ok && err == nil
	}
	return params, ok
}

// pick encodes the members of params that the method uses.
func pick(params map[string]json.RawMessage, takes []string) []byte {
	b := []byte{'{'}
	for _, name := range takes {
		if value, given := params[name]; given {
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(b, '"')
			b = append(b, name...)
			b = append(b, `":`...)
			b = append(b, value...)
		}
	}
	return append(b, '}')
}

// call is one call that the SDK's handler runs. It carries values past the SDK that the
// SDK must not handle itself: the SDK would decode large arguments nine times, detach
// the call's context from its request, and wait forever for a result that cannot be
// encoded.
type call struct {
	ctx       context.Context // of the HTTP request, and ends with it
	id        json.RawMessage // as sent
	method    string
	arguments json.RawMessage // for tools/call
	release   func()          // releases its slot; may be called twice
	span      *tracing.Span
	outcome   // set by receive
}

// outcome is the end of one call: a result, or an error to show.
type outcome struct {
	result pieces
	err    *jsonrpc.Error
	away   bool // err means that the database is unreachable, overloaded or full
}

type callKey struct{} // the *call of a request to the SDK

// sdkHeader has the headers that the SDK requires. The client's own headers are not
// passed on, because the specification does not use them.
var sdkHeader = http.Header{
	"Accept":       {"application/json, text/event-stream"},
	"Content-Type": {"application/json"},
}

// forward has the SDK run c, a call of r. The SDK's request has no deadline: receive
// ends the call soon after r ends, and lets the handler answer first.
func (e *edge) forward(c *call, r *http.Request, params []byte, sdk http.Handler) {
	defer func() {
		if p := recover(); p != nil {
			c.outcome = e.broken(c, fmt.Errorf("panic in the SDK: %v", p), debug.Stack())
		}
	}()
	raw := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, params)
	inner := r.WithContext(context.WithValue(context.WithoutCancel(c.ctx), callKey{}, c))
	inner.Header = sdkHeader
	inner.Body = io.NopCloser(bytes.NewReader(raw))
	inner.ContentLength = int64(len(raw))
	w := &discard{header: http.Header{}}
	sdk.ServeHTTP(w, inner)
	switch {
	case c.result != nil || c.err != nil:
	case w.status < http.StatusInternalServerError: // the SDK could not decode the parameters, and its error text repeats them
		c.err = invalidParams()
	default:
		c.outcome = e.broken(c, fmt.Errorf("the SDK answered %d without running the call", w.status), nil)
	}
}

// discard drops the SDK's answer, because the outcome is in the call.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

// broken logs an internal error and returns the error that the caller sees.
func (e *edge) broken(c *call, cause error, stack []byte) outcome {
	record := e.log.ErrorContext
	if errors.Is(c.ctx.Err(), context.Canceled) {
		record = e.log.InfoContext // the caller has disconnected, which caused the failure
	}
	attrs := []any{"method", c.method, "err", cause}
	if stack != nil {
		attrs = append(attrs, "stack", string(stack))
	}
	record(c.ctx, "call failed", attrs...)
	id := RequestID(c.ctx)
	out := outcome{err: &jsonrpc.Error{Code: codeInternal, Message: message.Internal(id)}}
	switch away := store.Outage(cause); {
	case errors.Is(away, store.ErrStorageFull):
		out.away, out.err.Message = true, message.StorageFull(id)
	case away != nil:
		out.away, out.err.Message = true, message.Unavailable(id)
	}
	return out
}

// labelOf returns the method of m for log and metrics: a known method, or one word for all
// others.
func labelOf(m msg) string {
	switch _, known := methods[m.method]; {
	case known:
		return m.method
	case m.kind == calling:
		return "unknown"
	case m.kind == silent:
		return "notification"
	}
	return "invalid"
}
