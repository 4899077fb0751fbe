package bigquery_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"service/store/warehouse"
	"service/store/warehouse/rest/bigquery"
	"service/store/warehouse/warehousetest"
)

// most is the memory that a call may take, whatever the warehouse sends.
const most = 64 << 20

const (
	planned = `{"jobReference":{"location":"EU"},"statistics":{"query":{"statementType":"SELECT","totalBytesProcessed":"1",` +
		`"schema":{"fields":[{"name":"n","type":"INTEGER"}]}}},"status":{"state":"DONE"}}`
	begun = `{"jobReference":{"location":"EU"},"status":{"state":"RUNNING"}}`
)

// rogue is a server that plans every query, and answers every other request with say.
func rogue(t *testing.T, say map[string]func(w http.ResponseWriter, n int32)) (c warehouse.Connector, met *atomic.Int32) {
	s := newStandIn(t, nil)
	met = new(atomic.Int32)
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		step := "results"
		switch {
		case of(r, "cancel"):
			io.WriteString(w, "{}")
			return true
		case of(r, "jobs") && strings.Contains(string(body), `"dryRun":true`):
			step = "plan"
		case of(r, "jobs"):
			step = "begin"
		}
		if f := say[step]; f != nil {
			f(w, met.Add(1))
			return true
		}
		io.WriteString(w, map[string]string{"plan": planned, "begin": begun, "results": `{"jobComplete":true,"rows":[{"f":[{"v":"1"}]}]}`}[step])
		return true
	}
	c, err := bigquery.Open(s.target(""), warehouse.Dialer{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	return c, met
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

// spent runs f and returns by how much the heap has grown meanwhile, at most.
func spent(f func()) (bytes uint64) {
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

// TestRogueServer: a malicious answer of a server reaches no other host, costs little memory, and ends the call with an error of ours.
func TestRogueServer(t *testing.T) {
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inside.Close()
	fields := func(n int) string {
		return strings.Replace(planned, `{"name":"n","type":"INTEGER"}`, strings.Repeat(`{"name":"n","type":"INTEGER"},`, n)+`{"name":"n"}`, 1)
	}
	say := func(text string) func(http.ResponseWriter, int32) {
		return func(w http.ResponseWriter, _ int32) { io.WriteString(w, text) }
	}
	forever := func(begin, text string) func(http.ResponseWriter, int32) {
		return func(w http.ResponseWriter, _ int32) { endlessly(w, begin, text) }
	}
	rows := func(rows string) func(http.ResponseWriter, int32) {
		return say(`{"jobComplete":true,"rows":` + rows + `}`)
	}
	type steps = map[string]func(w http.ResponseWriter, n int32)
	for name, try := range map[string]struct {
		say   steps
		class warehouse.Class
	}{
		"a redirect": {steps{"plan": func(w http.ResponseWriter, _ int32) {
			w.Header().Set("Location", inside.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}}, warehouse.Connect},
		"a redirect of a page": {steps{"results": func(w http.ResponseWriter, _ int32) {
			w.Header().Set("Location", inside.URL)
			w.WriteHeader(http.StatusFound)
		}}, warehouse.Connect},
		"an endless plan": {steps{"plan": forever(`{"x":"`, "x")}, warehouse.TooLarge},
		"an endless page": {steps{"results": forever(`{"jobComplete":true,"rows":[`, `{"f":[{"v":"1"}]},`)}, warehouse.TooLarge},
		"an endless error": {steps{"results": func(w http.ResponseWriter, _ int32) {
			w.WriteHeader(http.StatusInternalServerError)
			endlessly(w, `{"error":"`, "x")
		}}, warehouse.TooLarge},
		"a bomb": {steps{"results": func(w http.ResponseWriter, _ int32) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			endlessly(z, `{"x":"`, "x")
			z.Close()
		}}, warehouse.TooLarge},
		"endless headers": {steps{"plan": func(w http.ResponseWriter, _ int32) {
			for i := range 4000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		}}, warehouse.Connect},
		"endless empty pages": {steps{"results": func(w http.ResponseWriter, n int32) {
			fmt.Fprintf(w, `{"jobComplete":true,"pageToken":"%d"}`, n)
		}}, warehouse.Timeout},
		"a job that never ends":  {steps{"results": say(`{"jobComplete":false}`)}, warehouse.Timeout},
		"deep nesting":           {steps{"results": say(`{"jobComplete":true,"rows":` + strings.Repeat("[", 15<<20) + `}`)}, warehouse.Connect},
		"deep rows":              {steps{"results": rows(strings.Repeat(`[`, 7<<20) + strings.Repeat(`]`, 7<<20))}, warehouse.Connect},
		"HTML":                   {steps{"plan": say("<html>sign in</html>")}, warehouse.Connect},
		"nothing":                {steps{"plan": say("")}, warehouse.Connect},
		"no plan":                {steps{"plan": say("{}")}, warehouse.Failed},
		"a plan of a list":       {steps{"plan": say("[]")}, warehouse.Failed},
		"many columns":           {steps{"plan": say(fields(400_000))}, warehouse.Failed},
		"a column without type":  {steps{"plan": say(fields(1))}, warehouse.Failed},
		"deep columns":           {steps{"plan": say(deep(1000))}, warehouse.Failed},
		"more cells":             {steps{"results": rows(`[{"f":[{"v":"1"},{"v":"2"}]}]`)}, warehouse.Failed},
		"a million cells":        {steps{"results": rows(`[{"f":[` + strings.Repeat(`{},`, 1<<20) + `{}]}]`)}, warehouse.Failed},
		"no cells":               {steps{"results": rows(`[{}]`)}, warehouse.Failed},
		"rows of numbers":        {steps{"results": rows(`[1,2]`)}, warehouse.Failed},
		"a cell of another type": {steps{"results": rows(`[{"f":[{"v":"abc"}]}]`)}, warehouse.Failed},
		"a number for a text":    {steps{"results": rows(`[{"f":[{"v":1}]}]`)}, warehouse.Failed},
		"a list for a text":      {steps{"results": rows(`[{"f":[{"v":[{"v":"1"}]}]}]`)}, warehouse.Failed},
		"other columns": {
			steps{"results": say(`{"jobComplete":true,"schema":{"fields":[{"name":"n","type":"STRING"}]},"rows":[{"f":[{"v":"1"}]}]}`)},
			warehouse.Failed,
		},
		"an error that quotes": {steps{"plan": func(w http.ResponseWriter, _ int32) {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"error":{"message":%q,"errors":[{"reason":%q}]}}`, "Unrecognized name: s3cret token at [1:1]", "s3cret <b>")
		}}, warehouse.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			c, met := rogue(t, try.say)
			var bad *warehouse.Error
			began := time.Now()
			bytes := spent(func() { _, bad = ask(t, c, "SELECT 1 AS n", 2*time.Second) })
			if bad == nil || bad.Class != try.class || strings.Contains(bad.Message, "s3cret") {
				t.Errorf("%v, want class %s", bad, try.class)
			}
			if took := time.Since(began); bytes > most || took > 30*time.Second || met.Load() > 60 {
				t.Errorf("it took %s, %d MiB and %d requests", took, bytes>>20, met.Load())
			}
		})
	}
	if reached.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// deep is a plan with a struct in a struct, and so on.
func deep(levels int) string {
	schema := `{"name":"n","type":"INTEGER"}`
	for range levels {
		schema = `{"name":"n","type":"RECORD","fields":[` + schema + `]}`
	}
	return strings.Replace(planned, `{"name":"n","type":"INTEGER"}`, schema, 1)
}

// TestPrivate: without permission of the operator no private address is dialled, under any name.
func TestPrivate(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	c, err := bigquery.Open(s.target(""), warehouse.Dialer{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "private or local address") {
		t.Error(err)
	}
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	t.Parallel()
	introspect := func(t *testing.T, row func(i int) (table, column string), sent chan<- int) ([]warehouse.Table, error) {
		s := newStandIn(t, statements())
		total, from := 0, 0
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			if !of(r, "results") {
				return false
			}
			var page strings.Builder
			page.WriteString(`{"jobComplete":true,"pageToken":"more","rows":[`)
			for i := range 400 {
				table, column := row(from + i)
				cell := func(text string) string { quoted, _ := json.Marshal(text); return `{"v":` + string(quoted) + `}` }
				if i > 0 {
					page.WriteByte(',')
				}
				cells := []string{cell("shop"), cell(table), cell("table"), cell(column), cell("INT64"), cell("NO"), cell("")}
				page.WriteString(`{"f":[` + strings.Join(cells, ",") + `]}`)
			}
			from += 400
			n, _ := io.WriteString(w, page.String()+"]}")
			total += n
			return true
		}
		c, err := bigquery.Open(s.target(""), warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
		sent <- total
		return tables, err
	}
	warehousetest.EndlessCatalogs(t, warehouse.MaxCatalog+(16<<20), introspect)
}
