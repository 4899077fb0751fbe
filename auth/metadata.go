package auth

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// scope is the one scope there is. Clients ask for all that is advertised, and
// what they ask beyond it is dropped, never refused.
const scope = "dashboards"

// resourceMetadataPath is where a client that was refused finds the way in.
const resourceMetadataPath = "/.well-known/oauth-protected-resource"

type metadata struct {
	server   serverMetadata
	resource oauthex.ProtectedResourceMetadata
}

// serverMetadata is RFC 8414's document. The SDK's type always sends jwks_uri,
// and there are no keys to point at.
type serverMetadata struct {
	Issuer                            string   `json:"issuer"`
	AuthorizationEndpoint             string   `json:"authorization_endpoint"`
	TokenEndpoint                     string   `json:"token_endpoint"`
	RegistrationEndpoint              string   `json:"registration_endpoint"`
	ScopesSupported                   []string `json:"scopes_supported"`
	ResponseTypesSupported            []string `json:"response_types_supported"`
	ResponseModesSupported            []string `json:"response_modes_supported"`
	GrantTypesSupported               []string `json:"grant_types_supported"`
	CodeChallengeMethodsSupported     []string `json:"code_challenge_methods_supported"`
	TokenEndpointAuthMethodsSupported []string `json:"token_endpoint_auth_methods_supported"`
	IssParameterSupported             bool     `json:"authorization_response_iss_parameter_supported"`
}

func newMetadata(base string) metadata {
	return metadata{
		server: serverMetadata{
			Issuer:                            base,
			AuthorizationEndpoint:             base + "/authorize",
			TokenEndpoint:                     base + "/token",
			RegistrationEndpoint:              base + "/register",
			ScopesSupported:                   []string{scope},
			ResponseTypesSupported:            []string{"code"},
			ResponseModesSupported:            []string{"query"},
			GrantTypesSupported:               []string{"authorization_code", "refresh_token"},
			CodeChallengeMethodsSupported:     []string{"S256"},
			TokenEndpointAuthMethodsSupported: []string{"none", "client_secret_post", "client_secret_basic"},
			IssParameterSupported:             true,
		},
		resource: oauthex.ProtectedResourceMetadata{
			Resource:               base + "/mcp", // clients compare it with the URL they were given, byte for byte
			AuthorizationServers:   []string{base},
			ScopesSupported:        []string{scope},
			BearerMethodsSupported: []string{"header"},
			ResourceName:           "service",
		},
	}
}

// ServerMetadata answers GET /.well-known/oauth-authorization-server (RFC 8414).
func (s *Server) ServerMetadata(w http.ResponseWriter, r *http.Request) {
	if cross(w, r, http.MethodGet, http.MethodHead) {
		writeJSON(w, http.StatusOK, s.metadata.server)
	}
}

// ResourceMetadata answers GET /.well-known/oauth-protected-resource and the
// same with the suffix /mcp, which RFC 9728 derives from the resource's path.
func (s *Server) ResourceMetadata(w http.ResponseWriter, r *http.Request) {
	if cross(w, r, http.MethodGet, http.MethodHead) {
		writeJSON(w, http.StatusOK, s.metadata.resource)
	}
}

// resource is the audience of every token.
func (s *Server) resource() string { return s.cfg.BaseURL + "/mcp" }

// audience reports whether the resource parameters of a request (RFC 8707) name
// this server and nothing else. Clients derive the name from the origin or from
// the endpoint, with and without a slash; naming none means this server too.
func (s *Server) audience(named []string) bool {
	if len(named) > 1 {
		return false
	}
	for _, r := range named {
		switch r {
		case "", s.cfg.BaseURL, s.cfg.BaseURL + "/", s.cfg.BaseURL + "/mcp", s.cfg.BaseURL + "/mcp/":
		default:
			return false
		}
	}
	return true
}
