package page

import (
	"context"
	"fmt"

	"service/store/dashboard"
	"service/store/dashboard/locale"
	"service/store/fault"
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
			p.env.logFault(p, step, v)
			p.fault()
		}
	}()
	run()
	return true
}

// fault makes the panel say that it cannot be drawn, and reports whether it did not do so before. Its title is all that is left of it.
func (p *panel) fault() bool {
	if p.problem == p.env.Text(notDrawable) {
		return false
	}
	p.strip(p.env.Text(notDrawable))
	p.warnings = append(p.warnings, dashboard.Warnf(dashboard.WarnPageNotDrawn, fmt.Sprintf("panels[%d]", p.index),
		"the panel cannot be drawn because of a fault in the service, and says so; the rest of the page is not affected. "+
			"Other keys or another type may show the rows."))
	return true
}

// strip leaves the panel nothing but its title and a problem.
func (p *panel) strip(problem string) {
	p.problem = problem
	p.content, p.grid, p.notes, p.warnings, p.summary, p.empty = nil, nil, nil, nil, "", ""
	p.grains, p.before, p.beside, p.marks, p.totals, p.parts = nil, nil, nil, nil, nil, nil
}

// logFault logs the panic of a figure without any value of the rows: the names of functions and
// their lines are kept, and numbers in the text of a runtime error are not.
func (p *env) logFault(of *panel, step string, v any) {
	p.Log.ErrorContext(context.Background(), "a panel panicked", "step", step, "panel", of.index, "type", of.spec.Type,
		"err", fault.Text(v), "stack", fault.Callers())
}
