package auth

import (
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// scope is the only scope. Requests for other scopes are accepted, without these scopes.
const scope = "dashboards"

// revocationPath is the path of the revocation endpoint, on the app's host, because the MCP host has
// only the routes of the specification.
const revocationPath = "/revoke"

// resourceMetadataPath is where clients read how to authorize (RFC 9728).
const resourceMetadataPath = "/.well-known/oauth-protected-resource"

type metadata struct {
	server   serverMetadata
	resource oauthex.ProtectedResourceMetadata // of /mcp
	slashed  oauthex.ProtectedResourceMetadata // of /mcp/, for clients that use that address
}

// serverMetadata is the document of RFC 8414. The SDK's type is not used because it always sends
// jwks_uri, and this server has no keys.
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
	RevocationEndpoint                string   `json:"revocation_endpoint"`
	RevocationAuthMethodsSupported    []string `json:"revocation_endpoint_auth_methods_supported"`
	IssParameterSupported             bool     `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments                   bool     `json:"client_id_metadata_document_supported,omitempty"`
	GrantProfiles                     []string `json:"authorization_grant_profiles_supported,omitempty"`
}

func newMetadata(base, app string) metadata {
	methods := []string{"none", "client_secret_post", "client_secret_basic"}
	m := metadata{
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
			TokenEndpointAuthMethodsSupported: methods,
			RevocationEndpoint:                app + revocationPath,
			RevocationAuthMethodsSupported:    methods,
			IssParameterSupported:             true,
		},
		resource: oauthex.ProtectedResourceMetadata{
			Resource:               base + "/mcp", // clients compare it with their URL, byte for byte
			AuthorizationServers:   []string{base},
			ScopesSupported:        []string{scope},
			BearerMethodsSupported: []string{"header"},
			ResourceName:           "service",
		},
	}
	m.slashed = m.resource
	m.slashed.Resource += "/"
	return m
}

// ServerMetadata answers GET /.well-known/oauth-authorization-server (RFC 8414).
func (s *Server) ServerMetadata(w http.ResponseWriter, r *http.Request) {
	if cross(w, r, http.MethodGet, http.MethodHead) {
		m := s.metadata.server
		m.ClientDocuments = s.cfg.ClientDocuments
		if s.cfg.IDJAG {
			m.GrantProfiles = []string{profileIDJAG}
		}
		// The rest does not depend on the database.
		if trusts, err := s.cfg.Store.OAuth.AnyTrust(r.Context()); s.cfg.IDJAG || err == nil && trusts {
			m.GrantTypesSupported = append(slices.Clone(m.GrantTypesSupported), grantAssertion)
		}
		writeJSON(w, http.StatusOK, m)
	}
}

// ResourceMetadata answers GET /.well-known/oauth-protected-resource, also with the suffixes /mcp and
// /mcp/, which RFC 9728 derives from the resource's path. The document for /mcp/ names the address
// with the slash, because clients compare it with the address that they use.
func (s *Server) ResourceMetadata(w http.ResponseWriter, r *http.Request) {
	if !cross(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	m := s.metadata.resource
	if r.URL.Path == resourceMetadataPath+"/mcp/" {
		m = s.metadata.slashed
	}
	writeJSON(w, http.StatusOK, m)
}

// resource returns the audience of every token.
func (s *Server) resource() string { return s.cfg.BaseURL + "/mcp" }

// audience reports whether the resource parameters of a request (RFC 8707) name only this server.
// Clients derive the resource from the origin or from the endpoint, with or without a trailing slash.
// A request without the parameter means this server too.
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
