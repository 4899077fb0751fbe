package panel

import (
	"testing"

	"service/store/dashboard/canvas/text"
)

func TestSpark(t *testing.T) {
	t.Parallel()
	nan := number(nil)
	for _, tc := range []struct {
		vs     []float64
		w      int
		lo, hi float64
		want   string
	}{
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, 8, 0, 7, "▁▂▃▄▅▆▇█"},
		{[]float64{0, 0, 7, 7}, 2, 0, 7, "▁█"},
		{[]float64{0, nan, 7}, 8, 0, 7, "▁ █"},
		{[]float64{nan, nan, 7, nan}, 2, 0, 7, " █"},
		{[]float64{3, 3}, 8, 3, 3, "▁▁"},
		{[]float64{-1e308, 1e308}, 8, -1e308, 1e308, "▁█"},
		{nil, 8, 0, 0, ""},
	} {
		if got := spark(tc.vs, tc.w, tc.lo, tc.hi); got != tc.want {
			t.Errorf("spark(%v, %d) = %q, want %q", tc.vs, tc.w, got, tc.want)
		}
	}
	for s, want := range map[string]string{
		"日本語": "日…", "naïve": "na…", "abc": "abc", "e\u0301e\u0301e\u0301": "e\u0301e\u0301e\u0301", "👩‍👩": "👩…",
	} {
		if got := text.Cut(s, 3); text.OneLine(got) != want || text.Cells(text.OneLine(got)) > 3 {
			t.Errorf("cut(%q) = %q, want %q", s, got, want)
		}
	}
}
