package server

import (
	"cmp"
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
	Bearer(next http.Handler) http.Handler // passes only calls with a good bearer token: 401, 503

	ServerMetadata(http.ResponseWriter, *http.Request)   // RFC 8414; OPTIONS
	ResourceMetadata(http.ResponseWriter, *http.Request) // RFC 9728; OPTIONS
	Register(http.ResponseWriter, *http.Request)         // RFC 7591; OPTIONS
	Authorize(http.ResponseWriter, *http.Request)
	Token(http.ResponseWriter, *http.Request) // OPTIONS
}

var _ Auth = (*auth.Server)(nil)

// mcpHost is the MCP host: the specification's seven routes, with /mcp and /mcp/, and the
// metadata document with the path suffixes that clients derive by RFC 9728. notFound answers all other requests.
func mcpHost(edge *edge, gate Auth, sdk http.Handler, notFound http.HandlerFunc) http.Handler {
	mux := chi.NewRouter()
	mux.NotFound(notFound)
	mux.MethodNotAllowed(methodNotAllowed(mux, notFound))
	r := mux.With(named)

	for _, path := range []string{"/mcp", "/mcp/"} {
		r.With(edge.origin, edge.body, gate.Bearer, edge.calls).Method("POST", path, sdk)
	}
	on(r, "GET, HEAD", "/healthz", healthz)
	on(r, "GET, HEAD, OPTIONS", "/.well-known/oauth-authorization-server", gate.ServerMetadata)
	on(r, "GET, HEAD, OPTIONS", "/.well-known/oauth-protected-resource", gate.ResourceMetadata)
	on(r, "GET, HEAD, OPTIONS", "/.well-known/oauth-protected-resource/mcp", gate.ResourceMetadata)
	on(r, "GET, HEAD, OPTIONS", "/.well-known/oauth-protected-resource/mcp/", gate.ResourceMetadata)
	on(r, "POST, OPTIONS", "/register", gate.Register)
	on(r, "GET", "/authorize", gate.Authorize)
	on(r, "POST, OPTIONS", "/token", gate.Token)
	return mux
}

func on(r chi.Router, methods, path string, h http.HandlerFunc) {
	for method := range strings.SplitSeq(methods, ", ") {
		r.Method(method, path, h)
	}
}

// methodNotAllowed answers 405 with the methods of the path, or has notFound answer. Chi's own handler omits the methods for an unknown
// method, and then gives unknown paths the same answer.
func methodNotAllowed(routes chi.Routes, notFound http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allow []string
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
			if routes.Match(chi.NewRouteContext(), method, cmp.Or(r.URL.RawPath, r.URL.Path)) {
				allow = append(allow, method)
			}
		}
		if allow == nil {
			notFound(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	}
}

// unknownHost answers a request for a host that is not a host of the service: it names the settings to compare. Most often a proxy does not
// pass on the Host header, which is the default of nginx. The names are not secrets: the metadata of the MCP host has them. The name in the
// request is not repeated, because a stranger chose it.
func unknownHost(base, app, domain string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "404 page not found: this service has no host of this name.\n"+
			"Its hosts are "+base+" (SERVICE_BASE_URL), "+app+" and <workspace>."+domain+" (SERVICE_DASHBOARD_DOMAIN).\n"+
			"A proxy must pass on the Host header of the request, and these settings must have the names by which people reach the proxy.",
			http.StatusNotFound)
	}
}

// healthz reports that the process is up. It does not check dependencies.
func healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "ok") // fails only when the client has disconnected
}

// routes lists every route of the public listener, by host:
//
//	<workspace>.<domain>  the dashboards
//	app host              the web application
//	any other             mcpHost, whose unknown paths name the hosts
//
// The base URL's host is never a workspace, even if it has the form of one. Paths are
// compared as they were sent, without cleaning or redirects.
func (s *Server) routes(base *url.URL) http.Handler {
	c := s.config
	e := &edge{
		resources: c.Resources, log: c.Log, metrics: c.Metrics, traces: c.Traces, large: c.Bodies, answers: c.Answers, grace: c.Grace,
		hosts: []string{hostname(base.Host), hostname(c.AppHost)},
		slow:  c.Slow, queue: c.Queue, slowQueue: c.SlowQueue,
	}
	c.Metrics.Requests(append(c.DrawQueues, c.Queue, c.SlowQueue)...)
	sdk := newSDK(c, e)
	mcp := s.timely(hostWithoutPages.on(mcpHost(e, c.Auth, sdk, http.NotFound)))
	unknown := s.timely(hostWithoutPages.on(mcpHost(e, c.Auth, sdk, unknownHost(base.Host, c.AppHost, c.DashboardDomain))))
	app := s.timely(hostWithPages.on(c.Answers.counted(labelled("app", withSCIM(c.Web, c.SCIM)))))
	workspaces := s.timely(hostWithPages.on(c.Answers.counted(labelled("workspace", s.oneSpelling(base.Scheme, c.Host)))))

	own, appHost, domain := hostname(base.Host), hostname(c.AppHost), "."+hostname(c.DashboardDomain)
	var byHost http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			unknown.ServeHTTP(w, r)
		}
	})
	byHost = everyHost.on(s.recovered(byHost))
	if base.Scheme == "https" {
		byHost = everyHTTPSHost.on(byHost)
	}
	return c.Answers.watch(s.observed(byHost))
}

// withSCIM passes paths below /scim to scim, unless it is nil.
func withSCIM(web, scim http.Handler) http.Handler {
	if scim == nil {
		return web
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/scim/") {
			scim.ServeHTTP(w, r)
			return
		}
		web.ServeHTTP(w, r)
	})
}

// hostname returns the name in a Host header, in lower case, without a port and without
// a trailing dot.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.Trim(host[i+1:], "0123456789") == "" {
		host = host[:i]
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// oneSpelling passes the host to next in lower case, as in sessions. It redirects a host
// with a trailing dot to the host without it, because browsers treat these as different
// hosts, with different cookies.
func (s *Server) oneSpelling(scheme string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = strings.ToLower(r.Host)
		name := hostname(r.Host)
		if strings.HasPrefix(r.Host[len(name):], ".") {
			label, _, _ := strings.Cut(name, ".")
			w.Header().Set("Location", scheme+"://"+label+"."+s.config.DashboardDomain+r.URL.RequestURI())
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		}
		next.ServeHTTP(w, r)
	})
}
