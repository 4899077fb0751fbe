// Package server is the HTTP server: the hosts and their routes, the JSON-RPC edge of the MCP
// endpoint, the middleware, and the operators' listener.
//
// A request is routed by its Host, then by its raw path:
//
//	the MCP host          the specification's seven routes, and nothing else
//	app.<domain>          the web app             (package server/web)
//	<workspace>.<domain>  the dashboards          (package server/host)
//
// The MCP endpoint is the SDK's streamable handler behind chi middleware. A call passes the checks
// of path (404), method (405), Origin (403), JSON (400) and bearer token (401), and then:
//
//	edge.body ─► bearer ─► edge.calls ─► SDK ─► edge.receive ─► tools, prompts
//	                          │                      ├────────► resources
//	                          └─► -32601             └────────► the outcome, encoded
//
// Before the SDK, each call waits for a slot (queue.go): an account has a share of them, and
// accounts that wait take turns. There are two queues. One is for calls that wait for a warehouse,
// and for requests to the web app that wait for other systems. The other is for calls that use
// only the service's own database, for pages of dashboards, and for most requests to the web app.
//
// With its slot, a call gets memory for its answer (answers.go), which it keeps until the answer
// is written.
//
// The SDK routes a call and decodes its parameters. Where its answers would differ from the
// specification, edge.go (before the SDK) and mcp.go (after it) answer instead.
//
// Package auth authorizes calls, package tools implements the tools, and package server/refresh
// runs refreshes.
package server
