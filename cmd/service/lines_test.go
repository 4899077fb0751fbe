package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the limit of a line of Go in characters; a tab counts as one.
const maxColumns = 140

func TestLines(t *testing.T) {
	t.Parallel()
	err := eachGoFile(repository, func(name string, text []byte) error {
		for _, n := range tooLong(text) {
			t.Errorf("%s:%d is longer than %d characters", name, n, maxColumns)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinesTooLong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		strings.Repeat("x", maxColumns):                   nil,
		"\t" + strings.Repeat("x", maxColumns-1) + "\n":   nil,
		strings.Repeat("ä", maxColumns) + "\n":            nil,
		"x\n" + strings.Repeat("x", maxColumns+1) + "\nx": {2},
	} {
		if got := tooLong([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%.20s: %v, want %v", text, got, want)
		}
	}
}

// tooLong returns the numbers of the lines that are too long.
func tooLong(text []byte) (numbers []int) {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > maxColumns {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
