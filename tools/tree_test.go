package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"service/store/message"
	"service/store/rawjson"
)

// errPanic is the error of a patch with which the library panics, such as a test of a list that has null.
var errPanic = errors.New("the library panicked")

// byLibrary applies a patch with the library of many Go programs.
func (p patchArg) byLibrary(doc string) (out []byte, err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	patch := make(jsonpatch.Patch, len(p))
	for i, o := range p {
		patch[i] = jsonpatch.Operation{"op": new(encode(o.Op)), "path": new(encode(o.Path))}
		switch operations[o.Op] {
		case "from":
			patch[i]["from"] = new(encode(o.From))
		case "value":
			patch[i]["value"] = new(o.Value)
		}
	}
	return patch.ApplyWithOptions([]byte(doc), &jsonpatch.ApplyOptions{AccumulatedCopySizeLimit: message.MaxBytes})
}

// fancy matches a number that can be written in several ways.
var fancy = regexp.MustCompile(`[0-9][.eE]|-0`)

// exact reports whether the library follows the RFCs in the operations: it takes an empty part of a pointer for the value itself, accepts
// indices such as 01, moves a value into what comes after it, puts anything at the root, lets a test of null pass where nothing is, and
// compares numbers as they are written.
func (p patchArg) exact(doc, patch string) bool {
	tests := slices.ContainsFunc(p, func(o operation) bool { return o.Op == "test" })
	if tests && fancy.MatchString(doc+patch) {
		return false
	}
	for _, o := range p {
		if o.Path == "" || operations[o.Op] == "from" && (o.From == "" || o.From == o.Path || strings.HasPrefix(o.Path, o.From+"/")) ||
			o.Op == "test" && string(bytes.TrimSpace(o.Value)) == "null" {
			return false
		}
		for part := range strings.SplitSeq(o.Path+o.From, "/") {
			if n, err := strconv.Atoi(part); err == nil && (strconv.Itoa(n) != part || n < 0) {
				return false
			}
		}
		if strings.Contains(o.Path+"/", "//") || strings.Contains(o.From+"/", "//") {
			return false
		}
	}
	return true
}

// tokens returns the parts of a JSON text in order, with texts decoded and numbers as they are written.
func tokens(t *testing.T, text []byte) (all []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%v: %.1000s", err, text)
		}
		all = append(all, fmt.Sprintf("%T %v", token, token))
	}
}

// same fails the test unless the patch has the same result as by the library.
func same(t *testing.T, doc, patch string) (applied bool) {
	t.Helper()
	var p patchArg
	if !rawjson.Valid([]byte(doc)) || !rawjson.Valid([]byte(patch)) || nested([]byte(doc)) > 100 || crowded([]byte(doc)) != "" ||
		!strings.HasPrefix(doc, "{") || p.set("patch", json.RawMessage(strings.TrimSpace(patch))) != nil {
		return false
	}
	got, err := p.apply(json.RawMessage(doc))
	if err == nil && !rawjson.Valid(got) {
		t.Fatalf("%s\n%s\nis not JSON: %s", doc, patch, got)
	}
	if !p.exact(doc, patch) {
		return false
	}
	want, e := p.byLibrary(doc)
	switch {
	case errors.Is(e, errPanic):
	case (err == nil) != (e == nil):
		t.Fatalf("%s\n%s\ngot %s, %v; by the library %s, %v", doc, patch, got, err, want, e)
	case err == nil && !slices.Equal(tokens(t, got), tokens(t, want)):
		t.Fatalf("%s\n%s\ngot %s; by the library %s", doc, patch, got, want)
	}
	return err == nil
}

// TestPatchesAsLibrary: random patches of random documents have the same result as by the library.
func TestPatchesAsLibrary(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ä", "x/y", "~", "0"}
	var value func(depth int) string
	value = func(depth int) string {
		var b strings.Builder
		switch n := r.IntN(10); {
		case n < 4 && depth > 0:
			for i, at := range r.Perm(len(names))[:r.IntN(4)] {
				fmt.Fprintf(&b, "%s%s: %s", strings.Repeat(", ", min(i, 1)), encode(names[at]), value(depth-1))
			}
			return "{" + b.String() + "}"
		case n < 7 && depth > 0:
			for i := range r.IntN(4) {
				b.WriteString(strings.Repeat(",", min(i, 1)) + value(depth-1))
			}
			return "[" + b.String() + "]"
		}
		return []string{"1", "1.0", "1e400", `"a"`, `"\u0061"`, `"<"`, "null", "true"}[r.IntN(8)]
	}
	pointer := func() string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString("/" + []string{"a", "b", "ä", "x~1y", "~0", "0", "1", "2", "-"}[r.IntN(9)])
		}
		return b.String()
	}
	applied := 0
	for range 20_000 {
		var all []string
		for range 1 + r.IntN(3) {
			op := []string{"add", "add", "replace", "remove", "move", "copy", "test"}[r.IntN(7)]
			all = append(all, fmt.Sprintf(`{"op":%s,"path":%s,"from":%s,"value":%s}`, encode(op), encode(pointer()), encode(pointer()), value(2)))
		}
		if same(t, `{"a":`+value(3)+`,"b":`+value(3)+`}`, "["+strings.Join(all, ",")+"]") {
			applied++
		}
	}
	if applied < 1000 {
		t.Errorf("only %d patches applied", applied)
	}
}

// TestPatchesAsRFC: what the library does otherwise than RFC 6901 and 6902.
func TestPatchesAsRFC(t *testing.T) {
	t.Parallel()
	const doc = `{"a": [10, 2e0, {"": 3}], "b": {"c":1.50}}`
	for _, tt := range []struct{ patch, want string }{
		{`[{"op":"replace","path":"/a/2/","value":4}]`, `{"a":[10,2e0,{"":4}],"b":{"c":1.50}}`},
		{`[{"op":"test","path":"","value":{"b":{"c":1.50},"a":[10,2e0,{"":3}]}}]`, `{"a":[10,2e0,{"":3}],"b":{"c":1.50}}`},
		{`[{"op":"copy","from":"/b","path":""}]`, `{"c":1.50}`},
		{`[{"op":"move","from":"/b","path":""},{"op":"add","path":"/d","value":[ ]}]`, `{"c":1.50,"d":[]}`},
		{`[{"op":"copy","from":"","path":"/b/c"}]`, `{"a":[10,2e0,{"":3}],"b":{"c":{"a":[10,2e0,{"":3}],"b":{"c":1.50}}}}`},
		{`[{"op":"test","path":"/a","value":[1e1,2.0,{"":3.000}]}]`, `{"a":[10,2e0,{"":3}],"b":{"c":1.50}}`},
		{`[{"op":"test","path":"/b/c","value":1.5}]`, `{"a":[10,2e0,{"":3}],"b":{"c":1.50}}`},
		{
			`[{"op":"add","path":"/b/c","value":[1,null]},{"op":"test","path":"/b/c","value":[1,null]}]`,
			`{"a":[10,2e0,{"":3}],"b":{"c":[1,null]}}`,
		},
		{`[{"op":"add","path":"/b/c","value":[1,null]},{"op":"test","path":"/b/c","value":[null,1]}]`, ""},
		{`[{"op":"test","path":"/b/c","value":-1.5}]`, ""},
		{`[{"op":"test","path":"/b/c","value":15}]`, ""},
		{`[{"op":"move","from":"/b","path":"/b"}]`, `{"a":[10,2e0,{"":3}],"b":{"c":1.50}}`},
		{
			`[{"op":"copy","from":"/b","path":"/d"},{"op":"replace","path":"/d/c","value":2}]`,
			`{"a":[10,2e0,{"":3}],"b":{"c":1.50},"d":{"c":2}}`,
		},
		{`[{"op":"add","path":"/a/01","value":1}]`, ""},
		{`[{"op":"add","path":"/a/+1","value":1}]`, ""},
		{`[{"op":"add","path":"/a/-1","value":1}]`, ""},
		{`[{"op":"remove","path":"/a/-"}]`, ""},
		{`[{"op":"remove","path":""}]`, ""},
		{`[{"op":"replace","path":"","value":"x"}]`, ""},
		{`[{"op":"move","from":"/a/0","path":"/a/0/x"}]`, ""},
		{`[{"op":"move","from":"/a/1","path":"/a/1/x"}]`, ""},
		{`[{"op":"test","path":"/d","value":null}]`, ""},
	} {
		var p patchArg
		if err := p.set("patch", json.RawMessage(tt.patch)); err != nil {
			t.Fatal(err)
		}
		if got, err := p.apply(json.RawMessage(doc)); string(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %s, %v; want %s", tt.patch, got, err, tt.want)
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add(`{"a":[1,{"b":"x"}]}`, `[{"op":"add","path":"/a/-","value":{"c":[]}},{"op":"move","from":"/a/1","path":"/d~1e"}]`)
	f.Add(`{"a":"\u0061"}`, `[{"op":"test","path":"/a","value":"a"},{"op":"copy","from":"/a","path":"/b"},{"op":"remove","path":"/a"}]`)
	f.Add(`{"panels":[]}`, `[{"op":"replace","path":"/panels","value":{"x":null}},{"op":"test","path":"/panels","value":{"x":null}}]`)
	f.Fuzz(func(t *testing.T, doc, patch string) { same(t, doc, patch) })
}
