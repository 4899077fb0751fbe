package rest

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"service/store/rawjson"
	"service/store/warehouse"
)

// Fetch returns the JSON at an address that the warehouse named, without its credentials and without following redirects. The host must be
// that of the warehouse or in one of the domains; any other is an error, and no connection is made. It is dialled through the guard, by TLS
// with a verified certificate unless it is the warehouse itself.
func (s *Session) Fetch(address string, domains ...string) (Answer, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Fragment != "" {
		return Answer{}, ErrForm
	}
	client := s.client
	if u.Scheme+"://"+u.Host != s.base {
		if u.Scheme != "https" || u.Port() != "" || !within(u.Hostname(), domains) {
			return Answer{}, warehouse.Errorf(warehouse.Refused, "The warehouse keeps the rows at a host that is not known as its storage.")
		}
		elsewhere := s.elsewhere()
		defer elsewhere.CloseIdleConnections()
		client = elsewhere
	}
	for try := 1; ; try++ {
		request, err := http.NewRequestWithContext(s.ctx, http.MethodGet, address, nil)
		if err != nil {
			return Answer{}, ErrForm
		}
		request.Header.Set("User-Agent", "service")
		a, header, err := s.exchange(client, request, "")
		switch {
		case errors.Is(err, errLong), errors.Is(err, errJSON), err != nil && (try == maxBroken || s.ctx.Err() != nil):
			return a, err
		case err != nil:
		case a.Status/100 == 2 && !rawjson.Valid(a.Body):
			return a, errJSON
		case a.Status/100 == 2:
			return a, nil
		case a.Status/100 == 3:
			return a, errRedirect
		case a.Status == http.StatusTooManyRequests, a.Status >= 500:
			if try == maxTries || !s.sleep(pauseOf(header, try)) {
				return a, warehouse.Errorf(warehouse.Busy, "The storage of the warehouse takes no more requests at the moment. Try again.")
			}
		default:
			return a, warehouse.Errorf(warehouse.Failed, "The storage of the warehouse refused the rows (HTTP %d). Try again.", a.Status)
		}
	}
}

// within reports whether a host is in one of the domains.
func within(host string, domains []string) bool {
	for _, domain := range domains {
		if host = strings.ToLower(host); host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}
