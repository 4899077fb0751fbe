package tracing

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Log adds the id of the trace to each record that is logged within one.
func Log(h slog.Handler) slog.Handler { return traced{h} }

type traced struct{ slog.Handler }

func (l traced) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return l.Handler.Handle(ctx, r)
}

func (l traced) WithAttrs(a []slog.Attr) slog.Handler { return traced{l.Handler.WithAttrs(a)} }
func (l traced) WithGroup(g string) slog.Handler      { return traced{l.Handler.WithGroup(g)} }
