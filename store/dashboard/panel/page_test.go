package panel

import (
	"context"
	"testing"

	"service/store/dashboard"
)

// Functions by which tests of figures draw whole pages and write files. pages_test.go sets them, because package page imports this one.
var (
	renderPage func(ctx context.Context, in Input) ([]byte, error)
	csvOfPanel func(in Input, i int) ([]byte, error)
	scriptName string
)

// SetPages sets the functions that draw whole pages and write files.
func SetPages(
	render func(ctx context.Context, in Input) ([]byte, error), csv func(in Input, i int) ([]byte, error), script string,
) {
	renderPage, csvOfPanel, scriptName = render, csv, script
}

// An opened is an env with all its panels computed.
type opened struct {
	*Env
	panels []*Panel
}

func open(in Input) *opened { return &opened{Env: Open(in)} }

func (o *opened) workOut() {
	for i := range o.Spec.Panels {
		o.panels = append(o.panels, o.Panel(i))
	}
}

func render(t testing.TB, in Input) []byte {
	t.Helper()
	b, err := renderPage(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// examine computes panels for their author.
func examine(in Input) ([]Summary, []dashboard.Warning) {
	in.Author = true
	return Open(in).Examine()
}

func summaries(in Input) []Summary {
	out, _ := examine(in)
	return out
}

func warnings(in Input) []dashboard.Warning {
	_, out := examine(in)
	return out
}
