package tracing

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// Source returns c with calls recorded as spans, with the workspace, the kind of the source and the number of rows. It returns c itself for
// a nil Tracer.
func (t *Tracer) Source(c warehouse.Connector, kind string, workspace uuid.UUID) warehouse.Connector {
	if t == nil {
		return c
	}
	return source{c, t, kind, workspace}
}

type source struct {
	warehouse.Connector
	t         *Tracer
	kind      string
	workspace uuid.UUID
}

func (s source) begin(ctx context.Context, what string) (context.Context, *Span) {
	return s.t.part(ctx, s.kind+" "+what, trace.SpanKindClient,
		attribute.String("service.source", s.kind), attribute.String("service.workspace_id", s.workspace.String()))
}

// class returns the class of a source's error, because its text may quote SQL.
func class(err error) string {
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		return string(bad.Class)
	}
	if err != nil {
		return "failed"
	}
	return ""
}

func (s source) In(zone *time.Location) warehouse.Connector {
	s.Connector = s.Connector.In(zone)
	return s
}

func (s source) Ping(ctx context.Context) error {
	ctx, span := s.begin(ctx, "ping")
	err := s.Connector.Ping(ctx)
	span.end(class(err))
	return err
}

func (s source) Introspect(ctx context.Context, q warehouse.Introspection) ([]warehouse.Table, error) {
	ctx, span := s.begin(ctx, "introspect")
	tables, err := s.Connector.Introspect(ctx, q)
	span.end(class(err), attribute.Int("service.tables", len(tables)))
	return tables, err
}

func (s source) Describe(ctx context.Context, sql string, args []any) ([]cube.Column, error) {
	ctx, span := s.begin(ctx, "describe")
	cols, err := s.Connector.Describe(ctx, sql, args)
	span.end(class(err), attribute.Int("service.columns", len(cols)))
	return cols, err
}

// Estimate is [warehouse.Estimate] of the connector.
func (s source) Estimate(ctx context.Context, sql string, args []any) (cols []cube.Column, bytes int64, err error) {
	ctx, span := s.begin(ctx, "describe")
	cols, bytes, err = warehouse.Estimate(ctx, s.Connector, sql, args)
	span.end(class(err), attribute.Int("service.columns", len(cols)))
	return cols, bytes, err
}

func (s source) Query(
	ctx context.Context, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	ctx, span := s.begin(ctx, "query")
	stats, err := s.Connector.Query(ctx, sql, args, l, sink)
	span.end(class(err), attribute.Int("service.rows", stats.Rows), attribute.Bool("service.truncated", stats.Truncated))
	return stats, err
}

// Warning is empty for a connector that is not a [warehouse.Warner].
func (s source) Warning(ctx context.Context) string {
	w, ok := s.Connector.(warehouse.Warner)
	if !ok {
		return ""
	}
	return w.Warning(ctx)
}
