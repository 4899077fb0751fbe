package dashboard

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The keys that check_readiness lists are those that the reader of specs accepts: each key of each type, and no other. The list is small,
// because every client reads it.
func TestListOfPanelKeys(t *testing.T) {
	t.Parallel()
	split := func(text string) []string {
		text = strings.NewReplacer("; with rows: ", ", ", "; optional: ", ", ", "optional: ", "", " or ", ", ").Replace(text)
		return strings.Split(text, ", ")
	}
	got := PanelKeys()
	common := split(got["all types"])
	if values := got["values"]; !strings.Contains(values, `totals: true, false, "rows" or "columns"`) ||
		!strings.Contains(values, "gaps: auto, break, join, zero;") {
		t.Error(got["values"])
	}
	if len(got) != len(types)+2 {
		t.Errorf("%d entries for %d types", len(got), len(types))
	}
	for _, pt := range types {
		listed := split(got[pt.name])
		keys := slices.Concat(keyNames(everyPanel, pt.required, pt.optional, pt.either[0], pt.either[1]))
		for _, key := range keys {
			if !slices.Contains(listed, key) && !slices.Contains(common, key) {
				t.Errorf("%s: %s is not listed: %s", pt.name, key, got[pt.name])
			}
		}
		for _, key := range listed {
			if !slices.Contains(keys, key) {
				t.Errorf("%s: %s is listed, and not a key of it", pt.name, key)
			}
		}
	}
	if b, err := json.Marshal(got); err != nil || len(b) > 5200 {
		t.Errorf("%d bytes, want at most 5,200: %v", len(b), err)
	}
}
