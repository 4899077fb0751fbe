package dashboard_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// The texts of a column that measure something are ordered by the numbers in them.
func TestNaturalOrderOfNumbers(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		{"Q4 2024", "Q1 2025", "Q2 2025", "Q1 2026"},
		{"H2-2024", "H1-2025", "H2-2025"},
		{"W9/2025", "W10/2025", "W1/2026"},
		{"2024 Q4", "2025 Q1", "2025 Q2", "2026 Q1"},
		{"2024-Q4", "2025-Q1"},
		{"10.0.0.12", "10.0.0.105", "10.0.1.5", "10.0.10.1"},
		{"1.25 kg", "1.5 kg", "1,500 kg", "1.000.000 kg", "1,000,000.5 kg"},
		{"1.2.3", "1.2.10", "1.10.0"},
		{"Q1", "Q2 2025"},                                  // not all are periods of years
		{"8A", "8B", "8C", "9A", "9B", "9C", "10A", "10B"}, // classes of a school: B is no billion
		{"1A", "1K", "1M", "2A", "2M", "Form 3B"},
		{"999", "500k", "2M", "10M", "1B"},
		{"$500M", "$1B", "$10T"},
	} {
		got := slices.Clone(want)
		rand.New(rand.NewPCG(3, 4)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		var values []any
		for _, s := range got {
			values = append(values, s)
		}
		n := dashboard.NaturalOrderOf(values, locale.For("en-US"))
		slices.SortFunc(got, func(a, b string) int { return n.Compare(a, b) })
		if !n.Ordered || !slices.Equal(got, want) {
			t.Errorf("%q, want %q; ordered: %t", got, want, n.Ordered)
		}
	}
}
