package page

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/panel"
)

// TestSketch: a sketch keeps to its size, and values in it cannot displace its surroundings.
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
	for kind := range panel.Figures {
		if dashboard.NeedsData(kind) && !drawn[kind] {
			t.Errorf("no sketch of a %s", kind)
		}
	}
}
