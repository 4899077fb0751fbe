// Package tracing records how a request spends its time, as spans of OpenTelemetry.
//
// It owns the contents of spans: names of routes, methods, tools, statements and kinds, ids of workspaces, counts and outcomes. No function
// here has a parameter for texts of people, clients or warehouses, so no caller can put a path, a query, a row or an error's text into a
// span. It also owns the connection to the collector, which is OTLP over HTTP ([decision 16]).
//
// A nil [*Tracer] and a nil [*Span] trace nothing, so callers need not check whether tracing is on. Callers check this only before
// expensive work, for example before they wrap a connector.
//
// [decision 16]: ../../docs/decisions/0016-traces.md
package tracing
