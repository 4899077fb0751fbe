package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// timing compares the times of the answers for something missing and something
// forbidden. It detects additional work such as drawing a page or opening a file, not
// microseconds: the fast ones of interleaved calls are within a factor of 3 or within a
// millisecond. Additional work slows each call. A scheduler that gives the processor to
// other programs for milliseconds slows some, on a busy machine more than half of them.
func (v *vault) timing(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	const calls = 30
	read := func(path string) func() {
		return func() { v.ada.get(v.workspace("vault") + path) }
	}
	tool := func(name, args string) func() {
		return func() { v.call(t, v.own, name, args) }
	}
	for _, c := range []struct {
		name             string
		forbidden, other func()
	}{
		{
			"get_dashboard", tool("get_dashboard", v.there.fill(gates["get_dashboard"].args)),
			tool("get_dashboard", missing.fill(gates["get_dashboard"].args)),
		},
		{
			"explore_data", tool("explore_data", v.there.fill(gates["explore_data"].args)),
			tool("explore_data", missing.fill(gates["explore_data"].args)),
		},
		{"page", read("/secrets"), read("/nothing")},
	} {
		var took [2][]time.Duration
		for range calls {
			for _, i := range rand.Perm(2) { // in a fixed order, a scheduler of a busy machine may delay the same one each time
				start := time.Now()
				[...]func(){c.forbidden, c.other}[i]()
				took[i] = append(took[i], time.Since(start))
			}
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		forbidden, other := took[0][calls/6], took[1][calls/6]
		t.Logf("%s: forbidden %v, missing %v", c.name, forbidden, other)
		if longer, shorter := max(forbidden, other), min(forbidden, other); longer > 3*shorter && longer-shorter > time.Millisecond {
			t.Errorf("%s: forbidden takes %v, missing %v", c.name, forbidden, other)
		}
	}
}
