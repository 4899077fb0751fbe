// Package traces says where the time of a request goes, as spans of OpenTelemetry.
//
// It owns what a span may say: names of routes, methods, tools, statements and kinds, ids of
// workspaces, counts and outcomes. Nothing that a person, a client or a source wrote is a parameter of
// a function here, so no caller can put a path, a query, a row or an error's text into a span. It owns
// the way to the collector as well, which is OTLP over HTTP ([decision 16]).
//
// A nil [*Tracer] and a nil [*Span] trace nothing: what has one need not ask whether it is on. What
// costs something even so, such as a wrapped connector, is wrapped only when there is a Tracer.
//
// [decision 16]: ../docs/decisions/0016-traces.md
package traces
