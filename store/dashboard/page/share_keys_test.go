package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/panel"
)

// shareOf is a panel of amounts by name: a 40, b 30, c 20, d 10, each with a measure m and an owner.
func shareOf(panel dashboard.Panel) View {
	panel.Value = "n"
	return tiny([]dashboard.Panel{panel}, []string{"k text", "n integer sum", "m integer sum", "owner text"},
		[]any{"a", int64(40), int64(1), "Ann"}, []any{"b", int64(30), int64(2), "Bo"}, []any{"c", int64(20), int64(4), "Cy"},
		[]any{"d", int64(10), int64(3), "Di"})
}

func itemsOf(c *canvas.Recorder) string {
	var out []string
	for _, i := range c.Items {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", i.Name, i.Value, i.Share)))
	}
	return strings.Join(out, ", ")
}

// TestPieKeys: the order of slices, their numbers, and the slices that keep their colours.
func TestPieKeys(t *testing.T) {
	t.Parallel()
	no := false
	for _, tc := range []struct {
		panel dashboard.Panel
		want  string
	}{
		{dashboard.Panel{}, "a 40 40.0%, b 30 30.0%, c 20 20.0%, d 10 10.0%"},
		{dashboard.Panel{Sort: "n"}, "d 10 10.0%, c 20 20.0%, b 30 30.0%, a 40 40.0%"},
		{dashboard.Panel{Sort: "-k"}, "d 10 10.0%, c 20 20.0%, b 30 30.0%, a 40 40.0%"},
		{dashboard.Panel{Sort: "m"}, "a 40 40.0%, b 30 30.0%, d 10 10.0%, c 20 20.0%"},
		{dashboard.Panel{Labels: &no}, "a, b, c, d"},
		{dashboard.Panel{Limit: 1, Highlight: []string{"d"}}, "a 40 40.0%, d 10 10.0%, Other 50 50.0%"},
	} {
		tc.panel.Type, tc.panel.Label = dashboard.Pie, "k"
		if _, c := recorded(t, shareOf(tc.panel), 0); itemsOf(c) != tc.want {
			t.Errorf("%+v: %s, want %s", tc.panel, itemsOf(c), tc.want)
		}
	}
	_, c := recorded(t, shareOf(dashboard.Panel{Type: dashboard.Pie, Label: "k", Highlight: []string{"b"}}), 0)
	for _, i := range c.Items {
		if pale := i.Color == canvas.PaleColor; pale != (i.Name != "b") {
			t.Errorf("%s has the colour %v", i.Name, i.Color)
		}
	}
}

// TestFunnelKeys: the number of steps, the shares next to them, their tones and tooltips, and the steps that keep their colours.
func TestFunnelKeys(t *testing.T) {
	t.Parallel()
	drawn := func(spec dashboard.Panel) (*panel.Panel, *canvas.Recorder) {
		spec.Type, spec.Label, spec.Sort = dashboard.Funnel, "k", "k"
		return recorded(t, shareOf(spec), 0)
	}
	more := func(c *canvas.Recorder) string {
		var out []string
		for _, i := range c.Items {
			out = append(out, i.More)
		}
		return strings.Join(out, ", ")
	}
	for share, want := range map[string]string{
		"":         ", 75.0% of the first, 66.7% of the step before · 50.0% of the first, 50.0% of the step before · 25.0% of the first",
		"first":    ", 75.0% of the first, 50.0% of the first, 25.0% of the first",
		"previous": ", 75.0% of the step before, 66.7% of the step before, 50.0% of the step before",
		"none":     ", , , ",
	} {
		if _, c := drawn(dashboard.Panel{Share: share}); more(c) != want {
			t.Errorf("%q: %s, want %s", share, more(c), want)
		}
	}
	no := false
	if _, c := drawn(dashboard.Panel{Labels: &no, Limit: 2}); itemsOf(c) != "a, b" {
		t.Errorf("two steps without amounts: %s", itemsOf(c))
	}
	tones := []dashboard.Threshold{{If: "<", Value: 0.6, Tone: "bad"}, {If: ">=", Value: 0.7, Tone: "good"}}
	for share, want := range map[string][]string{"": {"good", "", "bad"}, "first": {"good", "bad", "bad"}} {
		p, c := drawn(dashboard.Panel{Share: share, Thresholds: tones})
		var got []string
		for _, r := range c.Rects[1:] {
			switch {
			case r.Pale:
			case r.Color == canvas.ToneColor("good"):
				got = append(got, "good")
			case r.Color == canvas.ToneColor("bad"):
				got = append(got, "bad")
			default:
				got = append(got, "")
			}
		}
		if !slices.Equal(got, want) || c.Items[0].Name != "< 60%" || c.Items[1].Name != "≥ 70%" {
			t.Errorf("%q: tones %q, want %q; legend %v", share, got, want, c.Items[:2])
		}
		if said := " < 60%: "; !strings.Contains(p.Summary, said) {
			t.Errorf("%q: %s", share, p.Summary)
		}
	}
	_, c := drawn(dashboard.Panel{Highlight: []string{"b"}, Tooltip: []string{"m", "owner"}})
	if c.Rects[0].Color != canvas.PaleColor || c.Rects[2].Color == canvas.PaleColor {
		t.Errorf("colours %v and %v", c.Rects[0].Color, c.Rects[2].Color)
	}
	if got, want := strings.Join(c.Rects[2].Title, ""), "b\n30 · 75.0% of the first\nM  2\nOwner  Bo"; got != want {
		t.Errorf("a tooltip %q, want %q", got, want)
	}
}

// TestTreemapKeys: the number of areas, their texts and tooltips, and the areas that keep their colours.
func TestTreemapKeys(t *testing.T) {
	t.Parallel()
	no := false
	drawn := func(spec dashboard.Panel) (*panel.Panel, *canvas.Recorder) {
		spec.Type, spec.Levels = dashboard.Treemap, []string{"k"}
		return recorded(t, shareOf(spec), 0)
	}
	p, c := drawn(dashboard.Panel{Limit: 3, Labels: &no})
	if got := strings.Join(p.Notes, " "); len(p.Grid.Rows) != 3 || got != "The 2 largest of 4 areas; the rest is merged into Other." {
		t.Errorf("%d areas: %s", len(p.Grid.Rows), got)
	}
	if len(c.Labels) > 0 || p.Warnings != nil {
		t.Errorf("texts %v, warnings %v", c.Labels, p.Warnings)
	}
	_, c = drawn(dashboard.Panel{Highlight: []string{"b"}, Tooltip: []string{"m", "owner"}})
	for _, r := range c.Rects {
		title := strings.Join(r.Title, "")
		if pale := r.Color == canvas.PaleColor; pale == strings.HasPrefix(title, "b") {
			t.Errorf("%q has the colour %v", title, r.Color)
		}
		if strings.HasPrefix(title, "b") && title != "b\n30 · 30.0%\nM  2\nOwner  Bo" {
			t.Errorf("a tooltip %q", title)
		}
	}
}
