package geo

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"service/store/nearest"
)

//go:generate go run generate.go

//go:embed names.json
var namesJSON []byte

// An Area is a country or a US state.
type Area struct {
	Code      string // ISO 3166-1 alpha-2, or of the Postal Service; begins with - where there is none
	ISO3      string // of a country
	Numeric   string // ISO 3166-1 with three digits, or FIPS with two
	Continent string // of a country; one of the regions
	Of        string // code of the area as part of which it is drawn when it has no value; "" for none

	Names map[string]string // by language: en, de, fr, es, pt, it, nl, ja, zh, ko and ar; of a state, en
	Also  []string          // variants, and names in the area's own languages
}

// Name is the area's name in a language, such as de or de-CH, or else in English.
func (a *Area) Name(lang string) string {
	base, _, _ := strings.Cut(lang, "-")
	if name := a.Names[base]; name != "" {
		return name
	}
	return a.Names["en"]
}

// A Gazetteer is areas and how they are called. It is safe for concurrent use.
type Gazetteer struct {
	Areas []Area // in the order of their codes

	index   map[string]int // by fold
	numbers map[string]int // by Numeric without leading zeros
	english []string
}

// Countries are the countries of ISO 3166-1, and Kosovo, Northern Cyprus and Somaliland.
func Countries() *Gazetteer { return gazetteers().countries }

// States are the states of the US, the District of Columbia, and the territories.
func States() *Gazetteer { return gazetteers().states }

var gazetteers = sync.OnceValue(func() (g struct{ countries, states *Gazetteer }) {
	var file struct{ Countries, States []Area }
	if err := json.Unmarshal(namesJSON, &file); err != nil {
		panic(err) // it is part of the program
	}
	g.countries = newGazetteer(file.Countries, aliases, nil)
	g.states = newGazetteer(file.States, stateAliases, func(a *Area) []string { return []string{"US-" + a.Code} })
	return g
})

// newGazetteer indexes areas. Where two would have one name, the first of these counts: codes, English
// names, aliases, all others; a test lists the names that are lost to an area by it.
func newGazetteer(areas []Area, aliases map[string][]string, more func(*Area) []string) *Gazetteer {
	g := &Gazetteer{Areas: areas, index: make(map[string]int, 20*len(areas)), numbers: map[string]int{}}
	each := func(texts func(*Area) []string) {
		for i := range areas {
			for _, text := range texts(&areas[i]) {
				if key := fold(text); key != "" {
					if _, taken := g.index[key]; !taken {
						g.index[key] = i
					}
				}
			}
		}
	}
	for i, a := range areas {
		if a.Numeric != "" {
			g.numbers[strings.TrimLeft(a.Numeric, "0")] = i
		}
		g.english = append(g.english, a.Names["en"])
	}
	each(func(a *Area) []string {
		if strings.HasPrefix(a.Code, "-") {
			return nil
		}
		return []string{a.Code, a.ISO3}
	})
	each(func(a *Area) []string { return []string{a.Names["en"]} })
	each(func(a *Area) []string { return aliases[a.Code] })
	each(func(a *Area) []string { return a.Also })
	each(func(a *Area) []string {
		var out []string
		for _, lang := range languages {
			out = append(out, a.Names[lang])
		}
		return out
	})
	if more != nil {
		each(more)
	}
	return g
}

// languages are those in which all countries have names, in the order in which these count.
var languages = [...]string{"en", "de", "fr", "es", "pt", "it", "nl", "ja", "zh", "ko", "ar"}

// longestName is how long a text may be, in bytes, to be the name of an area.
const longestName = 128

// Find returns the place in Areas of the area that a text means, or -1: a name in any of its languages, a
// common other one, a code or number of ISO 3166-1, of the Postal Service or of FIPS, or a flag. Case,
// accents, punctuation and articles do not count.
func (g *Gazetteer) Find(text string) int {
	if text == "" || len(text) > longestName {
		return -1
	}
	if number(text) {
		if i, ok := g.numbers[strings.TrimLeft(text, "0")]; ok && len(text) <= len(g.Areas[i].Numeric) {
			return i
		}
		return -1
	}
	if i, ok := g.index[fold(text)]; ok {
		return i
	}
	if last, first, ok := strings.Cut(text, ","); ok { // Korea, Republic of
		if i, ok := g.index[fold(first+" "+last)]; ok {
			return i
		}
	}
	if plain, _, ok := strings.Cut(text, "("); ok && strings.TrimSpace(plain) != "" { // France (metropolitan)
		if i, ok := g.index[fold(plain)]; ok {
			return i
		}
	}
	return -1
}

// Nearest is the name of the area that a text which is none was probably meant to be, or "".
func (g *Gazetteer) Nearest(text string) string {
	for _, name := range nearest.Names(text, g.english, 1) {
		return name
	}
	return ""
}

func number(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// fold is a name without what spellings of it differ in: case, accents, punctuation, spaces, and small words.
// A flag is the code that its letters spell.
func fold(text string) string {
	var words []string
	var word strings.Builder
	flush := func() {
		switch w := word.String(); w {
		case "", "the", "of", "and":
		case "st", "ste", "sts":
			words = append(words, "saint")
		case "rep":
			words = append(words, "republic")
		case "dem":
			words = append(words, "democratic")
		case "is":
			words = append(words, "islands")
		default:
			words = append(words, w)
		}
		word.Reset()
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case r >= 0x1f1e6 && r <= 0x1f1ff: // regional indicators
			word.WriteRune('a' + r - 0x1f1e6)
		case r >= 0x300 && r < 0x370, r >= 0x64b && r < 0x656, r == 'ʻ', r == 'ʼ', r == '\'', r == '’', r == '‘', r == '`', r == '.',
			unicode.Is(unicode.Cf, r):
			// accents and apostrophes join; U.S.A. is USA
		case r == '&':
			flush()
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r):
			if s, ok := letters[unicode.ToLower(r)]; ok {
				word.WriteString(s)
			} else {
				word.WriteRune(unicode.ToLower(r))
			}
		default:
			flush()
		}
	}
	last := word.String()
	flush()
	if len(words) == 0 { // AND is Andorra
		return last
	}
	if len(words) > 1 {
		switch words[0] { // articles of languages in which names of countries have one
		case "la", "le", "les", "el", "los", "las", "il", "lo", "die", "der", "das", "o", "os", "as", "de", "het":
			words = words[1:]
		}
	}
	return strings.Join(words, "")
}

// letters are those that have no accent to be taken off.
var letters = map[rune]string{'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ð': "d", 'þ': "th", 'ł': "l", 'đ': "d", 'ı': "i"}
