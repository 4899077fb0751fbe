// Command peers is a minimal server for comparison: the SDK's own handler with the compared tools, pgx
// with one statement that identifies the caller and one for the tool, and a page from memory after one
// statement. It has no scopes, no rates and no limits. It answers with the bytes of the service's own
// answers, which it gets beforehand.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	_ "net/http/pprof" // for -profiles
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// gate identifies the caller by the token's hash.
const gate = `
	SELECT g.account_id::text, g.workspace_id::text FROM oauth_token t
	  JOIN oauth_grant g ON g.id = t.grant_id JOIN membership m ON m.workspace_id = g.workspace_id AND m.account_id = g.account_id
	 WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at > now() AND g.expires_at > now() AND g.revoked_at IS NULL`

// visit identifies the reader of a page, and the dashboard.
const visit = `
	SELECT d.id::text, v.sha256 FROM host_session h JOIN web_session s ON s.hash = h.session_hash
	  JOIN workspace w ON w.slug = $2 JOIN membership m ON m.workspace_id = w.id AND m.account_id = s.account_id
	  JOIN slug a ON a.workspace_id = w.id AND a.slug = $3
	  JOIN dashboard d ON d.workspace_id = w.id AND d.id = a.dashboard_id
	  JOIN version v ON v.workspace_id = w.id AND v.id = d.version_id
	 WHERE h.hash = $1 AND h.expires_at > now() AND s.expires_at > now()`

// questions are the statements of the tools. Each returns one JSON value. $1 is the account, $2
// the workspace, $3 a slug.
var questions = map[string]string{
	"list_dashboards": `
		SELECT coalesce(json_agg(q), '[]')::text FROM (
		  SELECT d.slug, d.name, d.tags, d.chart, d.updated_at, d.refreshed_at, d.failing_since, v.kind, v.connection_id, v.tables,
		         r.state, c.expression, c.timezone, c.next_run_at
		    FROM (SELECT * FROM dashboard WHERE workspace_id = $2::uuid AND $1 <> '' AND $3 = '' ORDER BY id DESC LIMIT 51) d
		    JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		    LEFT JOIN schedule c ON c.workspace_id = d.workspace_id AND c.dashboard_id = d.id
		    LEFT JOIN LATERAL (SELECT state FROM refresh_run r WHERE r.workspace_id = d.workspace_id AND r.version_id = d.version_id
		                        ORDER BY r.id DESC LIMIT 1) r ON true ORDER BY d.id DESC) q`,
	"get_refresh_status": status,
	"get_dashboard":      status,
	"check_readiness": `
		SELECT json_build_object('plan', w.plan, 'stored', (SELECT sum(size) FROM blob b WHERE b.workspace_id = w.id),
		       'used', (SELECT sum(used) FROM rate_counter WHERE key IN ('publish_dashboard:' || $1, 'validate_cube_sql:' || $1,
		                       'trigger_refresh:' || $1, 'refresh_budget:' || w.id)),
		       'connections', (SELECT json_agg(json_build_object('id', c.id, 'label', c.label, 'kind', c.kind, 'status', c.status))
		                         FROM connection c WHERE c.workspace_id = w.id AND c.owner_id = $1::uuid))::text
		  FROM workspace w WHERE w.id = $2::uuid AND $3 = ''`,
	"list_connections": `
		SELECT coalesce(json_agg(q), '[]')::text FROM (
		  SELECT c.id, c.label, c.kind, c.status, c.status_reason, (
		         SELECT json_agg(json_build_object('id', u.id, 'filename', u.filename, 'rows', u.row_count, 'columns', u.columns))
		           FROM upload u WHERE u.workspace_id = c.workspace_id AND u.connection_id = c.id) AS uploads
		    FROM connection c WHERE c.workspace_id = $2::uuid AND c.owner_id = $1::uuid AND $3 = '' ORDER BY c.label) q`,
}

const status = `
	SELECT json_build_object('slug', d.slug, 'name', d.name, 'tags', d.tags, 'chart', d.chart, 'updated_at', d.updated_at,
	       'refreshed_at', d.refreshed_at, 'kind', v.kind, 'size', v.size, 'colors', d.colors,
	       'aliases', (SELECT json_agg(a.slug) FROM slug a WHERE a.workspace_id = d.workspace_id AND a.dashboard_id = d.id),
	       'run', (SELECT row_to_json(r) FROM refresh_run r WHERE r.workspace_id = d.workspace_id AND r.version_id = d.version_id
	                ORDER BY r.id DESC LIMIT 1),
	       'datasets', (SELECT json_agg(json_build_object('id', x.dataset, 'rows', x.row_count, 'columns', x.columns, 'at', x.refreshed_at))
	                      FROM dataset x WHERE x.workspace_id = d.workspace_id AND x.version_id = d.version_id))::text
	  FROM slug s JOIN dashboard d ON d.workspace_id = s.workspace_id AND d.id = s.dashboard_id
	  JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
	 WHERE s.workspace_id = $2::uuid AND s.slug = $3 AND $1 <> ''`

// answers are the tools' answers after their statement has returned: the bytes of the service's own answers, so that both
// sides write the same to the same kind of connection. The peer does not compute them.
var answers sync.Map // of answer, by tool

type answer struct {
	Content    []struct{ Text string }
	Structured json.RawMessage `json:"structuredContent"`
}

type whoKey struct{}

type who struct{ account, workspace string }

func main() {
	runtime.MemProfileRate = 0 // as in a program without net/http/pprof
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1 << 30)
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := pool.Exec(ctx, `CREATE TABLE IF NOT EXISTS peer_blob (sha256 bytea PRIMARY KEY, body bytea)`); err != nil {
		log.Fatal(err)
	}
	srv := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	for name, sql := range questions {
		srv.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var in struct{ Slug, Path string }
				if len(req.Params.Arguments) > 0 {
					if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
						return nil, err
					}
				}
				w := ctx.Value(whoKey{}).(who)
				var text string
				if err := pool.QueryRow(ctx, sql, w.account, w.workspace, in.Slug+in.Path).Scan(&text); err != nil {
					return nil, err
				}
				say, ok := answers.Load(name)
				if !ok {
					return nil, errors.New("not told what to say")
				}
				a := say.(answer)
				res := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Content[0].Text}}}
				if a.Structured != nil {
					res.StructuredContent = a.Structured
				}
				return res, nil
			})
	}
	srv.AddTool(&mcp.Tool{Name: "publish_dashboard", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Path, Body string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			sum := sha256.Sum256([]byte(in.Body))
			_, err := pool.Exec(ctx, `INSERT INTO peer_blob VALUES ($1, $2) ON CONFLICT (sha256) DO UPDATE SET body = excluded.body`,
				sum[:], []byte(in.Body))
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "published " + in.Path}}}, err
		})
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: -1})
	http.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		var by who
		if err := pool.QueryRow(r.Context(), gate, sum[:]).Scan(&by.account, &by.workspace); err != nil {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		sdk.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), whoKey{}, by)))
	})
	http.HandleFunc("PUT /answers/{tool}", func(_ http.ResponseWriter, r *http.Request) {
		var of struct{ Result answer }
		if err := json.NewDecoder(r.Body).Decode(&of); err != nil || len(of.Result.Content) != 1 {
			log.Fatal(err, of)
		}
		answers.Store(r.PathValue("tool"), of.Result)
	})
	var page atomic.Pointer[[]byte]
	http.HandleFunc("PUT /page", func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			log.Fatal(err)
		}
		page.Store(&b)
	})
	http.HandleFunc("GET /{slug}", func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(os.Getenv("COOKIE"))
		if err != nil {
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		sum := sha256.Sum256([]byte(cookie.Value))
		var id string
		var hash []byte
		if err := pool.QueryRow(r.Context(), visit, sum[:], "acme", r.PathValue("slug")).Scan(&id, &hash); err != nil {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(*page.Load()) // fails only when the client has disconnected
	})
	http.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	log.Fatal(http.ListenAndServe(os.Getenv("ADDR"), nil))
}
