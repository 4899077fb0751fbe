package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

var columns = []cube.Column{
	{Name: "t", Type: cube.Text},
	{Name: "b", Type: cube.Boolean},
	{Name: "i", Type: cube.Integer},
	{Name: "n", Type: cube.Number},
	{Name: "d", Type: cube.Date},
	{Name: "ts", Type: cube.Timestamp},
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, row := range [][]any{
		{nil, nil, nil, nil, nil, nil},
		{"", false, int64(0), 0.0, time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC()},
		{
			"é漢\x00", true, int64(math.MinInt64), math.MaxFloat64,
			time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1000, time.UTC),
		},
		{
			strings.Repeat("x", 1<<20), true, int64(math.MaxInt64), -0.1,
			time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
		},
	} {
		payload := AppendRow(nil, columns, row)
		got, rest, err := DecodeRow(append(payload, "more"...), columns)
		if err != nil || string(rest) != "more" {
			t.Fatalf("%v, rest %q", err, rest)
		}
		if diff := cmp.Diff(row, got); diff != "" {
			t.Error(diff)
		}
		for n := range min(len(payload), 100) {
			if _, _, err := DecodeRow(payload[:n], columns); !errors.Is(err, ErrGarbage) {
				t.Errorf("cut at %d of %d: %v", n, len(payload), err)
			}
		}
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Write(&b, Rows, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := Write(&b, End, nil); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	for _, want := range []struct {
		kind    Kind
		payload string
	}{{Rows, "abc"}, {End, ""}} {
		kind, payload, err := Read(&b, MaxFrame)
		if err != nil || kind != want.kind || string(payload) != want.payload {
			t.Errorf("got %c %q, %v", kind, payload, err)
		}
	}
	if _, _, err := Read(&b, MaxFrame); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	for _, tt := range []struct {
		data string
		want error
	}{
		{whole[:3], io.ErrUnexpectedEOF},
		{whole[:7], io.ErrUnexpectedEOF},
		{"X\x00\x00\x00\x00", ErrGarbage},
		{"R\xff\xff\xff\xff", ErrGarbage},
		{"R\x00\x00\x00\x0b0123456789a", ErrGarbage},
	} {
		if _, _, err := Read(strings.NewReader(tt.data), 10); !errors.Is(err, tt.want) {
			t.Errorf("%q: %v, want %v", tt.data, err, tt.want)
		}
	}
	if err := Write(io.Discard, Rows, make([]byte, MaxFrame+1)); err == nil {
		t.Error("a frame over the limit is sent")
	}
}

func TestArgs(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	for _, v := range []any{nil, "", "x", true, int64(math.MaxInt64), 0.1, math.Inf(1), 5.0, at} {
		arg, err := NewArg(v)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(arg)
		if err != nil {
			t.Fatal(err)
		}
		var got Arg
		if err := json.Unmarshal(data, &got); err != nil || !cmp.Equal(got.Value, v) {
			t.Errorf("%v (%T) came back as %v (%T), %v", v, v, got.Value, got.Value, err)
		}
	}
	if a, err := NewArg(7); err != nil || a.Value != int64(7) {
		t.Errorf("an int: %v, %v", a, err)
	}
	if _, err := NewArg([]string{"x"}); err == nil {
		t.Error("a list passes")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	in := &warehouse.Error{Class: warehouse.Unknown, Message: "m", Line: 2, Column: 3, Suggestions: []string{"a"}, Cause: io.EOF}
	want := *in
	want.Cause = nil
	got, ok := errors.AsType[*warehouse.Error](FromError(in).Err())
	if diff := cmp.Diff(&want, got); !ok || diff != "" {
		t.Error(diff)
	}
	if e := FromError(errors.New("Conversion Error: secret")); strings.Contains(e.Message, "secret") {
		t.Errorf("a foreign error keeps its text: %s", e.Message)
	}
	if err := (*Error)(nil).Err(); err != nil {
		t.Errorf("no error is %v", err)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain": "plain", "a\x1b[31m\n\tb": "a [31m  b", "\xff\xfe": "  ", "ééé": "ééé", strings.Repeat("é", 9): "éééé",
	} {
		if got := Clean(in, 9); got != want || !utf8.ValidString(got) {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// FuzzDecode feeds messages that a compromised worker might send.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`[{"name":"a","type":"text"}]`), []byte{1, 1, 'x'})
	f.Add([]byte(`[{"name":"a","type":"date"},{"name":"b","type":"number"}]`), []byte{1, 2, 0})
	f.Fuzz(func(t *testing.T, head, payload []byte) {
		if r, err := DecodeResult(head); err == nil && r.Error.Err() != nil && !utf8.ValidString(r.Error.Err().Error()) {
			t.Error("an error that is no text")
		}
		cols, err := DecodeColumns(head)
		if err != nil {
			return
		}
		for len(payload) > 0 {
			row, rest, err := DecodeRow(payload, cols)
			if err != nil {
				return
			}
			if len(rest) >= len(payload) {
				t.Fatal("a row of no bytes")
			}
			again, _, err := DecodeRow(AppendRow(nil, cols, row), cols)
			if err != nil || !cmp.Equal(row, again) {
				t.Fatalf("%v became %v, %v", row, again, err)
			}
			payload = rest
		}
	})
}
