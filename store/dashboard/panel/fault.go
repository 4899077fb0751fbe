package panel

import (
	"context"
	"fmt"

	"service/store/dashboard"
	"service/store/dashboard/locale"
	"service/store/fault"
)

// notDrawable is the problem of a panel whose figure panicked.
const notDrawable locale.Key = "This panel cannot be drawn because of a fault in the service. The rest of the page is not affected."

// Guard runs a step that computes or draws the panel, and reports whether the step completed. If the step panics, the panel has the problem
// [notDrawable] from then on, the stack is logged, and the rest of the page is not affected. The caller removes the output of the step.
func (p *Panel) Guard(step string, run func()) (ok bool) {
	defer func() {
		if ok {
			return
		}
		if v := recover(); v != nil { // nil: the goroutine exits
			p.Env.LogFault(&p.Settings, step, v)
			p.Fault()
		}
	}()
	run()
	return true
}

// Fault sets the problem of a panel that cannot be drawn, and removes everything else except the title. It returns false if the panel had
// that problem already.
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

// strip removes everything from the panel except its title, and sets a problem.
func (p *Panel) strip(problem string) {
	p.Problem = problem
	p.Content, p.Grid, p.Notes, p.Warnings, p.Summary, p.Empty = nil, nil, nil, nil, "", ""
	p.grains, p.before, p.Beside, p.marks, p.Totals, p.Parts = nil, nil, nil, nil, nil, nil
}

// LogFault logs the panic of a figure without any value of the rows: it logs the functions and lines of the stack, and removes numbers from
// the text of a runtime error.
func (p *Env) LogFault(of *Settings, step string, v any) {
	p.Log.ErrorContext(context.Background(), "a panel panicked", "step", step, "panel", of.Index, "type", of.Spec.Type,
		"err", fault.Text(v), "stack", fault.Callers())
}
