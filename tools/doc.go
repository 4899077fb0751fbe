// Package tools is the MCP tools: one file per tool, named after it, and what
// they share. A call goes
//
//	grant lock ─► arguments ─► throttle ─► the tool ─► reply
//
// and only the fourth step differs between tools. middleware.go, scope.go and args.go have
// the first three, and reply.go writes the answer.
//
// A tool returns a reply, a refusal in words for the caller (isError), or an error of our
// own, which the edge logs and answers with -32000.
//
// To add a tool: write its file, add it to the list in tools.go, run the tests
// with -update, and read what changed under testdata and in docs/tools.md.
package tools
