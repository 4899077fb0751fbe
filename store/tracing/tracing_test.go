package tracing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// secret is in the arguments of spans and must not be in their contents.
const secret = "zqsecret"

// kept returns a tracer whose spans are kept, and a function that returns their contents, a line each.
func kept(t testing.TB) (*Tracer, func() string) {
	t.Helper()
	memory := tracetest.NewInMemoryExporter()
	return newTracer("1", sdk.WithSyncer(memory)), func() string {
		var b strings.Builder
		for _, s := range memory.GetSpans() {
			fmt.Fprint(&b, s.Name)
			for _, a := range s.Attributes {
				fmt.Fprintf(&b, " %s=%s", a.Key, a.Value.String())
			}
			fmt.Fprintf(&b, " status=%q links=%d events=%d\n", s.Status.Description, len(s.Links), len(s.Events))
		}
		return b.String()
	}
}

// under returns a context in which a request is traced.
func under(t testing.TB, tracer *Tracer) context.Context {
	t.Helper()
	ctx, _ := tracer.Request(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	return ctx
}

func TestRequest(t *testing.T) {
	t.Parallel()
	tracer, said := kept(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/"+secret+"?code="+secret, strings.NewReader(secret))
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	r.Header.Set("Tracestate", "x="+secret)
	ctx, span := tracer.Request(r)
	called, call := tracer.Call(ctx, "tools/call")
	tracer.Called(called, "list_dashboards", "error")
	call.EndCall(true)
	span.EndRequest("POST", "/mcp", "tools/call", 503)
	want := `tools/call list_dashboards mcp.method.name=tools/call gen_ai.tool.name=list_dashboards service.outcome=error ` +
		`status="internal error" links=0 events=0
POST /mcp http.request.method=POST http.route=/mcp http.response.status_code=503 rpc.method=tools/call ` +
		`status="Service Unavailable" links=1 events=0
`
	if diff := cmp.Diff(want, said()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The SDK's End writes down a panic that it sees. Ours are ended where it cannot.
func TestPanicIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	tracer, said := kept(t)
	func() {
		defer func() { _ = recover() }()
		_, span := tracer.Request(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		defer func() { span.EndRequest("GET", "/healthz", "", 500) }()
		panic(secret)
	}()
	if got := said(); !strings.Contains(got, "GET /healthz") || !strings.Contains(got, "events=0") || strings.Contains(got, secret) {
		t.Error(got)
	}
}

// A driver is a source whose rows, SQL and errors are confidential.
type driver struct{ warehouse.Connector }

func (driver) In(*time.Location) warehouse.Connector { return driver{} }
func (driver) Ping(context.Context) error            { return errors.New("dial " + secret) }
func (driver) Warning(context.Context) string        { return secret }

func (driver) Introspect(context.Context, warehouse.Introspection) ([]warehouse.Table, error) {
	return []warehouse.Table{{Name: secret}}, nil
}

func (driver) Describe(context.Context, string, []any) ([]cube.Column, error) {
	return nil, &warehouse.Error{Class: warehouse.Unknown, Message: secret, Cause: errors.New(secret)}
}

func (driver) Query(_ context.Context, _ string, _ []any, _ warehouse.Limits, sink warehouse.Sink) (warehouse.Stats, error) {
	return warehouse.Stats{Rows: 1, Truncated: true}, sink.Row([]any{secret})
}

type sink struct{}

func (sink) Columns([]cube.Column) error { return nil }
func (sink) Row([]any) error             { return nil }

func TestSource(t *testing.T) {
	t.Parallel()
	tracer, said := kept(t)
	ctx := under(t, tracer)
	id := uuid.MustParse("0198c0de-5b1e-7c3a-9d2f-3f5a1c7e9b10")
	c := warehouse.In(tracer.Source(driver{}, "postgres", id), time.FixedZone("Nepal", 20700)) // still wrapped in a zone
	_ = c.Ping(ctx)
	_, _ = c.Introspect(ctx, warehouse.Introspection{Table: secret})
	_, _ = c.Describe(ctx, secret, []any{secret})
	_, _ = c.Query(ctx, secret, []any{secret}, warehouse.Limits{}, sink{})
	if w, ok := c.(warehouse.Warner); !ok || w.Warning(ctx) != secret {
		t.Error("the source lost its warning")
	}
	about := "service.source=postgres service.workspace_id=" + id.String()
	want := "postgres ping " + about + ` status="failed" links=0 events=0
postgres introspect ` + about + ` service.tables=1 status="" links=0 events=0
postgres describe ` + about + ` service.columns=0 status="unknown" links=0 events=0
postgres query ` + about + ` service.rows=1 service.truncated=true status="" links=0 events=0
`
	if diff := cmp.Diff(want, said()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	tracer, said := kept(t)
	db := tracer.Database()
	all := db.(statements)
	ctx := under(t, tracer)
	refused := &pgconn.PgError{Code: "23505", Message: secret, Detail: "Key (email)=(" + secret + ")"}
	selected := pgx.TraceQueryStartData{SQL: "\n\tselect a\n\t  FROM b WHERE c = $1", Args: []any{secret}}
	db.TraceQueryEnd(db.TraceQueryStart(ctx, nil, selected), nil, pgx.TraceQueryEndData{Err: refused})
	update := "UPDATE x" + strings.Repeat(" AND y", 1000)
	db.TraceQueryEnd(db.TraceQueryStart(ctx, nil, pgx.TraceQueryStartData{SQL: "-- name: Get :one\n" + update}), nil,
		pgx.TraceQueryEndData{CommandTag: pgconn.NewCommandTag("UPDATE 7")})
	all.TraceCopyFromEnd(all.TraceCopyFromStart(ctx, nil, pgx.TraceCopyFromStartData{TableName: pgx.Identifier{"message"}}), nil,
		pgx.TraceCopyFromEndData{Err: errors.New(secret)})
	batch := &pgx.Batch{}
	batch.Queue("SELECT $1", secret)
	all.TraceBatchEnd(all.TraceBatchStart(ctx, nil, pgx.TraceBatchStartData{Batch: batch}), nil, pgx.TraceBatchEndData{})
	// Background work is not traced.
	db.TraceQueryEnd(db.TraceQueryStart(t.Context(), nil, pgx.TraceQueryStartData{SQL: "SELECT 1"}), nil, pgx.TraceQueryEndData{})
	want := `SELECT db.query.text=select a FROM b WHERE c = $1 db.system.name=postgresql db.response.returned_rows=0 ` +
		`status="23505" links=0 events=0
UPDATE db.query.text=` + update[:longestStatement] + ` … db.system.name=postgresql db.response.returned_rows=7 status="" links=0 events=0
COPY db.collection.name=message db.system.name=postgresql db.response.returned_rows=0 status="failed" links=0 events=0
BATCH db.operation.batch.size=1 db.system.name=postgresql status="" links=0 events=0
`
	if diff := cmp.Diff(want, said()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A job is linked to the span that queued it, if that was traced.
func TestQueue(t *testing.T) {
	t.Parallel()
	tracer, said := kept(t)
	if _, span, by := tracer.Queue(t.Context(), "refresh", 1); span != nil || by != "" {
		t.Errorf("jobs that nobody asked for: %q", by)
	}
	_, span, by := tracer.Queue(under(t, tracer), "refresh", 3)
	span.EndQueue(nil)
	if len(by) != 55 {
		t.Errorf("queued by %q", by)
	}
	for _, queuedBy := range []string{by, "", "nonsense " + secret} {
		_, span := tracer.Job(t.Context(), "refresh", queuedBy, uuid.Nil)
		span.End("failed", true)
	}
	about := "service.job=refresh service.workspace_id=00000000-0000-0000-0000-000000000000 service.outcome=failed"
	want := `queue refresh messaging.batch.message_count=3 status="" links=0 events=0
job refresh ` + about + ` status="failed" links=1 events=0
job refresh ` + about + ` status="failed" links=0 events=0
job refresh ` + about + ` status="failed" links=0 events=0
`
	if diff := cmp.Diff(want, said()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOff: without tracing, no connection is wrapped and no memory is allocated. It is not parallel, because other tests would allocate.
func TestOff(t *testing.T) {
	var off *Tracer
	source := driver{}
	if off.Database() != nil || off.Source(source, "postgres", uuid.Nil) != warehouse.Connector(source) {
		t.Error("something is wrapped")
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if allocated := testing.AllocsPerRun(100, func() {
		ctx, span := off.Request(r)
		ctx, queue, _ := off.Queue(ctx, "refresh", 1)
		queue.EndQueue(nil)
		ctx, call := off.Call(ctx, "tools/call")
		off.Called(ctx, "list_dashboards", "ok")
		call.EndCall(false)
		ctx, job := off.Job(ctx, "refresh", "", uuid.Nil)
		_, sent := off.Send(ctx, "alert", "mail")
		sent.EndSend(true)
		job.End("sent", false)
		span.EndRequest("GET", "/healthz", "", 200)
	}); allocated != 0 {
		t.Errorf("%v allocations", allocated)
	}
	off.Close()
}

func TestLog(t *testing.T) {
	t.Parallel()
	tracer, _ := kept(t)
	var out bytes.Buffer
	log := slog.New(Log(slog.NewJSONHandler(&out, nil))).With("a", 1)
	ctx, span := tracer.Request(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	log.InfoContext(ctx, "in")
	log.InfoContext(t.Context(), "out")
	in, outside, _ := strings.Cut(out.String(), "\n")
	var line struct {
		TraceID string `json:"trace_id"`
	}
	if err := json.Unmarshal([]byte(in), &line); err != nil || line.TraceID != span.span.SpanContext().TraceID().String() {
		t.Errorf("%s, %v", in, err)
	}
	if strings.Contains(outside, "trace_id") {
		t.Error(outside)
	}
}

// BenchmarkRequest has a request and a call in it: without our code, with a tracer that is off, and traced to nowhere.
func BenchmarkRequest(b *testing.B) {
	r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/mcp", nil)
	for name, tracer := range map[string]*Tracer{"off": nil, "on": newTracer("1")} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx, span := tracer.Request(r)
				ctx, call := tracer.Call(ctx, "tools/call")
				tracer.Called(ctx, "list_dashboards", "ok")
				call.EndCall(false)
				span.EndRequest("POST", "/mcp", "tools/call", 200)
			}
		})
	}
}
