package tools_test

import (
	"strings"
	"testing"

	"service/store"
	"service/tools"
)

// TestReadinessSaysStorage: the answer warns before the workspace reaches its quota and
// once it has, when it can no longer publish.
func TestReadinessSaysStorage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t), func(o *store.Options) { o.Quotas = map[string]int{"paid": 3 << 20} })
	status := func(want string) {
		t.Helper()
		text := w.call("check_readiness", `{}`).Text
		if !strings.Contains(text, `"id":"storage","status":"`+want+`"`) {
			t.Errorf("not %s: %s", want, text)
		}
	}
	status("ok")
	for _, letter := range []string{"a", "b"} {
		w.call("publish_dashboard", `{"path": "`+letter+`/data.csv", "body": "n\n`+strings.Repeat(letter, 1_300_000)+`\n"}`)
	}
	status("warning")
	text := w.call("publish_dashboard", `{"path": "c/data.csv", "body": "n\n`+strings.Repeat("c", 1_300_000)+`\n"}`).Text
	if want := "the workspace has no room for this: it stores 2 MiB of the 3 MiB that its plan allows"; !strings.Contains(text, want) {
		t.Errorf("publishing more: %.300s", text)
	}
}

// TestReadinessSaysSandbox: if workers lack a layer of the sandbox, the answer reports
// it, and everything still works.
func TestReadinessSaysSandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	for _, seals := range []bool{true, false} {
		w.url = w.serve(func(c *tools.Config) { c.Seals = seals })
		text := w.call("check_readiness", `{}`).Text
		if strings.Contains(text, `"id":"sandbox","status":"warning"`) == seals || !strings.Contains(text, `"ready":true`) {
			t.Errorf("sealed: %v: %s", seals, text)
		}
	}
}
