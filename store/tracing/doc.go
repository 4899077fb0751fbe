// Package tracing records how a request spends its time, as spans of OpenTelemetry.
//
// It owns the contents of spans: names of routes, methods, tools, statements and kinds, ids of workspaces, counts and outcomes. Nothing
// that a person, a client or a source wrote is a parameter of a function here, so no caller can put a path, a query, a row or an error's
// text into a span. It also owns the connection to the collector, which is OTLP over HTTP ([decision 16]).
//
// A nil [*Tracer] and a nil [*Span] trace nothing, so callers need not check whether tracing is on. An argument that is costly even
// so, such as a wrapped connector, is wrapped only when there is a Tracer.
//
// [decision 16]: ../docs/decisions/0016-traces.md
package tracing
