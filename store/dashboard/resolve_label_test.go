package dashboard

import (
	"testing"

	"service/store/dashboard/locale"
)

// Labels of a page in German stay German nouns in English sentences about it, and so do those of a language without texts.
func TestLabelsInSentences(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"en-US": "sum", "de-DE": "Sum", "fi-FI": "Sum"} {
		if got := InSentence(locale.For(tag).English(), "Sum"); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}
