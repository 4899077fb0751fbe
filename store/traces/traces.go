package traces

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

// A Tracer makes spans. A nil one makes none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	patience time.Duration // of Close
}

// New returns a tracer that hands the spans that have ended to e, in batches and behind the back of who made
// them: when e is slow, spans are dropped. version is the program's. Which requests are traced, how many spans
// wait and how the process is called, the SDK reads from the environment.
func New(e sdk.SpanExporter, version string) *Tracer {
	return newTracer(version, sdk.WithBatcher(e))
}

func newTracer(version string, options ...sdk.TracerProviderOption) *Tracer {
	named, err := resource.Merge(
		resource.NewSchemaless(attribute.String("service.name", "service"), attribute.String("service.version", version)),
		resource.Environment()) // the environment's wins
	if err != nil { // it has another schema: what we know remains
		named = resource.NewSchemaless(attribute.String("service.name", "service"), attribute.String("service.version", version))
	}
	provider := sdk.NewTracerProvider(append(options, sdk.WithResource(named))...)
	return &Tracer{provider, provider.Tracer("service", trace.WithInstrumentationVersion(version)), closeWithin}
}

// closeWithin is how long the last spans may take to be handed over.
const closeWithin = 5 * time.Second

// Close hands over the last spans, for five seconds at most, and loses what is left.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.patience)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // the exporter has logged why
}

// A Span is something under way. A nil one is not traced.
type Span struct{ span trace.Span }

// start begins a span below that of ctx, or one without parent.
func (t *Tracer) start(ctx context.Context, name string, kind trace.SpanKind, attrs ...attribute.KeyValue) (context.Context, *Span) {
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attrs...))
	return ctx, &Span{span}
}

// part begins a span below that of ctx. Without one above it there is none: work that nobody asked for, such as that
// of the queue and of the clockwork, would be most of what is seen.
func (t *Tracer) part(ctx context.Context, name string, kind trace.SpanKind, attrs ...attribute.KeyValue) (context.Context, *Span) {
	if t == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, nil
	}
	return t.start(ctx, name, kind, attrs...)
}

// end ends a span. why is one of few words, and empty when all went well. It must not be deferred itself but be called
// by what is deferred, as all methods of Span that end it: the SDK's End writes down a panic that it can see, in its words.
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

// Request begins the span of an HTTP request. What a caller says of a trace of its own is not believed, because it would
// choose what is traced here; the span has a link to it.
func (t *Tracer) Request(r *http.Request) (context.Context, *Span) {
	if t == nil {
		return r.Context(), nil
	}
	ctx, s := t.start(r.Context(), "request", trace.SpanKindServer)
	theirs := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
	if from := trace.SpanContextFromContext(theirs); from.IsValid() {
		s.span.AddLink(trace.Link{SpanContext: from.WithTraceState(trace.TraceState{})}) // which is free text
	}
	return ctx, s
}

// EndRequest ends the span of a request. method and route are among few; rpc is the method of a call to /mcp, or "".
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

// Call begins the span of an MCP call of a method that there is.
func (t *Tracer) Call(ctx context.Context, method string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil // before the attributes are made
	}
	return t.part(ctx, method, trace.SpanKindInternal, attribute.String("mcp.method.name", method))
}

// Called says which tool the call of ctx is of, and how it ended: one word. It is for tools.Config.Called.
func (t *Tracer) Called(ctx context.Context, tool, outcome string) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	span.SetName("tools/call " + tool)
	span.SetAttributes(attribute.String("gen_ai.tool.name", tool), attribute.String("service.outcome", outcome))
}

// EndCall ends the span of a call; failed says that it was our fault.
func (s *Span) EndCall(failed bool) {
	why := ""
	if failed {
		why = "internal error"
	}
	s.end(why)
}

// Job begins a job of the queue, in a trace of its own with a link to what queued it, which is what [Tracer.Queue]
// returned; "" for nothing.
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

// End ends the span of a job. outcome is one of few words, and failed says that it is not the wished one.
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

// Send begins to hand over a message to send a message of a kind to a kind of channel.
func (t *Tracer) Send(ctx context.Context, kind, to string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.part(ctx, "send "+to, trace.SpanKindClient, attribute.String("service.message", kind), attribute.String("service.channel", to))
}

// EndSend ends the span of a message that was handed over, or was not.
func (s *Span) EndSend(ok bool) {
	why := ""
	if !ok {
		why = "not taken"
	}
	s.end(why)
}
