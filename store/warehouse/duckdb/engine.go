package duckdb

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"service/store/limit"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/forkserver"
)

// Config configures an [Engine]. Zero fields get the value in brackets.
type Config struct {
	Argv []string     // the command of a worker, such as the server's own executable and "query-worker"
	Log  *slog.Logger // gets neither SQL nor data
	Dir  string       // for scratch files: private, and emptied; required

	Idle         time.Duration // an unused worker ends after this [60 s]
	MemoryMB     int           // resident memory at which a worker is killed [512]
	Workers      int           // how many may be busy at once [4]
	PerWorkspace int           // how many of them may be busy for one workspace, and for one account [half]
	Processes    int           // how many may exist, including idle ones that are kept for another call [4 times Workers]
	Waiting      int           // how many calls may wait for a worker, at most a quarter of them from one workspace or account [64]
	Threads      int           // of one worker [2]

	CallTime   time.Duration // of a call without a limit of its own [30 s]
	IngestTime time.Duration // of reading an uploaded file [30 s]

	Sealed bool // refuse to work on a machine that cannot seal workers; see [Engine.Seal]
}

// An Engine runs queries over data files in worker processes. It is safe for
// concurrent use; Close it to end them.
type Engine struct {
	cfg     Config
	dir     string   // this engine's own, below cfg.Dir
	lock    *os.File // held while dir is in use
	starter *forkserver.Starter

	openStatm func(pid int) (*os.File, error)

	queue *limit.Fair[uuid.UUID] // of calls, by account and workspace; each busy worker has a slot

	mu      sync.Mutex
	workers map[*worker]struct{} // starting, busy and idle
	closed  bool
	ended   sync.WaitGroup // one per worker
	started uint64         // workers
}

// Stats are counts of an engine, some current and some since its start.
type Stats struct {
	Busy, Idle, Waiting int    // workers, and calls that wait for a worker
	Started, Refused    uint64 // workers, and calls refused because too many were waiting
}

// Stats counts workers and calls.
func (e *Engine) Stats() Stats {
	q := e.queue.Stats()
	e.mu.Lock()
	defer e.mu.Unlock()
	s := Stats{Waiting: q.Waiting, Started: e.started, Refused: q.Refused}
	for w := range e.workers {
		if w.state == idleState {
			s.Idle++
		} else {
			s.Busy++
		}
	}
	return s
}

// New prepares an engine. It starts no worker.
func New(cfg Config) (*Engine, error) {
	if len(cfg.Argv) == 0 || cfg.Dir == "" || cfg.Log == nil {
		return nil, errors.New("duckdb: Config needs Argv, Dir and Log")
	}
	fill(&cfg.Idle, 60*time.Second)
	fill(&cfg.MemoryMB, 512)
	fill(&cfg.Workers, 4)
	fill(&cfg.PerWorkspace, max(1, cfg.Workers/2))
	fill(&cfg.Processes, 4*cfg.Workers)
	fill(&cfg.Waiting, 64)
	fill(&cfg.Threads, 2)
	fill(&cfg.CallTime, 30*time.Second)
	fill(&cfg.IngestTime, 30*time.Second)

	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("duckdb: scratch directory: %w", err)
	}
	sweep(cfg.Dir, cfg.Log)
	dir, err := os.MkdirTemp(cfg.Dir, "engine-")
	if err != nil {
		return nil, fmt.Errorf("duckdb: scratch directory: %w", err)
	}
	// Workers have another working directory, so the path must be absolute.
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("duckdb: scratch directory: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("duckdb: scratch directory: %w", err), os.RemoveAll(dir))
	}
	s, err := forkserver.New(cfg.Argv, dir, cfg.Log)
	if err != nil {
		return nil, errors.Join(err, lock.Close(), os.RemoveAll(dir))
	}
	return &Engine{
		cfg: cfg, dir: dir, lock: lock,
		starter: s, openStatm: openStatm, queue: newQueue(cfg),
		workers: map[*worker]struct{}{},
	}, nil
}

func fill[T int | time.Duration](v *T, usual T) {
	if *v <= 0 {
		*v = usual
	}
}

// sweep removes the directories of engines that were killed: the unlocked ones.
func sweep(parent string, log *slog.Logger) {
	left, err := filepath.Glob(filepath.Join(parent, "engine-*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		lock, err := lockDir(dir)
		if err != nil {
			continue // in use
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Warn("duckdb: scratch of an earlier run stays", "err", err)
		}
		lock.Close()
	}
}

// Close ends all workers, waits for them, and removes the scratch files. Calls
// under way fail, and so do later ones.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	for w := range e.workers {
		if w.state == idleState {
			e.forget(w)
		} else {
			w.kill(errClosed) // its caller releases it, and waiting calls get errClosed
		}
	}
	e.mu.Unlock()
	e.ended.Wait()
	e.starter.Close()
	return errors.Join(os.RemoveAll(e.dir), e.lock.Close())
}

var errClosed = errors.New("duckdb: the engine is closed")

// Open returns a connector over tables for a tenant. It starts no worker until it is used, and need not be closed. Connectors with the same
// workspace, key and data share workers; others never do. tables must not change afterwards.
func (e *Engine) Open(tenant warehouse.Tenant, key string, tables []warehouse.DataTable) warehouse.Connector {
	return &connector{engine: e, tenant: tenant, set: set{tenant.Workspace, identify(key, tables), ""}, tables: tables}
}

// A set identifies the workspace, data and time zone of a worker.
type set struct {
	workspace uuid.UUID
	data      [sha256.Size]byte
	zone      string // "" is UTC
}

// identify hashes the key, the columns, and the data or its hash, so that different data under one
// key still gets different workers.
func identify(key string, tables []warehouse.DataTable) (sum [sha256.Size]byte) {
	h := sha256.New()
	part := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	part(key)
	for _, t := range tables {
		part(t.Name)
		part(t.Format)
		for _, c := range t.Columns {
			part(c.Name)
			part(string(c.Type))
		}
		part("")
		h.Write(binary.AppendUvarint(nil, uint64(len(t.Data))))
		h.Write(t.Data)
		part(string(t.SHA256))
	}
	h.Sum(sum[:0])
	return sum
}
