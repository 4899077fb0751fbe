package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// axe is the source of axe-core, or why there is none.
func axe(t *testing.T) (source, missing string) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", "npm is not installed, which brings axe-core"
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", dir, "axe-core@4")
	if out, err := install.CombinedOutput(); err != nil {
		return "", "axe-core cannot be installed: " + err.Error() + "\n" + string(out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), ""
}

// violations are the rules of WCAG 2.2 AA, and the best practices, that the open
// page breaks, with the elements that do.
func violations(ctx context.Context, source string) ([]string, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[[]string](source+`
		;axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"]})
			.then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html + " " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
}
