package linked_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store/warehouse"
	"service/store/warehouse/duckdb"
	"service/store/warehouse/linked"
	"service/store/warehouse/sts/ststest"
	"service/store/warehouse/warehousetest"
)

// ask runs a query and returns its rows.
func ask(t testing.TB, c warehouse.Connector, sql string, args ...any) [][]any {
	t.Helper()
	var table warehousetest.Table
	if _, err := c.Query(t.Context(), sql, args, warehousetest.Wide, &table); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return table.Rows
}

// fails runs a query that must fail in our words, which contain no secret and no text of the host.
func fails(t testing.TB, c warehouse.Connector, sql string) *warehouse.Error {
	t.Helper()
	_, err := c.Query(t.Context(), sql, nil, warehousetest.Wide, &warehousetest.Table{})
	bad, ok := errors.AsType[*warehouse.Error](err)
	if !ok {
		t.Fatalf("%s: %v", sql, err)
	}
	for _, word := range []string{"s3cret", secret, keyID, "127.0.0.1", "https:"} {
		if strings.Contains(bad.Message, word) || bad.Cause != nil && word != "127.0.0.1" && strings.Contains(bad.Cause.Error(), word) {
			t.Errorf("%s: its error contains %s: %s (%v)", sql, word, bad.Message, bad.Cause)
		}
	}
	return bad
}

// TestParts: of a Parquet file of 1 GB with 40 columns, a query of 3 columns fetches these alone, one of some rows fetches their row groups
// alone, and nothing is fetched twice.
func TestParts(t *testing.T) {
	t.Parallel()
	const columns, groups, rows = 40, 25, 131_072
	file := newWide(columns, groups, rows)
	if file.Size() < 1e9 {
		t.Fatal(file.Size())
	}
	host := newStandIn(t, true, map[string]content{"big.parquet": file})
	f := newFiles(t, 0)
	c := open(t, f, host.target("big.parquet"))
	const chunk, mostly = 8 * rows, 1.2
	for _, try := range []struct {
		sql    string
		want   []any
		chunks int
	}{
		{"SELECT count(*) AS n FROM big", []any{int64(groups * rows)}, 0},
		{
			"SELECT sum(c1) AS a, sum(c20) AS b FROM big WHERE c0 >= 131072 AND c0 < 262144",
			[]any{file.sum(1, rows, 2*rows), file.sum(20, rows, 2*rows)},
			3,
		},
		{
			"SELECT count(*) AS n, sum(c0) AS a, sum(c20) AS b FROM big WHERE c30 >= 0",
			[]any{int64(groups * rows), file.sum(0, 0, groups*rows), file.sum(20, 0, groups*rows)},
			3*groups - 2,
		},
		{"SELECT count(*) AS n FROM (SELECT * FROM big WHERE c30 >= 0 AND c0 = 7)", []any{int64(1)}, 0},
	} {
		got := ask(t, c, try.sql)
		sent, _ := host.total()
		const footer = 400 << 10
		if most := int64(mostly*float64(try.chunks*chunk)) + footer; sent > most || sent < int64(try.chunks*chunk) {
			t.Errorf("%s: %d bytes were sent, want %d to %d", try.sql, sent, try.chunks*chunk, most)
		}
		if !slices.Equal(got[0], try.want) {
			t.Errorf("%s: %v, want %v", try.sql, got[0], try.want)
		}
		t.Logf("%s: %d bytes of %d", try.sql, sent, file.Size())
	}
}

// TestOnce: twenty queries of one connector ask for a file once and fetch its parts once. A later connector asks whether it has changed,
// and fetches nothing. Another workspace, and other credentials, start anew.
func TestOnce(t *testing.T) {
	t.Parallel()
	host := newStandIn(t, false, map[string]content{"a.csv": text("n\n1\n2\n"), "w.parquet": newWide(3, 2, 1000)})
	f := newFiles(t, 0)
	target := host.target("a.csv\nw.parquet")
	c := open(t, f, target)
	for i := range 20 {
		zoned := c.In(time.FixedZone("", 0))
		if i%2 == 0 {
			zoned = warehouse.In(c, time.UTC)
		}
		if got := ask(t, zoned, fmt.Sprintf("SELECT sum(n) + %d AS n FROM a", i)); got[0][0] != int64(3+i) {
			t.Errorf("%v", got)
		}
		ask(t, c, "SELECT sum(c1) AS s FROM w")
	}
	sent, asks := host.total()
	if want := []string{"GET a.csv", "GET w.parquet bytes=-65536"}; !slices.Equal(slices.Sorted(slices.Values(asks)), want) {
		t.Errorf("it asks %q, want %q", asks, want)
	}
	first := sent
	ask(t, open(t, f, target), "SELECT sum(c1) AS s, (SELECT sum(n) FROM a) AS n FROM w")
	sent, asks = host.total()
	if want := []string{"GET a.csv 304", "GET w.parquet 304"}; sent != 0 || !slices.Equal(slices.Sorted(slices.Values(asks)), want) {
		t.Errorf("later, %d bytes by %q", sent, asks)
	}
	other, err := f.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, other.(warehouse.Tenanted).For(warehouse.Tenant{Workspace: uuid.New()}), "SELECT sum(c1) AS s, (SELECT sum(n) FROM a) AS n FROM w")
	if sent, _ := host.total(); sent != first {
		t.Errorf("another workspace is sent %d bytes, want %d", sent, first)
	}
	target.Password = "another"
	ask(t, open(t, f, target), "SELECT sum(c1) AS s, (SELECT sum(n) FROM a) AS n FROM w")
	if sent, _ := host.total(); sent != first {
		t.Errorf("with other credentials, %d bytes are sent, want %d", sent, first)
	}
}

// TestChanges: a later query reads the changed file. One that changes between two parts is read again from its beginning, and one that
// changes each time is an error.
func TestChanges(t *testing.T) {
	t.Parallel()
	host := newStandIn(t, true, map[string]content{"w.parquet": newWide(4, 3, 20_000), "a.csv": text("n\n1\n")})
	f := newFiles(t, 0)
	target := host.target("w.parquet\na.csv")
	count := func() any { return ask(t, open(t, f, target), "SELECT count(*) AS n, sum(c2) AS s FROM w")[0][0] }
	if got := count(); got != int64(60_000) {
		t.Error(got)
	}
	host.put("w.parquet", newWide(4, 2, 20_000))
	host.put("a.csv", text("n\n5\n"))
	if got := count(); got != int64(40_000) {
		t.Error(got)
	}
	if got := ask(t, open(t, f, target), "SELECT n FROM a")[0][0]; got != int64(5) {
		t.Error(got)
	}
	changed := 0
	change := func(most int) func(http.ResponseWriter, *http.Request, string) bool {
		return func(_ http.ResponseWriter, r *http.Request, path string) bool {
			if !strings.HasPrefix(r.Header.Get("Range"), "bytes=-") && changed < most { // a part
				changed++
				host.mu.Lock()
				host.files[path] = newWide(4, 5, 20_000+changed)
				host.states[path]++
				host.mu.Unlock()
			}
			return false
		}
	}
	host.put("w.parquet", newWide(4, 4, 20_000))
	host.intercept(change(1))
	if got := count(); got != int64(100_005) {
		t.Error(got)
	}
	// A file of the same size is another one too.
	other := newWide(4, 4, 20_000)
	other.seed = 1
	host.put("w.parquet", newWide(4, 4, 20_000))
	parts := 0
	host.intercept(func(_ http.ResponseWriter, r *http.Request, path string) bool {
		if parts++; parts == 3 {
			host.put(path, other)
		}
		return false
	})
	if got := ask(t, open(t, f, target), "SELECT sum(c1 + c3) AS s FROM w")[0][0]; got != other.sum(1, 0, 80_000)+other.sum(3, 0, 80_000) {
		t.Errorf("a mixture of two files: %v", got)
	}
	host.put("w.parquet", newWide(4, 4, 20_000))
	changed = 0
	host.intercept(change(1000))
	bad := fails(t, open(t, f, target), "SELECT sum(c1) AS s FROM w")
	if bad.Class != warehouse.Failed || !strings.Contains(bad.Message, "changed") {
		t.Errorf("%s: %s", bad.Class, bad.Message)
	}
}

// TestMost: more than the operator allows is refused before it is fetched, and an answer without a length ends there.
func TestMost(t *testing.T) {
	t.Parallel()
	const most = 3 << 20
	host := newStandIn(t, false, map[string]content{"w.parquet": newWide(8, 10, 20_000), "part.parquet": newWide(8, 1, 20_000)})
	f := newFiles(t, most)
	target := host.target("w.parquet\npart.parquet")
	bad := fails(t, open(t, f, target), "SELECT sum(c1), sum(c2), sum(c3) FROM w")
	if sent, _ := host.total(); bad.Class != warehouse.TooLarge || !strings.Contains(bad.Message, "3.15 MB") || sent > 1<<20 {
		t.Errorf("%s: %s; %d bytes were sent", bad.Class, bad.Message, sent)
	}
	c := open(t, f, target)
	ask(t, c, "SELECT sum(c1) AS s FROM w")
	if bad := fails(t, c, "SELECT sum(c4) AS s FROM w"); bad.Class != warehouse.TooLarge { // what all queries of a refresh fetch counts
		t.Errorf("%s: %s", bad.Class, bad.Message)
	}
	ask(t, open(t, f, target), "SELECT sum(c4) AS s FROM w")
	host.intercept(func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		piece := make([]byte, 1<<16)
		for {
			if _, err := w.Write(piece); err != nil {
				return true
			}
		}
	})
	if bad := fails(t, open(t, f, target), "SELECT sum(c1) AS s FROM part"); bad.Class != warehouse.TooLarge {
		t.Errorf("%s: %s", bad.Class, bad.Message)
	}
}

// TestWhole: a host without ranges and states sends the file once for a connector.
func TestWhole(t *testing.T) {
	t.Parallel()
	host := newStandIn(t, false, map[string]content{"w.parquet": newWide(4, 3, 1000), "a.ndjson": text(`{"n": 4}`)})
	host.bare = true
	f := newFiles(t, 0)
	for range 2 {
		c := open(t, f, host.target("w.parquet\na.ndjson"))
		for range 3 {
			if got := ask(t, c, "SELECT sum(c0) + (SELECT sum(n) FROM a) AS s FROM w")[0][0]; got != int64(2999*3000/2+4) {
				t.Error(got)
			}
		}
		if _, asks := host.total(); len(asks) != 2 {
			t.Errorf("it asks %q", asks)
		}
	}
}

// TestPatterns: a table is made of the files that match, and of those of the latest day that has some.
func TestPatterns(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	day := func(back int) string { return now.AddDate(0, 0, -back).Format(time.DateOnly) }
	files := map[string]content{
		"other/x.parquet": newWide(2, 1, 5), "events/readme.txt": text("x"), "events/deep/er.parquet": newWide(2, 1, 5),
	}
	for i := range 5 {
		files[fmt.Sprintf("events/part %d.parquet", i)] = newWide(2, 1, 100)
	}
	for i := range 3 {
		files[fmt.Sprintf("log/day=%s/%d.parquet", day(2), i)] = newWide(2, 1, 10)
		files[fmt.Sprintf("log/day=%s/%d.parquet", day(4), i)] = newWide(2, 1, 1000)
	}
	for i := range 30 {
		files[fmt.Sprintf("many/%d.parquet", i)] = newWide(2, 1, 1)
	}
	host := newStandIn(t, true, files)
	f := newFiles(t, 0)
	c := open(t, f, host.target("events = events/*.parquet\nlog = log/day={day}/*.parquet\nother/x.parquet"))
	for table, want := range map[string]int64{"events": 500, "log": 30, "x": 5} {
		if got := ask(t, c, "SELECT count(c1) AS n FROM "+table)[0][0]; got != want {
			t.Errorf("%s has %v rows, want %d", table, got, want)
		}
	}
	if _, asks := host.total(); !slices.Contains(asks, "LIST log/day="+day(0)+"/") || slices.Contains(asks, "LIST log/day="+day(3)+"/") {
		t.Errorf("it asks %q", asks)
	}
	tables, err := c.Introspect(t.Context(), warehouse.Introspection{})
	if err != nil || len(tables) != 3 || len(tables[0].Columns) != 2 {
		t.Errorf("%+v, %v", tables, err)
	}
	for place, class := range map[string]warehouse.Class{
		"many = many/*.parquet": warehouse.TooLarge, "empty = none/*.parquet": warehouse.Unknown,
		"empty = none/{day}/*.parquet": warehouse.Unknown, "empty = none/x.parquet": warehouse.Unknown,
	} {
		if err := open(t, f, host.target(place)).Ping(t.Context()); classOf(err) != class {
			t.Errorf("%s: %v, want %s", place, err, class)
		}
	}
}

func classOf(err error) warehouse.Class {
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		return bad.Class
	}
	return ""
}

// TestTargets: bad input is refused at its field.
func TestTargets(t *testing.T) {
	t.Parallel()
	f := linked.New(nil, warehouse.Dialer{}, linked.DefaultMost)
	good := warehouse.Target{Host: "data.example.com", Port: 443, TLS: warehouse.TLSVerify, Place: "a.csv"}
	bucket := good
	bucket.Host, bucket.Database, bucket.User, bucket.Password = "s3.eu-central-1.amazonaws.com", "acme", keyID, secret
	at := func(place string) func(*warehouse.Target) { return func(t *warehouse.Target) { t.Place = place } }
	for name, try := range map[string]struct {
		of     warehouse.Target
		change func(t *warehouse.Target)
		want   string // the beginning of the refusal; empty for none
	}{
		"a file":                   {good, func(*warehouse.Target) {}, ""},
		"a bucket":                 {bucket, at("a = x/*.parquet\n\nb.csv"), ""},
		"its own address":          {good, at("https://data.example.com/x/a.csv?v=1"), ""},
		"no file":                  {good, at(" \n"), "place must list at least one"},
		"another host":             {good, at("https://other.example.com/a.csv"), "place must list files of the host"},
		"HTTP":                     {good, at("http://data.example.com/a.csv"), "place must list paths"},
		"a signature":              {good, at("a.csv?X-Amz-Signature=abc"), "place must not contain a signature"},
		"a token":                  {good, at("a.csv?x=1&sig=abc"), "place must not contain a signature"},
		"a program":                {good, at("a.exe"), "place must list files that end"},
		"a pattern without a list": {good, at("a/*.parquet"), "place may contain * only for a bucket"},
		"two patterns":             {bucket, at("a/*/*.parquet"), "place may contain * and {day} once"},
		"a pattern of CSV":         {bucket, at("a/*.csv"), "place may contain * for .parquet"},
		"a day without files":      {bucket, at("a/{day}/x.parquet"), "place needs a *"},
		"two tables of a name":     {good, at("a.csv\nx/A.csv"), "place"},
		"a word of SQL":            {good, at("select.csv"), "place"},
		"21 files":                 {good, at(strings.Repeat("a.csv\n", 21)), "place"},
		"a host with a path":       {good, func(t *warehouse.Target) { t.Host = "data.example.com/x" }, "host must be"},
		"a bucket without a key":   {bucket, func(t *warehouse.Target) { t.User = "" }, "user must be"},
		"a key without its secret": {bucket, func(t *warehouse.Target) { t.Password = "" }, "The access key is incomplete"},
		"a token with a line":      {good, func(t *warehouse.Target) { t.Password = "a\nb" }, "The access key or token"},
		"a key that is not one":    {good, func(t *warehouse.Target) { t.Password = `{"type": "x"}` }, "The key is not that"},
		"a sheet without a key": {good, func(t *warehouse.Target) {
			t.Place = "s = https://docs.google.com/spreadsheets/d/" + strings.Repeat("a", 44)
		}, "password must be"},
		"another's address in https": {bucket, at("s3://other/a.csv"), "place must list paths"},
	} {
		target := try.of
		try.change(&target)
		_, err := f.Open(target)
		if (err == nil) != (try.want == "") || err != nil && !strings.HasPrefix(err.Error(), try.want) {
			t.Errorf("%s: %v, want %q", name, err, try.want)
		}
	}
}

// TestSealed: a worker with all layers of the seal reads twenty linked files at once, some of several threads and more than once.
func TestSealed(t *testing.T) {
	t.Parallel()
	e := newEngine(t, func(c *duckdb.Config) { c.Sealed = true })
	if layers, err := e.Seal(t.Context()); err != nil || !layers["landlock"] {
		t.Skip("this machine cannot seal workers: ", layers, err)
	}
	files, place, sql := map[string]content{}, "every = all/*.parquet\n", "SELECT (SELECT sum(c0) FROM every) + (SELECT count(c1) FROM every)"
	for i := range 10 {
		files[fmt.Sprintf("all/%d.parquet", i)] = newWide(3, 2, 5000)
		files[fmt.Sprintf("one%d.parquet", i)] = newWide(3, 2, 5000)
		place += fmt.Sprintf("one%d.parquet\n", i)
		sql += fmt.Sprintf(" + (SELECT sum(a.c0 * 0) FROM one%d a JOIN one%d b ON a.c0 = b.c0)", i, (i+1)%10)
	}
	host := newStandIn(t, true, files)
	f := linked.New(e, warehouse.Dialer{AllowPrivate: true}, linked.DefaultMost)
	t.Cleanup(func() { f.Close() })
	if got := ask(t, open(t, f, host.target(place)), sql+" AS n")[0][0]; got != int64(10*9999*10_000/2+100_000) {
		t.Error(got)
	}
}

// TestRole: requests for files are signed with the credentials of a role, which the access key assumes once for a call.
func TestRole(t *testing.T) {
	t.Parallel()
	host := newStandIn(t, true, map[string]content{"w.parquet": newWide(3, 4, 30_000)})
	host.sts = &ststest.Server{ID: keyID, Secret: secret, Region: "eu-central-1", Fault: t.Errorf}
	target := host.target("w.parquet")
	target.Role = ststest.Role + " " + ststest.External
	f := newFiles(t, 0)
	if got := ask(t, open(t, f, target), "SELECT sum(c0) AS s FROM w")[0][0]; got != int64(119_999*120_000/2) || host.sts.Asked != 1 {
		t.Errorf("%v, and STS is asked %d times", got, host.sts.Asked)
	}
	host.sts.Refuse = "AccessDenied"
	bad := fails(t, open(t, f, target), "SELECT sum(c0) AS s FROM w")
	if bad.Class != warehouse.Auth || !strings.Contains(bad.Message, "role") {
		t.Errorf("%s: %s", bad.Class, bad.Message)
	}
}

// TestTextLimit: a text file of 5 MiB is read, and one that is a byte longer is refused with the limit and the remedy: before it is read if
// the host announces its length, and otherwise after the limit.
func TestTextLimit(t *testing.T) {
	t.Parallel()
	full := "n\n" + strings.Repeat("1\n", (duckdb.MaxFile-2)/2)
	host := newStandIn(t, false, map[string]content{"most.csv": text(full), "long.csv": text(full + "\n")})
	c := open(t, newFiles(t, 32<<20), host.target("most.csv\nlong.csv"))
	if got := ask(t, c, "SELECT sum(n) AS s FROM most"); got[0][0] != int64(len(full)/2-1) {
		t.Error(got)
	}
	const want = "larger than 5 MiB, the limit of files that are not Parquet. Save it as Parquet"
	if bad := fails(t, c, "SELECT sum(n) AS s FROM long"); bad.Class != warehouse.TooLarge || !strings.Contains(bad.Message, want) {
		t.Error(bad)
	}
	sent := 0
	host.intercept(func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		w.(http.Flusher).Flush() // without Content-Length
		piece := []byte(strings.Repeat("1\n", 32<<10))
		for err := error(nil); err == nil && sent < 1<<30; sent += len(piece) {
			_, err = w.Write(piece)
		}
		return true
	})
	c = open(t, newFiles(t, 32<<20), host.target("long.csv"))
	if bad := fails(t, c, "SELECT sum(n) AS s FROM long"); bad.Class != warehouse.TooLarge || !strings.Contains(bad.Message, want) {
		t.Error(bad)
	}
	if sent > 32<<20 {
		t.Errorf("%d bytes were sent", sent)
	}
	host.intercept(func(w http.ResponseWriter, r *http.Request, _ string) bool {
		w.Header().Set("Content-Length", "99999999999")
		w.(http.Flusher).Flush() // the bytes never come
		<-r.Context().Done()     // until the client has left
		return true
	})
	c = open(t, newFiles(t, 32<<20), host.target("long.csv"))
	if bad := fails(t, c, "SELECT sum(n) AS s FROM long"); bad.Class != warehouse.TooLarge || !strings.Contains(bad.Message, want) {
		t.Error(bad)
	}
}
