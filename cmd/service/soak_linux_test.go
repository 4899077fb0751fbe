package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
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

var soakFor = flag.Duration("soak", 0, "how long to run 200 dashboards on three replicas, one of which is killed every minute (make soak)")

// A soaked service is several replicas on one database behind a proxy.
type soaked struct {
	t        *testing.T
	db       *pgxpool.Pool
	own      *store.Store
	proxy    string // origin
	replicas []*replicaProcess
}

// A replicaProcess is a replica in its own process. It keeps its port and directory when it is killed.
type replicaProcess struct {
	port, ops string
	environ   []string

	mu  sync.Mutex
	cmd *exec.Cmd // nil: killed
	log *output

	ready bool // since its start
}

func (p *replicaProcess) start(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "serve")
	cmd.Env = append(p.environ, asProgram+"=1")
	p.log = &output{}
	cmd.Stderr = p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.cmd, p.ready = cmd, false
	p.mu.Unlock()
	eventually(t, func() error {
		res, err := http.Get("http://127.0.0.1:" + p.ops + "/readyz")
		if err != nil {
			return fmt.Errorf("%w\n%s", err, p.log)
		}
		res.Body.Close()
		if res.StatusCode != 200 {
			return fmt.Errorf("%d\n%s", res.StatusCode, p.log)
		}
		return nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = true
}

func (p *replicaProcess) kill() {
	p.mu.Lock()
	cmd := p.cmd
	p.cmd = nil
	p.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

func (p *replicaProcess) up() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd != nil && p.ready
}

// gauges returns the resources of a replica from its metrics: MiB, MiB in use, goroutines, descriptors and connections.
func (p *replicaProcess) gauges() ([]float64, error) {
	res, err := http.Get("http://127.0.0.1:" + p.ops + "/metrics")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out := map[string]float64{}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if n, err := strconv.ParseFloat(value, 64); ok && err == nil {
			out[name] = n
		}
	}
	var all []float64
	for _, name := range []string{
		"process_resident_memory_bytes", "go_memstats_next_gc_bytes", "go_gc_gogc_percent", "go_goroutines", "process_open_fds",
		"service_db_pool_connections",
	} {
		n, ok := out[name]
		if !ok {
			return nil, fmt.Errorf("no metric %s", name)
		}
		all = append(all, n)
	}
	inUse := all[1] / (1 + all[2]/100) // after the last garbage collection
	return append([]float64{all[0] / (1 << 20), inUse / (1 << 20)}, all[3:]...), nil
}

// newSoaked starts n replicas behind a proxy, which distributes requests among the running ones in turns.
func newSoaked(t *testing.T, n int) *soaked {
	t.Helper()
	c := &soaked{t: t, db: storetest.Pool(t)}
	front := freePort(t)
	c.proxy = "http://localhost:" + front
	key := make([]byte, store.KeySize)
	rand.Read(key) // never fails
	for range n {
		p := &replicaProcess{port: freePort(t), ops: freePort(t)}
		p.environ = []string{
			"PATH=" + os.Getenv("PATH"), "SERVICE_DATA_DIR=" + dataDir(t), "SERVICE_LISTEN_ADDR=127.0.0.1:" + p.port,
			"SERVICE_BASE_URL=" + c.proxy, "SERVICE_OPS_ADDR=127.0.0.1:" + p.ops, "SERVICE_DEV_IDP_ADDR=127.0.0.1:" + freePort(t),
			"SERVICE_SECRET_KEY=" + base64.StdEncoding.EncodeToString(key), "SERVICE_LOG_LEVEL=warn", "DATABASE_URL=" + databaseURL(c.db),
		}
		t.Cleanup(p.kill)
		p.start(t)
		c.replicas = append(c.replicas, p)
	}
	var turn atomic.Int64
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(*httputil.ProxyRequest) {},
		Transport: roundRobin{c, &turn, http.DefaultTransport.(*http.Transport).Clone()},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	srv := &http.Server{Addr: "127.0.0.1:" + front, Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	go srv.ListenAndServe() //nolint:errcheck // until it is closed
	t.Cleanup(func() { srv.Close() })
	var err error
	if c.own, err = store.New(c.db, store.Options{}); err != nil {
		t.Fatal(err)
	}
	return c
}

type roundRobin struct {
	*soaked
	turn *atomic.Int64
	next http.RoundTripper
}

func (r roundRobin) RoundTrip(req *http.Request) (*http.Response, error) {
	for range r.replicas {
		p := r.replicas[int(r.turn.Add(1))%len(r.replicas)]
		if p.up() {
			req.URL.Scheme, req.URL.Host = "http", "127.0.0.1:"+p.port
			return r.next.RoundTrip(req)
		}
	}
	return nil, errors.New("no replica runs")
}

// workspaces makes n workspaces with scheduled dashboards, half of them owned by one account, and returns a token for each.
func (c *soaked) workspaces(n, dashboards int) (tokens []string) {
	ctx := c.t.Context()
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	exec := func(sql string, args ...any) {
		c.t.Helper()
		_, err := c.db.Exec(ctx, sql, args...)
		must(err)
	}
	exec(`INSERT INTO oauth_client (id, name, redirect_uris, grant_types, auth_method) VALUES ('soak', 'Soak', '{}', '{}', 'none')`)
	// The next scheduled time is half a day away, so that only the test's clock makes them due.
	publish := func(m store.Member, slug, text string) {
		c.t.Helper()
		content := []byte(text)
		spec := storetest.Spec(content)
		definitions := map[string][]byte{}
		for _, d := range spec.Datasets {
			definitions[d.ID] = d.Definition(spec)
		}
		_, err := c.own.Dashboards.Publish(ctx, m, store.Publication{
			Slug: slug, Filename: "index.html", DefaultName: slug, DefaultChart: "line", Spec: spec, ContentType: "application/json",
			Definitions: definitions, Panels: 1, Content: content,
		})
		must(err)
	}
	const (
		sums = `{"title":"Sales","datasets":[{"id":"d","sql":"SELECT day, sum(count) AS amount FROM metrics GROUP BY 1"}],` +
			`"panels":[{"type":"line","x":"day","y":"amount"}]}`
		// reads follows two others.
		reads = `{"title":"Reads","datasets":[{"id":"as","from":"sales-1/d"},` +
			`{"id":"r","from":["sales-0/d"],"sql":"SELECT sum(amount) AS amount FROM d"}],` +
			`"panels":[{"type":"line","data":"as","x":"day","y":"amount"}]}`
	)
	daily, err := store.ParseSchedule(fmt.Sprintf("0 %d * * *", time.Now().UTC().Add(12*time.Hour).Hour()), "UTC")
	must(err)
	for i := range n {
		email := fmt.Sprintf("person-%d@example.com", i/2)
		a, err := c.own.Accounts.EnsureAccount(ctx, store.Identity{Issuer: "https://id.example", Subject: email, Email: email, Verified: true})
		must(err)
		m, err := c.own.Workspaces.CreateWorkspace(ctx, a.ID, fmt.Sprint("team-", i), "Team")
		must(err)
		for k := range dashboards {
			slug := fmt.Sprint("sales-", k)
			publish(m, slug, sums)
			_, err = c.own.Refreshes.SetSchedule(ctx, m, slug, daily)
			must(err)
		}
		publish(m, "reads", reads)
		publish(m, "asked-for", sums) // without a schedule: a triggered refresh may replace one that is due
		token := "svc_at_" + rand.Text() + rand.Text()
		hash := sha256.Sum256([]byte(token))
		id, later := uuid.New(), time.Now().Add(6*time.Hour)
		exec(`INSERT INTO oauth_grant (id, client_id, account_id, lock, workspace_id, scope, resource, expires_at, ends_at)
			VALUES ($1, 'soak', $2, 'workspace', $3, 'dashboards', $4, $5, $5)`, id, a.ID, m.WorkspaceID(), c.proxy+"/mcp", later)
		exec(`INSERT INTO oauth_token (hash, grant_id, kind, expires_at) VALUES ($1, $2, 'access', $3)`, hash[:], id, later)
		tokens = append(tokens, token)
	}
	return tokens
}

// clock makes each schedule due again as soon as its last refresh has ended, until ctx ends. Each time counts as an
// hour: per dashboard in soaked_hours, and in hours the hours that have passed for all.
func (c *soaked) clock(ctx context.Context, pause time.Duration, hours *atomic.Int64) error {
	if _, err := c.db.Exec(ctx, `
		CREATE TABLE soaked_hours AS SELECT workspace_id, dashboard_id, 0 AS n FROM schedule;
		ALTER TABLE soaked_hours ADD PRIMARY KEY (workspace_id, dashboard_id)`); err != nil {
		return err
	}
	for ctx.Err() == nil {
		_, err := c.db.Exec(ctx, `
			WITH due AS (
			  SELECT workspace_id, dashboard_id FROM schedule s
			   WHERE next_run_at > now() + interval '1 h' AND NOT EXISTS (
			         SELECT FROM refresh_run r
			          WHERE r.workspace_id = s.workspace_id AND r.dashboard_id = s.dashboard_id AND r.finished_at IS NULL)
			     FOR UPDATE SKIP LOCKED), -- the service waits for nothing of ours
			moved AS (UPDATE schedule s SET next_run_at = now() FROM due d
			           WHERE s.workspace_id = d.workspace_id AND s.dashboard_id = d.dashboard_id)
			UPDATE soaked_hours h SET n = n + 1 FROM due d WHERE h.workspace_id = d.workspace_id AND h.dashboard_id = d.dashboard_id`)
		var n int64
		if err == nil {
			err = c.db.QueryRow(ctx, `SELECT min(n) - 1 FROM soaked_hours`).Scan(&n)
		}
		switch {
		case err == nil:
			hours.Store(max(n, 0))
		case ctx.Err() == nil:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

// answers counts the outcomes of calls of a soaked service.
type answers struct{ good, throttled, away, failed atomic.Int64 }

// call calls with a token until ctx ends.
func (c *soaked) call(ctx context.Context, token string, to *answers) {
	calls := []func() *http.Request{
		toolCall(c.proxy, token, "list_dashboards", `{}`), toolCall(c.proxy, token, "get_dashboard", `{"path":"sales-1"}`),
		toolCall(c.proxy, token, "get_refresh_status", `{"slug":"sales-2"}`), toolCall(c.proxy, token, "check_readiness", `{}`),
	}
	seldom := []func() *http.Request{
		toolCall(c.proxy, token, "trigger_refresh", `{"slug":"asked-for"}`),
		toolCall(c.proxy, token, "publish_dashboard", `{"path":"note","body":"# A note"}`),
	}
	for n := 0; ctx.Err() == nil; n++ {
		call := calls[n%len(calls)]
		if n%20 == 19 {
			call = seldom[n/20%len(seldom)]
		}
		res, err := http.DefaultClient.Do(call())
		if err != nil {
			to.failed.Add(1)
			continue
		}
		body, cut := io.ReadAll(res.Body)
		res.Body.Close()
		switch {
		case res.StatusCode == 502, res.StatusCode == 503, cut != nil: // the replica was killed in the meantime, and the client calls again
			to.away.Add(1)
		case res.StatusCode == 200 && n%20 == 19 && strings.Contains(string(body), `"isError":true`): // over its rate
			to.throttled.Add(1)
		case res.StatusCode == 200 && strings.Contains(string(body), `"result"`) && !strings.Contains(string(body), `"isError":true`):
			to.good.Add(1)
		default:
			to.failed.Add(1)
			c.t.Logf("%d %.200s", res.StatusCode, body)
		}
		select { // the time that a person or a model reads
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// takenOver waits until no run that was active when a replica was killed still has the same holder, and returns how long
// that took: other replicas finish their runs, and those of the killed one are taken over once its lease has ended.
func (c *soaked) takenOver() time.Duration {
	c.t.Helper()
	begin := time.Now()
	const held = `SELECT coalesce(array_agg(id::text || ' ' || process::text), '{}') FROM refresh_run WHERE state = 'running'`
	var before, now []string
	for until := begin.Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err := c.db.QueryRow(c.t.Context(), held).Scan(&now); err != nil {
			c.t.Error(err)
			return 0
		}
		if before == nil {
			before = now
		}
		if !slices.ContainsFunc(now, func(run string) bool { return slices.Contains(before, run) }) {
			return time.Since(begin)
		}
		if time.Now().After(until) {
			c.t.Errorf("a run of a replica that was killed a minute ago is still its own")
			return time.Since(begin)
		}
	}
}

// TestSoak runs three replicas with scheduled dashboards. Each dashboard has a clock on which an hour passes after each refresh.
// Meanwhile callers call and one replica is killed again and again. Every schedule fires once an hour, no run fails or is lost, and the
// resources of replicas do not grow. It takes about ten seconds; make soak runs it for an hour with 200 dashboards.
func TestSoak(t *testing.T) {
	all, workspaces, dashboards, kill, most, pause := 10*time.Second, 4, 5, 3*time.Second, 2, time.Second
	say := func(format string, args ...any) { t.Logf(strings.TrimSuffix(format, "\n"), args...) }
	if *soakFor > 0 {
		all, workspaces, dashboards, kill, most, pause = *soakFor, 10, 20, time.Minute, math.MaxInt, 200*time.Millisecond
		say = func(format string, args ...any) { fmt.Printf(format, args...) }
	} else {
		t.Parallel()
	}
	c := newSoaked(t, 3)
	tokens := c.workspaces(workspaces, dashboards)
	ctx, cancel := context.WithTimeout(t.Context(), all+time.Minute)
	defer cancel()
	var hours atomic.Int64
	time.AfterFunc(all, func() { // and until an hour has passed after the kills, however busy the machine is
		for enough := hours.Load() + 2; *soakFor == 0 && hours.Load() < enough && ctx.Err() == nil; {
			time.Sleep(100 * time.Millisecond)
		}
		cancel()
	})
	var calls answers
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { c.call(ctx, tokens[i], &calls) })
	}
	defer func() { cancel(); wg.Wait() }() // they log
	wg.Go(func() {
		if err := c.clock(ctx, pause, &hours); err != nil {
			t.Error(err)
		}
	})

	say("%6s %6s %9s | %s\n", "kills", "hours", "answered", "of each replica: MiB, MiB in use, goroutines, descriptors, connections")
	var held [][]float64 // of the replica that is never killed
	var taken []float64  // seconds after each kill
	for kills := 0; kills < most; kills++ {
		select {
		case <-ctx.Done():
		case <-time.After(kill):
		}
		if ctx.Err() != nil {
			break
		}
		line := ""
		for i, p := range c.replicas {
			row, err := p.gauges()
			if err != nil {
				t.Error(err)
				continue
			}
			if i == 0 {
				held = append(held, row)
			}
			line += fmt.Sprintf(" %5.0f %3.0f %4.0f %3.0f %2.0f ", row[0], row[1], row[2], row[3], row[4])
		}
		say("%6d %6d %9d |%s\n", kills, hours.Load(), calls.good.Load(), line)
		victim := c.replicas[1+kills%(len(c.replicas)-1)] // the first replica is never killed, to measure its resources
		victim.kill()
		taken = append(taken, c.takenOver().Seconds())
		victim.start(t)
	}
	wg.Wait()
	settle, end := context.WithTimeout(t.Context(), 2*time.Minute)
	defer end()
	for {
		q, err := c.own.Refreshes.QueueState(settle)
		if err != nil {
			t.Fatal("the queue does not become empty: ", err)
		}
		if q.Waiting+q.Running == 0 && q.Late == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	var wrong, bad, runs int
	if err := c.db.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE done <> n), coalesce(sum(bad), 0), coalesce(sum(done), 0) FROM (
		  SELECT h.n, count(r.id) AS done, count(r.id) FILTER (WHERE r.state <> 'succeeded') AS bad
		    FROM soaked_hours h LEFT JOIN refresh_run r
		      ON r.workspace_id = h.workspace_id AND r.dashboard_id = h.dashboard_id AND r.cause = 'schedule'
		   GROUP BY h.workspace_id, h.dashboard_id) q`).Scan(&wrong, &bad, &runs); err != nil {
		t.Fatal(err)
	}
	var triggered, deadlocks int
	if err := c.db.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM refresh_run WHERE cause = 'trigger'),
		       (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())`,
	).Scan(&triggered, &deadlocks); err != nil {
		t.Fatal(err)
	}
	c.followed(say)
	say("%d hours of %d schedules (a month has 720): %d refreshes and %d that were asked for, %d not good; "+
		"%d dashboards with another number of them than hours; %d deadlocks; "+
		"%d calls answered, %d over their rate, %d told to come back, %d failed\n",
		hours.Load(), workspaces*dashboards, runs, triggered, bad, wrong, deadlocks,
		calls.good.Load(), calls.throttled.Load(), calls.away.Load(), calls.failed.Load())
	if hours.Load() == 0 || wrong > 0 || bad > 0 || deadlocks > 0 || calls.good.Load() == 0 || calls.failed.Load() > 0 {
		t.Errorf("a schedule fired more or less than once an hour, or a refresh or a call failed, or there were deadlocks")
	}
	if len(taken) > 0 {
		slices.Sort(taken)
		say("runs of killed replicas were others' after %.1f s, at worst %.1f s\n", median(taken), taken[len(taken)-1])
		if *soakFor > 0 && taken[len(taken)-1] > 10 {
			t.Error("a run was taken over more than 10 s after a kill")
		}
	}
	if *soakFor >= 2*time.Minute {
		staysFlat(t, held)
	}
}

// followed fails unless each dashboard that reads others has read the rows that they have now, by runs that succeeded, of which no two of
// one dashboard ran at once.
func (c *soaked) followed(say func(format string, args ...any)) {
	c.t.Helper()
	var feeds, stale, runs, bad, overlaps int
	if err := c.db.QueryRow(c.t.Context(), `
		SELECT count(*), count(*) FILTER (WHERE x.sha256 IS NULL OR f.seen_sha256 IS DISTINCT FROM x.sha256)
		  FROM feed f JOIN dashboard d ON d.workspace_id = f.workspace_id AND d.version_id = f.version_id
		  JOIN dashboard o ON o.workspace_id = f.workspace_id AND o.id = f.dashboard_id
		  LEFT JOIN dataset x ON x.workspace_id = o.workspace_id AND x.version_id = o.version_id AND x.dataset = f.of_dataset`).
		Scan(&feeds, &stale); err != nil {
		c.t.Fatal(err)
	}
	if err := c.db.QueryRow(c.t.Context(), `
		SELECT count(*) FILTER (WHERE r.cause = 'feed'), count(*) FILTER (WHERE r.cause = 'feed' AND r.state <> 'succeeded'),
		       count(*) FILTER (WHERE EXISTS (SELECT FROM refresh_run o WHERE o.workspace_id = r.workspace_id AND o.dashboard_id = r.dashboard_id
		              AND o.id <> r.id AND o.started_at < r.finished_at AND r.started_at < o.finished_at))
		  FROM refresh_run r`).Scan(&runs, &bad, &overlaps); err != nil {
		c.t.Fatal(err)
	}
	say("%d feeds, of which %d have other rows than their sources; %d runs of readers, %d not good; %d runs overlap another one\n",
		feeds, stale, runs, bad, overlaps)
	if feeds == 0 || stale > 0 || runs == 0 || bad > 0 || overlaps > 0 {
		c.t.Error("dashboards that read others did not follow them")
	}
}

// staysFlat fails if a replica uses more in the last quarter of the time than in the second one, by medians, because the
// number of goroutines varies; by the second quarter, memory has grown to what the garbage collector allows. A short run
// shows only that nothing doubles.
func staysFlat(t *testing.T, minutes [][]float64) {
	t.Helper()
	early, late, most := minutes[:1], minutes[len(minutes)-1:], 2.0
	if n := len(minutes); n >= 16 {
		early, late, most = minutes[n/4:n/2], minutes[n-n/4:], 1.1
	}
	for k, what := range []string{"MiB", "MiB in use", "goroutines", "descriptors", "connections"} {
		of := func(rows [][]float64) float64 {
			var all []float64
			for _, row := range rows {
				all = append(all, row[k])
			}
			return median(all)
		}
		fmt.Printf("%12s: %.0f, at last %.0f\n", what, of(early), of(late))
		if of(late) > most*of(early)+2 {
			t.Errorf("%.0f %s at the end, %.0f at the beginning", of(late), what, of(early))
		}
	}
}
