package suggest

import (
	"slices"
	"strings"
)

// longestNamed is how long a name may be, in bytes, to be compared with others.
const longestNamed = 64

// Names returns the names that are most similar to word, the likeliest first, at most most of them: names that differ only in case and word
// separators, or in a few letters, or that begin with word.
func Names(word string, names []string, most int) []string {
	if word == "" || len(word) > longestNamed {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	limit := len(word) / 3
	lower, plain := strings.ToLower(word), Plain(word)
	var found []candidate
	for _, name := range names {
		if len(name) > longestNamed {
			continue
		}
		c := candidate{name, 0}
		if Plain(name) != plain {
			c.distance = distance(lower, strings.ToLower(name))
		}
		if c.distance <= limit || len(word) >= 3 && strings.HasPrefix(strings.ToLower(name), lower) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	found = slices.DeleteFunc(found, func(c candidate) bool { // keep only the best guesses, and names that begin with word
		return c.distance > found[0].distance && !strings.HasPrefix(strings.ToLower(c.name), lower)
	})
	var out []string
	for _, c := range found[:min(len(found), most)] {
		out = append(out, c.name)
	}
	return out
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "") // made once: a word is compared with thousands of names

// Plain returns a name in lower case without word separators.
func Plain(s string) string { return strings.ToLower(separators.Replace(s)) }

// distance returns the number of letters to insert, delete, replace or swap to turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
