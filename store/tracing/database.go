package tracing

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Database returns a pgx tracer that records statements as spans: for pgx.ConnConfig.Tracer of the service's own database, whose statements
// are constants of the program. It returns nil for a nil Tracer.
func (t *Tracer) Database() pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return statements{t}
}

type statements struct{ t *Tracer }

var (
	_ pgx.BatchTracer    = statements{}
	_ pgx.CopyFromTracer = statements{}
)

type statementKey struct{} // the *Span of a statement

// begin begins the span of a statement. It does not read the arguments.
func (s statements) begin(ctx context.Context, operation string, attrs ...attribute.KeyValue) context.Context {
	ctx, span := s.t.part(ctx, operation, trace.SpanKindClient, append(attrs, attribute.String("db.system.name", "postgresql"))...)
	return context.WithValue(ctx, statementKey{}, span)
}

func (s statements) end(ctx context.Context, err error, attrs ...attribute.KeyValue) {
	if span, ok := ctx.Value(statementKey{}).(*Span); ok {
		span.end(state(err), attrs...)
	}
}

// state returns the code of a database error, because its text can contain values.
func state(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	if err != nil {
		return "failed"
	}
	return ""
}

// longestStatement is how many bytes of a statement are kept.
const longestStatement = 1000

// squeezed returns a statement on one line, without comments before it.
func squeezed(sql string) string {
	for strings.HasPrefix(sql, "--") {
		_, sql, _ = strings.Cut(sql, "\n")
	}
	line := strings.Join(strings.Fields(sql), " ")
	if len(line) > longestStatement {
		return strings.ToValidUTF8(line[:longestStatement], "") + " …"
	}
	return line
}

func (s statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	line := squeezed(q.SQL)
	operation, _, _ := strings.Cut(line, " ")
	return s.begin(ctx, strings.ToUpper(operation), attribute.String("db.query.text", line))
}

func (s statements) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	s.end(ctx, q.Err, attribute.Int64("db.response.returned_rows", q.CommandTag.RowsAffected()))
}

func (s statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	return s.begin(ctx, "BATCH", attribute.Int("db.operation.batch.size", b.Batch.Len()))
}

func (statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (s statements) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchEndData) {
	s.end(ctx, b.Err)
}

func (s statements) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, c pgx.TraceCopyFromStartData) context.Context {
	return s.begin(ctx, "COPY", attribute.String("db.collection.name", strings.Join(c.TableName, ".")))
}

func (s statements) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, c pgx.TraceCopyFromEndData) {
	s.end(ctx, c.Err, attribute.Int64("db.response.returned_rows", c.CommandTag.RowsAffected()))
}
