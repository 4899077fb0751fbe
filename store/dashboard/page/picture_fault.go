package page

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"service/store/dashboard/canvas/picture"
	"service/store/dashboard/panel"
	"service/store/dashboard/scene"
	"service/store/fault"
)

// maxFaults is the maximum number of times a picture is written again after a panic.
const maxFaults = 100

// errFault is the error of a picture that cannot be written at all.
var errFault = errors.New("page: a picture panicked")

// paint lays out and writes a picture, and releases the typesetter. If the writer panics at an item of a panel, that panel shows
// [panel.notDrawable] from then on, and the picture is laid out and written again; an item that belongs to no panel is left out.
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
		w.Letters = scene.NewTypesetter() // the old one may be in an intermediate state
		if one := w.panelOf(at); one != nil && one.Fault() {
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

// attempt writes a picture. If that panics, it logs the stack and returns the item at which the writer panicked, nil if it is not known.
func (w *pagePainter) attempt(write func() (*Picture, error)) (out *Picture, at scene.Item, err error) {
	ended := false
	defer func() {
		if ended {
			return
		}
		if v := recover(); v != nil {
			at = w.Letters.Drawing()
			if one := w.panelOf(at); one != nil {
				one.Env.LogFault(&one.Settings, "write a picture", v)
			} else {
				w.logFault(v)
			}
		}
	}()
	out, err = write()
	ended = true
	return out, nil, err
}

// panelOf returns the panel to which an item belongs, or nil.
func (w *pagePainter) panelOf(item scene.Item) *panel.Panel {
	for i := range w.laid {
		if slices.Contains(w.laid[i].items, item) {
			return w.laid[i].Panel
		}
	}
	return nil
}

// logFault logs a panic outside the panels.
func (w *pagePainter) logFault(v any) {
	log := slog.Default()
	if w.of != nil {
		log = w.of.Log
	}
	log.ErrorContext(context.Background(), "a picture panicked", "step", "write a picture", "err", fault.Text(v), "stack", fault.Callers())
}
