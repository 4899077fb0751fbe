package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store"
	"service/store/dashboard"
)

// TestColorsAreKept: values that a refresh gives colours keep them through the next publish and refresh; a dry run stores no colours, and
// reading writes none.
func TestColorsAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.spec(t, b.owner, "sales", `{}`)
	colors := func(want dashboard.Colors) {
		t.Helper()
		got, err := b.Dashboards.Colors(t.Context(), b.owner, p.Dashboard)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	add := func(value string, color int) func(dashboard.Colors) dashboard.Colors {
		return func(kept dashboard.Colors) dashboard.Colors {
			out := dashboard.Colors{"fuel": {value: color}}
			for v, c := range kept["fuel"] {
				out["fuel"][v] = c
			}
			return out
		}
	}
	refresh := func(p store.Published, give func(dashboard.Colors) dashboard.Colors) {
		t.Helper()
		j, err := b.Refreshes.StartRun(t.Context(), store.RefreshArgs{Workspace: b.owner.WorkspaceID(), Run: p.Run.ID}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Refreshes.FinishRun(t.Context(), j, store.Outcome{Colors: give}); err != nil {
			t.Fatal(err)
		}
	}
	colors(dashboard.Colors{})
	refresh(p, add("coal", 1))
	colors(dashboard.Colors{"fuel": {"coal": 1}})
	p = b.spec(t, b.owner, "sales", `{"again": 1}`)
	colors(dashboard.Colors{"fuel": {"coal": 1}})
	refresh(p, add("wind", 2))
	colors(dashboard.Colors{"fuel": {"coal": 1, "wind": 2}})

	report := store.Publication{
		Slug: "sales", Filename: "index.html", ContentType: dashboard.TypeReport, Content: []byte(`{}`),
		Colors: add("gas", 3), DryRun: true,
	}
	if _, err := b.Dashboards.Publish(t.Context(), b.owner, report); err != nil {
		t.Fatal(err)
	}
	colors(dashboard.Colors{"fuel": {"coal": 1, "wind": 2}})
	report.DryRun = false
	if _, err := b.Dashboards.Publish(t.Context(), b.owner, report); err != nil {
		t.Fatal(err)
	}
	colors(dashboard.Colors{"fuel": {"coal": 1, "gas": 3, "wind": 2}})
}

// TestColorsOfAnotherWorkspace: a member of another workspace reads none.
func TestColorsOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.spec(t, b.owner, "sales", `{}`)
	if _, err := b.Dashboards.Colors(t.Context(), store.Member{}, p.Dashboard); err != store.ErrNotFound {
		t.Errorf("%v", err)
	}
}
