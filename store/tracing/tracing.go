package tracing

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// A Tracer creates spans. A nil Tracer creates none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	patience time.Duration // of Close
}

// New returns a tracer that passes ended spans to e, in batches and in the background: if e is slow, spans are dropped. version is the
// program's. The SDK reads from the environment which requests are traced, how many spans may wait, and the name of the process.
func New(e sdk.SpanExporter, version string) *Tracer {
	return newTracer(version, sdk.WithBatcher(e))
}

func newTracer(version string, options ...sdk.TracerProviderOption) *Tracer {
	named, err := resource.Merge(
		resource.NewSchemaless(attribute.String("service.name", "service"), attribute.String("service.version", version)),
		resource.Environment()) // the environment takes precedence
	if err != nil { // it has another schema: keep our attributes
		named = resource.NewSchemaless(attribute.String("service.name", "service"), attribute.String("service.version", version))
	}
	provider := sdk.NewTracerProvider(append(options, sdk.WithResource(named))...)
	return &Tracer{provider, provider.Tracer("service", trace.WithInstrumentationVersion(version)), closeWithin}
}

// closeWithin limits the time for passing on the last spans.
const closeWithin = time.Second

// Close passes on the last spans, for at most a second, and drops the rest.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // the exporter has logged why
}

// A Span is an operation in progress. A nil Span is not traced.
type Span struct{ span trace.Span }

// start begins a span below that of ctx, or one without parent.
func (t *Tracer) start(ctx context.Context, name string, kind trace.SpanKind, attrs ...attribute.KeyValue) (context.Context, *Span) {
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attrs...))
	return ctx, &Span{span}
}

// part begins a span below that of ctx. Without a parent it creates no span: background work, such as that of the queue and of the
// clockwork, would be most of the spans.
func (t *Tracer) part(ctx context.Context, name string, kind trace.SpanKind, attrs ...attribute.KeyValue) (context.Context, *Span) {
	if t == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, nil
	}
	return t.start(ctx, name, kind, attrs...)
}

// end ends a span. why is one of few words, or empty on success. Like all methods that end a Span, it must not be deferred directly but be
// called by a deferred function: the SDK's End records a panic that it can recover, with its text.
func (s *Span) end(why string, attrs ...attribute.KeyValue) {
	if s == nil {
		return
	}
	s.span.SetAttributes(attrs...)
	if why != "" {
		s.span.SetStatus(codes.Error, why)
	}
	s.span.End()
}

// Request begins the span of an HTTP request. The caller's own trace is not continued, because the caller would then choose what is traced
// here; the span has a link to it.
func (t *Tracer) Request(r *http.Request) (context.Context, *Span) {
	if t == nil {
		return r.Context(), nil
	}
	ctx, s := t.start(r.Context(), "request", trace.SpanKindServer)
	theirs := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
	if from := trace.SpanContextFromContext(theirs); from.IsValid() {
		s.span.AddLink(trace.Link{SpanContext: from.WithTraceState(trace.TraceState{})}) // without the trace state, which is free text
	}
	return ctx, s
}

// EndRequest ends the span of a request. method and route have few possible values; rpc is the method of a call to /mcp, or "".
func (s *Span) EndRequest(method, route, rpc string, status int) {
	if s == nil {
		return
	}
	s.span.SetName(method + " " + route)
	attrs := []attribute.KeyValue{
		attribute.String("http.request.method", method), attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status),
	}
	if rpc != "" {
		attrs = append(attrs, attribute.String("rpc.method", rpc))
	}
	why := ""
	if status >= http.StatusInternalServerError {
		why = http.StatusText(status)
	}
	s.end(why, attrs...)
}

// Call begins the span of an MCP call of an existing method.
func (t *Tracer) Call(ctx context.Context, method string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil // before the attributes are made
	}
	return t.part(ctx, method, trace.SpanKindInternal, attribute.String("mcp.method.name", method))
}

// Called records the tool of the call of ctx, and its outcome in one word. It is for tools.Config.Called.
func (t *Tracer) Called(ctx context.Context, tool, outcome string) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	span.SetName("tools/call " + tool)
	span.SetAttributes(attribute.String("gen_ai.tool.name", tool), attribute.String("service.outcome", outcome))
}

// EndCall ends the span of a call; failed reports that the failure was ours.
func (s *Span) EndCall(failed bool) {
	why := ""
	if failed {
		why = "internal error"
	}
	s.end(why)
}

// Job begins a job of the queue, in a trace of its own with a link to the span that queued it, which [Tracer.Queue] returned; "" if it was
// not traced.
func (t *Tracer) Job(ctx context.Context, kind, queuedBy string, workspace uuid.UUID) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx, s := t.start(ctx, "job "+kind, trace.SpanKindConsumer,
		attribute.String("service.job", kind), attribute.String("service.workspace_id", workspace.String()))
	theirs := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{traceparent: queuedBy})
	if from := trace.SpanContextFromContext(theirs); from.IsValid() {
		s.span.AddLink(trace.Link{SpanContext: from})
	}
	return ctx, s
}

// End ends the span of a job. outcome is one of few words, and failed reports that it is not the desired one.
func (s *Span) End(outcome string, failed bool) {
	if s == nil {
		return
	}
	why := ""
	if failed {
		why = outcome
	}
	s.end(why, attribute.String("service.outcome", outcome))
}

// Send begins the span of sending a message of a kind to a kind of channel.
func (t *Tracer) Send(ctx context.Context, kind, to string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.part(ctx, "send "+to, trace.SpanKindClient, attribute.String("service.message", kind), attribute.String("service.channel", to))
}

// EndSend ends the span of a message; ok reports whether it was sent.
func (s *Span) EndSend(ok bool) {
	why := ""
	if !ok {
		why = "not taken"
	}
	s.end(why)
}
