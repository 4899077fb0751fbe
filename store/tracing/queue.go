package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceparent is the name, in W3C Trace Context, of the span that queued a job.
const traceparent = "traceparent"

// Queue begins to queue n jobs of a kind, below the span of ctx. queuedBy is stored with each of them, for [Tracer.Job]; it is empty
// where nothing is traced.
func (t *Tracer) Queue(ctx context.Context, kind string, n int) (_ context.Context, s *Span, queuedBy string) {
	if t == nil {
		return ctx, nil, "" // before the attributes are made
	}
	ctx, s = t.part(ctx, "queue "+kind, trace.SpanKindProducer, attribute.Int("messaging.batch.message_count", n))
	if s == nil {
		return ctx, nil, ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return ctx, s, carrier.Get(traceparent)
}

// EndQueue ends the span of jobs that are queued, or are not.
func (s *Span) EndQueue(err error) { s.end(state(err)) }
