package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"service/store/limit"
)

// heavy are dashboards with bodies of 5 MiB.
type heavy struct {
	dashboards
	body string
	read atomic.Int64
}

func (h *heavy) Read(_ context.Context, uri string) (*mcp.ResourceContents, error) {
	h.read.Add(1)
	return &mcp.ResourceContents{URI: uri, MIMEType: "text/html", Text: h.body}, nil
}

// ask sends a request and returns a reader of the answer, of which nothing is read yet.
func (f *fixture) ask(t *testing.T, bearer, body string) *bufio.Reader {
	t.Helper()
	conn, err := net.Dial("tcp", f.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: mcp.example.test\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
		bearer, len(body), body); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(conn)
}

func batchOf(n int, member func(id string) string) string {
	var all []string
	for i := range n {
		all = append(all, member(fmt.Sprint(i)))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// TestRepliesInFlightAreBounded: if a caller does not read its replies, not all of them are made; calls of others are answered
// meanwhile; once the caller reads, all replies are complete and in order.
func TestRepliesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	h := &heavy{body: strings.Repeat("<p>é</p> ", 5<<20/10)}
	f := setup(t, func(c *Config) { c.Resources = h })
	read := func(id string) string { return request(id, "resources/read", `{"uri":"service://acme/sales"}`) }
	var waiting []*bufio.Reader
	for range 2 {
		waiting = append(waiting, f.ask(t, "acme", batchOf(20, read)))
	}
	for i := range waiting[:1] { // the first byte of a batch that was admitted
		if _, err := waiting[i].Peek(1); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.post(t, read("1"), "Authorization", "Bearer other"); got.status != http.StatusOK || len(got.body) < len(h.body) {
		t.Errorf("another account's call: %d with %d bytes", got.status, len(got.body))
	}
	if n := h.read.Load(); n > 24 {
		t.Errorf("%d bodies of 5 MiB were read for two batches whose replies nobody reads", n)
	}
	var wg sync.WaitGroup
	for _, in := range waiting {
		wg.Go(func() {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			all, err := io.ReadAll(res.Body) // reading costs the server no time, unlike decoding
			if err != nil {
				t.Error(err)
				return
			}
			replies := json.NewDecoder(bytes.NewReader(all))
			if _, err := replies.Token(); err != nil {
				t.Error(err)
			}
			for i := range 20 {
				var got struct {
					ID     int
					Result struct{ Contents []struct{ Text string } }
				}
				if err := replies.Decode(&got); err != nil || got.ID != i || len(got.Result.Contents) != 1 || got.Result.Contents[0].Text != h.body {
					t.Errorf("reply %d: id %d, %v", i, got.ID, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestPagesInFlightAreBounded: the limits of calls also apply to pages, pictures and
// files.
func TestPagesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	page := make([]byte, 10<<20)
	var made atomic.Int64
	queue := NewQueue()
	acquire := queue.Of(Pages)
	f := setup(t, func(c *Config) {
		c.Queue = queue
		c.Host = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			release, err := acquire(r.Context(), grants["acme"].Account)
			if err != nil {
				t.Error(err)
				return
			}
			made.Add(1)
			release()
			Kept(r.Context(), len(page))
			_, _ = w.Write(page)
		})
	})
	var all []*http.Response
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 12 {
		wg.Go(func() {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, f.URL+"/sales", nil)
			req.Host = "acme.example.test"
			res, err := f.Client().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			all = append(all, res)
			n := len(all)
			mu.Unlock()
			if n == 4 { // the others wait for these, except for the bytes in network buffers
				if made := made.Load(); made > 9 {
					t.Errorf("%d pages of 10 MiB are in memory", made)
				}
			}
			if got, err := io.Copy(io.Discard, res.Body); err != nil || got != int64(len(page)) {
				t.Errorf("%d bytes: %v", got, err)
			}
			res.Body.Close()
		})
	}
	wg.Wait()
}

// stuck is a ResponseWriter whose reader takes nothing until its deadline is set.
type stuck struct {
	http.ResponseWriter
	late chan struct{}
}

func (s stuck) SetWriteDeadline(time.Time) error { close(s.late); return nil }
func (s stuck) Write([]byte) (int, error)        { <-s.late; return 0, io.ErrClosedPipe }

// TestSlowReadersMakeWay: if readers that do not read hold all the memory for answers, they are cut off after seconds, and waiting
// requests are served. Readers are not cut off while no requests wait.
func TestSlowReadersMakeWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(limit.Config{Slots: 100, Alone: 50, Beside: 50})
		b := NewAnswers(q)
		take := func(account uuid.UUID, size int64) *keptAnswer {
			ctx, a := b.counting(t.Context(), size)
			release, err := q.acquire(ctx, account, Calls)
			if err != nil {
				t.Fatal(err)
			}
			release()
			return a
		}
		cut := 0
		for range maxAnswers / maxAnswersOfAccount {
			a := take(uuid.New(), maxAnswersOfAccount)
			w := stuck{late: make(chan struct{})}
			go func() {
				_, _ = (&paced{ResponseWriter: w, of: b, conn: http.NewResponseController(w)}).Write(make([]byte, 1<<20))
				cut++
				a.written()
			}()
		}
		time.Sleep(time.Minute)
		if synctest.Wait(); cut > 0 {
			t.Errorf("%d are cut off for whom nobody waits", cut)
		}
		start := time.Now()
		a := take(uuid.New(), largeAnswer)
		if took := time.Since(start); took > 2*settling {
			t.Errorf("another account waits for %v", took)
		}
		a.written()
		synctest.Wait()
		if b.usage.Total != 0 || len(b.usage.Of) != 0 || len(b.writing) != 0 {
			t.Errorf("%d bytes of %d accounts are left", b.usage.Total, len(b.usage.Of))
		}
	})
}

// TestOwnersScreensFit: a client that does not read its answers does not block the account's screens.
func TestOwnersScreensFit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(limit.Config{Slots: 100, Alone: 50, Beside: 50})
		b, account := NewAnswers(q), uuid.New()
		for rank, fits := range map[Rank]bool{Calls: false, Pages: false, Screens: true} {
			_, full := b.counting(t.Context(), maxAnswersOfAccount)
			if !full.reserve(account, Calls) {
				t.Fatal("the first answer does not fit")
			}
			ctx, a := b.counting(t.Context(), largeAnswer)
			release, err := q.acquire(ctx, account, rank)
			if (err == nil) != fits {
				t.Errorf("rank %d: %v", rank, err)
			}
			if err == nil {
				release()
			}
			a.written()
			full.written()
		}
	})
}

// TestAnswersAreGivenBack: however calls end, no bytes remain counted.
func TestAnswersAreGivenBack(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *Config) { c.Answers = NewAnswers(); c.Queue = NewQueue(); c.SlowQueue = NewSlowQueue() })
	for _, body := range []string{
		act("1", "panic"), act("1", "error"), act("1", "structured"), request("1", "resources/read", `{"uri":"service://acme/gone"}`),
		request("1", "resources/read", `{"uri":"service://acme/panic"}`), request("1", "nonsense", ""), request("", "ping", ""),
		batchOf(20, func(id string) string { return act(id, "caller") }), request("1", "tools/list", ""),
	} {
		f.post(t, body)
	}
	b := f.server.config.Answers
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.usage.Total != 0 || len(b.usage.Of) != 0 {
		t.Errorf("%d bytes are counted, of %d accounts", b.usage.Total, len(b.usage.Of))
	}
}

// TestTextsAreWrittenAsEncoded: texts that are encoded as JSON in chunks equal the encoding of the whole.
func TestTextsAreWrittenAsEncoded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", "é", "日", "😀", "\x01", `"\`, "<&>", "\u2028", "\xff", "\xf0\x9f\x98", "a\x80\x80\x80\x80b"} {
		for _, n := range []int{1, chunk - 1, chunk, chunk + 1, chunk + 2, chunk + 3, 3 * chunk} {
			s := strings.Repeat("x", n%7) + strings.Repeat(unit, n/len(unit)+1)
			var got strings.Builder
			if err := writeText(&got, s); err != nil {
				t.Fatal(err)
			}
			want, err := encode(s)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("%q × %d (valid: %t) is written otherwise", unit, n, utf8.ValidString(s))
			}
		}
	}
}

// TestCrowdedObjectsAreRefused: an object with many names takes many times its size in memory once it is a map.
func TestCrowdedObjectsAreRefused(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var names strings.Builder
	for i := range 1_500 {
		fmt.Fprintf(&names, `"n%d":0,`, i)
	}
	for name, tc := range map[string]struct {
		body string
		code int
	}{
		"message": {`{` + names.String() + `"jsonrpc":"2.0","id":1,"method":"ping"}`, -32600},
		"params":  {request("1", "resources/list", `{`+names.String()+`"cursor":""}`), -32602},
		"arguments": {
			request("1", "prompts/get", `{"name":"refreshable_dashboard","arguments":{`+strings.TrimSuffix(names.String(), ",")+`}}`), -32602,
		},
		"a long word": {
			request("1", "prompts/get", `{"name":"refreshable_dashboard","arguments":{"connection":"`+strings.Repeat("x", maxForSDK)+`"}}`), -32602,
		},
		"a long method": {request("1", strings.Repeat("x", 1<<20), ""), -32601},
	} {
		got := f.post(t, tc.body)
		if !strings.Contains(got.body, fmt.Sprintf(`"code":%d`, tc.code)) || len(got.body) > 1_000 {
			t.Errorf("%s: %d %.300s", name, got.status, got.body)
		}
	}
}
