package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// Equal warnings are logged ten times a minute; the next one has the number of dropped
// ones. Other warnings and lines of other levels are not affected.
func TestRepeatedWarnings(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	log := slog.New(steady{slog.NewTextHandler(&out, nil), &repeats{now: func() time.Time { return now }}, &gatherer{}})
	for i := range 1000 {
		log.With("call", i).Warn("the database is away")
		log.Error("an error")
		log.Info("a line")
	}
	log.WithGroup("g").Warn("another warning")
	now = now.Add(warningsEvery)
	log.Warn("the database is away")
	log.Warn("the database is away")
	for text, want := range map[string]int{
		"the database is away": 12, "another warning": 1, "an error": 1000, "a line": 1000, "dropped_before=990": 1,
	} {
		if got := strings.Count(out.String(), text); got != want {
			t.Errorf("%q occurs %d times, want %d", text, got, want)
		}
	}
}

// TestLogIsSteady: the program's own log drops repeated warnings.
func TestLogIsSteady(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, _ := newLogger(&out, &config{LogFormat: "json"})
	for range 1000 {
		log.Warn("the database is away")
	}
	if got := strings.Count(out.String(), "the database is away"); got < warningsEach || got > 2*warningsEach { // twice if a minute passes
		t.Errorf("%d warnings are logged, want %d", got, warningsEach)
	}
}

// TestLinesAreGathered: lines are written together, soon, and before a warning or the end of the program.
func TestLinesAreGathered(t *testing.T) {
	t.Parallel()
	written := &output{}
	log, flush := newLogger(written, &config{})
	log.Info("one")
	log.Info("two")
	log.Warn("three")
	if got := written.String(); strings.Count(got, "\n") != 3 {
		t.Errorf("a warning and what was before it are not written at once:\n%s", got)
	}
	log.Info("four")
	eventually(t, func() error {
		if got := written.String(); !strings.Contains(got, "four") {
			return fmt.Errorf("a line is held back:\n%s", got)
		}
		return nil
	})
	log.Info("five")
	flush()
	log.Info(strings.Repeat("six", gatherMost))
	flush()
	if got := written.String(); strings.Count(got, "\n") != 6 || !strings.Contains(got, "five") {
		t.Errorf("%d lines were written, want 6", strings.Count(got, "\n"))
	}
}

func TestRepeatsAreBounded(t *testing.T) {
	t.Parallel()
	r := &repeats{now: time.Now}
	for i := range 10_000 {
		r.allow(strings.Repeat("x", i))
		if len(r.of) > 1001 {
			t.Fatalf("%d messages are kept", len(r.of))
		}
	}
}
