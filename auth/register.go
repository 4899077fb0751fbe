package auth

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"service/store"
	"service/store/pattern"
)

const (
	maxBody       = 64 << 10 // bytes of a request to the JSON endpoints
	maxClientName = 100      // characters
)

// A registration is the part of a client's metadata that is used (RFC 7591, section 2). Other members
// are ignored.
type registration struct {
	Name          string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
}

// registered is the response, with the metadata as stored.
type registered struct {
	ID            string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Secret        string   `json:"client_secret,omitempty"`
	SecretExpires *int64   `json:"client_secret_expires_at,omitempty"` // 0: never
	Name          string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	Scope         string   `json:"scope"`
}

// Register answers POST /register (RFC 7591): 201 with the client's metadata.
// Anybody may call it, 30 times a minute from one address.
func (s *Server) Register(w http.ResponseWriter, r *http.Request) {
	if cross(w, r, http.MethodPost) {
		s.register.ServeHTTP(w, r)
	}
}

func (s *Server) handleRegister(w http.ResponseWriter, r *http.Request) {
	answer, err := s.newClient(w, r)
	if refused, ok := errors.AsType[*oauthError](err); ok {
		writeError(w, refused)
		return
	}
	if err != nil {
		writeError(w, s.failed(r, "registration", err))
		return
	}
	writeJSON(w, http.StatusCreated, answer)
}

func (s *Server) newClient(w http.ResponseWriter, r *http.Request) (*registered, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, badRequest("invalid_client_metadata", "The body could not be read: it must be JSON of at most 64 KiB.")
	}
	var in registration
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, badRequest("invalid_client_metadata", "The body must be a JSON object with the members of RFC 7591.")
	}
	if n := len(in.RedirectURIs); n == 0 || n > maxRedirectURIs {
		return nil, badRequest("invalid_redirect_uri", "redirect_uris must name 1 to 20 redirect URIs.")
	}
	for _, uri := range in.RedirectURIs {
		if err := s.checkRedirectURI(uri); err != nil {
			return nil, badRequest("invalid_redirect_uri", err.Error())
		}
	}
	c := store.Client{
		ID:           uuid.NewString(),
		Name:         chosenName(in.Name),
		RedirectURIs: in.RedirectURIs,
		GrantTypes:   known(in.GrantTypes, "authorization_code", "refresh_token"),
		AuthMethod:   in.AuthMethod,
		CreatedAt:    s.cfg.Now(),
	}
	if !slices.Contains(c.GrantTypes, "authorization_code") {
		return nil, badRequest("invalid_client_metadata", "grant_types must include authorization_code.")
	}
	responses := known(in.ResponseTypes, "code")
	if len(responses) == 0 {
		return nil, badRequest("invalid_client_metadata", "response_types must include code.")
	}
	answer := &registered{
		ID: c.ID, IssuedAt: c.CreatedAt.Unix(), Name: c.Name, RedirectURIs: c.RedirectURIs,
		GrantTypes: c.GrantTypes, ResponseTypes: responses, Scope: scope,
	}
	switch c.AuthMethod {
	case "": // most clients are native and cannot keep a secret; the answer has "none"
		c.AuthMethod = "none"
	case "none":
	case "client_secret_post", "client_secret_basic":
		answer.Secret, answer.SecretExpires = newSecret(secretPrefix), new(int64)
		c.SecretHash = hashed(answer.Secret)
	default:
		return nil, badRequest("invalid_client_metadata", "token_endpoint_auth_method must be none, client_secret_post or client_secret_basic.")
	}
	answer.AuthMethod = c.AuthMethod
	return answer, s.cfg.Store.OAuth.RegisterClient(r.Context(), c)
}

// known returns the values of all that are also in asked; if asked is empty, it returns all of them.
func known(asked []string, all ...string) []string {
	if len(asked) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(v string) bool { return !slices.Contains(asked, v) })
}

// Unnamed is the name of a client that gave no visible name.
const Unnamed = "Unnamed client"

// label is a remark in brackets that cannot be a host, as in "Claude Code (plugin:service:acme)".
var label = pattern.New(`\([A-Za-z0-9 :_-]+\)`)

// chosenName is [ClientName] for the name that a client gives itself. It has no brackets, of any script, but those of a label, because in
// brackets we write the host of a client whose metadata document we fetched: "Claude (claude.ai)" would look like a name that was verified.
func chosenName(raw string) string {
	labels := label.FindAllStringIndex(raw, -1)
	var b strings.Builder
	for i, c := range raw {
		if unicode.In(c, unicode.Ps, unicode.Pe) &&
			!slices.ContainsFunc(labels, func(at []int) bool { return at[0] <= i && i < at[1] }) {
			c = ' '
		}
		b.WriteRune(c)
	}
	return ClientName(b.String())
}

// ClientName sanitizes the name in a registration for display on the consent screen: on one line, without
// invisible characters, and at most 100 characters long.
func ClientName(raw string) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsPrint(c), c == unicode.ReplacementChar, // control characters, and format characters such as bidirectional ones
			unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), c == '\u2800': // invisible letters and marks
			return -1
		}
		return c
	}, raw)
	chars := []rune(strings.Join(strings.Fields(name), " "))
	if len(chars) > maxClientName {
		chars = append(chars[:maxClientName-1], '…')
	}
	if len(chars) == 0 {
		return Unnamed
	}
	return string(chars)
}
