package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestAuditExport(t *testing.T) {
	t.Parallel()
	in := install(t, "DATABASE_URL="+migratedDatabase(t))
	in.must("admin", "workspace", "create", "acme", "--owner", "ann@example.com")
	in.must("admin", "workspace", "create", "globex", "--owner", "bob@example.com")
	out := in.must("admin", "audit", "export", "--since", "1h")
	var workspaces []string
	for line := range strings.Lines(out) {
		var e auditLine
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Action == "workspace.create" {
			workspaces = append(workspaces, e.Workspace)
			if !e.Operator || e.By != "" || e.At.IsZero() {
				t.Errorf("%s", line)
			}
		}
	}
	if got := strings.Join(workspaces, " "); got != "acme globex" {
		t.Errorf("%s\n%s", got, out)
	}
	if got := in.must("admin", "audit", "export", "--workspace", "acme"); strings.Contains(got, "globex") || !strings.Contains(got, "acme") {
		t.Errorf("%s", got)
	}
	for want, args := range map[string][]string{
		"there is no workspace \"none\"": {"--workspace", "none"},
		"how long ago":                   {"--since", "yesterday"},
	} {
		code, _, stderr := in.command(append([]string{"admin", "audit", "export"}, args...)...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", args, code, stderr)
		}
	}
}

func TestSinceWhen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"": {}, "2026-01-02T03:04:05Z": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "36h": now.Add(-36 * time.Hour), "7d": now.AddDate(0, 0, -7),
	} {
		if got, err := sinceWhen(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"-1h", "soon", "2026-01-02"} {
		if _, err := sinceWhen(text, now); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
