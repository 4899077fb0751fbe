package locale

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDates(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 8, 31, 15, 4, 5, 0, time.UTC)
	for tag, want := range map[string]string{
		"en-US": "Aug 31, 2026|Aug 31|Aug 2026|Q3 2026|2026|15:04|15:04:05|Mon",
		"en-GB": "31 Aug 2026|31 Aug|Aug 2026|Q3 2026|2026|15:04|15:04:05|Mon",
		"de":    "31. Aug. 2026|31. Aug.|Aug. 2026|Q3 2026|2026|15:04|15:04:05|Mo",
		"fr":    "31 août 2026|31 août|août 2026|T3 2026|2026|15:04|15:04:05|lun.",
		"es":    "31 ago 2026|31 ago|ago 2026|T3 2026|2026|15:04|15:04:05|lun",
		"pt-BR": "31 de ago. de 2026|31 de ago.|ago. de 2026|T3 de 2026|2026|15:04|15:04:05|seg.",
		"it":    "31 ago 2026|31 ago|ago 2026|T3 2026|2026|15:04|15:04:05|lun",
		"nl":    "31 aug 2026|31 aug|aug 2026|K3 2026|2026|15:04|15:04:05|ma",
		"ja":    "2026年8月31日|8月31日|2026年8月|2026/Q3|2026年|15:04|15:04:05|月",
		"zh":    "2026年8月31日|8月31日|2026年8月|2026年第3季度|2026年|15:04|15:04:05|周一",
		"ko":    "2026년 8월 31일|8월 31일|2026년 8월|2026년 3분기|2026년|15:04|15시 4분 5초|월",
		"ar":    "31 أغسطس 2026|31 أغسطس|أغسطس 2026|الربع الثالث 2026|2026|15:04|15:04:05|الاثنين",
	} {
		l := For(tag)
		got := []string{
			l.Date(at), l.DayMonth(at), l.Month(at), l.Quarter(at), l.Year(at), l.Clock(at), l.ClockSeconds(at), l.Weekday(at.Weekday(), true),
		}
		if diff := cmp.Diff(strings.Split(want, "|"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tag, diff)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"en-US": "1,234.50|−12,345,678|20%|$1,234.50|−$5|CHF\u00a07|12.3K|1M|1.2B",
		"de":    "1.234,50|−12.345.678|20\u00a0%|1.234,50\u00a0$|−5\u00a0$|7\u00a0CHF|12.345|1\u00a0Mio.|1,2\u00a0Mrd.",
		"de-CH": "1'234.50|−12'345'678|20%|$\u00a01'234.50|$−5|CHF\u00a07|12'345|1\u00a0Mio.|1.2\u00a0Mrd.",
		"fr":    "1\u202f234,50|−12\u202f345\u202f678|20\u00a0%|1\u202f234,50\u00a0$US|−5\u00a0$US|7\u00a0CHF|12,3\u00a0k|1\u00a0M|1,2\u00a0Md",
		"es":    "1234,50|−12.345.678|20\u00a0%|1234,50\u00a0US$|−5\u00a0US$|7\u00a0CHF|12,3\u00a0mil|1\u00a0M|1235\u00a0M",
		"nl":    "1.234,50|−12.345.678|20%|US$\u00a01.234,50|US$\u00a0−5|CHF\u00a07|12,3K|1\u00a0mln.|1,2\u00a0mld.",
		"ja":    "1,234.50|−12,345,678|20%|$1,234.50|−$5|CHF\u00a07|1.2万|100万|12.3億",
		"en-IN": "1,234.50|−1,23,45,678|20%|$1,234.50|−$5|CHF\u00a07|12.3K|10L|123Cr",
		"tr":    "1.234,50|−12.345.678|%20|$1.234,50|−$5|CHF\u00a07|12,3\u00a0B|1\u00a0Mn|1,2\u00a0Mr",
	} {
		l := For(tag)
		compact := func(v float64) string {
			s, ok := l.Compact(strconv.FormatFloat(v, 'f', -1, 64))
			if !ok {
				t.Errorf("%s: %g has no short form", tag, v)
			}
			return s
		}
		got := []string{
			l.Digits("1234.50"), l.Digits("-12345678"), l.Percent("20"), l.Money(l.Number(1234.5, 2), "USD"), l.Money(l.Number(-5, 0), "USD"),
			l.Money("7", "CHF"), compact(12_345), compact(999_960), compact(1_234_567_890),
		}
		if diff := cmp.Diff(strings.Split(want, "|"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tag, diff)
		}
	}
}

func TestForFindsTheNearest(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]struct{ date, dir string }{
		"":                       {"Aug 31, 2026", "ltr"},
		"en":                     {"Aug 31, 2026", "ltr"},
		"xx-nonsense":            {"Aug 31, 2026", "ltr"},
		"sw":                     {"Aug 31, 2026", "ltr"}, // no sign
		strings.Repeat("a-", 99): {"Aug 31, 2026", "ltr"},
		"de-DE":                  {"31. Aug. 2026", "ltr"},
		"de_AT":                  {"31. Aug. 2026", "ltr"},
		"zh-TW":                  {"2026年8月31日", "ltr"},
		"no":                     {"31. aug. 2026", "ltr"},
		"he":                     {"31 באוג׳ 2026", "rtl"},
	} {
		l := For(tag)
		if got := l.Date(time.Date(2026, 8, 31, 0, 0, 0, 0, time.UTC)); got != want.date || l.Dir != want.dir {
			t.Errorf("%q: %s %s, want %s %s", tag, got, l.Dir, want.date, want.dir)
		}
	}
}

func TestCalendarOrder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		names  string
		places []int
		of     Calendar
	}{
		{"Monday tuesday SUN", []int{0, 1, 6}, WeekdayName},
		{"Montag Di Mi. Samstag", []int{0, 1, 2, 5}, WeekdayName},
		{"lundi mar. mercredi", []int{0, 1, 2}, WeekdayName},
		{"ene feb mar", []int{0, 1, 2}, MonthName},
		{"8月 12月", []int{7, 11}, MonthName},
		{"Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, MonthName},
		{"janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, MonthName},
		{"Jänner Februar März", []int{0, 1, 2}, MonthName},
		{"Jan Feb Other", nil, NoName},
		{"Jan Mon", nil, NoName},
		{"Mo Di Mi Do Fr", []int{0, 1, 2, 3, 4}, WeekdayName},
		{"L M X J V S D", nil, NoName},
		{"日 月 火 水 木 金 土", []int{6, 0, 1, 2, 3, 4, 5}, WeekdayName},
		{"周一 周五", []int{0, 4}, WeekdayName},
		{"E T K N R L P", []int{0, 1, 2, 3, 4, 5, 6}, WeekdayName}, // in Estonian
		{"N E", nil, NoName}, // Thursday and Monday in Estonian, or directions
		{"r l", nil, NoName},
		{"FR PT TR", nil, NoName}, // weekdays in German, Polish and Portuguese, or countries
		{"LA MA", nil, NoName},    // weekdays in Finnish, or states
		{"Mon mardi", nil, NoName},
	} {
		places, of := CalendarOrder(strings.Fields(tc.names))
		if of != tc.of || !slices.Equal(places, tc.places) {
			t.Errorf("%s: %v %v, want %v %v", tc.names, places, of, tc.places, tc.of)
		}
	}
	if _, of := CalendarOrder(nil); of != NoName {
		t.Error("no names have an order")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"de": "10 a|Äpfel|Birne|Zebra",
		"sv": "10 a|Birne|Zebra|Äpfel",
		"en": "2 a|10 a|Apple|apple 2|apple 10",
	} {
		sorted := strings.Split(want, "|")
		got := slices.Clone(sorted)
		slices.Reverse(got)
		slices.SortFunc(got, For(tag).Compare)
		if diff := cmp.Diff(sorted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tag, diff)
		}
	}
}

// Locales share what they have read, collators and weights among it: concurrent callers get the same results as a single one.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	tags := []string{"de", "de-CH", "fr", "ar", "ja", "ja-JP", "zh-Hant", "en-XA", "sv", "hi", "", "und", "xx-YY"}
	names := []string{"Zebra 10", "Zebra 9", "älter", "Apfel", "Äpfel", "中文", "日本", "عربي", "10", "9", "a-b", ""}
	slices.Sort(names)
	of := func(tag string) string {
		l := For(tag)
		var s strings.Builder
		sorted := slices.SortedFunc(slices.Values(names), l.Compare)
		keys := l.Keys(names)
		order := make([]int, len(names))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, keys.Compare)
		fmt.Fprintln(&s, l.Tag, l.Number(1234567.891, 2), l.Money(l.Number(1234.5, 2), "EUR"), l.Percent("12"), sorted, order)
		fmt.Fprintln(&s, l.Date(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)), Negotiate(tag+",en;q=0.5").Tag, l.Text("Sign in"))
		return s.String()
	}
	const each = 4
	got := make([][]string, len(tags)*each)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			for j := range tags {
				got[i] = append(got[i], of(tags[(i+j)%len(tags)]))
			}
		})
	}
	wg.Wait()
	for i, texts := range got {
		for j, text := range texts {
			if want := of(tags[(i+j)%len(tags)]); text != want {
				t.Errorf("%s\nand at once with others\n%s", want, text)
			}
		}
	}
}

// TestSignsFromRightToLeft: signs of Latin letters keep their order in languages that are written from right to left.
func TestSignsFromRightToLeft(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"ar": "US$\u200e", "ar-EG": "US$\u200e", "en": "$", "en-CA": "US$"} {
		if got := For(tag).CurrencySign("USD"); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	if got := For("he").CurrencySign("CAD"); got != "CA$\u200e" {
		t.Errorf("he: %q", got)
	}
	if got := For("ar").CurrencySign("EUR"); got != "€" {
		t.Errorf("a sign without letters: %q", got)
	}
}
