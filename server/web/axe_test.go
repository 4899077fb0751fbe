package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"service/server/browsertest"
)

// axe is the source of axe-core. Where it cannot be had it is empty, and a subtest
// is skipped that says why; with CI=true the test fails.
func axe(t *testing.T) (source string) {
	t.Helper()
	without := func(reason string) string {
		t.Helper()
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI needs axe-core: %s", reason)
		}
		t.Run("axe", func(t *testing.T) { t.Skip(reason) })
		return ""
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return without("npm is not installed, which brings it")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, "axe-core@4")
	if out, err := install.CombinedOutput(); err != nil {
		return without("it cannot be installed: " + err.Error() + "\n" + string(out))
	}
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// violations are the rules of WCAG 2.2 AA, and the best practices, that the open
// page breaks, with the elements that do. The page must have run axe's source.
func violations(b *browsertest.Tab) []string {
	b.Helper()
	return browsertest.Eval[[]string](b, `
		axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"]})
			.then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html + " " + n.failureSummary)))`)
}
