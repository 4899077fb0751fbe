package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"service/store"
	"service/store/storetest"
)

var (
	measurePeers     = flag.Bool("peers", false, "measure the program beside bare peers (make bench-peers)")
	onlyPeers        = flag.String("of", "", "of -peers: only the work whose name begins so")
	peerProfiles     = flag.String("profiles", "", "of -peers: a folder for profiles of both programs, of their processor time")
	neighbourCallers = flag.Int("callers", 45, "of -neighbour: how many call from each of the twenty workspaces")
	measureNeighbour = flag.Bool("neighbour", false, "measure an account beside another that floods (make bench-neighbour)")
)

// A rig is the program in its own process and with its own database, which has a workspace of
// many dashboards, and the processes whose time is measured.
type rig struct {
	*site
	t         *testing.T
	token     string
	ada       *browser
	owner     store.Member
	own       *store.Store // on the same database
	program   int
	postgres  int // the postmaster
	installed *installation
}

func newRig(t *testing.T, more ...string) *rig {
	t.Helper()
	db := storetest.Pool(t)
	in := install(t, append([]string{"DATABASE_URL=" + databaseURL(db), "SERVICE_LOG_LEVEL=info"}, more...)...)
	r := &rig{t: t, site: siteAt(in.port, in.environ), installed: in}
	r.db = db
	r.program = in.process().Process.Pid
	r.ada = r.browser(t)
	r.ada.signIn(r.app+"/", "ada@example.com")
	r.ada.submit("/workspaces", url.Values{"name": {"Acme"}, "slug": {"acme"}})
	r.token = r.connect(t, r.ada, "acme").token.AccessToken
	var account uuid.UUID
	var err error
	if r.own, err = store.New(db, store.Options{}); err == nil {
		err = db.QueryRow(t.Context(), `SELECT id FROM account`).Scan(&account)
	}
	if err == nil {
		r.owner, err = r.own.Members.Member(t.Context(), account, "acme")
	}
	if err != nil {
		t.Fatal(err)
	}
	r.postgres = postmasterOf(t, db)
	return r
}

// postmasterOf returns the process that started those of a database.
func postmasterOf(t *testing.T, db *pgxpool.Pool) int {
	t.Helper()
	var backend int
	if err := db.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
		t.Fatal(err)
	}
	_, _, postmaster, _ := readStat(fmt.Sprintf("/proc/%d/stat", backend))
	return postmaster
}

// dashboards publishes n dashboards over self, with schedules, and waits for their rows.
func (r *rig) dashboards(m store.Member, n int) {
	r.t.Helper()
	ctx := r.t.Context()
	hourly, err := store.ParseSchedule("1h", "")
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range n {
		content := []byte(fmt.Sprintf(`{"title":"Sales %d",`+
			`"datasets":[{"id":"d","sql":"SELECT day, sum(count) AS amount FROM metrics GROUP BY 1"}],`+
			`"panels":[{"type":"kpi","value":"amount"},{"type":"line","x":"day","y":"amount"}]}`, i))
		_, err := r.own.Dashboards.Publish(ctx, m, store.Publication{
			Slug: fmt.Sprint("sales-", i), Filename: "index.html", DefaultName: fmt.Sprint("Sales of team ", i), DefaultChart: "line",
			Spec: storetest.Spec(content), ContentType: "application/json", Definitions: map[string][]byte{"d": []byte("same")}, Panels: 2,
			Content: content,
		})
		if err == nil {
			_, err = r.own.Refreshes.SetSchedule(ctx, m, fmt.Sprint("sales-", i), hourly)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.settled()
	if _, err := r.db.Exec(ctx, `VACUUM ANALYZE`); err != nil {
		r.t.Fatal(err)
	}
}

// neighbours adds n copies of all workspaces, with their people and clients, so that PostgreSQL plans statements as in a real
// database: in tables of a few rows, it would read whole tables.
func (r *rig) neighbours(n int) {
	r.t.Helper()
	ctx := r.t.Context()
	tx, err := r.db.Begin(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	defer tx.Rollback(ctx)                                                                  //nolint:errcheck // it was committed
	if _, err := tx.Exec(ctx, `SET LOCAL session_replication_role = replica`); err != nil { // foreign keys are not checked
		r.t.Fatal(err)
	}
	for _, table := range []string{
		"workspace", "account", "membership", "connection", "upload", "dashboard", "slug", "version", "schedule", "refresh_run", "dataset",
		"oauth_client", "oauth_grant", "oauth_token", "web_session", "host_session",
	} {
		var columns, values string
		if err := tx.QueryRow(ctx, `
			SELECT string_agg(quote_ident(column_name), ', '), string_agg(CASE
			         WHEN data_type = 'uuid' THEN format('md5(k || t.%I::text)::uuid', column_name)
			         WHEN data_type = 'bytea' AND column_name LIKE '%hash' THEN format('sha256(t.%I || k::text::bytea)', column_name)
			         WHEN column_name IN ('client_id', 'subject') OR table_name = 'oauth_client' AND column_name = 'id'
			              OR table_name = 'workspace' AND column_name = 'slug' THEN format('t.%I || ''-'' || k', column_name)
			         WHEN column_name = 'next_run_at' THEN 't.next_run_at + interval ''1 day'''
			         ELSE format('t.%I', column_name) END, ', ')
			  FROM information_schema.columns WHERE table_schema = current_schema AND table_name = $1`, table).Scan(&columns, &values); err != nil {
			r.t.Fatal(table, err)
		}
		add := `INSERT INTO ` + table + ` (` + columns + `) SELECT ` + values + ` FROM ` + table + ` t, generate_series(1, $1) k`
		if _, err := tx.Exec(ctx, add, n); err != nil {
			r.t.Fatal(table, err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		r.t.Fatal(err)
	}
	r.exec(r.t, `VACUUM ANALYZE`)
}

// settled waits until no refresh is running.
func (r *rig) settled() {
	r.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		q, err := r.own.Refreshes.QueueState(r.t.Context())
		if err != nil || time.Now().After(deadline) {
			r.t.Fatal(q, err)
		}
		if q.Waiting+q.Running == 0 {
			return
		}
	}
}

// spent returns the processor time of a process, and of the children of the postmaster.
func (r *rig) spent(pid int) (own, database time.Duration) {
	for _, child := range childrenOf(r.postgres) {
		database += timeOf(child)
	}
	return timeOf(pid), database
}

// timeOf returns the processor time of a process. It adds up threads, whose times have nanoseconds; the kernel's times of whole processes
// have units of 10 ms.
func timeOf(pid int) (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/schedstat", pid))
	for _, file := range threads {
		b, _ := os.ReadFile(file) // a thread that has ended counts as 0
		first, _, _ := strings.Cut(string(b), " ")
		ns, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

// childrenOf returns the children of a process.
func childrenOf(pid int) (all []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		if child, _, parent, ok := readStat(file); ok && parent == pid {
			all = append(all, child)
		}
	}
	return all
}

// peer builds and starts the bare peer on the same database, and returns its process and address.
func (r *rig) peer(cookie string) (pid int, base string) {
	r.t.Helper()
	bin := filepath.Join(r.t.TempDir(), "peer")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir = "testdata/peers"
	if out, err := build.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	port := freePort(r.t)
	cmd := exec.Command(bin)
	cmd.Env = []string{"DATABASE_URL=" + databaseURL(r.db), "ADDR=127.0.0.1:" + port, "COOKIE=" + cookie}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	base = "http://127.0.0.1:" + port
	eventually(r.t, func() error {
		res, err := http.Get(base + "/healthz")
		if err == nil {
			res.Body.Close()
		}
		return err
	})
	return cmd.Process.Pid, base
}

// A load is n requests, on four connections.
type load struct {
	n       int
	request func() *http.Request
}

// run sends the requests, and returns the size of the last answer's body in bytes.
func (l load) run(t *testing.T) int64 {
	t.Helper()
	var size atomic.Int64
	transport := &http.Transport{MaxIdleConnsPerHost: 4, DisableCompression: true}
	defer transport.CloseIdleConnections()
	var left atomic.Int64
	left.Store(int64(l.n))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				res, err := transport.RoundTrip(l.request())
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != 200 || bytes.Contains(body, []byte(`"isError":true`)) || bytes.Contains(body, []byte(`"error":{`)) {
					t.Errorf("%s: %d %.200s %v", res.Request.URL, res.StatusCode, body, err)
					return
				}
				size.Store(int64(len(body)))
			}
		})
	}
	wg.Wait()
	return size.Load()
}

// toolCall returns a call of a tool at an address.
func toolCall(base, token, tool, args string) func() *http.Request {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}`, tool, args)
	return func() *http.Request {
		r, err := http.NewRequest(http.MethodPost, base+"/mcp", strings.NewReader(body))
		if err != nil {
			panic(err) // the address is constant
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		return r
	}
}

// teach gives the peer at base the program's answer to a call of a tool, with which the
// peer then answers.
func teach(t *testing.T, base, tool string, ours func() *http.Request) {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(ours())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	put, err := http.NewRequest(http.MethodPut, base+"/answers/"+tool, res.Body)
	if err != nil {
		t.Fatal(err)
	}
	taught, err := http.DefaultClient.Do(put)
	if err != nil {
		t.Fatal(err)
	}
	taught.Body.Close()
}

// TestPeers prints the processor time of a request, in the program and in the bare peer of testdata/peers, in turns on the
// same database. make bench-peers runs it.
func TestPeers(t *testing.T) {
	if !*measurePeers {
		t.Skip("measures for a minute or two: make bench-peers")
	}
	var more []string
	operators := freePort(t)
	if *peerProfiles != "" {
		more = append(more, "SERVICE_OPS_ADDR=127.0.0.1:"+operators)
	}
	r := newRig(t, more...)
	r.dashboards(r.owner, 60)
	if err := os.WriteFile(filepath.Join(r.installed.dir, "sales.csv"), []byte("day,amount\n2026-01-01,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.admin(t, "upload", "add", "acme", "ada@example.com", filepath.Join(r.installed.dir, "sales.csv"))
	r.neighbours(200)
	const slug = "sales-7"
	page := r.workspace("acme") + "/" + slug
	r.ada.get(page)
	var cookie *http.Cookie
	where, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.ada.client.Jar.Cookies(where) {
		if strings.HasPrefix(c.Name, "host") {
			cookie = c
		}
	}
	if cookie == nil {
		t.Fatal("the visit left no cookie")
	}
	peer, base := r.peer(cookie.Name)
	view := func(origin string) func() *http.Request {
		return func() *http.Request {
			req, err := http.NewRequest(http.MethodGet, origin+"/"+slug, nil)
			if err != nil {
				panic(err)
			}
			if origin == r.workspace("acme") {
				req.URL.Host, req.Host = "127.0.0.1:"+r.port, "acme.localhost:"+r.port
			}
			req.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
			req.Header.Set("Accept-Encoding", "gzip")
			return req
		}
	}
	res, err := http.DefaultTransport.RoundTrip(view(r.workspace("acme"))())
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res.StatusCode, err)
	}
	put, err := http.NewRequest(http.MethodPut, base+"/page", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if res, err = http.DefaultClient.Do(put); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()

	text, err := json.Marshal(strings.Repeat("All work and no play makes a dull dashboard.\n\n", 5<<20/46-1000)[:200_000])
	if err != nil {
		t.Fatal(err)
	}
	report := fiveMiB()
	type work struct {
		name       string
		n          int
		prepare    func() // may be nil
		ours, bare func() *http.Request
	}
	var all []work
	for _, c := range []struct{ tool, args, more string }{
		{"list_dashboards", `{}`, ""},
		{"get_refresh_status", `{"slug":"` + slug + `"}`, ""},
		{"get_dashboard", `{"path":"` + slug + `","include":["meta"]}`, " without panels"},
		{"get_dashboard", `{"path":"` + slug + `"}`, ""},
		{"check_readiness", `{}`, ""},
		{"list_connections", `{}`, ""},
	} {
		ours := toolCall(r.base, r.token, c.tool, c.args)
		all = append(all, work{c.tool + c.more, 1500, func() { teach(t, base, c.tool, ours) }, ours, toolCall(base, r.token, c.tool, c.args)})
	}
	doc := `{"path":"doc","body":` + string(text) + `}`
	var reports atomic.Int64
	big := func(origin string) func() *http.Request { // each is different, so that nothing is cached
		return func() *http.Request {
			body := fmt.Sprintf(`"{\"title\":\"Report %d\",%s`, reports.Add(1), report[len(`"{`):])
			return toolCall(origin, r.token, "publish_dashboard", `{"path":"big","body":`+body+`}`)()
		}
	}
	all = append(all,
		work{"a page from the cache", 800, nil, view(r.workspace("acme")), view(base)},
		work{
			"publish 200 kB of Markdown", 8, nil,
			toolCall(r.base, r.token, "publish_dashboard", doc), toolCall(base, r.token, "publish_dashboard", doc),
		},
		work{
			"publish 5 MiB of JSON", 4, nil,
			big(r.base), big(base),
		},
	)
	fmt.Printf("\n%-28s %26s %26s %7s %16s\n", "processor time a request", "here (of it the database)", "bare", "ratio", "bytes of answers")
	for _, w := range all {
		if !strings.HasPrefix(w.name, *onlyPeers) || t.Failed() {
			continue
		}
		const rounds = 5
		var ours, bare, database, theirs, ratios []float64
		measure := func(pid int, request func() *http.Request) (whole, postgres float64) {
			r.exec(t, `DELETE FROM rate_counter`)
			own, db := r.spent(pid)
			load{w.n, request}.run(t)
			afterOwn, afterDB := r.spent(pid)
			per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(w.n) }
			return per(afterOwn - own + afterDB - db), per(afterDB - db)
		}
		if w.prepare != nil {
			w.prepare()
		}
		size := load{max(4, w.n/10), w.ours}.run(t) // for warming up
		bareSize := load{max(4, w.n/10), w.bare}.run(t)
		for range rounds {
			o, d := measure(r.program, w.ours)
			b, bd := measure(peer, w.bare)
			ours, bare, database, theirs, ratios = append(ours, o), append(bare, b), append(database, d), append(theirs, bd), append(ratios, o/b)
		}
		fmt.Printf("%-28s %10.0f µs (%7.0f µs) %10.0f µs (%7.0f µs) %6.2f× %7d %7d\n",
			w.name, median(ours), median(database), median(bare), median(theirs), median(ratios), size, bareSize)
		if *peerProfiles != "" {
			file := filepath.Join(*peerProfiles, strings.ReplaceAll(w.name, " ", "_"))
			r.profile("http://127.0.0.1:"+operators, file, load{w.n, w.ours})
			r.profile(base, file+".bare", load{w.n, w.bare})
		}
	}
}

// profile writes a processor profile of a program, for ten seconds under a load.
func (r *rig) profile(base, file string, under load) {
	r.t.Helper()
	done := make(chan error)
	go func() {
		res, err := http.Get(base + "/debug/pprof/profile?seconds=10")
		var b []byte
		if err == nil {
			b, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if err == nil {
			err = os.WriteFile(file, b, 0o600)
		}
		done <- err
	}()
	for n := 0; ; n += under.n {
		select {
		case err := <-done:
			if err != nil {
				r.t.Error(err)
			}
			fmt.Println(file, "is of", n, "requests")
			return
		default:
			r.exec(r.t, `DELETE FROM rate_counter`)
			under.run(r.t)
		}
	}
}

// fiveMiB returns a report of nearly 5 MiB, as a JSON string.
func fiveMiB() string {
	var rows strings.Builder
	rows.WriteString(`{"datasets":[{"id":"q","rows":[`)
	for i := 0; rows.Len() < 5<<20-200; i++ {
		if i > 0 {
			rows.WriteByte(',')
		}
		fmt.Fprintf(&rows, `{"day":"2026-%02d-%02d","channel":"channel %d","amount":%d.%02d}`, i%12+1, i%28+1, i%7, i%1000, i%100)
	}
	rows.WriteString(`]}]}`)
	text, err := json.Marshal(rows.String())
	if err != nil {
		panic(err) // a string
	}
	return string(text)
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// grant adds an access token of a member, and returns it.
func (r *rig) grant(m store.Member) (token string) {
	r.t.Helper()
	token = "svc_at_" + rand.Text() + rand.Text()
	hash := sha256.Sum256([]byte(token))
	id, later := uuid.New(), time.Now().Add(time.Hour)
	r.exec(r.t, `
		INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at)
		SELECT $1, client_id, $2, 'workspace', $3, scope, resource, $4, $4 FROM oauth_grant LIMIT 1`, id, m.Account(), m.WorkspaceID(), later)
	r.exec(r.t, `INSERT INTO oauth_token (hash, grant_id, kind, expires_at) VALUES ($1, $2, 'access', $3)`, hash[:], id, later)
	return token
}

// flooded is a description of a flood for [TestFlood], which is the process that makes it.
type flooded struct {
	Base    string
	Tokens  []string // of one account, each for another workspace
	Callers int      // per token, each with its own connection
}

// flood starts a process that calls from all of an account's workspaces as fast as it gets answers, ignoring Retry-After. It runs
// at a niceness, because real callers are on other machines and do not use this one's cores.
func (r *rig) flood(of flooded, niceness int) (stop func() (answered, refused int64)) {
	r.t.Helper()
	of.Base = r.base
	what, err := json.Marshal(of)
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command("nice", "-n", strconv.Itoa(niceness), os.Args[0], "-test.run", "^TestFlood$", "-test.timeout", "5m")
	cmd.Env = append(os.Environ(), "FLOOD="+string(what))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return func() (answered, refused int64) {
		in.Close()
		if err := cmd.Wait(); err != nil {
			r.t.Fatal(err)
		}
		if _, err := fmt.Sscan(out.String(), &answered, &refused); err != nil {
			r.t.Fatalf("%v: %s", err, out.String())
		}
		return answered, refused
	}
}

// TestFlood is the process that [rig.flood] starts. It prints how many calls were answered and how many refused, once its input ends.
func TestFlood(t *testing.T) {
	var of flooded
	if err := json.Unmarshal([]byte(os.Getenv("FLOOD")), &of); err != nil {
		t.Skip("is a part of TestNeighbour")
	}
	var ok, no atomic.Int64
	done := make(chan struct{})
	transport := &http.Transport{MaxIdleConnsPerHost: len(of.Tokens) * of.Callers}
	var wg sync.WaitGroup
	for i, token := range of.Tokens {
		for k := range of.Callers {
			call := []func() *http.Request{
				toolCall(of.Base, token, "list_dashboards", `{}`),
				toolCall(of.Base, token, "get_dashboard", `{"path":"sales-1"}`),
				toolCall(of.Base, token, "explore_data", `{"connection":"self","sql":"SELECT count(*) FROM metrics"}`),
				toolCall(of.Base, token, "trigger_refresh", `{"slug":"sales-0"}`),
			}[(i+k)%4]
			wg.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					res, err := transport.RoundTrip(call())
					if err != nil {
						continue
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
					if res.StatusCode == 200 {
						ok.Add(1)
					} else {
						no.Add(1)
					}
				}
			})
		}
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent process closes it
	close(done)
	wg.Wait()
	transport.CloseIdleConnections()
	fmt.Println(ok.Load(), no.Load())
}

// TestNeighbour prints how long the calls of an account take alone, and beside another account that calls from all of
// its twenty workspaces as fast as it gets answers, ignoring Retry-After; and how late its refreshes begin. make
// bench-neighbour runs it.
func TestNeighbour(t *testing.T) {
	if !*measureNeighbour {
		t.Skip("measures for a minute: make bench-neighbour")
	}
	r := newRig(t)
	r.dashboards(r.owner, 60)
	bob, err := r.own.Accounts.EnsureAccount(t.Context(), store.Identity{
		Issuer: "https://id.example", Subject: "bob", Email: "bob@example.com", Verified: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for i := range 20 {
		m, err := r.own.Workspaces.CreateWorkspace(t.Context(), bob.ID, fmt.Sprint("bobs-", i), "Bob")
		if err != nil {
			t.Fatal(err)
		}
		r.dashboards(m, 2)
		tokens = append(tokens, r.grant(m))
	}
	calls := []func() *http.Request{
		toolCall(r.base, r.token, "list_dashboards", `{}`),
		toolCall(r.base, r.token, "get_refresh_status", `{"slug":"sales-7"}`),
		toolCall(r.base, r.token, "get_dashboard", `{"path":"sales-7"}`),
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	measure := func(what string, n int) {
		var took []float64
		for i := range n {
			begin := time.Now()
			res, err := transport.RoundTrip(calls[i%len(calls)]())
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if res.StatusCode != 200 {
				t.Errorf("%s: %d", what, res.StatusCode)
			}
			took = append(took, float64(time.Since(begin).Microseconds())/1000)
		}
		slices.Sort(took)
		late := "-"
		r.exec(t, `DELETE FROM rate_counter`)
		if got := r.call(t, r.token, "trigger_refresh", `{"slug":"sales-9"}`); got.status == 200 {
			var lag *float64
			eventually(t, func() error {
				err := r.db.QueryRow(t.Context(), `
					SELECT extract(epoch FROM started_at - queued_at) FROM refresh_run
					 WHERE workspace_id = $1 AND cause = 'trigger' ORDER BY id DESC LIMIT 1`, r.owner.WorkspaceID()).Scan(&lag)
				if err == nil && lag == nil {
					err = errors.New("the refresh does not begin")
				}
				return err
			})
			late = fmt.Sprintf("%.2f s", *lag)
		}
		fmt.Printf("%-24s %6d calls: median %7.1f ms, 95th percentile %7.1f ms, worst %7.1f ms; a refresh begins after %s\n",
			what, n, took[n/2], took[n*95/100], took[n-1], late)
	}
	for round := range 3 {
		measure("alone", 300)
		for _, niceness := range [][]int{{19, 0}, {0, 19}}[round%2] {
			stop := r.flood(flooded{Tokens: tokens, Callers: *neighbourCallers}, niceness)
			time.Sleep(2 * time.Second)                                     // until all of them call
			measure(fmt.Sprintf("beside at nice %d, begun", niceness), 300) // the other account's query workers start
			measure(fmt.Sprintf("beside at nice %d, going", niceness), 300)
			ok, no := stop()
			fmt.Printf("%24s meanwhile the other account was answered %d times and told to wait %d times\n", "", ok, no)
		}
	}
}
