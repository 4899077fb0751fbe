package tools

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/page"
)

// A panicking context panics at the at-th call of Err.
type panicking struct {
	context.Context
	asked, at int
}

func (c *panicking) Err() error {
	if c.asked++; c.asked == c.at {
		panic("secret 4711")
	}
	return nil
}

// If the replay of an alert panics, the answer reports it, and the other alerts are
// tried.
func TestAlertThatPanicsCostsItself(t *testing.T) {
	t.Parallel()
	s, err := dashboard.Parse([]byte(`{"title": "T", "datasets": [{"id": "d", "sql": "SELECT day, sum(n) AS n FROM t GROUP BY 1"}],
		"panels": [{"type": "kpi", "data": "d", "value": "n"}],
		"alerts": [{"id": "broken", "data": "d", "value": "n", "x": "day", "if": "<", "than": 5},
			{"id": "sound", "data": "d", "value": "n", "x": "day", "if": "<", "than": 5}]}`))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	b := cube.NewBuilder([]cube.Column{{Name: "day", Type: cube.Date}, {Name: "n", Type: cube.Integer}})
	for i := range 9 {
		if err := b.Add([]any{now.AddDate(0, 0, -i), int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	tried, warnings := tryAlerts(&panicking{Context: context.Background(), at: 2}, slog.New(slog.NewTextHandler(&log, nil)),
		page.View{Spec: s, Cubes: map[string]*cube.Cube{"d": b.Cube()}, Now: now})
	if len(tried) != 2 || !strings.Contains(tried[0].Would, "fault in the service") || !strings.Contains(tried[1].Would, "would have fired") {
		t.Errorf("tried: %+v", tried)
	}
	if len(warnings) != 1 || warnings[0].Path != "alerts[0]" {
		t.Errorf("warnings: %+v", warnings)
	}
	if text := log.String(); !strings.Contains(text, "alert=broken") || !strings.Contains(text, "replay.go:") ||
		strings.Contains(text, "4711") {
		t.Errorf("the log: %s", text)
	}
}
