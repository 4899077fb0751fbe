package embedded

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
)

// A logWriter turns the server's stderr into log records, one a line, and
// remembers the end of it for the error of a failed start.
type logWriter struct {
	log *slog.Logger
	// loud passes on warnings. It is off while the server starts and stops, when it warns about each session that connects too early or too
	// late.
	loud atomic.Bool

	mu   sync.Mutex
	part string   // a line without its end
	last []string // at most 40 lines
}

// Write implements io.Writer. It never fails: the server must not block.
func (w *logWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(w.part+string(b), "\n")
	w.part = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		w.record(line)
	}
	return len(b), nil
}

func (w *logWriter) record(line string) {
	w.last = append(w.last, line)
	if len(w.last) > 40 {
		w.last = w.last[1:]
	}
	level := slog.LevelDebug
	severity, text, ok := strings.Cut(line, ":  ")
	if !ok {
		text = line
	}
	// A lost client is not worth a warning: it happens whenever a browser closes a page.
	if w.loud.Load() && text != "connection to client lost" {
		switch severity {
		case "WARNING", "FATAL": // FATAL ends one session
			level = slog.LevelWarn
		case "PANIC": // ends them all
			level = slog.LevelError
		}
	}
	w.log.Log(context.Background(), level, "embedded database: "+text)
}

// tail returns the last lines.
func (w *logWriter) tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(append(w.last[:len(w.last):len(w.last)], w.part), "\n")
}

// mentions reports whether the last lines hold one of the phrases.
func (w *logWriter) mentions(phrases ...string) bool {
	text := w.tail()
	for _, phrase := range phrases {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}
