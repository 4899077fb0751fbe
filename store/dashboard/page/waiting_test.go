package page

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard/cube"
	"service/store/dashboard/scene"
)

// TestPageWithoutRows: a page without any rows has one message: that the first refresh is running, or since when refreshes fail and whether
// another one is under way. A picture has the same message, and so have the summaries that clients read.
func TestPageWithoutRows(t *testing.T) {
	t.Parallel()
	const (
		first   = "The first refresh is running."
		never   = "No data yet. It appears after the first refresh."
		failed  = "No data yet: the last refresh failed."
		failing = "Failing since "
		another = "A refresh is already under way."
		older   = "This is the data of the last successful refresh."
	)
	all := []string{first, never, failed, failing, another, older}
	for name, c := range map[string]struct {
		state   string
		failing bool
		filled  bool
		want    []string // the messages that must be there, of all messages
	}{
		"never refreshed":                {state: "never", want: []string{never}},
		"first one queued":               {state: "queued", want: []string{first}},
		"first one running":              {state: "running", want: []string{first}},
		"failed":                         {state: "failed", failing: true, want: []string{failed, failing}},
		"failed, another one queued":     {state: "queued", failing: true, want: []string{failed, failing, another}},
		"failed, another one running":    {state: "running", failing: true, want: []string{failed, failing, another}},
		"filled, failing, one running":   {state: "running", failing: true, filled: true, want: []string{failing, another, older}},
		"filled, and another is running": {state: "running", filled: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := zooView(ordinary()...)
			v.Header.State, v.Header.AsOf, v.Header.FailingSince = c.state, time.Time{}, time.Time{}
			if c.failing {
				v.Header.FailingSince = now.Add(-5 * time.Hour)
			}
			if c.filled {
				v.Header.AsOf = now.Add(-30 * time.Hour)
			} else {
				v.Cubes = map[string]*cube.Cube{}
			}
			var drawn, said []string
			for _, item := range sceneOf(t, v, Shot{}, false).Items {
				if text, ok := item.(*scene.Text); ok {
					drawn = append(drawn, text.Text)
				}
			}
			for _, s := range Summaries(v) {
				said = append(said, s.Text)
			}
			for what, text := range map[string]string{"the page": string(render(t, v)), "its picture": strings.Join(drawn, " ")} {
				for _, sentence := range all {
					want := false
					for _, w := range c.want {
						want = want || w == sentence
					}
					if got := strings.Contains(text, sentence); got != want {
						t.Errorf("%s: %q is there: %t, want %t", what, sentence, got, want)
					}
				}
			}
			for _, sentence := range []string{first, never, failed} {
				got, want := strings.Contains(strings.Join(said, " "), sentence), strings.Contains(strings.Join(c.want, " "), sentence)
				if got != want {
					t.Errorf("the summaries: %q is there: %t, want %t", sentence, got, want)
				}
			}
		})
	}
}
