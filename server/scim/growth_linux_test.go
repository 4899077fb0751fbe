package scim

import (
	"fmt"
	"testing"
	"time"

	"github.com/elimity-com/scim"
	"github.com/scim2/filter-parser/v2"

	"service/store/growthtest"
)

// Items are added to a list in time that grows no faster than n log n, also items without a value.
func TestPatchGrowsSlowly(t *testing.T) {
	growthtest.Check(t, 1<<19, time.Millisecond, func(n int) func() {
		items := make([]any, n/20)
		for i := range items {
			items[i] = map[string]any{"type": fmt.Sprint("some ", i)}
		}
		path := &filter.Path{AttributePath: filter.AttributePath{AttributeName: "emails"}}
		return func() {
			attributes := map[string]any{}
			for range 2 {
				err := applyAll(attributes, userSchema, []scim.PatchOperation{{Op: scim.PatchOperationAdd, Path: path, Value: items}})
				if err != nil || len(attributes["emails"].([]any)) != len(items) {
					t.Fatal(err)
				}
			}
		}
	})
}
