package locale

import (
	"embed"
	"encoding/json"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

//go:generate go run generate.go

//go:embed cldr/*.json
var files embed.FS

// A Locale is a language with the conventions of a region. It is safe for concurrent use.
type Locale struct {
	Tag  string // BCP 47, as requested; en-US if the request is not a valid tag
	Lang string // BCP 47, of the fixed texts: en if there are no texts in the language
	Dir  string // ltr or rtl

	data     *data
	tag      language.Tag // of the texts
	catalog  catalog
	pseudo   bool
	collator *sync.Pool   // of *collate.Collator, which is not safe for concurrent use
	sorted   language.Tag // of the sort order
}

// data is a file of cldr: see generate.go.
type data struct {
	Dir        string     `json:"dir"`
	Months     [12]string `json:"months"`
	MonthsAbbr [12]string `json:"months_abbr"`
	Alone      [12]string `json:"months_alone"`
	AloneAbbr  [12]string `json:"months_alone_abbr"`
	Weekdays   [7]string  `json:"weekdays"`
	DaysAbbr   [7]string  `json:"weekdays_abbr"`
	Quarters   [4]string  `json:"quarters_abbr"`

	Date     string `json:"date"`
	DayMonth string `json:"day_month"`
	Month    string `json:"month"`
	Quarter  string `json:"quarter"`
	Year     string `json:"year"`
	Clock    string `json:"clock"`
	Seconds  string `json:"clock_seconds"`

	Decimal  string            `json:"decimal"`
	Group    string            `json:"group"`
	MinGroup int               `json:"min_grouping"`
	Number   string            `json:"number"`
	Percent  string            `json:"percent"`
	Currency string            `json:"currency"`
	Compact  [12]string        `json:"compact"` // of 10^3 to 10^14
	Signs    map[string]string `json:"currency_signs"`

	numbers numberForms
}

// known are the locales of cldr. English is first, so that it is used for unknown languages.
var known = sync.OnceValue(func() (k struct {
	tags    []language.Tag
	matcher language.Matcher
},
) {
	list, err := files.ReadDir("cldr")
	if err != nil {
		panic(err) // they are part of the program
	}
	k.tags = []language.Tag{language.English}
	for _, f := range list {
		if tag := language.MustParse(strings.TrimSuffix(f.Name(), ".json")); tag != language.English {
			k.tags = append(k.tags, tag)
		}
	}
	k.matcher = language.NewMatcher(k.tags)
	return k
})

// pseudo is the locale of CLDR in which every fixed text is in brackets: text outside brackets is either not a fixed text, or was
// forgotten.
var pseudo = language.MustParse("en-XA")

// cache keeps locales by requested tag. Tags are input, and valid ones are practically unlimited: private use alone has 36^8. So it is
// emptied when it is full, which does not happen with the tags of real pages.
var cache struct {
	sync.RWMutex
	of map[string]*Locale
}

// mostCached is how many locales are kept. One takes about 350 bytes.
const mostCached = 512

func cached(tag string) *Locale {
	cache.RLock()
	defer cache.RUnlock()
	return cache.of[tag]
}

func keep(tag string, l *Locale) {
	cache.Lock()
	defer cache.Unlock()
	if cache.of == nil || len(cache.of) >= mostCached {
		cache.of = map[string]*Locale{}
	}
	cache.of[strings.Clone(tag)] = l
}

// maxTag is the longest tag that is parsed: sensible tags of RFC 5646 have at most 35 bytes.
const maxTag = 64

// For returns the locale of a BCP 47 tag, or the nearest that exists.
func For(tag string) *Locale {
	if len(tag) > maxTag {
		tag = ""
	}
	if l := cached(tag); l != nil {
		return l
	}
	asked, err := language.Parse(tag)
	if err != nil {
		asked = language.AmericanEnglish
	}
	_, i, sure := known().matcher.Match(asked)
	switch {
	case sure == language.No:
		asked, i = language.AmericanEnglish, 0
	case asked == pseudo:
		i = 0
	}
	l := newLocale(asked, known().tags[i])
	if tag == asked.String() { // so that different spellings do not fill the memory
		keep(tag, l)
	}
	return l
}

func newLocale(asked, found language.Tag) *Locale {
	d := dataOf(found)
	l := &Locale{Tag: asked.String(), Lang: "en", Dir: d.Dir, data: d, tag: language.English, pseudo: asked == pseudo}
	if texts, ok := catalogOf(found); ok {
		l.catalog, l.tag, l.Lang = texts, found, asked.String()
	}
	l.sorted = found
	l.collator = &sync.Pool{New: func() any { return collate.New(found, collate.IgnoreCase) }}
	return l
}

var datas sync.Map // language.Tag: *data

func dataOf(tag language.Tag) *data {
	if d, ok := datas.Load(tag); ok {
		return d.(*data)
	}
	b, err := files.ReadFile("cldr/" + tag.String() + ".json")
	if err != nil {
		panic(err) // known has it
	}
	d := &data{}
	if err := json.Unmarshal(b, d); err != nil {
		panic(err)
	}
	d.keepSigns()
	d.numbers = d.forms()
	found, _ := datas.LoadOrStore(tag, d)
	return found.(*data)
}

// leftToRight is the left-to-right mark.
const leftToRight = "\u200e"

// keepSigns adds a mark to the currency signs of Latin letters in languages that are written from right to left. Without it, the dollar of
// US$ is drawn before the letters, because it has no direction of its own (Unicode Standard Annex 9, rules N1 and N2).
func (d *data) keepSigns() {
	for code, sign := range d.Signs {
		if first := sign[0]; d.Dir == "rtl" && first >= 'A' && first <= 'Z' {
			d.Signs[code] = sign + leftToRight
		}
	}
}

// mostCompared is how many bytes of a text, from its beginning, the rules of the language order. A collator takes microseconds for that
// many, and texts of thousands of bytes that begin alike would take it minutes to sort.
const mostCompared = 256

// compared returns the part of a text that the rules of the language order. It ends with a character.
func compared(s string) string {
	if len(s) <= mostCompared {
		return s
	}
	end := mostCompared
	for end > mostCompared-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// Compare orders two texts by the rules of the language, with numbers in them by size; it reads their first 256 bytes. Texts that are equal
// by these rules are ordered by their bytes.
func (l *Locale) Compare(a, b string) int {
	if x, y := compared(a), compared(b); x != y {
		c := l.collator.Get().(*collate.Collator)
		defer l.collator.Put(c)
		if order := c.CompareString(countNumbers(x), countNumbers(y)); order != 0 {
			return order
		}
	}
	return strings.Compare(a, b)
}
