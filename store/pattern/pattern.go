// Package pattern has regular expressions that are compiled when they are first used. Each query worker, and each call of some warehouses,
// is a process of this program, and would compile those of all packages before main.
package pattern

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression, in the syntax of package regexp. Its methods are those of [regexp.Regexp]. They panic if the text is
// not a valid expression; a test of cmd/service compiles all that [New] has made. It is safe for concurrent use.
type Pattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// made are the patterns of all packages. It does not change after the variables of packages are initialized.
var made []*Pattern

// New returns a pattern for a variable of a package.
func New(text string) *Pattern {
	p := &Pattern{text: text}
	made = append(made, p)
	return p
}

// All returns the patterns of all packages of the program.
func All() []*Pattern { return made }

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}

// String returns the text.
func (p *Pattern) String() string { return p.text }

// MatchString reports whether s contains a match.
func (p *Pattern) MatchString(s string) bool { return p.Regexp().MatchString(s) }

// FindString returns the first match in s, or "".
func (p *Pattern) FindString(s string) string { return p.Regexp().FindString(s) }

// FindStringSubmatch returns the first match in s and its groups, or nil.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.Regexp().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns the places of the first match in s and of its groups, or nil.
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.Regexp().FindStringSubmatchIndex(s)
}

// FindAllStringIndex returns the places of up to n matches in s, or of all if n is negative.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns up to n matches in s and their groups, or all if n is negative.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Regexp().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns the places of up to n matches in s and of their groups, or of all if n is negative.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString returns s with with in place of each match; $1 in with is the first group.
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.Regexp().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc returns s with the result of with in place of each match.
func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.Regexp().ReplaceAllStringFunc(s, with)
}
