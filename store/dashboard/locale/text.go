package locale

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// A text is a translation: one form, or one for each plural of the language.
type text map[plural.Form]string

// UnmarshalJSON takes a string, or an object of the forms zero, one, two, few, many
// and other.
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

var catalogs sync.Map // language.Tag: map[string]text

// catalogOf returns the texts of a language: of de-CH those of de. English has
// none, because its texts are the keys.
func catalogOf(tag language.Tag) map[string]text {
	for ; tag != language.Und; tag = tag.Parent() {
		if c, ok := catalogs.Load(tag); ok {
			return c.(map[string]text)
		}
		b, err := texts.ReadFile("texts/" + tag.String() + ".json")
		if err != nil {
			continue
		}
		var c map[string]text
		if err := json.Unmarshal(b, &c); err != nil {
			panic("locale: texts/" + tag.String() + ".json: " + err.Error())
		}
		found, _ := catalogs.LoadOrStore(tag, c)
		return found.(map[string]text)
	}
	return nil
}

// Text returns the translation of an English text. {0}, {1} and so on stand for
// the arguments, which are put in as they are.
func (l *Locale) Text(english string, args ...string) string {
	if t, ok := l.catalog[english]; ok {
		english = t[plural.Other]
	}
	return fill(english, args)
}

// Count returns the translation of a text about n things: one and other are the
// English forms, of which the second is the key. {n} stands for the number.
func (l *Locale) Count(n int, one, other string, args ...string) string {
	s := other
	if t, ok := l.catalog[other]; ok {
		if s = t[plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0)]; s == "" {
			s = t[plural.Other]
		}
	} else if n == 1 {
		s = one
	}
	return fill(strings.ReplaceAll(s, "{n}", l.Number(float64(n), 0)), args)
}

func fill(s string, args []string) string {
	if len(args) == 0 || !strings.Contains(s, "{") {
		return s
	}
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", a)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}
