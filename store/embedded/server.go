package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	attachWithin = time.Minute     // for another process to make its cluster and start it
	readyWithin  = 5 * time.Minute // a crash may leave much to replay
	stopWithin   = 20 * time.Second
	takeOverPoll = 250 * time.Millisecond
)

// Config configures a server. Only Dir is required.
type Config struct {
	Dir       string       // made when missing
	Ephemeral bool         // trades durability for speed: for tests
	Log       *slog.Logger // slog.Default by default
}

// A Server is a running PostgreSQL, started by this process or by another one with the same directory.
type Server struct {
	// DSN is a connection string for the superuser postgres and the database
	// of the same name. It stays valid across restarts.
	DSN string

	cfg    Config
	layout *layout
	lock   *os.File // nil while attached
	cancel context.CancelFunc
	done   chan struct{} // closed when supervise has ended
	alone  bool
	again  atomic.Int64 // restarts
	err    error        // of stopping; read after done
}

// Start returns once the database answers. It makes the cluster on first use and starts it, or attaches to the server
// that another process runs on the same directory. ctx limits only the start; the server runs until [Server.Stop].
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	p, err := prepare(cfg.Dir)
	if err != nil {
		return nil, err
	}
	s := &Server{DSN: p.dsn(), cfg: cfg, layout: p, done: make(chan struct{})}
	var child *process
	if err := s.lockOrAttach(ctx); err != nil {
		return nil, err
	}
	if s.lock != nil {
		if child, err = s.launch(ctx); err != nil {
			return nil, errors.Join(err, s.lock.Close())
		}
		s.alone = true
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	go s.supervise(life, child)
	return s, nil
}

// Stop shuts the server down when this process runs it, and leaves it alone
// when another does. It may be called more than once.
func (s *Server) Stop() error {
	s.cancel()
	<-s.done
	return s.err
}

// Started reports whether [Start] started the server, rather than attached to a running one. In that case no process was connected to it
// before.
func (s *Server) Started() bool { return s.alone }

// Restarts returns how often the server was restarted after an unexpected end.
func (s *Server) Restarts() int64 { return s.again.Load() }

// Free is how many bytes are free on the database's disk.
func (s *Server) Free() (uint64, error) {
	var st syscall.Statfs_t
	err := syscall.Statfs(s.layout.dir, &st)
	return uint64(st.Bavail) * uint64(st.Bsize), err
}

// lockOrAttach returns nil when it holds the lock, or when another process's server answers. It tries both in turn,
// because the holder of the lock may be starting or stopping.
func (s *Server) lockOrAttach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, attachWithin)
	defer cancel()
	for {
		held, err := s.tryLock()
		if err != nil || held {
			return err
		}
		err = s.ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process holds %s, but its database does not answer: %w", s.layout.dir, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tryLock reports whether this process now holds the directory.
func (s *Server) tryLock() (bool, error) {
	f, err := os.OpenFile(filepath.Join(s.layout.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		s.lock = f
		return true, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false, f.Close()
	default:
		return false, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
}

// launch creates the cluster if it does not exist, and starts it. The caller holds the lock.
func (s *Server) launch(ctx context.Context) (*process, error) {
	if err := s.layout.makeSocketDir(); err != nil {
		return nil, err
	}
	if err := s.initialize(ctx); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		if err := s.reclaim(ctx); err != nil {
			return nil, err
		}
		child, err := s.layout.run(s.cfg)
		if err != nil {
			return nil, err
		}
		if err = s.waitReady(ctx, child); err == nil {
			child.log.loud.Store(true)
			return child, nil
		}
		child.kill()
		// Backends of a killed server keep its shared memory until they notice.
		if attempt == 20 || ctx.Err() != nil || !child.log.mentions("shared memory block", "lock file") {
			return nil, fmt.Errorf("the embedded database did not start: %w\n%s", err, child.log.tail())
		}
		pause(ctx, time.Duration(attempt)*50*time.Millisecond)
	}
}

// How long to wait before a server that has ended unexpectedly, or does not start, is started again. A server that was up is restarted
// soon, however often it ends, because nothing works without it.
const (
	shortestPause  = 100 * time.Millisecond
	longestPause   = 10 * time.Second // between starts that fail
	longestRestart = time.Second      // before a server that was up is started again
	wellAfter      = time.Minute      // uptime after which earlier failures are forgotten
)

// supervise keeps the server running until life ends. It restarts a child that died, and takes over when the process
// that we were attached to has ended.
func (s *Server) supervise(life context.Context, child *process) {
	defer close(s.done)
	failed, restart := shortestPause, shortestPause
	for life.Err() == nil {
		if s.lock == nil {
			pause(life, takeOverPoll)
			if held, err := s.tryLock(); err != nil {
				s.cfg.Log.Error("embedded database: cannot take over", "err", err)
				pause(life, longestPause)
			} else if held {
				s.cfg.Log.Info("embedded database: its process has ended, taking over")
			}
			continue
		}
		if child == nil {
			var err error
			if child, err = s.launch(life); err != nil {
				if life.Err() == nil {
					s.cfg.Log.Error("embedded database: start failed", "err", err, "retry_in", failed)
				}
				pause(life, failed)
				failed = min(failed*2, longestPause)
				continue
			}
			failed = shortestPause
			s.again.Add(1)
		}
		up := time.Now()
		select {
		case <-child.exited:
			if time.Since(up) > wellAfter {
				restart = shortestPause
			}
			s.cfg.Log.Error("embedded database: exited, restarting", "uptime", time.Since(up), "restart_in", restart)
			child = nil
			pause(life, restart)
			restart = min(restart*2, longestRestart)
		case <-life.Done():
		}
	}
	if s.lock == nil {
		return
	}
	if child != nil {
		child.stop()
	}
	s.layout.removeSocketDir()
	s.err = s.lock.Close()
}

// waitReady returns when the server answers, has exited, or ctx ends.
func (s *Server) waitReady(ctx context.Context, child *process) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for delay := 2 * time.Millisecond; ; delay = min(delay*3/2, 50*time.Millisecond) {
		err := s.ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-child.exited:
			return errors.New("it exited")
		case <-ctx.Done():
			return err
		case <-time.After(delay):
		}
	}
}

func (s *Server) ping(ctx context.Context) error {
	conn, err := pgconn.Connect(ctx, s.DSN)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
