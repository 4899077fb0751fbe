package locale

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Texts have the order of their language, whichever way their keys are found.
func TestKeys(t *testing.T) {
	t.Parallel()
	alphabets := []string{
		"abcABCxyz chCHllaa", "a1 0029-/.,#()'\"_&@+$", "aäàáâãåæAÄÀçéèñöøßœúüýÿžłőčć", "кириллицаЁЙ ёй", "αβγδεΩΆ",
		"中文字符漢字日本", "한국어문자", "ひらカタカナー", "a\u0301e\u0308", "مرحبا", "ไทยเก", "\x00\t~{}|",
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, tag := range []string{
		"en-US", "de-DE", "fr-FR", "es-ES", "it-IT", "pt-BR", "nl-NL", "ja-JP", "zh-CN", "ko-KR", "ar-AE",
		"da-DK", "cs-CZ", "sv-SE", "hu-HU", "tr-TR", "pl-PL", "lt-LT", "x-odd",
	} {
		l := For(tag)
		whole := false
		for _, letters := range alphabets {
			for _, begin := range []string{
				"", "Customer 00", "é", "long and alike but for one letter ",
				strings.Repeat("long ", 51), strings.Repeat("é", 127),
			} { // the last two end about where texts are compared to
				var texts []string
				count := 20
				if len(begin) > 100 { // which take long to compare
					count = 8
				}
				for range count {
					var b strings.Builder
					b.WriteString(begin)
					for range r.IntN(6) {
						all := []rune(letters + "aB 10")
						b.WriteRune(all[r.IntN(len(all))])
					}
					texts = append(texts, b.String())
				}
				if strings.HasPrefix(begin, "long") {
					texts[7] = "other" // no letter is common to all, and heads are alike
				}
				slices.Sort(texts)
				want := make([][]int, len(texts))
				for i := range texts {
					for j := range texts {
						want[i] = append(want[i], l.Compare(texts[i], texts[j]))
					}
				}
				k := l.Keys(texts)
				for round := range 2 { // at first without their whole keys, and then with them
					k.ties = round * manyTies
					for i := range texts {
						for j := range texts {
							if got := k.Compare(i, j); got != want[i][j] {
								t.Fatalf("%s: %q and %q compare as %d, want %d", tag, texts[i], texts[j], got, want[i][j])
							}
						}
					}
				}
				whole = whole || k.whole != nil && strings.HasPrefix(begin, "long")
			}
		}
		if !whole {
			t.Errorf("%s: no test of whole keys", tag)
		}
		if contracts := tag == "da-DK" || tag == "cs-CZ" || tag == "hu-HU"; weightsOf(l.sorted).simple == contracts {
			t.Errorf("%s: letters are compared one by one: %t", tag, !contracts)
		}
	}
}

func BenchmarkKeys(b *testing.B) {
	for name, format := range map[string]string{"plain": "Customer %06d GmbH", "accents": "Crédit Lyonnais %06d", "slow": "ラーメン %06d"} {
		texts := make([]string, 200_000)
		for i := range texts {
			texts[i] = fmt.Sprintf(format, i)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				For("en-US").Keys(texts)
			}
		})
	}
}
