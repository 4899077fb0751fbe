package locale

import (
	"maps"
	"regexp"
	"slices"
	"testing"
)

// uncountedNoun is a number before a noun in the plural. All of which some are, and limits, are more than one.
var uncountedNoun = regexp.MustCompile(`(of |than |most |into |to )?%(?:\[\d\])?s (?:rows|columns|values|areas|points|others|steps|` +
	`spans|flows|gaps|plots|seconds|minutes|hours|days|weeks|months|quarters|years|ranges|events|outliers|boxes|cells|series|dashboards|` +
	`alerts|members|people|files|filters|panels|sheets|versions|deliveries|favourites)\b`)

// Texts with a number that is never 1.
var neverOne = map[Key]string{
	"%s points are counted in cells, whose colors show how many they have.":            "more than are drawn one by one",
	"%s values of %s are merged into %s ranges %s.":                                    "more than there is room for",
	"No moving average: nowhere are %s points in a row.":                               "an average is of two or more",
	"You can have %s favourites in a workspace. Remove the star of another one first.": "a limit",
}

// Each text about a number of things has a form for one of them, in each language: Count writes it, and not Text.
func TestNumbersAreCounted(t *testing.T) {
	t.Parallel()
	keys := said(t)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if m := uncountedNoun.FindStringSubmatch(key); m != nil && m[1] == "" && neverOne[Key(key)] == "" {
			t.Errorf("%q, said in %s, has no form for one", key, keys[key].at)
		}
	}
}
