package linediff

import (
	"fmt"
	"strings"
	"testing"
)

// The lines of a comparison transform one text into the other, for any texts.
func TestLinesThatDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ a, b, want string }{
		{"a b c", "a b c", ""},
		{"a b c", "a x c", " a,−b,+x, c"},
		{"a b c a b b a", "c b a b a c", "−a,−b, c,+b, a, b,−b, a,+c"},
		{"1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 0", "5 same, 6, 7, 8,−9,+0"},
		{"1 2 3 4 5", "1 2 3 4 6", " 1, 2, 3, 4,−5,+6"},
		{"x 1 2 3 4 5 6 7 8 y", "1 2 3 4 5 6 7 8", "−x, 1, 2, 3,2 same, 6, 7, 8,−y"},
	} {
		lines, more := diffTexts(strings.ReplaceAll(test.a, " ", "\n"), strings.ReplaceAll(test.b, " ", "\n"))
		var got []string
		for _, l := range lines {
			switch {
			case l.Skipped > 0:
				got = append(got, fmt.Sprintf("%d same", l.Skipped))
			case l.Sign == "":
				got = append(got, " "+l.Text)
			default:
				got = append(got, l.Sign+l.Text)
			}
		}
		if strings.Join(got, ",") != test.want || more != 0 {
			t.Errorf("%s to %s: %q and %d more, want %q", test.a, test.b, strings.Join(got, ","), more, test.want)
		}
	}

	// If two texts have nothing in common, one replaces the other, and only the first lines are shown.
	var a, b []string
	for i := range 3 * maxEdits {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	lines, more := diffTexts(strings.Join(a, "\n"), strings.Join(b, "\n"))
	if len(lines) != maxDiffShown || more != 6*maxEdits-maxDiffShown || lines[0].Sign != "−" {
		t.Errorf("%d lines, %d more", len(lines), more)
	}
	if lines, _ := diffTexts(strings.Repeat("é", maxDiffWide+1), ""); lines[0].Text != strings.Repeat("é", maxDiffWide)+"…" {
		t.Error("a line of any length is shown")
	}

	// JSON is compared regardless of its order and spaces, and strings break only at their own line breaks.
	one, two := []byte(`{"b":1.00000000000000000001,"a":"x\ny \\n"}`), []byte("{\n\"a\": \"x\\ny \\\\n\", \"b\": 1.00000000000000000001}")
	for _, content := range [][]byte{one, two} {
		want := "{\n  \"a\": \"x\\n\ny \\\\n\",\n  \"b\": 1.00000000000000000001\n}\n"
		if got := string(linesOfJSON(content, true)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if lines, _, ok := Compare(one, two); len(lines) > 0 || !ok {
		t.Errorf("%v, %t", lines, ok)
	}
}

// Differences between the lines of two texts are found at any position, and shown in the same way, however much of the text
// around them is the same.
func TestLinesAroundDifferences(t *testing.T) {
	t.Parallel()
	for _, same := range []int{0, 1, 3, 4, 5, maxDiffLines} {
		var begin, end strings.Builder
		for i := range same {
			fmt.Fprintln(&begin, "a", i)
			fmt.Fprintln(&end, "z", i)
		}
		for _, middle := range [][2]string{{"x\n", "y\n"}, {"", "y\n"}, {"x\n", ""}, {"xa\n", "ya\n"}, {"a 0\n", "a 0\na 0\n"}} {
			lines, more := diffTexts(begin.String()+middle[0]+end.String(), begin.String()+middle[1]+end.String())
			skipped, removed, added, both := 0, 0, 0, 0
			for _, l := range lines {
				switch {
				case l.Skipped > 0:
					skipped += l.Skipped
				case l.Sign == "":
					both++
				case l.Sign == "+":
					added++
				default:
					removed++
				}
			}
			wantRemoved, wantAdded := strings.Count(middle[0], "\n"), strings.Count(middle[1], "\n")
			if middle[1] == "a 0\na 0\n" {
				wantRemoved, wantAdded = 0, 1
			}
			if same == 0 && (middle[0] == "" || middle[1] == "") {
				continue // an empty text has one empty line
			}
			if all := skipped + both + removed; more != 0 || removed != wantRemoved || added != wantAdded || both > 2*(contextLines+1) ||
				all != 2*same+strings.Count(middle[0], "\n") {
				t.Errorf("%d lines around %q: %d skipped, %d removed, %d added, %d of both, %d more",
					same, middle, skipped, removed, added, both, more)
			}
		}
	}
}
