package page

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/canvas/text"
)

// A sketch keeps to its size, and no value in it can move what surrounds it.
func TestSketch(t *testing.T) {
	t.Parallel()
	views := cases(t)
	for _, attack := range attacks {
		views["hostile "+attack] = hostile(attack)
	}
	drawn := map[string]bool{}
	for name, v := range views {
		for i, s := range Summaries(v) {
			if (s.Empty || s.Problem != "") && s.Sketch != "" {
				t.Errorf("%s: panel %d shows nothing, but has a sketch", name, i)
			}
			if s.Sketch == "" {
				continue
			}
			drawn[s.Type] = true
			lines := strings.Split(s.Sketch, "\n")
			if len(lines) > 24 {
				t.Errorf("%s: panel %d has %d lines", name, i, len(lines))
			}
			for _, line := range lines {
				if text.Cells(line) > text.LineWidth {
					t.Errorf("%s: panel %d is %d wide: %s", name, i, text.Cells(line), line)
				}
			}
			if !utf8.ValidString(s.Sketch) || strings.ContainsFunc(s.Sketch, func(r rune) bool {
				return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == '\u2028' || r == '\u2029')
			}) {
				t.Errorf("%s: panel %d holds what is no text: %q", name, i, s.Sketch)
			}
		}
	}
	for kind := range figures {
		if dashboard.NeedsData(kind) && !drawn[kind] {
			t.Errorf("no sketch of a %s", kind)
		}
	}
}

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
