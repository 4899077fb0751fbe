package locale

import (
	"sync"

	"golang.org/x/text/language"
)

// spoken are the locales that have all fixed texts, English first.
var spoken = []string{"en", "en-GB", "de", "fr", "es", "pt", "it", "nl", "ja", "zh", "ko", "ar"}

var negotiator = sync.OnceValue(func() language.Matcher {
	tags := make([]language.Tag, len(spoken))
	for i, s := range spoken {
		tags[i] = language.MustParse(s)
	}
	return language.NewMatcher(tags)
})

// Negotiate returns the locale of fixed texts that suits an Accept-Language header best (RFC 9110, section 12.5.4), or English if no locale
// suits it. It is used for pages that have no locale of their own. It is one of a few, so that no header fills the memory.
func Negotiate(accept string) *Locale {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(wanted) == 0 {
		return For(spoken[0])
	}
	if wanted[0] == pseudo {
		return For(pseudo.String())
	}
	_, i, sure := negotiator().Match(wanted...)
	if sure == language.No {
		i = 0
	}
	return For(spoken[i])
}
