package chart

import (
	"slices"
	"strings"
	"testing"

	"service/store/dashboard/canvas"
)

// TestNameLines: a name over its bars is whole in as many lines as it needs, up to three; words are only parted if a line is too narrow for
// them.
func TestNameLines(t *testing.T) {
	t.Parallel()
	width := canvas.LabelWidth("0123456789 0123456789")
	for name, want := range map[string][]string{
		"":                                 {""},
		"Audit":                            {"Audit"},
		"0123456789 0123456789":            {"0123456789 0123456789"},
		"0123456789 0123456789 0123456789": {"0123456789 0123456789", "0123456789"},
		"012345678901234567890123456789 a": {"01234567890123456789", "0123456789 a"},
		"日本語のとても長いカテゴリ名です": {
			"日本語のとても長いカ", "テゴリ名です",
		},
	} {
		got := nameLines(name, width, 3)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		for _, line := range got {
			if canvas.LabelWidth(line) > width {
				t.Errorf("%q: %q is too wide", name, line)
			}
		}
	}
	got := nameLines("One "+strings.Repeat("0123456789 ", 9)+"two", width, 3)
	if len(got) != 3 || !strings.HasPrefix(got[0], "One ") || !strings.Contains(got[2], canvas.Ellipse) || !strings.HasSuffix(got[2], "two") {
		t.Errorf("a name of more lines: %q", got)
	}
	family := "\U0001f469\u200d\U0001f469\u200d\U0001f467"
	if got := nameLines(strings.Repeat(family, 3), canvas.LabelWidth(family)*1.5, 3); len(got) != 3 || got[0] != family {
		t.Errorf("a word of emoji: %q", got)
	}
}

// TestNameLanes: the lanes of names have room for all their lines, also where there are so many lanes that these are low.
func TestNameLanes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 9, 14, 29, 40} {
		rows, names, lanes := make([]LaneRow, n), make([]string, n), n
		for i := range names {
			names[i] = strings.TrimSpace(strings.Repeat("0123456789 ", 1+i%3))
		}
		all := NameLanes(rows, names, canvas.LabelWidth("0123456789")+1, lanes)
		sum := lanes
		for i, r := range rows {
			if sum += r.Above; len(r.Lines) != 1+i%3 || r.Above*pitchOf(all) < len(r.Lines)*lineHeight {
				t.Errorf("%d rows: %d lanes of %d pixels for %q", n, r.Above, pitchOf(all), r.Lines)
			}
		}
		if sum != all {
			t.Errorf("%d rows: %d lanes, counted %d", n, all, sum)
		}
	}
}
