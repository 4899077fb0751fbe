package locale

import (
	"embed"
	"encoding/json"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed texts/*.json
var texts embed.FS

// A Key is a fixed text in English, which is also the key of its translations. Each %s is replaced by the next argument; a translation with
// another order uses %[2]s. %d is replaced by the number of [Locale.Count].
type Key string

// A text is a translation: one form, or one for each plural of the language.
type text map[plural.Form]string

// UnmarshalJSON reads a string, or an object of the forms zero, one, two, few, many and other.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = text{}
	if len(b) > 0 && b[0] == '"' {
		var s string
		err := json.Unmarshal(b, &s)
		(*t)[plural.Other] = s
		return err
	}
	var forms map[string]string
	if err := json.Unmarshal(b, &forms); err != nil {
		return err
	}
	for name, s := range forms {
		(*t)[formNames[name]] = s
	}
	return nil
}

var formNames = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// A catalog has the fixed texts of a language.
type catalog map[Key]text

var catalogs sync.Map // language.Tag: catalog

// catalogOf returns the texts of a language, and whether there are any: for de-CH it returns those of de. The catalog of English has only
// texts that differ by region, because the English texts are the keys.
func catalogOf(tag language.Tag) (catalog, bool) {
	for ; tag != language.Und; tag = tag.Parent() {
		if tag == language.English {
			return nil, true
		}
		if c, ok := catalogs.Load(tag); ok {
			return c.(catalog), true
		}
		b, err := texts.ReadFile("texts/" + tag.String() + ".json")
		if err != nil {
			continue
		}
		var c catalog
		if err := json.Unmarshal(b, &c); err != nil {
			panic("locale: texts/" + tag.String() + ".json: " + err.Error())
		}
		found, _ := catalogs.LoadOrStore(tag, c)
		return found.(catalog), true
	}
	return nil, false
}

// Text returns a fixed text in the locale's language, or in English if there is no translation.
func (l *Locale) Text(english Key, args ...string) string {
	s := string(english)
	if t, ok := l.catalog[english]; ok {
		s = t[plural.Other]
	}
	return l.put(fill(s, args))
}

// Count returns a fixed text about n things. one and other are its forms in English,
// of which other is the key.
func (l *Locale) Count(n int, one, other Key, args ...string) string {
	s := string(other)
	if t, ok := l.catalog[other]; ok {
		if s = t[plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0)]; s == "" {
			s = t[plural.Other]
		}
	} else if n == 1 {
		s = string(one)
	}
	return l.put(fill(strings.Replace(s, "%d", l.Number(float64(n), 0), 1), args))
}

// put adds brackets to a text in the pseudo-locale, which makes texts that are not translated visible.
func (l *Locale) put(s string) string {
	if l.pseudo {
		return "[!! " + s + " !!]"
	}
	return s
}

// marks are characters without a form that set the direction of a text, such as those after symbols of Arabic currencies.
const marks = "\u200e\u200f\u061c\u2068\u2069"

// fill replaces the placeholders of a text by the arguments. A full stop after an argument that ends with one, such as "Nov.", is left out.
func fill(s string, args []string) string {
	if len(args) == 0 {
		return s
	}
	size := len(s)
	for _, arg := range args {
		size += len(arg)
	}
	var b strings.Builder
	b.Grow(size)
	for next := 0; ; {
		before, after, found := strings.Cut(s, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		at := next
		switch {
		case strings.HasPrefix(after, "s"):
			s = after[1:]
			next++
		case len(after) > 3 && after[0] == '[' && after[2:4] == "]s":
			at = int(after[1] - '1')
			s = after[4:]
		default:
			at = -1
			s = after
			b.WriteByte('%')
		}
		if at >= 0 && at < len(args) {
			b.WriteString(args[at])
			if strings.HasSuffix(strings.TrimRight(args[at], marks), ".") {
				s = strings.TrimPrefix(s, ".")
			}
		}
	}
}

// English returns the locale with English texts, and its own dates and numbers.
func (l *Locale) English() *Locale {
	out := *l
	out.catalog, out.pseudo, out.Lang, out.tag = nil, false, "en", language.English
	return &out
}
