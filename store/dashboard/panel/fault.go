package panel

import (
	"context"
	"fmt"

	"service/store/dashboard"
	"service/store/dashboard/locale"
	"service/store/fault"
)

// notDrawable is shown in place of a panel whose figure panicked.
const notDrawable locale.Key = "This panel cannot be drawn because of a fault in the service. The rest of the page is not affected."

// Guard runs a step that works out or draws the panel, and reports whether the step ended. If it
// panics, the panel shows [notDrawable] from then on, the log has the stack, and the rest of the page is
// drawn as if nothing had happened. The caller removes what the step has written.
func (p *Panel) Guard(step string, run func()) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if v := recover(); v != nil { // nil: the goroutine ends
			p.Env.LogFault(p, step, v)
			p.Fault()
		}
	}()
	run()
	return true
}

// Fault makes the panel say that it cannot be drawn, and reports whether it did not do so before. Its title is all that is left of it.
func (p *Panel) Fault() bool {
	if p.Problem == p.Env.Text(notDrawable) {
		return false
	}
	p.strip(p.Env.Text(notDrawable))
	p.Warnings = append(p.Warnings, dashboard.Warnf(dashboard.WarnPageNotDrawn, fmt.Sprintf("panels[%d]", p.Index),
		"the panel cannot be drawn because of a fault in the service, and says so; the rest of the page is not affected. "+
			"Other keys or another type may show the rows."))
	return true
}

// strip leaves the panel nothing but its title and a problem.
func (p *Panel) strip(problem string) {
	p.Problem = problem
	p.Content, p.Grid, p.Notes, p.Warnings, p.Summary, p.Empty = nil, nil, nil, nil, "", ""
	p.grains, p.before, p.Beside, p.marks, p.Totals, p.Parts = nil, nil, nil, nil, nil, nil
}

// LogFault logs the panic of a figure without any value of the rows: the names of functions and
// their lines are kept, and numbers in the text of a runtime error are not.
func (p *Env) LogFault(of *Panel, step string, v any) {
	p.Log.ErrorContext(context.Background(), "a panel panicked", "step", step, "panel", of.Index, "type", of.Spec.Type,
		"err", fault.Text(v), "stack", fault.Callers())
}
