package linediff

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
	"service/store/message"
)

// Any two versions are compared within a second and 64 MiB, and the page has some hundreds of kilobytes. Every content that is
// known as a worst case belongs here.
func TestComparisonsAreBounded(t *testing.T) {
	deep := func(of, piece, end string) string {
		const levels = 9_900 // of the 10,000 that JSON may have here
		n := (message.MaxBytes - 2*levels) / len(piece)
		return strings.Repeat("[", levels) + of + strings.Repeat(piece, n-1) + end + strings.Repeat("]", levels)
	}
	wide := func(piece string) string { return strings.Repeat(piece, message.MaxBytes/len(piece)-1) }
	for name, contents := range map[string][2]string{
		"a deep list":          {deep("", "1,", "1"), deep("", "2,", "2")},
		"a small deep list":    {strings.Repeat("[", 9_900) + wide("1,")[:10_000] + "1" + strings.Repeat("]", 9_900), "[]"},
		"a list":               {"[" + wide("1,") + "1]", "[" + wide("2,") + "2]"},
		"keys":                 {"{" + wide(`"a":0,`) + `"b":1}`, "{" + wide(`"a":0,`) + `"b":2}`},
		"empty lists":          {"[" + wide("[],") + "1]", "[" + wide("{},") + "1]"},
		"line breaks of texts": {`["` + wide(`\n`) + `"]`, `["` + wide(`x\n`) + `"]`},
		"as many as sort":      {"[" + strings.Repeat(`{"a":0},`, maxSorted-1) + "1]", "[" + strings.Repeat(`{"b":0},`, maxSorted-1) + "1]"},
		"as wide as sort":      {strings.Repeat("[", 18) + strings.Repeat("1,", maxSorted-200) + "1" + strings.Repeat("]", 18), "[]"},
		"empty lines":          {wide("\n"), "x" + wide("\n")},
		"Windows":              {wide("a\r\n"), wide("b\r\n")},
		"one line":             {wide("a"), wide("b")},
		"one wide line":        {wide("é"), wide("è")},
		"wide lines": {
			strings.Repeat(strings.Repeat("é", maxDiffWide)+"\n", 600), strings.Repeat(strings.Repeat("è", maxDiffWide)+"\n", 600),
		},
		"lines alike at the front": {
			strings.Repeat(strings.Repeat("a", 5_000)+"1\n2\n", 1_000), strings.Repeat(strings.Repeat("a", 5_000)+"3\n4\n", 1_000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := []byte(contents[0]), []byte(contents[1])
			var shown []Line
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Compare(a, b)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("it takes %d MiB", took>>20)
			}
			growthtest.Within(t, time.Second, func() {
				shown, _, _ = Compare(a, b)
			})
			size := 0
			for _, l := range shown {
				size += len(l.Text)
			}
			if len(shown) == 0 || len(shown) > maxDiffShown || size > maxDiffBytes+4*maxDiffWide {
				t.Errorf("%d lines of %d bytes are shown", len(shown), size)
			}
		})
	}
}
