package page

import (
	"reflect"
	"testing"
)

// TestDrawingChangesNothing: specs and rows are parsed once and shared by all drawings, which must not change them.
func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	untouched := cases(t)
	for name, v := range cases(t) {
		if _, err := Render(t.Context(), v); err != nil {
			t.Fatal(name, err)
		}
		Summaries(v)
		Examine(v)
		if !reflect.DeepEqual(v.Spec, untouched[name].Spec) {
			t.Errorf("%s: drawing has changed the spec", name)
		}
		if !reflect.DeepEqual(v.Cubes, untouched[name].Cubes) {
			t.Errorf("%s: drawing has changed the rows", name)
		}
	}
}
