package auth

import (
	"net/http"
	"slices"
	"strings"
)

// cross lets scripts of any origin call an endpoint, for clients that run in a browser. The endpoint
// must not read cookies. cross itself answers OPTIONS and methods that are not listed; it reports
// whether the handler must answer the request.
func cross(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", ")+", OPTIONS")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return false
	}
	h.Set("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate")
	if !slices.Contains(methods, r.Method) {
		h.Set("Allow", strings.Join(methods, ", ")+", OPTIONS")
		writeError(w, &oauthError{http.StatusMethodNotAllowed, "invalid_request", "This endpoint answers " + methods[0] + "."})
		return false
	}
	return true
}
