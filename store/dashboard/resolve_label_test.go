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

// Months, weekdays and "I" keep their capitals.
func TestCapitalsInSentences(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"October": "October", "Oct 2025": "Oct 2025", "Monday orders": "Monday orders", "I agree": "I agree", "Octobers": "octobers",
		"Revenue": "revenue", "SKU": "SKU", "New MRR": "new MRR", "MRR lost": "MRR lost",
	} {
		if got := LowerLabel(label); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
}

func TestInitialismsInLabels(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"new_mrr": "New MRR", "order_id": "Order ID", "csat": "CSAT", "url": "URL", "rapid": "Rapid", "OrderId": "OrderId", "arrival": "Arrival",
	} {
		if got := Label(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
