package resttest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"service/store/warehouse"
)

// memory is the maximum of bytes that a call may take for any answer of the service.
const memory = 64 << 20

// A Rogue is the n-th answer of a malicious service to requests of one operation. inside is the address of another service, which must not
// be reached.
type Rogue func(w http.ResponseWriter, inside string, n int32)

// An Attempt is an operation whose requests a rogue answers, and the class of the error of ours in which the call must end.
type Attempt struct {
	Operation string
	Answer    Rogue
	Class     warehouse.Class
}

// Try returns an attempt.
func Try(operation string, class warehouse.Class, answer Rogue) Attempt {
	return Attempt{Operation: operation, Answer: answer, Class: class}
}

// Hostile checks that a malicious answer reaches no other host, costs little memory and few requests, and ends the call with an error that
// does not contain s3cret, a text of the answers. It tries more, and for each operation the answers that are hostile to any kind.
func Hostile[C any](t *testing.T, start Starter[C], operations []string, more map[string]Attempt) {
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	all := map[string]Attempt{}
	for _, operation := range operations {
		for name, try := range anywhere {
			all[name+", "+operation] = Try(operation, try.class, try.answer)
		}
	}
	for name, try := range more {
		all[name] = try
	}
	for name, try := range all {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			var n atomic.Int32
			s.Disturb(try.Operation, 1<<30, func(w http.ResponseWriter, _ *http.Request) { try.Answer(w, inside.URL, n.Add(1)) })
			var bad *warehouse.Error
			began := time.Now()
			bytes := Spent(func() { _, bad = Ask(t, s.At(""), One, 2*time.Second) })
			if bad == nil || bad.Class != try.Class || strings.Contains(bad.Message, "s3cret") {
				t.Errorf("%v, want class %s", bad, try.Class)
			}
			if took := time.Since(began); bytes > memory || took > 30*time.Second || n.Load() > 60 || n.Load() == 0 {
				t.Errorf("it took %s, %d MiB and %d requests", took, bytes>>20, n.Load())
			}
		})
	}
	if reached.Load() > 0 {
		t.Errorf("another host was reached %d times", reached.Load())
	}
}

// anywhere are the answers that are hostile to every request.
var anywhere = map[string]struct {
	answer Rogue
	class  warehouse.Class
}{
	"a redirect":       {Redirect(http.StatusTemporaryRedirect), warehouse.Connect},
	"a moved page":     {Redirect(http.StatusFound), warehouse.Connect},
	"an endless text":  {Endless(http.StatusOK, `{"x":"`, "x"), warehouse.TooLarge},
	"an endless error": {Endless(http.StatusInternalServerError, `{"error":"`, "x"), warehouse.TooLarge},
	"a bomb": {func(w http.ResponseWriter, _ string, _ int32) {
		w.Header().Set("Content-Encoding", "gzip")
		endlessly(w, compressed(`{"x":"`), bomb())
	}, warehouse.TooLarge},
	"endless headers": {func(w http.ResponseWriter, _ string, _ int32) {
		for i := range 4000 {
			w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
		}
	}, warehouse.Connect},
	"deep nesting": {Say(http.StatusOK, `{"x":`+strings.Repeat("[", 15<<20)+`}`), warehouse.Connect},
	"HTML":         {Say(http.StatusOK, "<html>s3cret</html>"), warehouse.Connect},
	"nothing":      {Say(http.StatusOK, ""), warehouse.Connect},
}

// Say answers with a text.
func Say(status int, text string) Rogue {
	return func(w http.ResponseWriter, _ string, _ int32) {
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

// Redirect sends the client to the other service.
func Redirect(status int) Rogue {
	return func(w http.ResponseWriter, inside string, _ int32) {
		w.Header().Set("Location", inside)
		w.WriteHeader(status)
	}
}

// Endless answers with a beginning and then a text without end.
func Endless(status int, begin, text string) Rogue {
	return func(w http.ResponseWriter, _ string, _ int32) {
		w.WriteHeader(status)
		endlessly(w, begin, text)
	}
}

// endlessly writes a text until the client hangs up, or 1 GiB.
func endlessly(w io.Writer, begin, text string) {
	io.WriteString(w, begin)
	piece := bytes.Repeat([]byte(text), 1+(64<<10)/len(text)) // a text would be copied for each write, and the copies counted
	for sent := 0; sent < 1<<30; sent += len(piece) {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// bomb is 1 MiB of x, compressed once: compressing takes longer than reading does, and a call would end by its time instead. A text may
// consist of several compressed ones (RFC 1952, 2.2).
var bomb = sync.OnceValue(func() string { return compressed(strings.Repeat("x", 1<<20)) })

func compressed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// Spent runs f and returns by how much the heap has grown meanwhile, at most. The collector runs often, because memory that is no longer
// used counts until it does.
func Spent(f func()) (bytes uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for {
		select {
		case <-done:
			return bytes
		case <-time.After(2 * time.Millisecond):
			runtime.ReadMemStats(&now)
			bytes = max(bytes, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
		}
	}
}
