// Package tools implements the MCP tools: one file per tool, named after it, and the code
// that they share. A call passes
//
//	workspace of the grant ─► arguments ─► rate limit ─► tool ─► reply
//
// Only the fourth step differs between tools. middleware.go, scope.go and args.go
// implement the first three, and reply.go writes the answer.
//
// A tool returns a reply, a refusal (an error message for the caller, isError), or an
// internal error, which package server logs and reports as -32000.
//
// docs/contributing.md lists the steps to add a tool.
package tools
