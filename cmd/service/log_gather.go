package main

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	gatherFor  = 10 * time.Millisecond // maximum delay of a log line
	gatherMost = 64 << 10              // maximum of gathered bytes
)

// A gatherer writes several lines together. Each request has two lines, and writing each separately would take the
// kernel longer than producing it. A killed process loses the gathered lines, so warnings and errors are not delayed.
type gatherer struct {
	w     io.Writer
	mu    sync.Mutex
	lines []byte
	timer *time.Timer // runs while there are lines
}

func (g *gatherer) Write(line []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.lines)+len(line) > gatherMost {
		g.write()
	}
	if len(g.lines) == 0 {
		if g.timer == nil {
			g.timer = time.AfterFunc(gatherFor, g.flush)
		} else {
			g.timer.Reset(gatherFor)
		}
	}
	g.lines = append(g.lines, line...)
	return len(line), nil
}

// flush writes the gathered lines.
func (g *gatherer) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.write()
}

// write is flush for a caller that holds the lock. It ignores errors, because they
// cannot be reported anywhere.
func (g *gatherer) write() {
	if len(g.lines) > 0 {
		_, _ = g.w.Write(g.lines)
		g.lines = g.lines[:0]
	}
}

// prompt flushes after a record that may be the last.
func (g *gatherer) prompt(level slog.Level) {
	if level >= slog.LevelWarn {
		g.flush()
	}
}
