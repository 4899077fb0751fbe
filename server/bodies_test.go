package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// A sender is a body whose parts arrive when the test sends them.
type sender struct {
	io.Reader
	*io.PipeWriter
	release func()
}

// send reserves memory for n bytes of an account, and sends some of them.
func (b *Bodies) send(t *testing.T, account uuid.UUID, n int64, come int) (*sender, error) {
	t.Helper()
	start, rest := io.Pipe()
	r := httptest.NewRequest(http.MethodPost, "/mcp", start)
	r.ContentLength = n
	release, err := b.Acquire(httptest.NewRecorder(), r, account)
	s := &sender{r.Body, rest, release}
	if err == nil && come > 0 {
		go func() { _, _ = rest.Write(make([]byte, come)) }()
		if _, err := io.ReadFull(s, make([]byte, come)); err != nil {
			t.Fatal(err)
		}
	}
	return s, err
}

// fill makes accounts hold all memory, each with a large body of which nothing has arrived.
func (b *Bodies) fill(t *testing.T) (all []*sender) {
	t.Helper()
	for range maxInFlight / maxBody {
		s, err := b.send(t, uuid.New(), maxBody, 0)
		if err != nil {
			t.Fatalf("refused after %d bodies: %v", len(all), err)
		}
		all = append(all, s)
	}
	return all
}

// bytes returns the number of reserved bytes.
func (b *Bodies) bytes() int64 {
	n, _ := b.budget.Usage()
	return n
}

// ended returns the number of bodies that can no longer be read.
func ended(all ...*sender) (n int) {
	for _, s := range all {
		go func() { _, _ = s.Write([]byte("x")) }()
		if _, err := s.Read(make([]byte, 1)); errors.Is(err, store.ErrOverloaded) {
			n++
		}
	}
	return n
}

// TestLargeBodiesOfAllAreBounded: accounts that are each below their limit cannot together exceed
// the limit of the process.
func TestLargeBodiesOfAllAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBodies()
		all := b.fill(t)
		for _, n := range []int64{1, maxBody, -1} {
			if _, err := b.send(t, uuid.New(), n, 0); !errors.Is(err, store.ErrOverloaded) {
				t.Errorf("%d bytes more are taken: %v", n, err)
			}
		}
		all[0].release()
		if _, err := b.send(t, uuid.New(), -1, 0); err != nil {
			t.Errorf("the memory that was released is not free: %v", err)
		}
	})
}

// TestWholeBodiesTakeWhatTheyHave shows that a body of unknown length keeps only the memory of its actual size once it is complete,
// and is in time with 64 KiB a second.
func TestWholeBodiesTakeWhatTheyHave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBodies()
		var all []*sender
		for range maxInFlight / maxBody {
			s, err := b.send(t, uuid.New(), -1, anonymousBody+1)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		time.Sleep(settling)
		for range 10 {
			for _, s := range all {
				go func() { _, _ = s.Write(make([]byte, 2*unsaidPace)) }()
				if _, err := io.ReadFull(s, make([]byte, 2*unsaidPace)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := b.send(t, uuid.New(), 1, 0); !errors.Is(err, store.ErrOverloaded) {
				t.Errorf("there is room while all come in time: %v", err)
			}
			time.Sleep(settling)
		}
		for _, s := range all {
			s.Close()
			if n, err := s.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("at its end: %d, %v", n, err)
			}
		}
		if want := int64(len(all) * (anonymousBody + 1 + 20*unsaidPace)); b.bytes() != want {
			t.Errorf("%d bytes are counted of %d", b.bytes(), want)
		}
		time.Sleep(time.Hour)
		if _, err := b.send(t, uuid.New(), maxBody, 0); err != nil {
			t.Errorf("another: %v", err)
		}
		for _, s := range all {
			s.release()
		}
		if n, accounts := b.budget.Usage(); n != maxBody || accounts != 1 {
			t.Errorf("%d bytes are left, of %d accounts", n, accounts)
		}
	})
}

// TestSlowBodiesMakeRoom shows that bodies that are announced and not sent do not block others: the slowest lose their memory, only as
// many as necessary, and those that arrive in time keep it.
func TestSlowBodiesMakeRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBodies()
		all := b.fill(t)
		slow, quick := all[:6], all[6:]
		for _, s := range quick {
			go func() { _, _ = s.Write(make([]byte, maxBody/10)) }()
			if _, err := io.ReadFull(s, make([]byte, maxBody/10)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(settling)
		var late []*sender
		for i, n := range []int64{1, maxBody, 3 * maxBody / 2, -1, maxBody, maxBody} {
			s, err := b.send(t, uuid.New(), n, 0)
			if err != nil {
				t.Fatalf("of %d bytes, with %d slow ones: %v", n, len(slow)-ended(slow...), err)
			}
			late = append(late, s)
			if n := ended(slow...); n != i+1 && i < 5 || i == 5 && n != 6 {
				t.Errorf("%d of the slow are ended for %d others", n, i+1)
			}
		}
		if n := ended(append(quick, late...)...); n != 0 {
			t.Errorf("%d are ended that come in time, or have just begun", n)
		}
		if _, err := b.send(t, uuid.New(), maxBody, 0); !errors.Is(err, store.ErrOverloaded) {
			t.Errorf("none is slow: %v", err)
		}
		for _, s := range append(all, late...) {
			s.release()
		}
		if n, accounts := b.budget.Usage(); n != 0 || accounts != 0 {
			t.Errorf("%d bytes are left, of %d accounts", n, accounts)
		}
	})
}

// TestWhoHasMoreMakesRoom shows that accounts that hold all memory, each up to its limit, leave some to newcomers, but not more than they
// keep themselves.
func TestWhoHasMoreMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBodies()
		var all []*sender
		for range maxInFlight / maxOfAccount {
			account := uuid.New()
			for range maxOfAccount / maxBody {
				s, err := b.send(t, account, maxBody, 1)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, s)
			}
		}
		for i := range len(all) / 2 {
			account := uuid.New()
			if _, err := b.send(t, account, maxBody, 1); err != nil {
				t.Errorf("newcomer %d: %v", i, err)
			}
			if n := ended(all...); n != i+1 {
				t.Errorf("%d are ended for %d newcomers", n, i+1)
			}
			if _, err := b.send(t, account, maxBody, 1); !errors.Is(err, store.ErrOverloaded) {
				t.Errorf("newcomer %d has more than others: %v", i, err)
			}
		}
		if _, err := b.send(t, uuid.New(), maxBody, 1); !errors.Is(err, store.ErrOverloaded) {
			t.Errorf("all have as much: %v", err)
		}
	})
}

// TestBodiesOfOneSenderWaitForEachOther: while bodies with one Authorization header are parsed on half of the cores, others with that
// header wait, and those of another sender do not. A sender that leaves waits no longer.
func TestBodiesOfOneSenderWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &edge{}
		var mu sync.Mutex
		var passed []string
		post := func(ctx context.Context, sender string) reply {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(request("1", "ping", "")))
			r.Header.Set("Authorization", sender)
			w := httptest.NewRecorder()
			e.body(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				passed = append(passed, r.Header.Get("Authorization"))
			})).ServeHTTP(w, r)
			return reply{w.Code, w.Header(), w.Body.String()}
		}
		var parsed []func()
		for range max(1, runtime.GOMAXPROCS(0)/2) {
			release, err := e.parsing.Acquire(t.Context(), "many", max(1, runtime.GOMAXPROCS(0)/2))
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, release)
		}
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() { post(t.Context(), "many") })
		}
		gone, leave := context.WithCancel(t.Context())
		all.Go(func() {
			r := post(gone, "many")
			if r.status != 503 || r.header.Get("Retry-After") != "5" || !strings.Contains(r.body, "before its body could be read") {
				t.Errorf("of a sender that has left, or has no time left: %d %v %s", r.status, r.header, r.body)
			}
		})
		synctest.Wait()
		leave()
		post(t.Context(), "one")
		post(t.Context(), "")
		synctest.Wait()
		if want := []string{"one", ""}; !slices.Equal(passed, want) {
			t.Errorf("%d bodies passed: %.3s, want %s", len(passed), passed, want)
		}
		parsed[0]()
		all.Wait()
		if len(passed) != 1002 {
			t.Errorf("%d bodies passed, want 1002", len(passed))
		}
	})
}
