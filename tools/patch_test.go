package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The cost of a patch is bounded: its operations, the bytes that it copies, and the
// resulting spec.
func TestPatchesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	if r := w.call("publish_dashboard", `{"path":"s","spec":`+selfSpec+`}`); r.IsError {
		t.Fatal(r.Text)
	}
	repeat := func(n int, op string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(op+",", n), ",") + "]"
	}
	double := `{"op":"copy","from":"/panels","path":"/panels/-"}`
	for _, c := range []struct{ name, patch, refusal string }{
		{"most operations", repeat(200, `{"op":"replace","path":"/title","value":"x"}`), `patch[0] (replace "/title"): The spec has nothing ` +
			`at "/title"`},
		{"one more", repeat(201, `{"op":"test","path":"/title","value":"x"}`), "patch must have 1 to 200 operations (got 201)"},
		{"copies that double", repeat(60, double), "The patch copies more than the 5242880 bytes that a spec may have."},
		{
			"a spec over the cap", fmt.Sprintf(`[{"op":"add","path":"/description","value":%q}]`, strings.Repeat("x", 5_242_800)),
			"spec is 52429",
		},
		{
			"a deep pointer", fmt.Sprintf(`[{"op":"remove","path":%q}]`, strings.Repeat("/a", 100_000)),
			"patch[0]: a pointer or a value has more than 16 levels",
		},
		{"a large index", `[{"op":"add","path":"/panels/999999999999","value":1}]`, `The place in an array is a number from 0 to 1`},
		{
			"a deep value", `[{"op":"add","path":"/x","value":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}]`,
			"patch[0]: a pointer or a value has more",
		},
		{"brackets in a text", `[{"op":"test","path":"/title","value":"` + strings.Repeat(`\\\"[`, 900) + `"}]`, `patch[0] (test "/title")`},
		{
			"a failure in much text", fmt.Sprintf(`[{"op":"add","path":"/description","value":%q},{"op":"remove","path":"/x"}]`,
				strings.Repeat("x", 1<<20)), `patch[1] (remove "/x"): The spec has nothing at "/x"`,
		},
	} {
		if !json.Valid([]byte(c.patch)) {
			t.Fatalf("%s: not JSON", c.name)
		}
		r := w.call("publish_dashboard", `{"path":"s","dry_run":true,"patch":`+c.patch+`}`)
		if !r.IsError || r.Internal != "" || !strings.Contains(r.Text, c.refusal) || len(r.Text) > 11_000 {
			t.Errorf("%s: %.300q %.300s, want %q", c.name, r.Text, r.Internal, c.refusal)
		}
	}
}
