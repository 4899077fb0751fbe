package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/rawjson"
	"service/store/warehouse"
)

// Bounds of the answers of a warehouse, and of repeated requests.
const (
	maxBody   = 16 << 20         // bytes of an answer, after decompression
	maxHeader = 64 << 10         // bytes of its headers
	maxTries  = 6                // of one request while the warehouse is busy
	maxBroken = 3                // of one request whose answer is truncated
	maxPause  = 20 * time.Second // between two tries
	freePolls = 6                // of one call, without a pause
)

// A Session serves one call: its requests share connections, which end with it.
type Session struct {
	ctx context.Context
	// requests ends requests to the warehouse that outlive the call; nil if they end with it.
	requests context.Context
	engine   Engine
	client   *http.Client
	// elsewhere returns a client for hosts other than the warehouse's.
	elsewhere func() *http.Client
	base      string
	signed    http.Header // by Engine.Sign; nil if not signed yet
	anew      bool        // the warehouse has refused a signature
	answered  bool        // the warehouse has answered once
	polls     int         // that were answered at once
	pause     time.Duration
	body      []byte // of the last answer
}

// An Answer is the answer to a request. Its body is valid until the next request.
type Answer struct {
	Status int
	Body   []byte
	// Long are the rows of an answer that is too long to be kept, if the request allows that: see [Request.Rows]. Body then has only the
	// members before them. The caller closes it.
	Long *Stream
}

var errRedirect = warehouse.Errorf(warehouse.Connect, "The host answers with a redirect, which is not followed. Check the address.")

var (
	errLong = errors.New("rest: the answer is longer than maxBody")
	errJSON = errors.New("rest: the answer is not JSON")
)

// Base returns the scheme and the address of a target.
func Base(t warehouse.Target) string {
	scheme := "https"
	if t.TLS == warehouse.TLSOff {
		scheme = "http"
	}
	return scheme + "://" + net.JoinHostPort(t.Host, strconv.Itoa(t.Port))
}

// open begins a session. It does not connect yet.
func open(ctx context.Context, e Engine, t warehouse.Target, d warehouse.Dialer) *Session {
	s := &Session{ctx: ctx, engine: e, base: Base(t)}
	s.client = client(&http.Transport{DialContext: d.DialTarget(t), TLSClientConfig: t.TLSConfig()})
	s.elsewhere = func() *http.Client { return client(&http.Transport{DialContext: d.DialContext}) }
	return s
}

// client returns a client with the bounds of this package.
func client(t *http.Transport) *http.Client {
	t.TLSHandshakeTimeout, t.MaxResponseHeaderBytes, t.MaxConnsPerHost = warehouse.DialTime, maxHeader, 2
	return &http.Client{
		Transport: t,
		// Credentials are not sent to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// with returns the session with another context.
func (s *Session) with(ctx context.Context) *Session {
	other := *s
	other.ctx, other.requests, other.body = ctx, nil, nil
	return &other
}

// outlive returns a context that ends [warehouse.LeaveTime] after the call's.
func (s *Session) outlive() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.ctx))
	stop := context.AfterFunc(s.ctx, func() { time.AfterFunc(warehouse.LeaveTime, cancel) })
	return ctx, func() { stop(); cancel() }
}

func (s *Session) close() { s.client.CloseIdleConnections() }

// Anew reports whether the warehouse has refused a signature, so that credentials that were kept must be made anew.
func (s *Session) Anew() bool { return s.anew }

// Left returns how long the call may still take.
func (s *Session) Left() time.Duration {
	end, ok := s.ctx.Deadline()
	if !ok {
		return warehouse.AskTime
	}
	return max(0, time.Until(end))
}

// A Request is a request to the warehouse. It must be safe to repeat: it is sent again if the warehouse is busy, if the answer is
// truncated, and if the warehouse reports an expired signature.
type Request struct {
	Method, Path string
	At           string // an address of another host, instead of a path; it is dialled as in [Session.Do]
	Query        url.Values
	Again        url.Values // the query of every try after the first; nil for the same
	Header       http.Header
	Body         []byte // nil for no body
	Type         string // of the body; empty for JSON
	Unsigned     bool   // it is sent without the signature of [Engine.Sign]
	Rows         string // the name of the member with the rows, if the answer may be too long to be kept; empty if it may not
	// Fault translates an answer that is not a success; nil for [Engine.Fault].
	Fault func(a Answer) *warehouse.Error
}

// Get and Post request a path and return the answer: see Send. Post sends body as JSON, or nothing for nil.
func (s *Session) Get(path string, query url.Values, st Statement) (Answer, error) {
	return s.Send(Request{Method: http.MethodGet, Path: path, Query: query}, st)
}

// Post: see Get.
func (s *Session) Post(path string, query url.Values, body any, st Statement) (Answer, error) {
	return s.Repost(path, query, query, body, st)
}

// Repost is Post, with another query for every try after the first.
func (s *Session) Repost(path string, query, again url.Values, body any, st Statement) (Answer, error) {
	r := Request{Method: http.MethodPost, Path: path, Query: query, Again: again}
	if body != nil {
		var err error
		if r.Body, err = json.Marshal(body); err != nil {
			return Answer{}, fmt.Errorf("rest: write a request: %w", err)
		}
	}
	return s.Send(r, st)
}

// Send sends a request and returns the answer, which is a success with valid JSON, or without content. A fault is about st.
func (s *Session) Send(r Request, st Statement) (Answer, error) {
	broken, anew := 0, false
	for try := 1; ; try++ {
		if s.signed == nil && !r.Unsigned {
			h := http.Header{}
			if err := s.engine.Sign(s, h); err != nil {
				return Answer{}, err
			}
			s.signed = h
		}
		a, header, err := s.once(r)
		if r.Again != nil {
			r.Query = r.Again
		}
		if err != nil {
			if broken++; broken < maxBroken && s.answered && s.ctx.Err() == nil && !errors.Is(err, errLong) && !errors.Is(err, errJSON) {
				continue
			}
			return a, err
		}
		if a.Status/100 == 2 {
			if a.Long != nil {
				a.Long.request, a.Long.st = r, st
			}
			return a, nil
		}
		fault := s.fault(r, a, st)
		switch {
		case a.Status/100 == 3 && r.Fault == nil:
			return a, errRedirect
		case fault.Class == warehouse.Auth && !anew && !r.Unsigned && s.ctx.Err() == nil:
			anew, s.anew, s.signed = true, true, nil
		case fault.Class == warehouse.Busy && try < maxTries:
			if !s.sleep(pauseOf(header, try)) {
				return a, fault
			}
		default:
			return a, fault
		}
	}
}

// fault translates an answer to r that is not a success.
func (s *Session) fault(r Request, a Answer, st Statement) *warehouse.Error {
	if r.Fault != nil {
		return r.Fault(a)
	}
	return s.engine.Fault(a, st)
}

// once sends a request once. Its error is not translated.
func (s *Session) once(r Request) (Answer, http.Header, error) {
	address := cmp.Or(r.At, s.base+r.Path)
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	ctx := s.ctx
	if s.requests != nil && ctx.Err() == nil {
		ctx = s.requests
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return Answer{}, nil, fmt.Errorf("rest: %w", err)
	}
	maps.Copy(request.Header, r.Header)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "service")
	if r.Body != nil {
		request.Header.Set("Content-Type", cmp.Or(r.Type, "application/json"))
	}
	if !r.Unsigned {
		maps.Copy(request.Header, s.signed)
		if e, ok := s.engine.(RequestSigner); ok {
			e.SignRequest(request, r.Body)
		}
	}
	client, done := s.clientOf(request)
	defer done()
	a, header, err := s.exchange(client, request, r.Rows)
	if err == nil && a.Long == nil && a.Status/100 == 2 && a.Status != http.StatusNoContent && !rawjson.Valid(a.Body) {
		return a, nil, errJSON
	}
	return a, header, err
}

// exchange sends a request and reads the answer, with any status. rows is [Request.Rows].
func (s *Session) exchange(client *http.Client, request *http.Request, rows string) (Answer, http.Header, error) {
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, nil, err
	}
	s.answered = true
	a := Answer{Status: response.StatusCode}
	err = s.read(response.Body)
	if a.Body = s.body; errors.Is(err, errLong) && rows != "" && a.Status/100 == 2 {
		a.Body, a.Long, err = s.stream(response.Body, rows)
	}
	if a.Long == nil {
		response.Body.Close()
	}
	if err != nil {
		return Answer{Status: a.Status}, nil, err
	}
	return a, response.Header, nil
}

// Base is the scheme and address of the warehouse.
func (s *Session) Base() string { return s.base }

// Do sends a request of the engine to the warehouse or to another host, which is dialled through the guard by TLS with a verified
// certificate. It follows no redirect, and returns the answer, with any status. The body is the caller's.
func (s *Session) Do(r *http.Request) (status int, body []byte, err error) {
	client, done := s.clientOf(r)
	defer done()
	r.Header.Set("User-Agent", "service")
	a, _, err := s.exchange(client, r, "")
	return a.Status, slices.Clone(a.Body), err
}

// clientOf returns the client that sends a request, to the warehouse or to another host. done is called after the answer is read.
func (s *Session) clientOf(r *http.Request) (client *http.Client, done func()) {
	if r.URL.Scheme+"://"+r.URL.Host == s.base {
		return s.client, func() {}
	}
	client = s.elsewhere()
	return client, client.CloseIdleConnections
}

// Context ends with the call.
func (s *Session) Context() context.Context { return s.ctx }

// read reads a body. Its buffer doubles, up to maxBody.
func (s *Session) read(from io.Reader) error {
	s.body = s.body[:0]
	for {
		if len(s.body) == cap(s.body) {
			size := max(64<<10, 2*cap(s.body))
			if size >= maxBody {
				size = maxBody + 1 // one more byte shows that an answer is too long
			}
			grown := make([]byte, len(s.body), size)
			copy(grown, s.body)
			s.body = grown
		}
		n, err := from.Read(s.body[len(s.body):cap(s.body)])
		s.body = s.body[:len(s.body)+n]
		switch {
		case len(s.body) > maxBody:
			return errLong
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// pauseOf returns the time before the next try: Retry-After, in seconds or as a date, or else a pause that doubles with each try.
func pauseOf(h http.Header, try int) time.Duration {
	after := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseUint(after, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(0, time.Until(at))
	}
	return 250 * time.Millisecond << try
}

// sleep waits before the next try. It returns false at once if the call would end before, or if the wait is longer than maxPause.
func (s *Session) sleep(d time.Duration) bool {
	return d <= maxPause && d < s.Left() && s.Wait(d) == nil
}

// Wait waits for d. It returns the reason if the call ends before.
func (s *Session) Wait(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// Rest pauses after a poll that was sent at asked, unless the warehouse itself waited for more than a second before it answered. The
// pauses grow, up to a second. The first polls of a call have no pause, because the warehouse is then still starting the query. Rest ends
// with the call.
func (s *Session) Rest(asked time.Time) error {
	if time.Since(asked) > time.Second {
		s.pause = 0
		return nil
	}
	if s.polls++; s.polls <= freePolls {
		return nil
	}
	s.pause = min(s.pause*2+10*time.Millisecond, time.Second)
	return s.Wait(s.pause)
}

// translate translates an error into our own message.
func (s *Session) translate(err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*warehouse.Error](err); ok {
		return known
	}
	if errors.Is(context.Cause(s.ctx), context.DeadlineExceeded) && !s.answered {
		return warehouse.DialError(context.DeadlineExceeded)
	}
	if ended := warehouse.Ended(s.ctx, err, false); ended != nil {
		return ended
	}
	if errors.Is(err, errLong) {
		return warehouse.Errorf(warehouse.TooLarge,
			"A part of the result is larger than %d MiB. Leave out the large columns, or return fewer rows.", maxBody>>20)
	}
	if known := warehouse.DialError(err); known != nil && !s.answered {
		return known
	}
	if s.answered && !errors.Is(err, errJSON) {
		return &warehouse.Error{Class: warehouse.Connect, Message: warehouse.SayBroken, Cause: err}
	}
	return &warehouse.Error{
		Class: warehouse.Connect, Cause: err,
		Message: "The host does not answer as a warehouse of this kind does. Check address, port and TLS.",
	}
}
