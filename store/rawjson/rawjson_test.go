package rawjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"service/store/rawjson"
)

// texts are documents, most of them faulty, whose parts are mixed by tests.
var texts = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `truee`, `0`, `-0`, `-`, `00`, `01`, `1.`, `.5`, `1.5e`, `1.5e+`, `-1.5E-10`, `1e5`, `+1`, `1 2`,
	`""`, `"a`, `"a\"`, `"\x"`, `"\u12"`, `"\u12G4"`, `"\u00e9\n\/\\\b\f\r\t\""`, "\"\x01\"", "\"\x7f\"", "\"\xff\xc3(\"", `"\ud83d\ude00"`,
	`"\ud83d"`, `"\ud83d\n"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\uD83D\u0041"`, `{}`, `[]`, `{ }`, `[ ]`,
	`[1,]`, `[,1]`, `[1 2]`, `{"a"}`,
	`{"a":}`, `{"a":1,}`, `{,}`, `{"a":1 "b":2}`, `{a:1}`, `{1:1}`, `[}`, `{]`, `[[]]`, `[{}`, `]`, `}`, `,`, `:`, `"a":1`,
	` { "a" : [ 1 , "]" , { "b" : null } ] , "\u0061" : "}\"" , "" : -1.0e+3 } `,
	`{"a":"x","a":{"y":[true,false,null]}}`, `[1,"a",[[],{}],{"k":[]}]` + "\n",
	"\ufeff{}", "{}\x00", "[\v1]", `"é"`,
}

func random(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(texts[r.IntN(len(texts))])
	if r.IntN(2) == 0 {
		s := b.String()
		at := r.IntN(len(s) + 1)
		b.Reset()
		b.WriteString(s[:at] + texts[r.IntN(len(texts))] + s[at+r.IntN(len(s)-at+1):])
	}
	return b.String()
}

// This package and encoding/json return the same for every text.
func check(t *testing.T, text string) {
	t.Helper()
	raw := []byte(text)
	valid := rawjson.Valid(raw)
	if want := json.Valid(raw); valid != want {
		t.Fatalf("%q is valid: %v, want %v", text, valid, want)
	}
	if !valid {
		return
	}
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // some are beyond float64
	if err := dec.Decode(&value); err != nil {
		t.Fatal(err)
	}
	switch value.(type) {
	case string:
		if got := rawjson.String([]byte(strings.Trim(text, " \n\r\t"))); got != value {
			t.Fatalf("%q says %q, want %q", text, got, value)
		}
	case []any:
		var want []json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		got := slices.Collect(rawjson.Elements(raw))
		if first, n := rawjson.List(raw, 2); n != len(want) || len(first) != min(n, 2) {
			t.Fatalf("%q has %d elements, want %d", text, n, len(want))
		}
		if !slices.EqualFunc(got, want, func(a []byte, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Fatalf("%q is the list of %q, want %q", text, got, want)
		}
		for _, one := range got {
			check(t, string(one))
		}
	case map[string]any:
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		got, err := rawjson.Object(raw)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q has the members %q, want %q", text, got, want)
		}
		for one := range maps.Values(got) {
			check(t, string(one))
		}
	}
	if _, object := value.(map[string]any); !object {
		if got, err := rawjson.Object(raw); got != nil || err != nil {
			t.Fatalf("%q is taken for an object", text)
		}
	}
}

func TestAsEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		check(t, text)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		check(t, random(r))
	}
	for _, depth := range []int{9_999, 10_000, 10_001} {
		raw := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got, want := rawjson.Valid(raw), json.Valid(raw); got != want {
			t.Errorf("%d lists in each other are valid: %v, want %v", depth, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 10_000 {
			check(t, text)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	report := []byte(`[` + strings.Repeat(`{"day":"2026-01-01","channel":"channel 1","amount":12.25},`, 50_000) + `null]`)
	quoted, err := json.Marshal(string(report))
	if err != nil {
		b.Fatal(err)
	}
	for name, run := range map[string]func(){
		"rows":             func() { rawjson.Valid(report) },
		"rows, bare":       func() { json.Valid(report) },
		"in a text":        func() { rawjson.Valid(quoted) },
		"in a text, bare":  func() { json.Valid(quoted) },
		"what a text says": func() { _ = rawjson.String(quoted) },
		"what a text says, bare": func() {
			var s string
			_ = json.Unmarshal(quoted, &s)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(report)))
			for b.Loop() {
				run()
			}
		})
	}
}

// TestCrowdedObjects: an object of many members is not read into memory, also one that has a single name many times.
func TestCrowdedObjects(t *testing.T) {
	t.Parallel()
	for name, member := range map[string]func(i int) string{
		"names":  func(i int) string { return fmt.Sprintf(`"%d":0`, i) },
		"a name": func(int) string { return `"a":0` },
	} {
		for n, refused := range map[int]bool{rawjson.MaxMembers: false, rawjson.MaxMembers + 1: true, 1_000_000: true} {
			members := make([]string, n)
			for i := range members {
				members[i] = member(i)
			}
			got, err := rawjson.Object([]byte("{" + strings.Join(members, ",") + "}"))
			if errors.Is(err, rawjson.ErrMembers) != refused || refused != (got == nil) {
				t.Errorf("%d members, %s: %d are read, %v", n, name, len(got), err)
			}
		}
	}
}
