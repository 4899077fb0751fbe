package locale

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestNumbersInTexts: numbers in texts are ordered by size, and zero is first, before any text that follows it.
func TestNumbersInTexts(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		{"00:00", "00:15", "00:45", "01:00", "01:15", "10:00", "23:45"},
		{"v0.0", "v0.9", "v0.10", "v1.0", "v8.9", "v10.0"},
		{"x000y", "x001y", "x9y", "x069y", "x100y"},
		{"00-29", "01-03", "02-29"},
		{"0 °C", "4 °C", "44 °C"},
		{"10.0.0.2", "10.0.0.10", "10.0.1.1", "10.0.10.1"},
		{"Week 0", "Week 1", "Week 10"},
		{"0", "00 a", "1"},
		{"٠ ك", "١ ك", "٩ ك", "١٠ ك"},
		{"a12345678", "a123456789", "a1234567890", "a1234567890123456789", "a12345678901234567890123456789"},
	} {
		for _, tag := range []string{"en-US", "de-DE", "da-DK", "ja-JP", "ar-AE"} {
			l := For(tag)
			got := slices.Clone(want)
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
			slices.SortFunc(got, l.Compare)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", tag, got, want)
			}
			texts := slices.Sorted(slices.Values(want))
			k := l.Keys(texts)
			order := make([]int, len(texts))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, k.Compare)
			for i, at := range order {
				if got[i] = texts[at]; got[i] != want[i] {
					t.Errorf("%s: keys give %q at %d, want %q", tag, got[i], i, want[i])
				}
			}
		}
	}
	for s, want := range map[string]string{
		"": "", "abc": "abc", "0": "0", "000": "0", "a7b": "a17b", "007": "17", "12345678x": "812345678x", "123456789": "90123456789",
		strings.Repeat("1", 18): "990" + strings.Repeat("1", 18), "٣ ١٠": "13 210", "½ m²": "½ m²",
	} {
		if got := countNumbers(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}
