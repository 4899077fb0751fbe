package scim

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/elimity-com/scim"
	scimerrors "github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"
	"github.com/google/uuid"

	"service/store"
)

// Limits of requests.
const (
	maxBody  = 4 << 20 // bytes: a group of tens of thousands of people
	maxPage  = 200     // resources of an answer
	maxScans = 20_000  // resources that a filter is tried on

	maxOperations = 1000 // of a change: the library takes 0.1 ms to read one
)

// Config is the configuration of a handler.
type Config struct {
	Store  *store.Store
	Tokens []string // any of which authenticates the identity provider
	Issuer string   // of the identity provider, at which provisioned people sign in
	URL    string   // of the handler, as the provider reaches it: https://app.example.com/scim/v2
	Log    *slog.Logger
}

// New returns a handler for paths below /scim/v2.
func New(cfg Config) (http.Handler, error) {
	if len(cfg.Tokens) == 0 || cfg.Store == nil || cfg.Issuer == "" {
		return nil, errors.New("scim: no token, store or issuer")
	}
	schema.SetAllowStringValues(true) // Microsoft Entra sends "False"
	h := &handler{Config: cfg}
	users, groups := &users{h}, &groups{h}
	server, err := scim.NewServer(&scim.ServerArgs{
		ServiceProviderConfig: &scim.ServiceProviderConfig{
			MaxResults: maxPage, SupportFiltering: true, SupportPatch: true,
			AuthenticationSchemes: []scim.AuthenticationScheme{{
				Type: scim.AuthenticationTypeOauthBearerToken, Name: "Bearer token", Description: "The token of SERVICE_SCIM_TOKEN", Primary: true,
				SpecURI: optional.NewString("https://www.rfc-editor.org/info/rfc6750"),
			}},
		},
		ResourceTypes: []scim.ResourceType{
			{
				ID: optional.NewString("User"), Name: "User", Endpoint: "/Users", Schema: userSchema,
				SchemaExtensions: []scim.SchemaExtension{{Schema: enterpriseSchema}}, Handler: users,
			},
			{ID: optional.NewString("Group"), Name: "Group", Endpoint: "/Groups", Schema: groupSchema, Handler: groups},
		},
	}, scim.WithBaseURL(cfg.URL))
	if err != nil {
		return nil, err
	}
	h.next = http.StripPrefix("/scim", server)
	return h, nil
}

var (
	userSchema       = schema.CoreUserSchema()
	enterpriseSchema = schema.ExtensionEnterpriseUser()
	groupSchema      = schema.CoreGroupSchema()
)

type handler struct {
	Config
	next http.Handler
}

// ServeHTTP passes requests with a good token. All others get the same refusal.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !h.allowed(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="scim"`)
		refuse(w, http.StatusUnauthorized, "", "The token is missing or wrong.")
		return
	}
	if r.ContentLength > maxBody {
		refuse(w, http.StatusRequestEntityTooLarge, "", "The body has more than 4 MiB.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if r.Method == http.MethodPatch && !fewOperations(r) {
		refuse(w, http.StatusBadRequest, `"scimType":"tooMany",`,
			fmt.Sprintf("The change has more than %d operations. Send them in several requests.", maxOperations))
		return
	}
	for _, filter := range r.URL.Query()["filter"] {
		if len(filter) > maxFilter || strings.Count(filter, "(") > maxNested {
			refuse(w, http.StatusBadRequest, "", "The filter is too long or has too many brackets.")
			return
		}
	}
	if strings.HasSuffix(r.URL.Path, "/ServiceProviderConfig") {
		w = withoutEmpty{w}
	}
	h.next.ServeHTTP(w, r)
}

// withoutEmpty leaves out the addresses of documentation. The library writes them as empty texts, which strict clients refuse: an empty
// text is not an address (RFC 7643, 2.3.7).
type withoutEmpty struct{ http.ResponseWriter }

func (w withoutEmpty) Write(b []byte) (int, error) {
	_, err := w.ResponseWriter.Write(bytes.ReplaceAll(b, []byte(`"documentationUri":"",`), nil))
	return len(b), err
}

// fewOperations reports whether a change has at most maxOperations. The library refuses a body that is not JSON.
func fewOperations(r *http.Request) bool {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body)) // which returns its error again
	var change struct{ Operations []json.RawMessage }
	_ = json.Unmarshal(body, &change)
	return len(change.Operations) <= maxOperations
}

// Limits of filters. The library parses them recursively, and each level takes 10 KB of the stack.
const (
	maxFilter = 4000 // bytes
	maxNested = 50   // opened brackets
)

// refuse sends an error (RFC 7644, 3.12). kind is a member of it with a comma, or "".
func refuse(w http.ResponseWriter, status int, kind, detail string) {
	w.Header().Set("Content-Type", "application/scim+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],%s"status":"%d","detail":"%s"}`, kind, status, detail)
}

func (h *handler) allowed(r *http.Request) bool {
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(header[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return false
	}
	given, good := sha256.Sum256([]byte(token)), 0
	for _, t := range h.Tokens {
		want := sha256.Sum256([]byte(t))
		good |= subtle.ConstantTimeCompare(given[:], want[:])
	}
	return good == 1
}

// failed translates errors of the store.
func (h *handler) failed(r *http.Request, id string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotFound):
		return scimerrors.ScimErrorResourceNotFound(id)
	case errors.Is(err, store.ErrTaken):
		return scimerrors.ScimErrorUniqueness
	}
	if known, ok := errors.AsType[scimerrors.ScimError](err); ok {
		return known
	}
	h.Log.ErrorContext(r.Context(), "scim request failed", "err", err)
	return scimerrors.ScimErrorInternal
}

func badValue(detail string) error {
	e := scimerrors.ScimErrorInvalidValue
	e.Detail = detail
	return e
}

// idOf parses the id of a resource. The id is a part of the URL, so it can be any text.
func idOf(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return uuid.Nil, scimerrors.ScimErrorResourceNotFound(text)
	}
	return id, nil
}

func meta(created, updated time.Time) scim.Meta {
	return scim.Meta{Created: &created, LastModified: &updated}
}

// page applies the filter of the request to all, and returns the requested page and attributes of the result.
func page(r *http.Request, s schema.Schema, all []scim.Resource, params scim.ListRequestParams) (scim.Page, error) {
	if params.FilterValidator != nil {
		if len(all) > maxScans {
			return scim.Page{}, scimerrors.ScimErrorTooMany
		}
		var passing []scim.Resource
		for _, resource := range all {
			attributes := scim.ResourceAttributes{"id": resource.ID, "externalId": resource.ExternalID.Value()}
			for name, value := range resource.Attributes {
				attributes[name] = value
			}
			if params.FilterValidator.PassesFilter(attributes) == nil {
				passing = append(passing, resource)
			}
		}
		all = passing
	}
	from := min(max(params.StartIndex-1, 0), len(all))
	till := min(from+max(params.Count, 0), len(all))
	out := scim.Page{TotalResults: len(all), Resources: make([]scim.Resource, till-from)}
	for i, resource := range all[from:till] {
		out.Resources[i] = choose(r, s, resource)
	}
	return out, nil
}
