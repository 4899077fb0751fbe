package page

import (
	"testing"

	"service/store/dashboard/canvas"
	"service/store/dashboard/panel"
)

// record draws a panel on a recorder.
func record(p *panel.Panel) *canvas.Recorder {
	r := &canvas.Recorder{}
	p.Content.Draw(r)
	return r
}

// recorded draws a panel of a view on a recorder.
func recorded(t *testing.T, v View, index int) (*panel.Panel, *canvas.Recorder) {
	t.Helper()
	p := open(v).Panel(index)
	if p.Content == nil {
		t.Fatalf("panel %d: %s%s", index, p.Problem, p.Empty)
	}
	return p, record(p)
}
