package refresh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"service/server/jobs"
	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/tracing"
	"service/store/warehouse"
)

const (
	// share is how many refreshes of one workspace run at once, so that a workspace
	// with a thousand in the queue does not keep others waiting.
	share = 2
	// accountShare is how many run at once for all workspaces of one account. It is
	// less than the workers of a process.
	accountShare = 3
	// parallel is how many datasets of one refresh are queried at once.
	parallel = 2
	// queryTime is how long one dataset's query may take.
	queryTime = 30 * time.Second
	// busyWait is how long a dataset waits when its source is busy.
	busyWait = time.Second
)

// FlushEvery is how often counted views are written.
const FlushEvery = 5 * time.Second

// Config is the configuration of a [Worker].
type Config struct {
	Store    *store.Store
	Log      *slog.Logger
	Workers  int              // refreshes at once in this process; 4 by default
	Patience time.Duration    // the least time for which a dataset waits for a busy source; 25 s by default
	Memory   int64            // bytes that the rows of one refresh may take; dashboard.MaxMemory by default
	Alone    bool             // no other process can be refreshing: all active runs are taken over at the start
	Now      func() time.Time // time.Now by default
	Queues   []jobs.Queue     // other queues that the same process works on
	Traces   *tracing.Tracer  // nil: refreshes are not traced

	// Callbacks for events; nil: none.
	Done      func(state string, took time.Duration) // of a refresh
	Attempted func(outcome string)                   // of an attempt at a refresh: one of Outcomes
	Ran       func(task string, err error)           // a periodic task
	Swept     func(rows int64)
}

// Outcomes are the outcomes of attempts at refreshes: failed and cancelled ones are repeated (cancelled: the process stops), discarded
// ones have failed too often, and snoozed ones found queued refreshes but no free share.
var Outcomes = []string{"completed", "snoozed", "failed", "discarded", "cancelled"}

// A Worker performs refreshes and the periodic tasks.
type Worker struct {
	cfg   Config
	crew  *jobs.Crew
	stop  context.CancelFunc
	loops sync.WaitGroup

	renewed time.Time // time of the last renewal of the lease
	patient time.Time // until then, other processes may be as late as this one was
}

// New returns a worker that has not started.
func New(cfg Config) (*Worker, error) {
	if cfg.Workers == 0 {
		cfg.Workers = 4
	}
	if cfg.Patience == 0 {
		cfg.Patience = 25 * time.Second // a query, and storing its rows, still fit into the time of a refresh
	}
	if cfg.Memory == 0 {
		cfg.Memory = dashboard.MaxMemory
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Done == nil {
		cfg.Done = func(string, time.Duration) {}
	}
	if cfg.Attempted == nil {
		cfg.Attempted = func(string) {}
	}
	if cfg.Ran == nil {
		cfg.Ran = func(string, error) {}
	}
	if cfg.Swept == nil {
		cfg.Swept = func(int64) {}
	}
	w := &Worker{cfg: cfg}
	refreshes := jobs.Queue{Name: store.RefreshQueue, Workers: cfg.Workers, Claim: w.claim}
	w.crew = jobs.NewCrew(cfg.Log, append(cfg.Queues, refreshes)...)
	return w, nil
}

// Start begins to work and returns. It works until [Worker.Stop].
func (w *Worker) Start(ctx context.Context) error {
	if err := w.lease(ctx); err != nil {
		return err
	}
	if w.cfg.Alone {
		if err := w.takeOver(ctx, true); err != nil {
			return err
		}
	}
	w.crew.Start(ctx)
	loop, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stop = stop
	w.loops.Go(func() { w.listen(loop) })
	w.every(loop, store.RenewEvery, "lease", w.lease)
	w.every(loop, 5*time.Second, "schedules", func(ctx context.Context) error {
		_, err := w.cfg.Store.Refreshes.Tick(ctx)
		return err
	})
	w.every(loop, 5*time.Second, "deliveries", func(ctx context.Context) error {
		_, err := w.cfg.Store.Messages.Deliver(ctx)
		return err
	})
	w.every(loop, FlushEvery, "views", w.cfg.Store.Dashboards.FlushViews)
	w.every(loop, time.Minute, "lost messages", w.cfg.Store.Messages.FailLostMessages)
	w.every(loop, time.Minute, "failing connections", w.cfg.Store.Connections.LookAgain)
	w.every(loop, alertsEvery, "alerts", w.JudgeDue)
	w.every(loop, time.Hour, "sweep", func(ctx context.Context) error {
		_, blobs := w.cfg.Store.SweepBlobs(ctx)
		gone, rows := w.cfg.Store.Sweep(ctx)
		w.cfg.Swept(gone)
		return errors.Join(blobs, rows)
	})
	return nil
}

// listen wakes the queues for which the database announces work, until ctx ends.
func (w *Worker) listen(ctx context.Context) {
	for failing := false; ctx.Err() == nil; {
		began := time.Now()
		err := w.cfg.Store.Jobs.Listen(ctx, w.crew.Wake)
		if failing = failing && time.Since(began) < time.Minute; ctx.Err() == nil && !failing { // logged once, however long it lasts
			w.cfg.Log.WarnContext(ctx, "queue: the database does not announce new jobs; each queue is polled every second", "err", err)
			failing = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// endWithin is the time for a cancelled refresh to return to the queue, and for the last statements of a process. Two of them and the
// time of [Worker.Stop] are less than the ten seconds after which Docker kills a container.
const endWithin = 1500 * time.Millisecond

// Stop waits for running refreshes. When ctx ends it cancels their queries and returns them to the queue, where their attempts do not
// count. It waits for that, but not for sources that ignore it: other processes take over such refreshes.
func (w *Worker) Stop(ctx context.Context) error {
	w.stop()
	w.loops.Wait()
	err := w.crew.Stop(ctx, endWithin)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	return errors.Join(err, w.cfg.Store.Dashboards.FlushViews(last), w.cfg.Store.Jobs.EndLease(last))
}

// lease renews the lease of this process, and takes over the runs of processes whose leases have expired. If this process was late itself,
// as all are while the database is unreachable, it first gives the others [store.LeaseLasts] to renew theirs.
func (w *Worker) lease(ctx context.Context) error {
	if err := errors.Join(w.cfg.Store.Jobs.SyncClock(ctx), w.cfg.Store.Jobs.RenewLease(ctx)); err != nil {
		return err
	}
	now := time.Now()
	if !w.renewed.IsZero() && now.Sub(w.renewed) > 2*store.RenewEvery {
		w.patient = now.Add(store.LeaseLasts)
	}
	w.renewed = now
	if now.Before(w.patient) {
		return nil
	}
	return w.takeOver(ctx, false)
}

func (w *Worker) takeOver(ctx context.Context, alone bool) error {
	return w.crew.Held(func(held []uuid.UUID) error {
		taken, err := w.cfg.Store.Jobs.TakeOver(ctx, alone, held)
		if taken != (store.Taken{}) {
			w.cfg.Log.WarnContext(ctx, "refreshes and messages of processes that have ended are queued again",
				"refreshes", taken.Runs, "given_up", taken.Failed, "messages", taken.Messages)
		}
		for range taken.Failed {
			w.cfg.Attempted("discarded")
		}
		return err
	})
}

// turnWithin is how long one turn of the clockwork may take, or its interval where that is longer. A connection whose other end
// is gone without a word would hold up all later ones.
const turnWithin = 2 * time.Minute

// every runs f now and then at each interval, until ctx ends.
func (w *Worker) every(ctx context.Context, interval time.Duration, what string, f func(context.Context) error) {
	w.loops.Go(func() {
		t := time.NewTicker(interval)
		defer t.Stop()
		for failing := false; ; {
			turn, end := context.WithTimeout(ctx, max(interval, turnWithin))
			err := f(turn)
			end()
			if ctx.Err() == nil {
				w.cfg.Ran(what, err)
			}
			switch {
			case ctx.Err() != nil:
			case err != nil && !failing: // logged once, however long it lasts
				w.cfg.Log.WarnContext(ctx, "clockwork: will try again", "what", what, "err", err)
				failing = true
			case err == nil && failing:
				w.cfg.Log.InfoContext(ctx, "clockwork: goes on", "what", what)
				failing = false
			}
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
		}
	})
}

// claim starts the refresh whose turn it is.
func (w *Worker) claim(ctx context.Context) (uuid.UUID, func(context.Context), error) {
	j, err := w.cfg.Store.Refreshes.StartNext(ctx, store.Shares{Workspace: share, Account: accountShare})
	switch {
	case errors.Is(err, store.ErrBusy):
		w.cfg.Attempted("snoozed")
		return uuid.Nil, nil, nil
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrRunOver):
		return uuid.Nil, nil, nil
	case err != nil:
		return uuid.Nil, nil, err
	}
	return j.Run, func(ctx context.Context) { w.cfg.Attempted(w.refresh(ctx, j)) }, nil
}

// refresh performs a refresh and returns one of [Outcomes]. After an internal error ("failed") the run is taken over.
func (w *Worker) refresh(ctx context.Context, j store.Job) string {
	cfg := w.cfg
	ctx, cancel := context.WithTimeout(ctx, store.RefreshTimeout)
	defer cancel()
	ctx, span := cfg.Traces.Job(ctx, "refresh", j.QueuedBy, j.Workspace)
	state := "interrupted"
	defer func() { span.End(state, state != store.RunSucceeded) }()
	start := time.Now()
	outcome := w.perform(ctx, j)
	outcome.Took = time.Since(start)
	after, end := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer end()
	if errors.Is(ctx.Err(), context.Canceled) { // not a timeout: the worker is stopping, and another one starts over
		if err := cfg.Store.Refreshes.ReleaseRun(after, j); err != nil { // other processes find it after this one has ended
			cfg.Log.WarnContext(ctx, "a refresh could not be returned to the queue", "run", j.Run, "err", err)
		} else {
			cfg.Log.InfoContext(ctx, "a refresh returns to the queue: this process is stopping", "run", j.Run)
		}
		return "cancelled"
	}
	ended, err := cfg.Store.Refreshes.FinishRun(after, j, outcome)
	if errors.Is(err, store.ErrTakenOver) {
		cfg.Log.WarnContext(ctx, "another process has taken over a refresh", "run", j.Run)
		return "completed"
	}
	if err != nil {
		cfg.Log.ErrorContext(ctx, "a refresh could not be ended: it is started again", "run", j.Run, "err", err)
		return "failed"
	}
	state = ended
	cfg.Log.InfoContext(ctx, "refresh", "run", j.Run, "workspace_id", j.Workspace,
		"state", state, "datasets", len(outcome.Datasets), "took", outcome.Took)
	cfg.Done(state, outcome.Took)
	return "completed"
}

// perform runs the datasets of a job. It returns no error, because failures are part of
// the outcome, in sentences that are safe to show.
func (w *Worker) perform(ctx context.Context, j store.Job) (o store.Outcome) {
	s, err := dashboard.ParseStored(j.Spec)
	if err != nil {
		s = nil
	}
	var unheard []string
	defer func() {
		if p := recover(); p != nil {
			w.cfg.Log.ErrorContext(ctx, "refresh panicked", "run", j.Run, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			o = store.Outcome{Error: internal(j)}
		}
		o.Alerts = w.alerts(ctx, j.Run, s, unheard)
	}()
	if s == nil { // it was checked when it was published
		w.cfg.Log.ErrorContext(ctx, "a stored spec does not parse", "run", j.Run, "version", j.Version, "err", err)
		return store.Outcome{Error: "The stored spec is not valid for this version of the service. Publish the dashboard again."}
	}
	var source store.Source
	if s.Queries() {
		if source, err = w.cfg.Store.Connections.JobSource(ctx, j); err != nil {
			return store.Outcome{Error: w.safe(ctx, j, err)}
		}
		source = source.In(s.Location())
	}
	ctx = warehouse.WithTags(ctx, map[string]string{"dashboard": j.Dashboard.String(), "version": j.Version.String()})
	fed, err := w.feeds(ctx, j, s)
	if err != nil {
		return store.Outcome{Error: w.safe(ctx, j, err)}
	}
	s, unheard = fed.spec, fed.unheard()
	shelf := cube.Shelf{Most: w.cfg.Memory}
	of := map[string]int{} // the indexes of runs, in the order of the spec
	for i, run := range s.Runs() {
		of[run.ID] = i
	}
	o.Datasets = make([]store.DatasetResult, len(of))
	errs := make([]error, len(of))
	slots := make(chan struct{}, parallel)
	for _, stage := range s.Stages() {
		var wg sync.WaitGroup
		for _, run := range stage {
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				ask := func() (store.DatasetResult, error) {
					return w.query(ctx, j, s, run, source.For(run.Dataset.ID), &shelf)
				}
				if len(run.Dataset.From) > 0 {
					ask = func() (store.DatasetResult, error) { return w.follow(ctx, j, fed, run, &shelf) }
				}
				o.Datasets[of[run.ID]], errs[of[run.ID]] = ask()
			})
		}
		wg.Wait()
		s = fed.learn(stage, o.Datasets, of)
	}
	o.Fed = fed.All
	runs := s.Runs()
	for i, err := range errs {
		bad, ok := errors.AsType[*warehouse.Error](err)
		switch {
		case len(runs[i].Dataset.From) > 0: // it does not query the connection
		case o.Datasets[i].Cube != nil, ok && !bad.Class.OfSource():
			o.Answered = true
		case ok && bad.Class != warehouse.Busy && o.Unreached == "":
			o.Unreached = bad.Message
		}
	}
	o.Error = verdict(s, o)
	cubes := map[string]*cube.Cube{}
	for _, d := range o.Datasets {
		cubes[d.ID] = d.Cube
	}
	o.Colors = func(kept dashboard.Colors) dashboard.Colors { return kept.With(s, cubes) }
	return o
}

// query runs one dataset with one combination of options. Its rows share the memory of all.
func (w *Worker) query(
	ctx context.Context, j store.Job, s *dashboard.Spec, run dashboard.Run, source warehouse.Connector, shelf *cube.Shelf,
) (r store.DatasetResult, err error) {
	d, s := run.Dataset, run.Spec(s)
	r.RunDataset = store.RunDataset{ID: run.ID, State: store.RunFailed}
	r.Definition = d.Definition(s)
	defer w.watch(ctx, j, &r)()
	sql, args, err := d.Bind(s, w.cfg.Now(), source.Placeholder)
	if err != nil {
		r.Error = err.Error()
		return r, err
	}
	limits := warehouse.Limits{Rows: d.Rows, Bytes: dashboard.MaxResultBytes, Time: queryTime}
	rows, stats, err := w.ask(ctx, source, sql, args, limits, shelf)
	r.Read = stats.Read
	if err == nil {
		if r.Cube = rows.Cube(); rows.Over() {
			err = w.tooMuch()
		}
	}
	if err != nil {
		r.Error = w.safe(ctx, j, err)
		return r, err
	}
	return keep(s, d, r, stats.Truncated), nil
}

// keep accepts the cube of a result, unless the row rules cannot be applied to it: then the last good rows stay.
func keep(s *dashboard.Spec, d *dashboard.Dataset, r store.DatasetResult, truncated bool) store.DatasetResult {
	if no := s.CheckAccess(d.ID, r.Cube.Columns(), truncated); no != "" {
		r.Error, r.Cube = no, nil
		return r
	}
	r.State, r.Rows, r.Truncated = store.RunSucceeded, r.Cube.Rows(), truncated
	return r
}

// watch returns a function to be deferred while a dataset runs: it catches a panic, which would end the process, and measures the time.
func (w *Worker) watch(ctx context.Context, j store.Job, r *store.DatasetResult) func() {
	start := time.Now()
	return func() {
		if p := recover(); p != nil {
			w.cfg.Log.ErrorContext(ctx, "dataset panicked", "run", j.Run, "dataset", r.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			r.Error, r.Cube = internal(j), nil
		}
		r.ElapsedMS = int(time.Since(start).Milliseconds())
	}
}

// tooMuch returns the error of a dataset whose rows do not fit into memory together with those of the others.
func (w *Worker) tooMuch() error {
	return warehouse.Errorf(warehouse.TooLarge, "The rows of all datasets take more than %d MiB of memory together, so these are not kept. "+
		"Group by coarser dimensions, or return fewer rows or columns.", w.cfg.Memory>>20)
}

// ask runs a query. While the source refuses it as busy, ask waits and tries again.
func (w *Worker) ask(
	ctx context.Context, source warehouse.Connector, sql string, args []any, l warehouse.Limits, shelf *cube.Shelf,
) (rows *cube.Collector, stats warehouse.Stats, err error) {
	for end := time.Now().Add(w.cfg.Patience); ; {
		rows = shelf.Collect()
		stats, err = source.Query(ctx, sql, args, l, rows)
		if err != nil {
			rows.Drop()
		}
		if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Busy || time.Now().After(end) {
			return rows, stats, err
		}
		select {
		case <-ctx.Done():
			return rows, stats, err
		case <-time.After(busyWait/2 + rand.N(busyWait)): // spreads the next tries
		}
	}
}

// verdict returns a sentence that describes the problem of an outcome as a whole; "" if there is no problem.
func verdict(s *dashboard.Spec, o store.Outcome) string {
	columns := map[string][]cube.Column{}
	first := ""
	failed := 0
	for _, d := range o.Datasets {
		if d.Cube != nil {
			columns[d.ID] = d.Cube.Columns()
			continue
		}
		failed++
		if first == "" {
			first = fmt.Sprintf(`Dataset "%s": %s`, d.ID, d.Error)
		}
	}
	if failed > 1 {
		return fmt.Sprintf("%d of %d datasets failed. %s", failed, len(o.Datasets), first)
	}
	if failed == 1 {
		return first
	}
	if err := s.CheckColumns(columns); err != nil { // only the rows show this: the connection was not asked at publish
		return "The rows do not have the columns that the spec names. " + err.Error()
	}
	return ""
}

// safe returns the sentence to show for err. It logs internal errors.
func (w *Worker) safe(ctx context.Context, j store.Job, err error) string {
	if no, ok := message.As(err); ok {
		return no.Error()
	}
	if bad, ok := errors.AsType[*warehouse.Error](err); ok {
		return bad.Message
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // otherwise the worker is stopping, and the run has no outcome
		w.cfg.Log.ErrorContext(ctx, "refresh failed", "run", j.Run, "err", err)
	}
	return internal(j)
}

func internal(j store.Job) string {
	return fmt.Sprintf("The refresh could not be completed: an internal error (run %s).", j.Run)
}
