package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// TestRequestsTakeTurns: each request of a signed-in person has one slot of the right queue, and has released it when the answer is
// written. A request that gets no slot is answered with Retry-After and not logged. Answers that are the same for everybody need no slot.
func TestRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.note(t, m, "notes", "Notes")
	var lines bytes.Buffer
	s.app.Log = slog.New(slog.NewTextHandler(&lines, nil))
	var quick, slow, drawn, held int
	var full error
	give := func(given *int) func(context.Context, uuid.UUID) (func(), error) {
		return func(_ context.Context, account uuid.UUID) (func(), error) {
			if account != m.Account() {
				t.Errorf("account %s has a slot", account)
			}
			if full != nil {
				return nil, full
			}
			*given++
			held++
			released := false
			return func() {
				if !released {
					released = true
					held--
				}
			}, nil
		}
	}
	s.acquire, s.acquireSlow, s.acquireDraw = give(&quick), give(&slow), give(&drawn)

	const at = "/w/engine"
	style, err := s.app.assetURL("app.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		method, path string
		quick, slow  int
	}{
		{"GET", at + "/", 1, 0},
		{"GET", at + "/d/notes", 1, 0},
		{"GET", at + "/d/notes/thumbnail.png", 0, 0}, // a picture
		{"GET", at + "/uploads", 1, 0},
		{"GET", "/connect/calls", 1, 0},
		{"GET", "/account", 1, 0},
		{"GET", "/w/nothing/", 1, 0},
		{"GET", "/nothing", 1, 0},
		{"DELETE", "/account", 1, 0},
		{"POST", at + "/d/notes/star", 1, 0},
		{"GET", "/consent", 1, 0},
		{"GET", at + "/audit.csv", 0, 1},
		{"POST", at + "/uploads", 0, 1},
		{"POST", at + "/connections", 0, 1},
		{"POST", at + "/connections/" + uuid.NewString() + "/test", 0, 1},
		{"POST", at + "/channels/nothing/test", 0, 1},
		{"GET", style, 0, 0},
		{"GET", "/favicon.ico", 0, 0},
		{"GET", "/robots.txt", 0, 0},
	} {
		quick, slow, drawn = 0, 0, 0
		p.once().do(p.request(tc.method, tc.path, nil))
		if pictures := strings.HasSuffix(tc.path, ".png"); quick != tc.quick || slow != tc.slow || (drawn == 1) != pictures || held != 0 {
			t.Errorf("%s %s has %d slots, %d slow ones and %d of pictures, of which %d are left; want %d and %d",
				tc.method, tc.path, quick, slow, drawn, held, tc.quick, tc.slow)
		}
	}
	if s.browser(t).get("/sign-in"); quick+slow != 0 {
		t.Error("a request without a session has a slot")
	}

	lines.Reset()
	full = store.ErrOverloaded
	for _, path := range []string{at + "/", at + "/d/notes/thumbnail.png", at + "/audit.csv", "/consent"} {
		if a := p.get(path); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			t.Errorf("%s without a slot: %d %v", path, a.status, a.header)
		}
	}
	if lines.Len() > 0 {
		t.Errorf("the log has %s", &lines)
	}
	full = errors.New("kaboom")
	if p.get(at + "/"); lines.Len() == 0 {
		t.Error("the log has nothing of a failure")
	}
}

// The slot is released before the answer is written, so that slow readers hold no slot.
func TestSlowReadersHoldNoSlot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	s.note(t, m, "notes", "Notes")
	held := 0
	s.acquire = func(context.Context, uuid.UUID) (func(), error) {
		held = 1
		return func() { held = 0 }, nil
	}
	s.acquireDraw = s.acquire
	for _, path := range []string{"/w/engine/", "/w/engine/d/notes/thumbnail.png", "/connect/calls"} {
		r := p.request(http.MethodGet, path, nil)
		for _, c := range p.Jar.Cookies(r.URL) {
			r.AddCookie(c)
		}
		w := &observedWriter{ResponseRecorder: httptest.NewRecorder(), held: &held}
		s.app.ServeHTTP(w, r)
		if w.Code != http.StatusOK || w.while != 0 || w.Body.Len() == 0 {
			t.Errorf("%s: %d, written with %d slots", path, w.Code, w.while)
		}
	}
}

// observedWriter records the number of slots that were held while it was written to.
type observedWriter struct {
	*httptest.ResponseRecorder
	held  *int
	while int
}

func (w *observedWriter) Write(b []byte) (int, error) {
	w.while += *w.held
	return w.ResponseRecorder.Write(b)
}

// TestFilesHaveRoom: while an uploaded file is processed, it has a reservation of memory of its Content-Length. If there is no free memory,
// the file is not read, and the answer has Retry-After.
func TestFilesHaveRoom(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p, m := s.owner(t, "ada@lovelace.org", "engine")
	var taken, given int64
	var full error
	var cut error
	var whole bool
	s.acquireBody = func(w http.ResponseWriter, r *http.Request, account uuid.UUID) (func(), error) {
		n := r.ContentLength
		if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
			t.Errorf("a body that waits cannot be cut off: %v", err)
		}
		r.Body = &watched{r.Body, &whole}
		if cut != nil {
			r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, n/2), iotest.ErrReader(cut)))
		}
		if account != m.Account() || n < 100_000 || n > 101_000 {
			t.Errorf("%d bytes of account %s", n, account)
		}
		if full != nil {
			return nil, full
		}
		taken += n
		return func() { given += n }, nil
	}
	const at = "/w/engine/uploads"
	file := "n\n" + strings.Repeat("1\n", 50_000)
	for _, to := range []string{at, p.once().send(at, "a.csv", file).want(http.StatusSeeOther).header.Get("Location")} {
		whole = false
		if p.once().send(to, "a.csv", file).want(http.StatusSeeOther); taken == 0 || taken != given {
			t.Errorf("%d bytes of %d are released", given, taken)
		}
		if !whole {
			t.Error("a body is not read to its end, so that its memory may be given to others while it is in memory")
		}
	}
	full = store.ErrOverloaded
	if a := p.once().send(at, "b.csv", file); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("without memory: %d %v", a.status, a.header)
	}
	full, cut = nil, fmt.Errorf("%w for a body that came slowly", store.ErrOverloaded)
	if a := p.once().send(at, "b.csv", file); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("evicted: %d %v", a.status, a.header)
	}
	p.get(at).want(http.StatusOK, "a.csv").lacks("b.csv")
}

// watched is a body that records that it was read to its end.
type watched struct {
	io.ReadCloser
	whole *bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err == io.EOF {
		*w.whole = true
	}
	return n, err
}
