// Package tools implements the MCP tools: one file per tool, named after it, and the code
// that they share. A call passes
//
//	grant lock ─► arguments ─► throttle ─► the tool ─► reply
//
// Only the fourth step differs between tools. middleware.go, scope.go and args.go
// implement the first three, and reply.go writes the answer.
//
// A tool returns a reply, a refusal in words for the caller (isError), or an internal
// error, which the edge logs and answers with -32000.
//
// docs/contributing.md lists the steps to add a tool.
package tools
