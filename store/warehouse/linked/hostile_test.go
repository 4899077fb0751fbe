package linked_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/linked"
	"service/store/warehouse/warehousetest"
)

// A rogue answers requests for files in place of the host. inside is the address of another service.
type rogue func(w http.ResponseWriter, r *http.Request, inside string)

// endless writes until the client hangs up.
func endless(w io.Writer) {
	piece := []byte(strings.Repeat("s3cret,", 1<<12))
	for sent := 0; sent < 1<<31; sent += len(piece) {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// redirect redirects to an address, or for the empty one to the file itself.
func redirect(to string) rogue {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		http.Redirect(w, r, cmp.Or(to, r.URL.Path), http.StatusFound)
	}
}

func say(text string) rogue {
	return func(w http.ResponseWriter, _ *http.Request, _ string) { io.WriteString(w, text) }
}

func status(code int) rogue {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(code)
		io.WriteString(w, "<Error>s3cret</Error>")
	}
}

// partly answers with a range that is not the one that was asked for.
func partly(contentRange string, length int) rogue {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Range", contentRange)
		w.Header().Set("ETag", `"x"`)
		w.WriteHeader(http.StatusPartialContent)
		w.Write(make([]byte, length))
	}
}

// TestHostile: a host with false answers costs little memory, reaches nothing else, and ends the call with an error of ours.
func TestHostile(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("another host gets credentials")
		}
		reached.Add(1)
	}))
	defer inside.Close()
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer plain.Close()
	const parquet, csv = "SELECT sum(c1) AS s FROM w", "SELECT sum(n) AS s FROM a"
	for name, try := range map[string]struct {
		sql    string
		class  warehouse.Class
		answer rogue
	}{
		"HTTP":     {csv, warehouse.Connect, redirect(plain.URL)},
		"a circle": {csv, warehouse.Connect, redirect("")},
		"a file":   {csv, warehouse.Connect, redirect("file:///etc/passwd")},
		"a user": {csv, warehouse.Connect, func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, "https://a:b@127.0.0.1/", http.StatusFound)
		}},
		"nowhere":   {csv, warehouse.Connect, status(http.StatusFound)},
		"forbidden": {csv, warehouse.Auth, status(http.StatusForbidden)},
		"not found": {parquet, warehouse.Unknown, status(http.StatusNotFound)},
		"teapot":    {parquet, warehouse.Failed, status(http.StatusTeapot)},
		"an error":  {csv, warehouse.Busy, status(http.StatusInternalServerError)},
		"unchanged": {csv, warehouse.Failed, status(http.StatusNotModified)},
		"no range":  {parquet, warehouse.Failed, status(http.StatusPartialContent)},
		"HTML":      {csv, warehouse.Refused, say("<html>s3cret</html>")},
		"not one": {parquet, warehouse.Syntax, func(w http.ResponseWriter, _ *http.Request, _ string) {
			io.WriteString(w, strings.Repeat("s3cret", 99))
		}},
		"nothing": {csv, warehouse.Refused, func(http.ResponseWriter, *http.Request, string) {}},
		"little":  {parquet, warehouse.Syntax, say("PAR1")},
		"endless": {csv, warehouse.TooLarge, func(w http.ResponseWriter, _ *http.Request, _ string) { endless(w) }},
		"too long": {parquet, warehouse.TooLarge, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Length", "99999999999")
			endless(w)
		}},
		"too short": {csv, warehouse.Connect, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Length", "99999")
			io.WriteString(w, "n\n")
		}},
		"compressed": {csv, warehouse.Failed, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(w)
		}},
		"other part": {parquet, warehouse.Failed, partly("bytes 0-9/100", 10)},
		"huge":       {parquet, warehouse.TooLarge, partly("bytes 1999999999990-1999999999999/2000000000000", 10)},
		"negative":   {parquet, warehouse.Failed, partly("bytes 10-5/100", 10)},
		"a footer of 4 GB": {parquet, warehouse.Syntax, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Range", "bytes 92-99/100")
			w.Header().Set("ETag", `"x"`)
			w.WriteHeader(http.StatusPartialContent)
			io.WriteString(w, "\xff\xff\xff\xffPAR1")
		}},
		"endless headers": {csv, warehouse.Connect, func(w http.ResponseWriter, _ *http.Request, _ string) {
			for i := range 4000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		}},
		"a broken one": {csv, warehouse.Connect, func(w http.ResponseWriter, _ *http.Request, _ string) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			host := newStandIn(t, false, map[string]content{"a.csv": text("n\n1\n"), "w.parquet": newWide(2, 2, 100)})
			f := newFiles(t, 32<<20)
			target := host.target("a.csv\nw.parquet")
			target.Password = "t0ken"
			var asked atomic.Int32
			host.intercept(func(w http.ResponseWriter, r *http.Request, _ string) bool {
				asked.Add(1)
				try.answer(w, r, inside.URL)
				return true
			})
			const memory = 64 << 20
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			bad := fails(t, open(t, f, target), try.sql)
			runtime.ReadMemStats(&after)
			if bad.Class != try.class {
				t.Errorf("%s, want %s: %s", bad.Class, try.class, bad.Message)
			}
			if n := asked.Load(); n > 4 {
				t.Errorf("the host is asked %d times", n)
			}
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > memory {
				t.Errorf("it took %d MiB", grown>>20)
			}
		})
	}
	if reached.Load() > 0 {
		t.Errorf("another host was reached %d times", reached.Load())
	}
}

// TestElsewhere: a redirect to another host, as to an address with a signature, is followed without credentials, a part by a part. The
// address appears in no error.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	storage := newStandIn(t, false, map[string]content{"signed/w.parquet": newWide(3, 4, 30_000), "signed/a.csv": text("n\n7\n")})
	storage.intercept(func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Header.Get("Authorization") != "" || r.URL.Query().Get("X-Amz-Signature") != "abc" {
			t.Errorf("storage is asked with %q by %s", r.Header.Get("Authorization"), r.URL)
		}
		return false
	})
	host := newStandIn(t, false, map[string]content{"w.parquet": text(""), "a.csv": text("")})
	gone := false
	host.intercept(func(w http.ResponseWriter, r *http.Request, path string) bool {
		if r.Header.Get("Authorization") != "Bearer t0ken" {
			t.Errorf("the host is asked with %q", r.Header.Get("Authorization"))
		}
		to := storage.http.URL
		if gone {
			to = "https://127.0.0.1:1"
		}
		http.Redirect(w, r, to+"/signed/"+path+"?X-Amz-Signature=abc&s3cret", http.StatusFound)
		return true
	})
	target := host.target("w.parquet\na.csv")
	target.Password = "t0ken"
	f := newFiles(t, 0)
	if got := ask(t, open(t, f, target), "SELECT sum(c0) + (SELECT n FROM a) AS s FROM w")[0][0]; got != int64(119_999*120_000/2+7) {
		t.Error(got)
	}
	gone = true
	if bad := fails(t, open(t, f, target), "SELECT n FROM a"); bad.Class != warehouse.Connect {
		t.Errorf("%s: %s", bad.Class, bad.Message)
	}
}

// TestPrivate: neither the host nor a redirect reaches a private address unless the operator allows it.
func TestPrivate(t *testing.T) {
	t.Parallel()
	host := newStandIn(t, false, map[string]content{"a.csv": text("n\n7\n")})
	host.intercept(func(http.ResponseWriter, *http.Request, string) bool {
		t.Error("the host is reached")
		return false
	})
	f := linked.New(newEngine(t), warehouse.Dialer{}, linked.DefaultMost)
	if bad := fails(t, open(t, f, host.target("a.csv")), "SELECT n FROM a"); !isPrivate(bad) {
		t.Errorf("%s: %s", bad.Class, bad.Message)
	}
	for _, to := range []string{"https://169.254.169.254/latest/meta-data/", "https://[::1]/", "https://10.0.0.1/", "https://localhost/"} {
		public := newStandIn(t, false, map[string]content{"a.csv": text("n\n7\n")})
		public.intercept(func(w http.ResponseWriter, r *http.Request, _ string) bool {
			http.Redirect(w, r, to, http.StatusFound)
			return true
		})
		// The stand-in replaces a public host: it is dialled by a dialer that allows it, and redirects by one that does not.
		f := linked.NewWith(newEngine(t), warehouse.Dialer{AllowPrivate: true}, warehouse.Dialer{})
		if bad := fails(t, open(t, f, public.target("a.csv")), "SELECT n FROM a"); !isPrivate(bad) {
			t.Errorf("%s: %s: %s", to, bad.Class, bad.Message)
		}
	}
}

func isPrivate(bad *warehouse.Error) bool {
	return bad.Class == warehouse.Connect && strings.Contains(bad.Message, "private")
}

// TestSilent: the call to a host that sends nothing, or a byte at a time, ends after its time.
func TestSilent(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"nothing": func(http.ResponseWriter, *http.Request) {},
		"a little": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "n\n")
			http.NewResponseController(w).Flush()
		},
	} {
		host := newStandIn(t, false, map[string]content{"a.csv": text("n\n7\n")})
		host.intercept(func(w http.ResponseWriter, r *http.Request, _ string) bool {
			answer(w, r)
			select {
			case <-end:
			case <-r.Context().Done():
			}
			return true
		})
		c := open(t, newFiles(t, 0), host.target("a.csv"))
		l := warehouse.Limits{Rows: 1, Bytes: 100, Time: 300 * time.Millisecond}
		_, err := c.Query(t.Context(), "SELECT n FROM a", nil, l, &warehousetest.Table{})
		if classOf(err) != warehouse.Timeout {
			t.Errorf("%s: %v", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Ping(ctx); err == nil {
			t.Errorf("%s: a call that has ended is answered", name)
		}
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	target := warehouse.Target{Host: "127.0.0.1", Port: silent.Addr().(*net.TCPAddr).Port, TLS: warehouse.TLSRequire, Place: "a.csv"}
	_, err = open(t, newFiles(t, 0), target).Query(t.Context(), "SELECT n FROM a", nil,
		warehouse.Limits{Rows: 1, Bytes: 100, Time: 300 * time.Millisecond}, &warehousetest.Table{})
	if class := classOf(err); class != warehouse.Timeout && class != warehouse.Connect {
		t.Error(err)
	}
}

// TestBusy: a request is sent again after the pause that the host asks for, and a part that ends too early is asked for again.
func TestBusy(t *testing.T) {
	t.Parallel()
	host := newStandIn(t, true, map[string]content{"w.parquet": newWide(3, 4, 30_000)})
	var n atomic.Int32
	host.intercept(func(w http.ResponseWriter, r *http.Request, _ string) bool {
		switch n.Add(1) {
		case 1, 4:
			w.Header().Set("Retry-After", "0")
			host.refuse(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		case 3, 5:
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				conn.Close()
			}
			return true
		}
		return false
	})
	if got := ask(t, open(t, newFiles(t, 0), host.target("w.parquet")), "SELECT sum(c0) AS s FROM w")[0][0]; got != int64(119_999*120_000/2) {
		t.Error(got)
	}
}

// TestSheet: a Google spreadsheet is exported with a token that its service account gets for a signed assertion.
func TestSheet(t *testing.T) {
	t.Parallel()
	pem, err := warehouse.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "private_key_id": "k1", "private_key": pem, "client_email": "dashboards@acme.iam.gserviceaccount.com",
	})
	if err != nil {
		t.Fatal(err)
	}
	id := strings.Repeat("Sheet_", 7)
	host := newGoogle(t, pem, id)
	target := host.target("budget = https://docs.google.com/spreadsheets/d/" + id + "/edit#gid=0")
	target.Password = string(file)
	f := newFiles(t, 0)
	if got := ask(t, open(t, f, target), "SELECT sum(amount) AS s FROM budget")[0][0]; got != int64(42) {
		t.Error(got)
	}
	host.refused = true
	if bad := fails(t, open(t, f, target), "SELECT sum(amount) AS s FROM budget"); bad.Class != warehouse.Auth {
		t.Errorf("%s: %s", bad.Class, bad.Message)
	}
}
