package trino_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/warehouse"
	"service/store/warehouse/rest/resttest"
	"service/store/warehouse/rest/trino"
	"service/store/warehouse/warehousetest"
)

// TestThrottled: "502, 503, or 504 … the client should try again"; "429 … using the Retry-After header value provided".
func TestThrottled(t *testing.T) {
	resttest.Throttled(t, start, []string{"describe", "submit", "results"},
		resttest.Err(http.StatusTooManyRequests, "", "slow down"), resttest.Err(http.StatusBadGateway, "", "<html>"),
		resttest.Err(http.StatusServiceUnavailable, "", "busy"), resttest.Err(http.StatusGatewayTimeout, "", ""))
}

// TestExpiredToken: a request whose credentials are refused is sent once more, and no more.
func TestExpiredToken(t *testing.T) {
	resttest.Expired(t, start, "describe", resttest.Err(http.StatusUnauthorized, "", "Access Denied: Invalid credentials"))
}

// TestBrokenAnswers: a query is submitted again if the answer to its submission is lost. The first one is never read, and ends by the limit
// of its session. One run is the description. A page is read again.
func TestBrokenAnswers(t *testing.T) {
	resttest.BrokenAnswers(t, start, resttest.Break{Operation: "submit", Served: true, Runs: 3}, resttest.Break{Operation: "results", Runs: 2})
}

// TestLostStatements: the error names a query that no longer exists or was cancelled by another user.
func TestLostStatements(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]func(s *resttest.Server[col], id string){
		"Trino no longer has the query, or the host is not that of a coordinator. Try again.": (*resttest.Server[col]).Forget,
		"The query was cancelled in Trino.":                                                   (*resttest.Server[col]).Cancel,
	} {
		s := start(t)
		s.Before(func(_ http.ResponseWriter, r *http.Request) bool {
			if id := strings.Split(r.URL.Path, "/"); len(id) == 7 && s.Run(id[4]) != nil && s.Run(id[4]).Slow {
				end(s, id[4])
			}
			return false
		})
		_, bad := resttest.Ask(t, s.At(""), tongue.Slow, time.Minute)
		if bad == nil || bad.Class != warehouse.Failed || bad.Message != want {
			t.Errorf("%v, want %s", bad, want)
		}
	}
}

// TestBytes: the statistics of a query have the bytes that it has read.
func TestBytes(t *testing.T) { resttest.Bytes(t, start, -1) }

// TestFacts: a test of a connection can report what was negotiated.
func TestFacts(t *testing.T) {
	resttest.Facts(t, start, "trino", "sign-in: password", "version: 476", "signed in as: reader", "limit of a run: 1 MB")
}

// TestLeftEarly: a statement whose caller left before the answer to its submission is cancelled.
func TestLeftEarly(t *testing.T) { resttest.LeftEarly(t, start, "submit", tongue.Slow) }

// TestPrivate: without permission of the operator no private address is dialled.
func TestPrivate(t *testing.T) { resttest.Private(t, start) }

// TestSignIn: a password is sent as "Password file authentication" has it, a JSON web token as "JWT authentication" has it, and nothing is
// sent if there is no password.
func TestSignIn(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]string{
		"": "", "a.b": "Basic " + base64.StdEncoding.EncodeToString([]byte("reader:a.b")),
		"eyJhbGciOiJIUzI1NiJ9.e30.c2ln": "Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
	} {
		s := start(t)
		got := make(chan string, 1)
		s.Disturb("describe", 1, func(w http.ResponseWriter, r *http.Request) {
			got <- r.Header.Get("Authorization")
			refuse(w, resttest.Err(http.StatusForbidden, "", "Access Denied: User reader cannot impersonate user reader"))
		})
		at := s.TargetAt("")
		at.Password = password
		c, err := trino.Open(at, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad == nil || bad.Class != warehouse.Permission {
			t.Error(bad)
		}
		if header := <-got; header != want {
			t.Errorf("%q, want %q", header, want)
		}
	}
}

// TestTLS: over TLS the certificate is checked before the password is sent.
func TestTLS(t *testing.T) {
	t.Parallel()
	var met int
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		met++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	u, _ := url.Parse(server.URL)
	port, _ := strconv.Atoi(u.Port())
	at := warehouse.Target{Host: u.Hostname(), Port: port, Database: "hive.shop", User: "reader", Password: "open sesame"}
	for tls, want := range map[string]warehouse.Class{warehouse.TLSVerify: warehouse.Connect, warehouse.TLSRequire: warehouse.Auth} {
		at.TLS = tls
		c, err := trino.Open(at, warehouse.Dialer{AllowPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		before := met
		_, bad := resttest.Ask(t, c, resttest.One, time.Minute)
		if bad == nil || bad.Class != want || (met > before) != (want == warehouse.Auth) {
			t.Errorf("%s: %v after %d requests", tls, bad, met-before)
		}
	}
}

// TestOpen: a target that cannot be one is refused before anything is dialled.
func TestOpen(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]warehouse.Target{
		"no schema":                 {Database: "hive", User: "u"},
		"no catalog":                {Database: ".shop", User: "u"},
		"a line break in the name":  {Database: "hive.shop", User: "u\r\nX-Trino-Role: admin"},
		"a line break in the place": {Database: "hive.shop\nX", User: "u"},
	} {
		if _, err := trino.Open(at, warehouse.Dialer{}); err == nil {
			t.Error(name)
		}
	}
}

// TestTags: a query has the tags of its context as X-Trino-Client-Tags, "a comma-separated list".
func TestTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := warehouse.WithTags(t.Context(), map[string]string{"workspace": "w", "dashboard": "a, b é"})
	if _, err := s.At("").Query(ctx, resttest.One, nil, warehousetest.Wide, &warehousetest.Table{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Runs() {
		if tags := r.Sent.(http.Header).Get("X-Trino-Client-Tags"); tags != "dashboard=a--b--,workspace=w" {
			t.Errorf("%q", tags)
		}
	}
}

// TestSortedInstants: a query with ORDER BY is sent as it is, because a subquery need not keep the order of rows. An instant of an hour
// that is repeated is then an error, because the answer leaves out which one it is; all others are right.
func TestSortedInstants(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(sql string, moments ...time.Time) ([][]any, error) {
		var rows [][]any
		for _, m := range moments {
			rows = append(rows, []any{m.In(berlin)})
		}
		s := start(t)
		s.Recorded[sql] = resttest.Fixed([]col{colOf("m", "timestamp(3) with time zone")}, rows...)
		var table warehousetest.Table
		_, err := s.At("").Query(t.Context(), sql, nil, warehousetest.Wide, &table)
		return table.Rows, err
	}
	around := []time.Time{
		utc(2026, 3, 29, 0, 30, 0, 0), utc(2026, 3, 29, 1, 30, 0, 0), utc(2026, 10, 24, 23, 59, 0, 0), utc(2026, 10, 25, 2, 0, 0, 0),
	}
	got, err := ask("SELECT m FROM log ORDER BY m", around...)
	var want [][]any
	for _, m := range around {
		want = append(want, []any{m})
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, m := range []time.Time{utc(2026, 10, 25, 0, 0, 0, 0), utc(2026, 10, 25, 1, 59, 0, 0)} {
		if _, err := ask("SELECT m FROM log ORDER BY m", m); err == nil || !strings.Contains(err.Error(), "AT TIME ZONE 'UTC'") {
			t.Errorf("%s: %v", m, err)
		}
		inner := "SELECT max(m) AS m FROM (SELECT m FROM log ORDER BY m LIMIT 1)"
		if got, err := ask(inner, m); err != nil || !cmp.Equal(got, [][]any{{m}}) {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestCancelledOnce: a query is cancelled when its caller has enough rows, and not when it has ended.
func TestCancelledOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := s.At("")
	cancels := s.Disturb("cancel", 0, nil)
	if _, bad := resttest.Ask(t, c, resttest.One, time.Minute); bad != nil {
		t.Fatal(bad)
	}
	c.Leave()
	if cancels.Load() != 0 {
		t.Error("a query that had ended was cancelled")
	}
	var table warehousetest.Table
	if _, err := c.Query(t.Context(), tongue.Endless, nil, warehouse.Limits{Rows: 10, Bytes: 1 << 20, Time: time.Minute}, &table); err != nil {
		t.Error(err)
	}
	c.Leave()
	if cancels.Load() != 1 {
		t.Errorf("%d cancellations", cancels.Load())
	}
}

// TestRogueServer: a malicious answer of a server reaches no other host, costs little memory, and ends the call with an error of ours. Of
// the address of the next page, only the path is used.
func TestRogueServer(t *testing.T) {
	const ok = http.StatusOK
	results := func(class warehouse.Class, text string) resttest.Attempt {
		return resttest.Try("results", class, resttest.Say(ok, text))
	}
	describe := func(class warehouse.Class, text string) resttest.Attempt {
		return resttest.Try("describe", class, resttest.Say(ok, text))
	}
	column := `"columns":[{"name":"n","type":"bigint"}]`
	rows := func(rows string) resttest.Attempt { return results(warehouse.Failed, `{`+column+`,"data":`+rows+`}`) }
	next := func(address string) resttest.Attempt {
		return resttest.Try("submit", warehouse.Failed, func(w http.ResponseWriter, inside string, _ int32) {
			fmt.Fprintf(w, `{"nextUri":%q}`, strings.ReplaceAll(address, "INSIDE", inside))
		})
	}
	forever := func(more string) resttest.Attempt {
		return resttest.Try("results", warehouse.Timeout, func(w http.ResponseWriter, inside string, n int32) {
			fmt.Fprintf(w, `{"nextUri":"%s/v1/statement/executing/x/y/%d"%s}`, inside, n, more)
		})
	}
	resttest.Hostile(t, start, []string{"describe", "submit", "results"}, map[string]resttest.Attempt{
		"a next page elsewhere":  next("INSIDE/latest/meta-data"),
		"a next page above":      next("INSIDE/v1/statement/../../secret"),
		"a next page with more":  next("INSIDE/v1/statement/executing/x?a=b"),
		"no address":             next("::"),
		"endless empty pages":    forever(""),
		"endless pages":          forever(`,"data":[],` + column),
		"an endless page":        resttest.Try("results", warehouse.TooLarge, resttest.Endless(ok, `{`+column+`,"data":[`, `[1],`)),
		"no columns":             describe(warehouse.Failed, `{"data":[]}`),
		"many columns":           describe(warehouse.Failed, `{"columns":[`+strings.Repeat(`{"name":"n","type":"bigint"},`, 400_000)+`{}]}`),
		"a column without type":  describe(warehouse.Failed, `{"columns":[{"name":"n"}]}`),
		"spooled rows":           rows(`{"encoding":"json","segments":[{"type":"spooled","uri":"http://169.254.169.254/"}]}`),
		"deep rows":              results(warehouse.Connect, `{`+column+`,"data":`+strings.Repeat(`[`, 7<<20)+strings.Repeat(`]`, 7<<20)+`}`),
		"more cells":             rows(`[[1,2]]`),
		"a million cells":        rows(`[[` + strings.Repeat(`1,`, 1<<20) + `1]]`),
		"no cells":               rows(`[[]]`),
		"rows of numbers":        rows(`[1,2]`),
		"a cell of another type": rows(`[["s3cret"]]`),
		"a list for a number":    rows(`[[[1]]]`),
		"an object for a number": rows(`[[{"a":1}]]`),
		"other columns": resttest.Try("submit", warehouse.Failed,
			resttest.Say(ok, `{"columns":[{"name":"n","type":"varchar"}],"data":[["s3cret"]]}`)),
		"an error that quotes": describe(warehouse.Failed, `{"error":{"errorName":"s3cret <b>","message":"s3cret"}}`),
		"an error of data":     describe(warehouse.Type, `{"error":{"errorName":"INVALID_CAST_ARGUMENT","message":"Column 's3cret' is"}}`),
		"a huge position": describe(warehouse.Syntax,
			`{"error":{"errorName":"SYNTAX_ERROR","errorLocation":{"lineNumber":99999999999999999999,"columnNumber":-1}}}`),
	})
}

// TestIntrospectEnds: the connector soon stops reading from a server that sends far more tables or columns than requested.
func TestIntrospectEnds(t *testing.T) {
	columns, _ := json.Marshal(catalogColumns)
	resttest.EndlessCatalog(t, start, "results", func(r *http.Request, from int, rows []resttest.Row) []byte {
		var data [][]any
		for _, row := range rows {
			data = append(data, []any{"shop", row.Table, "table", row.Column, "bigint", "NO", nil})
		}
		text, _ := json.Marshal(data)
		next := "http://x" + r.URL.Path[:strings.LastIndex(r.URL.Path, "/")+1] + strconv.Itoa(from)
		if from == 0 { // the description ends
			return fmt.Appendf(nil, `{"columns":%s}`, columns)
		}
		return fmt.Appendf(nil, `{"nextUri":%q,"columns":%s,"data":%s}`, next, columns, text)
	})
}
