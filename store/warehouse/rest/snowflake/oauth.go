package snowflake

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"service/store/message"
	"service/store/warehouse"
	"service/store/warehouse/rest"
)

// An issuer is the token endpoint of an identity provider whose tokens the account accepts: "External OAuth overview". Its client acts for
// the user of Snowflake that the security integration maps its tokens to.
type issuer struct {
	at     string
	client *rest.Client
}

// issuerOf returns the issuer of a target, or nil: its place is the address of the endpoint, followed by a space and the scopes that are
// requested, its user the id of the client and its password the secret. The error is a refusal.
func issuerOf(t warehouse.Target) (*issuer, error) {
	words := strings.Fields(t.Place)
	if len(words) == 0 {
		return nil, nil
	}
	u, err := url.Parse(words[0])
	own := err == nil && u.Scheme+"://"+u.Host == rest.Base(t) // an endpoint of the connection's own host is reached as that host is
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && !own {
		return nil, message.Refuse("place must be the address of a token endpoint that begins with https://, or that address, a space and " +
			"the scopes, as in https://login.microsoftonline.com/<tenant>/oauth2/v2.0/token api://snowflake/.default")
	}
	return &issuer{words[0], &rest.Client{ID: t.User, Secret: t.Password, Scope: strings.Join(words[1:], " ")}}, nil
}

// sign adds a token of the issuer: "Authenticating to the server", "Using OAuth".
func (i *issuer) sign(s *rest.Session, h http.Header) error {
	token, err := i.client.Token(s, rest.Request{At: i.at, Fault: refused})
	if _, told := errors.AsType[*warehouse.Error](err); err != nil && !told && s.Context().Err() == nil && !warehouse.IsPrivate(err) {
		return warehouse.Errorf(warehouse.Connect, warehouse.SayNoIssuer)
	}
	if err != nil {
		return err
	}
	h.Set("Authorization", "Bearer "+token)
	h.Set("X-Snowflake-Authorization-Token-Type", "OAUTH")
	return nil
}

// refused translates a refusal of a token endpoint: RFC 6749, 5.2.
func refused(a rest.Answer) *warehouse.Error {
	switch code := rest.PickText(a.Body, "error"); {
	case a.Status == http.StatusTooManyRequests, a.Status >= 500:
		return warehouse.Errorf(warehouse.Busy, "The identity provider issues no more tokens at the moment. Try again in a little while.")
	case code == "invalid_scope":
		return warehouse.Errorf(warehouse.Connect, warehouse.SayScope)
	case code != "", a.Status == http.StatusUnauthorized:
		return warehouse.Errorf(warehouse.Auth,
			"The identity provider refused the client. Its id or its secret is not right, or the secret has expired.")
	}
	return warehouse.Errorf(warehouse.Connect, warehouse.SayNoIssuer)
}
