package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"service/store/message"
)

const (
	anonymousBody = 64 << 10 // bytes parsed for a caller who may have no bearer
	maxBody       = 32 << 20 // leaves room for a 5 MiB spec however its JSON is escaped
	maxBatch      = 100      // members of a batch
	parallel      = 32       // members of one batch that run at the same time
)

// endpoint is /mcp from the body on. What comes before it, path and method, is
// in routes.go.
type endpoint struct {
	*edge
	small, large http.Handler // what follows a body under, and over, anonymousBody
}

// newEndpoint puts bearer at its place: the JSON check comes first, as in the
// specification's table, unless the body is large. An anonymous caller must not
// make us parse that.
func newEndpoint(e *edge, bearer func(http.Handler) http.Handler) *endpoint {
	return &endpoint{e, bearer(http.HandlerFunc(e.serve)), bearer(http.HandlerFunc(e.serveLarge))}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, err := io.ReadAll(io.LimitReader(r.Body, anonymousBody+1))
	if len(start) > anonymousBody {
		e.large.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), startKey{}, start)))
		return
	}
	b, ok := parseBody(start)
	if err != nil || !ok {
		send(w, http.StatusBadRequest, parseError())
		return
	}
	e.small.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), bodyKey{}, b)))
}

type (
	bodyKey  struct{} // the body, parsed
	startKey struct{} // the first bytes of a large one
)

// serveLarge reads and checks the rest of a large body.
func (e *edge) serveLarge(w http.ResponseWriter, r *http.Request) {
	start, _ := r.Context().Value(startKey{}).([]byte)
	if r.ContentLength > maxBody {
		tooLarge(w)
		return
	}
	var all bytes.Buffer
	all.Grow(int(max(r.ContentLength, 4*anonymousBody)) + bytes.MinRead)
	all.Write(start)
	_, err := all.ReadFrom(io.LimitReader(r.Body, int64(maxBody+1-len(start))))
	if all.Len() > maxBody {
		tooLarge(w)
		return
	}
	b, ok := parseBody(all.Bytes())
	if err != nil || !ok {
		send(w, http.StatusBadRequest, parseError())
		return
	}
	e.serve(w, r.WithContext(context.WithValue(r.Context(), bodyKey{}, b)))
}

func tooLarge(w http.ResponseWriter) {
	w.Header().Set("Connection", "close") // the rest of it is not wanted
	http.Error(w, fmt.Sprintf("413 payload too large: the request body is over the %d-byte limit", maxBody), http.StatusRequestEntityTooLarge)
}

// serve answers a parsed body.
func (e *edge) serve(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	b, _ := ctx.Value(bodyKey{}).(body)
	note := entryOf(ctx)
	note.grant = grantID(ctx)
	switch {
	case !b.batch:
		m := b.messages[0]
		note.method = labelOf(m)
		switch reply := e.answer(ctx, m); {
		case reply == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.kind == invalid:
			send(w, http.StatusBadRequest, reply)
		default:
			send(w, http.StatusOK, reply)
		}
	case len(b.messages) == 0 || len(b.messages) > maxBatch:
		note.method = "batch"
		send(w, http.StatusBadRequest, invalidRequest())
	default:
		note.method = "batch of " + strconv.Itoa(len(b.messages))
		replies := e.answerAll(ctx, b.messages)
		if len(replies) == 0 {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		send(w, http.StatusOK, slices.Concat([]byte{'['}, bytes.Join(replies, []byte{','}), []byte{']'}))
	}
}

// answerAll answers the members of a batch at the same time. The replies are
// in the order of the members, without those that get none.
func (e *edge) answerAll(ctx context.Context, members []msg) [][]byte {
	replies := make([][]byte, len(members))
	slots := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	for i, m := range members {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			replies[i] = e.answer(ctx, m)
		})
	}
	wg.Wait()
	return slices.DeleteFunc(replies, func(reply []byte) bool { return reply == nil })
}

// answer serves one message and returns its reply, or nil if it gets none.
func (e *edge) answer(ctx context.Context, m msg) []byte {
	switch m.kind {
	case silent:
		return nil
	case invalid:
		return invalidRequest()
	}
	takes, known := methods[m.method]
	if !known {
		return failure(m.id, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: message.MethodNotFound(m.method)})
	}
	params, ok := readParams(m)
	if !ok {
		return failure(m.id, invalidParams())
	}
	if m.method == "initialize" {
		e.greet(ctx, params)
	}
	out := e.forward(ctx, m.method, pick(params, takes), params["arguments"])
	if out.err != nil {
		return failure(m.id, out.err)
	}
	return success(m.id, out.result)
}

// readParams decodes a call's parameters, and reports whether they are an
// object whose names are readable. A client that initializes in a way we cannot
// read names no revision, so it is answered with ours.
func readParams(m msg) (params map[string]json.RawMessage, ok bool) {
	if m.params != nil {
		ok = json.Unmarshal(m.params, &params) == nil
	} else {
		ok = true
	}
	switch m.method {
	case "initialize":
		if _, readable := text(params["protocolVersion"]); !readable {
			delete(params, "protocolVersion")
		}
		return params, true
	case "tools/call":
		_, named := text(params["name"])
		return params, ok && named
	}
	return params, ok
}

// pick encodes those of params that the method takes.
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

// outcome is what became of one call: a result, or an error to show.
type outcome struct {
	result json.RawMessage
	err    *jsonrpc.Error
}

// exchange accompanies one call past the SDK: what the SDK need not read goes
// in with it, and the answer comes out by it. The SDK would decode large
// arguments nine times, detach the handler from the request, and wait for ever
// for a result that cannot be encoded.
type exchange struct {
	ctx       context.Context // of the HTTP request: ends with it
	arguments json.RawMessage
	answer    chan outcome // takes one without waiting
}

type exchangeKey struct{}

// forward runs one call through the SDK. It returns when there is an answer, or
// at the latest e.grace after ctx has ended: a handler that does not heed its
// context cannot keep the caller waiting.
func (e *edge) forward(ctx context.Context, method string, params []byte, arguments json.RawMessage) outcome {
	x := &exchange{ctx, arguments, make(chan outcome, 1)}
	raw := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	inner := (&http.Request{
		Method:        http.MethodPost,
		URL:           e.url,
		Host:          e.url.Host,
		Header:        e.header,
		Body:          io.NopCloser(bytes.NewReader(raw)),
		ContentLength: int64(len(raw)),
	}).WithContext(context.WithValue(ctx, exchangeKey{}, x))
	rec := &recorder{header: http.Header{}}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		defer func() {
			if p := recover(); p != nil {
				x.answer <- e.broken(ctx, method, fmt.Errorf("panic in the SDK: %v", p), debug.Stack())
			}
		}()
		e.sdk.ServeHTTP(rec, inner)
	}()

	select {
	case out := <-x.answer:
		return out
	case <-returned:
	case <-ctx.Done():
		patience := time.NewTimer(e.grace)
		defer patience.Stop()
		select {
		case out := <-x.answer:
			return out
		case <-returned:
		case <-patience.C:
			return e.broken(ctx, method, fmt.Errorf("the handler outlived its request: %w", ctx.Err()), nil)
		}
	}
	select {
	case out := <-x.answer:
		return out
	default:
		return e.unserved(ctx, method, rec)
	}
}

// unserved words the answer of the SDK to a call that it did not hand over,
// which is one whose parameters it could not decode. Its own words repeat the
// parameters and name Go types.
func (e *edge) unserved(ctx context.Context, method string, rec *recorder) outcome {
	var reply struct {
		Error jsonrpc.Error `json:"error"`
	}
	if rec.status == http.StatusBadRequest || json.Unmarshal(rec.body, &reply) == nil && reply.Error.Code == jsonrpc.CodeInvalidParams {
		return outcome{err: invalidParams()}
	}
	return e.broken(ctx, method, errors.Join(fmt.Errorf("the SDK answered %d without calling the handler", rec.status), ctx.Err()), nil)
}

// broken logs an exception and returns what the caller may know of it.
func (e *edge) broken(ctx context.Context, method string, cause error, stack []byte) outcome {
	record := e.log.ErrorContext
	if errors.Is(ctx.Err(), context.Canceled) {
		record = e.log.InfoContext // the caller is gone: the failure is its doing
	}
	attrs := []any{"method", method, "err", cause}
	if stack != nil {
		attrs = append(attrs, "stack", string(stack))
	}
	record(ctx, "call failed", attrs...)
	return outcome{err: &jsonrpc.Error{Code: codeInternal, Message: message.Internal(RequestID(ctx))}}
}

// recorder keeps what the SDK answers.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }
func (r *recorder) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return len(p), nil
}

// labelOf is the method of m for the log: one of ours or a word for the rest.
func labelOf(m msg) string {
	switch _, known := methods[m.method]; {
	case known:
		return m.method
	case m.kind == call:
		return "unknown"
	case m.kind == silent:
		return "notification"
	}
	return "invalid"
}

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // it fails when the caller has gone: there is nobody to tell
}
