package page

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// notDrawable is shown in place of a panel whose figure panicked.
const notDrawable locale.Key = "This panel cannot be drawn because of a fault in the service. The rest of the page is not affected."

// guard runs a step that works out or draws the panel, and reports whether the step ended. If it
// panics, the panel shows [notDrawable] from then on, the log has the stack, and the rest of the page is
// drawn as if nothing had happened. The caller removes what the step has written.
func (p *panel) guard(step string, run func()) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if v := recover(); v != nil { // nil: the goroutine ends
			p.page.logFault(p, step, v)
			p.fault()
		}
	}()
	run()
	return true
}

// fault makes the panel say that it cannot be drawn. Its title is all that is left of it.
func (p *panel) fault() {
	p.strip(p.page.Text(notDrawable))
	p.warnings = append(p.warnings, dashboard.Warnf(dashboard.WarnPageNotDrawn, fmt.Sprintf("panels[%d]", p.index),
		"the panel cannot be drawn because of a fault in the service, and says so; the rest of the page is not affected. "+
			"Other keys or another type may show the rows."))
}

// strip leaves the panel nothing but its title and a problem.
func (p *panel) strip(problem string) {
	p.problem = problem
	p.content, p.grid, p.notes, p.warnings, p.summary, p.empty = nil, nil, nil, nil, "", ""
	p.grains, p.before, p.beside, p.marks, p.totals, p.parts = nil, nil, nil, nil, nil, nil
}

// logFault logs the panic of a figure without any value of the rows: the names of functions and
// their lines are kept, and numbers in the text of a runtime error are not.
func (p *page) logFault(of *panel, step string, v any) {
	log := p.Log
	if log == nil {
		log = slog.Default()
	}
	log.ErrorContext(context.Background(), "a panel panicked", "step", step, "workspace", p.Header.WorkspaceSlug, "dashboard", p.Header.Slug,
		"version", p.Header.Version, "panel", of.index, "type", of.spec.Type, "err", faultText(v), "stack", callers())
}

var digits = regexp.MustCompile(`-?\d+`)

// faultText is the text of a panic of the runtime, with # for each number, which may be a value of the
// rows; of any other panic it is the type alone.
func faultText(v any) string {
	if err, ok := v.(runtime.Error); ok {
		return digits.ReplaceAllString(err.Error(), "#")
	}
	return fmt.Sprintf("%T", v)
}

// callers are the functions that were running when a panic was recovered, one a line, with file and line.
// Unlike debug.Stack it has no arguments.
func callers() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var b strings.Builder
	for {
		f, more := frames.Next()
		fmt.Fprintf(&b, "%s\n\t%s:%d\n", f.Function, f.File, f.Line)
		if !more {
			return b.String()
		}
	}
}
