package server

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"service/auth"
)

// Auth is the gate and the authorization server's endpoints on the MCP host:
// an *auth.Server. Endpoints that browsers call from other origins answer
// OPTIONS as well.
type Auth interface {
	Bearer(next http.Handler) http.Handler // lets only calls with a good bearer through: 401, 503

	ServerMetadata(http.ResponseWriter, *http.Request)   // RFC 8414; OPTIONS
	ResourceMetadata(http.ResponseWriter, *http.Request) // RFC 9728; OPTIONS
	Register(http.ResponseWriter, *http.Request)         // RFC 7591; OPTIONS
	Authorize(http.ResponseWriter, *http.Request)
	Token(http.ResponseWriter, *http.Request) // OPTIONS
}

var _ Auth = (*auth.Server)(nil)

// route is one path of the MCP host, and the methods it takes, as in Allow.
type route struct {
	methods string
	path    string
	handler http.HandlerFunc
}

// mcpRoutes are the routes of the MCP host: the specification's seven, with /mcp
// under both its names, and the path-suffixed metadata document that RFC 9728
// has clients ask for.
func (s *Server) mcpRoutes(endpoint http.Handler) []route {
	gate := s.config.Auth
	return []route{
		{"POST", "/mcp", endpoint.ServeHTTP},
		{"POST", "/mcp/", endpoint.ServeHTTP},
		{"GET, HEAD", "/healthz", healthz},
		{"GET, HEAD, OPTIONS", "/.well-known/oauth-authorization-server", gate.ServerMetadata},
		{"GET, HEAD, OPTIONS", "/.well-known/oauth-protected-resource", gate.ResourceMetadata},
		{"GET, HEAD, OPTIONS", "/.well-known/oauth-protected-resource/mcp", gate.ResourceMetadata},
		{"POST, OPTIONS", "/register", gate.Register},
		{"GET", "/authorize", gate.Authorize},
		{"POST, OPTIONS", "/token", gate.Token},
	}
}

// healthz says that the process is up, and nothing of what it depends on.
func healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "ok") // it fails when the prober has gone
}

// routes is every route of the public listener, by host:
//
//	<workspace>.<domain>  the dashboards
//	app host              the web application
//	any other             mcpRoutes
//
// The base URL's own host is never taken for a workspace, though it may have a
// workspace's form. Paths are compared as sent: nothing is cleaned or redirected.
func (s *Server) routes(endpoint http.Handler, base *url.URL) http.Handler {
	table := s.mcpRoutes(endpoint)
	r := chi.NewRouter()
	r.NotFound(http.NotFound)
	r.MethodNotAllowed(methodNotAllowed(table))
	for _, route := range table {
		handler := named(route.path, route.handler)
		for method := range strings.SplitSeq(route.methods, ", ") {
			r.Method(method, route.path, handler)
		}
	}
	mcp := s.timely(bare(r))
	app := s.timely(labelled("app", s.config.Web))
	workspaces := s.timely(labelled("workspace", s.config.Host))

	own, appHost, domain := hostname(base.Host), hostname(s.config.AppHost), "."+hostname(s.config.DashboardDomain)
	return s.observed(secured(base, s.recovered(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostname(r.Host)
		label, inside := strings.CutSuffix(host, domain)
		switch {
		case host == own:
			mcp.ServeHTTP(w, r)
		case host == appHost:
			app.ServeHTTP(w, r)
		case inside && label != "" && !strings.Contains(label, "."):
			workspaces.ServeHTTP(w, r)
		default:
			mcp.ServeHTTP(w, r)
		}
	}))))
}

// methodNotAllowed answers 405 with the methods that the path does take. Chi's
// own answer lacks them when it has never heard of the method, and does not
// tell an unknown path.
func methodNotAllowed(table []route) http.HandlerFunc {
	allow := make(map[string]string, len(table))
	for _, route := range table {
		allow[route.path] = route.methods
	}
	return func(w http.ResponseWriter, r *http.Request) {
		methods, known := allow[r.URL.EscapedPath()]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Allow", methods)
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	}
}
