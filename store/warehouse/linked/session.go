package linked

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/sigv4"
	"service/store/warehouse/sts"
)

// Bounds of requests.
const (
	maxHeader    = 64 << 10 // bytes of the headers of an answer
	maxSmall     = 1 << 20  // bytes of an answer that is not a file
	maxRedirects = 3
	maxTries     = 4 // of one request while the host is busy
	parallel     = 4 // requests of one call at once
)

// errChanged means that a file is another one than when its first part was read.
var errChanged = errors.New("linked: the file has changed")

// A session is one call: its requests share connections.
type session struct {
	source         *source
	own, elsewhere *http.Client // of the host of the connection, and of others
	left           *atomic.Int64
	fetched        atomic.Int64
	most           int64
	now            func() time.Time

	signing sync.Mutex
	bearer  string        // of Google
	signer  *sigv4.Signer // of S3
}

func (f *Files) session(s *source, left *atomic.Int64) *session {
	return &session{
		source: s, most: f.most, left: left, now: time.Now,
		own:       client(&http.Transport{DialContext: f.dialer.DialTarget(s.target), TLSClientConfig: s.target.TLSConfig()}),
		elsewhere: client(&http.Transport{DialContext: f.others.DialContext}),
	}
}

func client(t *http.Transport) *http.Client {
	t.TLSHandshakeTimeout, t.MaxResponseHeaderBytes, t.MaxConnsPerHost, t.DisableCompression = warehouse.DialTime, maxHeader, parallel, true
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (s *session) close() {
	s.own.CloseIdleConnections()
	s.elsewhere.CloseIdleConnections()
}

// get requests an address of the source with headers, and follows redirects. The answer is a success or 304; what names the file for
// errors. The caller closes the body.
func (s *session) get(ctx context.Context, at *url.URL, header map[string]string, what string) (*http.Response, error) {
	if err := s.signIn(ctx); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		response, err := s.follow(ctx, at, header)
		if err != nil {
			return nil, err
		}
		switch code := response.StatusCode; {
		case code == http.StatusOK, code == http.StatusPartialContent, code == http.StatusNotModified:
			if e := response.Header.Get("Content-Encoding"); e != "" && e != "identity" {
				response.Body.Close()
				return nil, warehouse.Errorf(warehouse.Failed, "The host sends %s compressed. Have it send the file as it is.", what)
			}
			return response, nil
		case code == http.StatusTooManyRequests, code >= 500:
			response.Body.Close()
			if try == maxTries || !s.pause(ctx, response.Header, try) {
				return nil, warehouse.Errorf(warehouse.Busy, "The host takes no more requests at the moment. Try again in a little while.")
			}
		default:
			response.Body.Close()
			return nil, s.fault(code, what)
		}
	}
}

// signIn gets the credentials that requests need: a token of Google, or those of a role.
func (s *session) signIn(ctx context.Context) (err error) {
	s.signing.Lock()
	defer s.signing.Unlock()
	switch {
	case s.source.google != nil && s.bearer == "":
		s.bearer, err = s.token(ctx)
	case s.source.keys != nil && s.signer == nil:
		at := s.source.base
		var signer sigv4.Signer
		signer, err = s.source.keys.Signer(ctx, s.do, sts.Endpoint(s.source.target.Host, at.String(), "sts", s.source.keys.Base.Region), false)
		s.signer = &signer
	}
	return err
}

// do is an [sts.Do].
func (s *session) do(r *http.Request) (status int, body []byte, err error) {
	client := s.elsewhere
	if r.URL.Host == s.source.base.Host {
		client = s.own
	}
	response, err := client.Do(r)
	if err != nil {
		return 0, nil, bare(err)
	}
	defer response.Body.Close()
	body, err = s.small(response.Body)
	return response.StatusCode, body, err
}

// fault translates a status.
func (s *session) fault(code int, what string) error {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		switch {
		case s.source.keys != nil:
			return warehouse.Errorf(warehouse.Auth, "The host refuses the access key for %s. The key needs s3:GetObject on the file and, for a "+
				"pattern, s3:ListBucket. Check the key, the region and the bucket.", what)
		case s.source.google != nil:
			return warehouse.Errorf(warehouse.Auth, "Google refuses the service account for %s. Share the spreadsheet with its address.", what)
		case s.source.bearer != "":
			return warehouse.Errorf(warehouse.Auth, "The host refuses the token for %s.", what)
		}
		return warehouse.Errorf(warehouse.Auth, "The host does not let everybody read %s. Add an access key or a token.", what)
	case http.StatusNotFound, http.StatusGone:
		return warehouse.Errorf(warehouse.Unknown, "The host has no file for %s. Check its path and its bucket.", what)
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
		return errChanged
	}
	return warehouse.Errorf(warehouse.Failed, "The host refused the request for %s (HTTP %d).", what, code)
}

// pause waits before the next try: Retry-After in seconds, or a pause that doubles. It returns false if the call would end before.
func (s *session) pause(ctx context.Context, h http.Header, try int) bool {
	wait := 200 * time.Millisecond << try
	if n, err := strconv.ParseUint(strings.TrimSpace(h.Get("Retry-After")), 10, 16); err == nil {
		wait = time.Duration(n) * time.Second
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// follow sends a request, and follows at most maxRedirects redirects. Only the host of the connection gets credentials.
func (s *session) follow(ctx context.Context, at *url.URL, header map[string]string) (*http.Response, error) {
	for hops := 0; ; hops++ {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
		if err != nil {
			return nil, errAway
		}
		for name, value := range header {
			r.Header.Set(name, value)
		}
		r.Header.Set("Accept-Encoding", "identity")
		r.Header.Set("User-Agent", "service")
		client := s.elsewhere
		if at.Host == s.source.base.Host {
			client = s.own
			s.authorize(r)
		}
		response, err := client.Do(r)
		if err != nil {
			return nil, bare(err)
		}
		switch response.StatusCode {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		default:
			return response, nil
		}
		response.Body.Close()
		location := response.Header.Get("Location")
		to, err := at.Parse(location)
		if err != nil || location == "" || to.Scheme != "https" || to.User != nil || to.Host == "" || hops == maxRedirects {
			return nil, errAway
		}
		to.Fragment = ""
		at = to
	}
}

// bare returns the error without the address that was requested, which may contain a signature.
func bare(err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		return at.Err
	}
	return err
}

var errAway = warehouse.Errorf(warehouse.Connect, "The host redirects to an address that is not followed: more than %d redirects, "+
	"not HTTPS, or malformed. Check the address of the file.", maxRedirects)

// authorize adds the credentials of the connection.
func (s *session) authorize(r *http.Request) {
	switch {
	case s.signer != nil:
		s.signer.Sign(r, nil, s.now())
	case s.bearer != "":
		r.Header.Set("Authorization", "Bearer "+s.bearer)
	case s.source.bearer != "":
		r.Header.Set("Authorization", "Bearer "+s.source.bearer)
	}
}

// small reads an answer that is not a file.
func (s *session) small(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, maxSmall+1))
	if err == nil && len(body) > maxSmall {
		err = errForm
	}
	return body, err
}

var errForm = warehouse.Errorf(warehouse.Failed, "The host answered in a form that is not known. "+
	"Check that it is what the connection's page names.")

// spend subtracts n bytes from the bytes that the call may fetch. All bytes of files are counted by it.
func (s *session) spend(n int64) error {
	s.fetched.Add(n)
	if s.left.Add(-n) < 0 {
		return s.over(s.most - s.left.Load())
	}
	return nil
}

// over returns the error for n bytes, which are more than a call may fetch.
func (s *session) over(n int64) error {
	return warehouse.Errorf(warehouse.TooLarge, "This needs %s of the files, and this installation fetches at most %s at a time. Read fewer "+
		"columns or a shorter period, or keep the data in smaller files.", warehouse.Size(n), warehouse.Size(s.most))
}

// A meter is a reader that counts its bytes against the limit of the call.
type meter struct {
	io.Reader
	s *session
}

func (m meter) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if spent := m.s.spend(int64(n)); spent != nil {
		return n, spent
	}
	return n, err
}

// translate translates an error into our own message.
func translate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*warehouse.Error](err); ok {
		return known
	}
	if errors.Is(err, errChanged) {
		return warehouse.Errorf(warehouse.Failed, "A file changed while it was read. Try again.")
	}
	if ended := warehouse.Ended(ctx, err, false); ended != nil {
		return ended
	}
	if known := warehouse.DialError(err); known != nil {
		return known
	}
	if errors.Is(err, errInternal) {
		return err
	}
	return &warehouse.Error{
		Class: warehouse.Connect, Cause: err, Message: "The connection to the host broke, or it sent less than it announced. Try again.",
	}
}

// errInternal marks errors of this machine.
var errInternal = errors.New("linked")

func internal(err error) error { return fmt.Errorf("%w: %w", errInternal, err) }
