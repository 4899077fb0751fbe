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
// Before the SDK, each call waits for a slot (queue.go): an account has a share of them,
// and those that wait take turns by account. Calls that wait for a source have another queue
// than those that ask the service's own database, which pages of dashboards share. So do the
// requests of people to the web app: those that wait for others are in the queue of such calls.
//
// A slot comes with memory for the answer (answers.go), which is kept until the answer is written.
//
// The SDK routes a call and decodes its parameters. Where its answers would differ from
// the specification, edge.go (before the SDK) and mcp.go (after it) answer instead.
//
// Package auth decides who may call, package tools what a tool does, and package
// server/refresh runs refreshes.
package server
