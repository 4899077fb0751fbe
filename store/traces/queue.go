package traces

import (
	"context"
	"encoding/json"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceparent is the key, in the metadata of a job, of the span that queued it, in the form of W3C Trace Context. The store moves it when
// jobs exchange their runs.
const traceparent = "traceparent"

// Queue returns middleware that adds the current span to the metadata of queued jobs, for store.Options. It is empty for a nil Tracer.
func (t *Tracer) Queue() []rivertype.Middleware {
	if t == nil {
		return nil
	}
	return []rivertype.Middleware{&inserts{t: t}}
}

type inserts struct {
	river.MiddlewareDefaults
	t *Tracer
}

var _ rivertype.JobInsertMiddleware = (*inserts)(nil)

func (i *inserts) InsertMany(
	ctx context.Context, jobs []*rivertype.JobInsertParams, insert func(context.Context) ([]*rivertype.JobInsertResult, error),
) (results []*rivertype.JobInsertResult, err error) {
	if len(jobs) == 0 {
		return insert(ctx)
	}
	ctx, span := i.t.part(ctx, "queue "+jobs[0].Kind, trace.SpanKindProducer, attribute.Int("messaging.batch.message_count", len(jobs)))
	if span == nil {
		return insert(ctx)
	}
	defer func() { span.end(state(err)) }()
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	own, _ := json.Marshal(carrier.Get(traceparent)) // of a string: it cannot fail
	for _, job := range jobs {
		metadata := map[string]json.RawMessage{}
		if len(job.Metadata) > 0 && json.Unmarshal(job.Metadata, &metadata) != nil || metadata[traceparent] != nil {
			continue // it has a span already: a job that is queued again
		}
		metadata[traceparent] = own
		if merged, err := json.Marshal(metadata); err == nil {
			job.Metadata = merged
		}
	}
	return insert(ctx)
}

// QueuedBy returns the span that queued a job, from its metadata, or "" if that was not traced.
func QueuedBy(metadata []byte) string {
	var m struct {
		Traceparent string `json:"traceparent"`
	}
	_ = json.Unmarshal(metadata, &m) // metadata in another form was not written by us
	return m.Traceparent
}

// Metadata returns the metadata of a job queued by a span; "" is no span.
func Metadata(queuedBy string) []byte {
	if queuedBy == "" {
		return []byte("{}")
	}
	b, _ := json.Marshal(map[string]string{traceparent: queuedBy}) // of a string: it cannot fail
	return b
}
