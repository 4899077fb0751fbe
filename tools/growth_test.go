package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
	"service/store/message"
)

// Patches are read and applied in time that grows no faster than n log n with patch and spec, and within a
// second for the largest. Every input that is known as a worst case belongs here.
func TestPatchesGrowSlowly(t *testing.T) {
	many := func(n int, op, last string) string { return "[" + strings.Repeat(op+",", n) + last + "]" }
	values := func(open, shut string, levels, n int) string {
		return strings.Repeat(open, levels) + `"` + strings.Repeat("x", n) + `"` + strings.Repeat(shut, levels)
	}
	spec := func(n int) string { return `{"panels":[` + strings.Repeat(`{"type":"kpi"},`, n/15) + `{}]}` }
	const first, fails = `{"op":"add","path":"/panels/0","value":1}`, `{"op":"remove","path":"/x"}`
	slowest := []string{"items before all", "keys", "lists in lists", "the last fails", "everything moves", "objects in objects compared"}
	for name, shape := range map[string]func(n int) (spec, patch string){
		"items before all": func(n int) (string, string) { return spec(n), many(199, first, first) },
		"items removed": func(n int) (string, string) {
			const remove = `{"op":"remove","path":"/panels/0"}`
			return spec(n + 4000), many(199, remove, remove)
		},
		"the last fails": func(n int) (string, string) { return spec(n), many(199, first, fails) },
		"everything moves": func(n int) (string, string) {
			return spec(n), many(99, `{"op":"move","from":"/panels","path":"/x"},{"op":"move","from":"/x","path":"/panels"}`, first)
		},
		"everything copied": func(n int) (string, string) {
			return spec(n / 20), many(19, `{"op":"copy","from":"/panels","path":"/x"}`, first)
		},
		"keys": func(n int) (string, string) {
			var b strings.Builder
			for i := range n / 16 {
				fmt.Fprintf(&b, `"k%07d":1,`, i)
			}
			return spec(0), `[{"op":"add","path":"/x","value":{` + b.String() + `"k":1}}]`
		},
		"lists in lists": func(n int) (string, string) {
			return spec(0), `[{"op":"add","path":"/x","value":` + values("[", "]", 16, n) +
				`},{"op":"add","path":"/x` + strings.Repeat("/0", 15) + `","value":1}]`
		},
		"lists in lists, refused": func(n int) (string, string) {
			levels := min(n/32, 9000)
			return spec(0), `[{"op":"add","path":"/x","value":` + values("[", "]", levels, n/2) +
				`},{"op":"test","path":"/x` + strings.Repeat("/0", levels) + `","value":1}]`
		},
		"objects in objects compared": func(n int) (string, string) {
			value := values(`{"a":`, "}", 16, n/2)
			return spec(0), `[{"op":"add","path":"/x","value":` + value + `},{"op":"test","path":"/x","value":` + value + `}]`
		},
		"a long pointer": func(n int) (string, string) {
			return spec(0), `[{"op":"remove","path":"` + strings.Repeat("/a", n/2) + `"}]`
		},
	} {
		prepare := func(n int) (run func()) {
			spec, patch := shape(n)
			return func() {
				var p patchArg
				if p.set("patch", json.RawMessage(patch)) == nil {
					_, _ = p.apply(json.RawMessage(spec)) // whether the patch applies is tested elsewhere
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			growthtest.Check(t, 1<<18, time.Millisecond, prepare)
			if slices.Contains(slowest, name) {
				growthtest.Within(t, time.Second, prepare(message.MaxBytes-20_000))
			}
		})
	}
}
