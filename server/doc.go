// Package server is everything that speaks HTTP: the hosts and their routes,
// the JSON-RPC edge of the MCP endpoint, the middleware, and the operators'
// listener.
//
// A request is told apart by its Host, then by its raw path:
//
//	the MCP host          the specification's seven routes, and nothing else
//	app.<domain>          the web application     (package server/web)
//	<workspace>.<domain>  the dashboards          (package server/host)
//
// The MCP endpoint is the SDK's streamable handler behind chi middleware. A call
// passes path (404), method (405), JSON (400), bearer (401), and then:
//
//	edge.body ─► bearer ─► edge.calls ─► SDK ─► edge.receive ─► tools, prompts
//	                          │                      ├────────► resources
//	                          └─► -32601             └────────► the outcome, encoded
//
// The SDK routes a call and decodes its parameters. What it would word, order
// or lose differently from the specification is decided on both sides of it: see
// edge.go (before) and mcp.go (after).
//
// Who may call is for package auth to say, and what a tool does for package
// tools. Refreshing is server/refresh.
package server
