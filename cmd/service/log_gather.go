package main

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	gatherFor  = 10 * time.Millisecond // how late a line of the log is at most
	gatherMost = 64 << 10              // bytes that are gathered
)

// A gatherer writes the lines of a while together. Each request has two lines, and to write each by itself takes the
// kernel longer than to make it. Who is killed loses what was gathered, so what is a warning or worse is not held back.
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

// flush writes what is gathered.
func (g *gatherer) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.write()
}

// write is flush for who has the lock. An error of the log has nobody to be told to.
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
