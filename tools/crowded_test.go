package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"service/store/message"
)

// crowd returns n members of an object, or n elements of a list.
func crowd(n int, one func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = one(i)
	}
	return strings.Join(all, ",")
}

// TestCrowdedArgumentsAreRefused: arguments of thousands of names or items are refused before they are read into memory, in every
// place where a caller can send them.
func TestCrowdedArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	names := func(n int) string {
		return "{" + crowd(n, func(i int) string { return fmt.Sprintf(`"n%d":0`, i) }) + "}"
	}
	items := func(n int, one string) string { return "[" + crowd(n, func(int) string { return one }) + "]" }
	patch := func(value string) string { return `[{"op":"add","path":"/x","value":` + value + `}]` }
	for _, tc := range []struct {
		name, say string
		read      func(n int) error
	}{
		{"names", "at most 1000 members", func(n int) error { _, err := parse(json.RawMessage(names(n))); return err }},
		{"one name", "at most 1000 members", func(n int) error {
			_, err := parse(json.RawMessage("{" + crowd(n, func(int) string { return `"a":0` }) + "}"))
			return err
		}},
		{"tags", "50-entry limit", func(n int) error { return new(tags).set("tags", json.RawMessage(items(n, `"a"`))) }},
		{"operations", "1 to 200 operations", func(n int) error { return new(patchArg).set("patch", json.RawMessage(items(n, `{}`))) }},
		{"names of an operation", "more than 1000 members", func(n int) error {
			return new(patchArg).set("patch", json.RawMessage("["+names(n)+"]"))
		}},
		{"names in an operation", "more than 1000 members", func(n int) error {
			return new(patchArg).set("patch", json.RawMessage(patch(names(n))))
		}},
		{"items in an operation", "more than 1000 members", func(n int) error {
			return new(patchArg).set("patch", json.RawMessage(patch(items(n, "0"))))
		}},
		{"items in items", "more than 1000 members", func(n int) error {
			return new(patchArg).set("patch", json.RawMessage(patch(`{"a":[[`+items(n, `""`)+`]]}`)))
		}},
		{"a patch as text", "1 to 200 operations", func(n int) error {
			text, err := json.Marshal(items(n, `{}`))
			if err != nil {
				t.Fatal(err)
			}
			return new(patchArg).set("patch", text)
		}},
	} {
		for _, n := range []int{1_001, 200_000} {
			err := tc.read(n)
			if _, refused := message.As(err); !refused || !strings.Contains(err.Error(), tc.say) {
				t.Errorf("%d %s: %v", n, tc.name, err)
			}
		}
	}
	if _, err := parse(json.RawMessage(names(1_000))); err != nil {
		t.Error(err)
	}
	if err := new(patchArg).set("patch", json.RawMessage(patch(items(1_000, "0")))); err != nil {
		t.Error(err)
	}
}
