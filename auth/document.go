package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"service/store"
)

// Limits of the documents of clients.
const (
	maxClientID   = 500      // bytes of an address
	maxDocument   = 16 << 10 // bytes
	documentTime  = 5 * time.Second
	keepDocument  = 10 * time.Minute // how long a fetched document is used before it is fetched again
	documentCalls = 8                // fetches at once, of all people
)

// A document is a client's metadata, published at the URL that is the client's id (OAuth Client ID Metadata Document).
type document struct {
	ID string `json:"client_id"`
	registration
	Secret json.RawMessage `json:"client_secret"`
}

// isDocument reports whether a client's id is the address of a document.
func isDocument(id string) bool { return strings.HasPrefix(id, "https://") }

// checkClientID rejects URLs that are ambiguous (not normalized) or that cannot be the id of a metadata document.
func checkClientID(id string) error {
	u, err := url.Parse(id)
	switch {
	case len(id) > maxClientID:
		return errors.New("the address is too long")
	case err != nil || u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("it is not an https address")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(id, "#"):
		return errors.New("the address must have no user, query or fragment")
	case u.Path == "" || u.Path == "/" || u.EscapedPath() != path.Clean(u.EscapedPath()):
		return errors.New("the address must have a path, without dots or doubled slashes")
	case u.String() != id || u.Host != strings.ToLower(u.Host):
		return errors.New("the address must be written in its usual form")
	}
	return nil
}

// described returns the client whose id is the address of its document. If fetch is true, an unknown or outdated document is fetched. It
// returns [store.ErrNotFound] if the feature is off, the id is malformed, or the document cannot be fetched or is invalid.
func (s *Server) described(r *http.Request, id string, fetch bool) (store.Client, error) {
	if !s.cfg.ClientDocuments || checkClientID(id) != nil {
		return store.Client{}, store.ErrNotFound
	}
	c, err := s.cfg.Store.OAuth.Client(r.Context(), id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return c, err
	}
	if err == nil && (!fetch || s.cfg.Now().Sub(*c.FetchedAt) < keepDocument) || !fetch {
		return c, err
	}
	select {
	case s.documents <- struct{}{}:
		defer func() { <-s.documents }()
	default:
		return store.Client{}, errors.New("too many metadata documents of clients are being fetched")
	}
	c, err = s.fetchClient(r.Context(), id)
	if err != nil {
		s.cfg.Log.InfoContext(r.Context(), "document of a client refused", "client", id, "err", err)
		return store.Client{}, store.ErrNotFound
	}
	return c, s.cfg.Store.OAuth.KeepClient(r.Context(), c)
}

// fetchClient fetches a document and validates it by the rules of a registration; clients with a secret are refused.
func (s *Server) fetchClient(ctx context.Context, id string) (c store.Client, err error) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return c, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := s.cfg.DocumentClient.Do(req)
	if err != nil {
		return c, errors.New("it cannot be fetched")
	}
	defer res.Body.Close()
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK || err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return c, fmt.Errorf("status %d, type %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err != nil || len(body) > maxDocument {
		return c, errors.New("the document is larger than 16 KiB, or incomplete")
	}
	var d document
	if err := json.Unmarshal(body, &d); err != nil {
		return c, errors.New("it is not a JSON object with the members of RFC 7591")
	}
	u, err := url.Parse(id)
	if err != nil {
		return c, err
	}
	c = store.Client{
		ID: id, Name: chosenName(d.Name) + " (" + u.Host + ")", RedirectURIs: d.RedirectURIs, AuthMethod: "none",
		GrantTypes: known(d.GrantTypes, "authorization_code", "refresh_token"), CreatedAt: s.cfg.Now(),
	}
	switch {
	case d.ID != id:
		return c, errors.New("the document's client_id is not the URL from which it was fetched")
	case d.AuthMethod != "" && d.AuthMethod != "none" || d.Secret != nil:
		return c, errors.New("the client authenticates by a secret or a key")
	case len(d.RedirectURIs) == 0 || len(d.RedirectURIs) > maxRedirectURIs:
		return c, errors.New("it must name 1 to 20 redirect URIs")
	case !slices.Contains(c.GrantTypes, "authorization_code") || len(known(d.ResponseTypes, "code")) == 0:
		return c, errors.New("it lacks the grant type authorization_code or the response type code")
	}
	for _, uri := range d.RedirectURIs {
		if err := s.checkRedirectURI(uri); err != nil {
			return c, err
		}
	}
	return c, nil
}
