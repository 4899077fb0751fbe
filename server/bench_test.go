package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkToolsCall compares a call through all layers of the server (routes, access
// line, metrics, bearer, edge) with the bare SDK handler, both with the same tool and
// the garbage collector as the program sets it.
func BenchmarkToolsCall(b *testing.B) { compare(b, "hi") }

// BenchmarkLargeToolsCall is the same with 1 MiB of arguments.
func BenchmarkLargeToolsCall(b *testing.B) { compare(b, strings.Repeat("a", 1<<20)) }

func compare(b *testing.B, text string) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	tool := func(srv *mcp.Server) {
		srv.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return answer("hello"), nil
			})
	}
	ours := setup(b, func(c *Config) {
		c.Tools = tool
		c.Log = slog.New(slog.NewJSONHandler(io.Discard, nil))
	}).server.Handler()
	plain := mcp.NewServer(&mcp.Implementation{Name: "service", Version: Version}, nil)
	tool(plain)
	bare := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return plain },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})

	body := request("1", "tools/call", `{"name":"echo","arguments":{"text":"`+text+`"}}`)
	for _, handler := range []struct {
		name string
		http.Handler
	}{{"service", ours}, {"bare-sdk", bare}} {
		b.Run(handler.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer acme")
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != 200 || !strings.Contains(w.Body.String(), "hello") {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}
