package geo

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"service/store/suggest"
)

//go:generate go run generate.go

//go:embed names.json
var namesJSON []byte

// An Area is a country or a US state.
type Area struct {
	Code      string // ISO 3166-1 alpha-2, or of the Postal Service; begins with - if there is no such code
	ISO3      string // of a country
	Numeric   string // ISO 3166-1 with three digits, or FIPS with two
	Continent string // of a country; one of the regions
	Of        string // code of the area with which it is drawn if it has no value, or ""

	Names map[string]string // by language: en, de, fr, es, pt, it, nl, ja, zh, ko and ar; of a state, en
	Also  []string          // variants, and names in the area's own languages
}

// Name returns the area's name in a language, such as de or de-CH, or else in English.
func (a *Area) Name(lang string) string {
	base, _, _ := strings.Cut(lang, "-")
	if name := a.Names[base]; name != "" {
		return name
	}
	return a.Names["en"]
}

// A Gazetteer finds areas by their names. It is safe for concurrent use.
type Gazetteer struct {
	Areas []Area // in the order of their codes

	index   map[string]int // by fold
	numbers map[string]int // by Numeric without leading zeros
	english []string
}

// Countries returns the countries of ISO 3166-1, and Kosovo, Northern Cyprus and Somaliland.
func Countries() *Gazetteer { return gazetteers().countries }

// States returns the states of the US, the District of Columbia, and the territories.
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

// newGazetteer indexes areas. If two areas have the same name, the first of these kinds wins: codes, English names, aliases, other names. A
// test lists the names that an area loses this way.
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

// languages are the languages in which all countries have names, in order of precedence.
var languages = [...]string{"en", "de", "fr", "es", "pt", "it", "nl", "ja", "zh", "ko", "ar"}

// longestName is how long a text may be, in bytes, to be the name of an area.
const longestName = 128

// Find returns the index in Areas of the area that a text means, or -1. The text is a name in any of its languages, another common name, a
// code or number of ISO 3166-1, of the Postal Service or of FIPS, or a flag. Case, accents, punctuation and articles are ignored.
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

// Nearest returns the name of the area that is most similar to a text that is not a name, or "".
func (g *Gazetteer) Nearest(text string) string {
	for _, name := range suggest.Names(text, g.english, 1) {
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

// fold returns a name without the differences of its spellings: case, accents, punctuation, spaces, and small words. A flag becomes the
// code of its letters.
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
		switch words[0] { // articles that occur in names of countries
		case "la", "le", "les", "el", "los", "las", "il", "lo", "die", "der", "das", "o", "os", "as", "de", "het":
			words = words[1:]
		}
	}
	return strings.Join(words, "")
}

// letters are the letters that do not decompose into a letter and an accent.
var letters = map[rune]string{'ß': "ss", 'ø': "o", 'æ': "ae", 'œ': "oe", 'ð': "d", 'þ': "th", 'ł': "l", 'đ': "d", 'ı': "i"}
