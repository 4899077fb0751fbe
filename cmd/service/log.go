package main

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"service/server"
	"service/store/tracing"
)

// newLogger returns a logger that writes lines to w, with a short delay. Lines about a request have its id. flush writes
// the delayed lines.
func newLogger(w io.Writer, c *config) (log *slog.Logger, flush func()) {
	lines := &gatherer{w: w}
	opt := &slog.HandlerOptions{Level: c.LogLevel}
	var h slog.Handler = slog.NewTextHandler(lines, opt)
	if c.LogFormat == "json" {
		h = slog.NewJSONHandler(lines, opt)
	}
	if c.traced() {
		h = tracing.Log(h)
	}
	return slog.New(server.LogRequests(steady{h, &repeats{now: time.Now}, lines})), lines.flush
}

// The limit of equal warnings in the log, per window of time.
const (
	warningsEach  = 10
	warningsEvery = time.Minute
)

// steady drops warnings that are repeated too often, such as those of each call while the
// database is unreachable. The next one that is logged has the number of dropped ones.
type steady struct {
	slog.Handler
	repeats *repeats
	lines   *gatherer // receives the handler's lines
}

func (s steady) Handle(ctx context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn {
		dropped, ok := s.repeats.allow(r.Message)
		if !ok {
			return nil
		}
		if dropped > 0 {
			r.AddAttrs(slog.Int("dropped_before", dropped))
		}
	}
	err := s.Handler.Handle(ctx, r)
	s.lines.prompt(r.Level)
	return err
}

func (s steady) WithAttrs(a []slog.Attr) slog.Handler {
	s.Handler = s.Handler.WithAttrs(a)
	return s
}

func (s steady) WithGroup(name string) slog.Handler {
	s.Handler = s.Handler.WithGroup(name)
	return s
}

// repeats counts warnings by their message, which is a constant without values.
type repeats struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[string]*window
}

type window struct {
	began           time.Time
	logged, dropped int
}

// allow counts a warning. ok reports whether to log it, and dropped is the number of
// warnings that were not logged since the last logged one.
func (s *repeats) allow(message string) (dropped int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.of[message]
	if w == nil {
		if s.of == nil || len(s.of) > 1000 { // messages that contain values after all
			s.of = map[string]*window{}
		}
		w = &window{began: s.now()}
		s.of[message] = w
	}
	if s.now().Sub(w.began) >= warningsEvery {
		w.began, w.logged = s.now(), 0
	}
	if w.logged == warningsEach {
		w.dropped++
		return 0, false
	}
	w.logged++
	dropped, w.dropped = w.dropped, 0
	return dropped, true
}
