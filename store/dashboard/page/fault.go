package page

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas/picture"
	"service/store/dashboard/locale"
	"service/store/dashboard/scene"
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

// fault makes the panel say that it cannot be drawn. Its title is all that is left of it.
func (p *panel) fault() {
	p.strip(p.env.Text(notDrawable))
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

// maxFaults is how often a picture is written again after a panic.
const maxFaults = 100

// errFault is the error of a picture that cannot be written at all.
var errFault = errors.New("page: a picture panicked")

// paint lays out and writes a picture, and releases the typesetter. Where the writer panics at an item of a panel,
// that panel shows [notDrawable] from then on, and the picture is laid out and written again; an item that belongs to no
// panel is left out.
func (w *pagePainter) paint(layOut func() error, write func() (*Picture, error)) (*Picture, error) {
	defer func() { w.Letters.Free() }()
	if err := layOut(); err != nil {
		return nil, err
	}
	for range maxFaults {
		out, at, err := w.attempt(write)
		if out != nil || err != nil {
			return out, err
		}
		w.Letters = scene.NewTypesetter() // the other one may be in the middle of something
		if one := w.panelOf(at); one != nil && one.problem != one.env.Text(notDrawable) {
			one.fault()
			w.Painter, w.laid = picture.New(w.Texts, w.Letters, maxPicture), nil
			if err := layOut(); err != nil {
				return nil, err
			}
			continue
		}
		i := slices.Index(w.Items, at)
		if i < 0 {
			break
		}
		w.Items[i] = &scene.Shape{}
	}
	return nil, errFault
}

// attempt writes a picture. If that panics, the log has the stack, and the item at which it did is returned, which is nil
// for none.
func (w *pagePainter) attempt(write func() (*Picture, error)) (out *Picture, at scene.Item, err error) {
	ended := false
	defer func() {
		if ended {
			return
		}
		if v := recover(); v != nil {
			at = w.Letters.Drawing()
			if one := w.panelOf(at); one != nil {
				one.env.logFault(one, "write a picture", v)
			} else {
				w.logFault(v)
			}
		}
	}()
	out, err = write()
	ended = true
	return out, nil, err
}

// panelOf is the panel that an item belongs to, or nil.
func (w *pagePainter) panelOf(item scene.Item) *panel {
	for i := range w.laid {
		if slices.Contains(w.laid[i].items, item) {
			return w.laid[i].panel
		}
	}
	return nil
}

// logFault logs a panic beside the panels.
func (w *pagePainter) logFault(v any) {
	log := slog.Default()
	if w.of != nil {
		log = w.of.Log
	}
	log.ErrorContext(context.Background(), "a picture panicked", "step", "write a picture", "err", FaultText(v), "stack", Callers())
}

// logFault logs the panic of a figure without any value of the rows: the names of functions and
// their lines are kept, and numbers in the text of a runtime error are not.
func (p *env) logFault(of *panel, step string, v any) {
	p.Log.ErrorContext(context.Background(), "a panel panicked", "step", step, "panel", of.index, "type", of.spec.Type,
		"err", FaultText(v), "stack", Callers())
}

var numbersInText = regexp.MustCompile(`-?\d+`)

// FaultText is the text of a panic of the runtime, with # for each number, which may be a value of the
// rows; of any other panic it is the type alone.
func FaultText(v any) string {
	if err, ok := v.(runtime.Error); ok {
		return numbersInText.ReplaceAllString(err.Error(), "#")
	}
	return fmt.Sprintf("%T", v)
}

// Callers are the functions that were running when a panic was recovered, one a line, with file and line.
// Unlike debug.Stack it has no arguments.
func Callers() string {
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
