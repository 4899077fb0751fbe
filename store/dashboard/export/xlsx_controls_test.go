package export

import (
	"bytes"
	"slices"
	"testing"
)

// TestControlWriter: the output does not depend on where the input is cut.
func TestControlWriter(t *testing.T) {
	t.Parallel()
	var whole, cut bytes.Buffer
	text := []byte("a\ufdd1\ufdef\uffef\ue000\ufddb\xef\xb7")
	for _, w := range []*controlWriter{{w: &whole}, {w: &cut}} {
		size := len(text)
		if w.w == &cut {
			size = 1
		}
		for part := range slices.Chunk(text, size) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
	}
	if want := "a_x0001__x001F_\uffef\ue000_x000B_\xef\xb7"; whole.String() != want || cut.String() != want {
		t.Errorf("got %q and %q, want %q", whole.String(), cut.String(), want)
	}
}
