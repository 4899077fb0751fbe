package export

import "testing"

// TestCSVHasNoFormulas: a text that spreadsheets read as a formula, also after characters that they skip, gets an apostrophe.
func TestCSVHasNoFormulas(t *testing.T) {
	t.Parallel()
	signs := []string{"=", "+", "-", "@", "＝", "＋", "－", "＠", "|", "%"}
	skipped := []string{
		"", " ", "  ", "\u00a0", "\t", "\r", "\n", "\v", "\f", "\ufeff", "\u200b", "\u200c", "\u200d", "\u2060",
		"\u3000", "\u2003", "\u202f", "\u00ad",
		"\u200e", "\u202e", "\x00", "\x1b", " \u200b\t", "\u180e", "\u2028", "\u0085", "\x1a",
	}
	for _, before := range skipped {
		for _, sign := range signs {
			cell := before + sign + "cmd()"
			if got := defuse(cell); got != "'"+cell {
				t.Errorf("%q is written %q", cell, got)
			}
		}
	}
	for _, cell := range []string{
		"", " ", "\u00a0", "plain", " plain", "\u200bplain", "a=1", "a -b", "1-2", "'=1",
		"日本", "–5", "−5", "100 %",
	} {
		if got := defuse(cell); got != cell {
			t.Errorf("%q is written %q", cell, got)
		}
	}
}
