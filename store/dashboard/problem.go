package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"service/store/suggest"
)

// A Problem is one mistake in a spec, with a message that names the fix.
type Problem struct {
	Path    string // where, such as panels[4].y; "" for the whole document
	Message string
	Noun    string // what Allowed lists, such as "columns"; "possible values" by default
	Allowed []string
	Nearest string // of Allowed, or of other correct values; "" if nothing is similar
	Missing string // the column that the panel's dataset does not return; "" for any other problem
}

// maxListed is how many possible values a problem lists.
const maxListed = 40

func (p Problem) String() string {
	var b strings.Builder
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if len(p.Allowed) > 0 {
		noun := p.Noun
		if noun == "" {
			noun = "possible values"
		}
		shown := p.Allowed[:min(len(p.Allowed), maxListed)]
		b.WriteString("; " + noun + ": " + strings.Join(shown, ", "))
		if more := len(p.Allowed) - len(shown); more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
	}
	if p.Nearest != "" {
		b.WriteString(`; did you mean "` + p.Nearest + `"?`)
	}
	return b.String()
}

// Problems are the mistakes in a spec, in the order of the document. *Problems is an error whose
// text is safe to show, because it quotes only the spec.
type Problems []Problem

// maxKept is how many problems of one document are kept.
const maxKept = 1000

// Error returns a line for each of the first [MaxProblems].
func (p *Problems) Error() string {
	var b strings.Builder
	for i, problem := range *p {
		if i == MaxProblems {
			fmt.Fprintf(&b, "\n… and %d more", len(*p)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(problem.String())
	}
	return b.String()
}

// add adds a problem, unless there are maxKept already.
func (p *Problems) add(problem Problem) {
	if len(*p) < maxKept {
		*p = append(*p, problem)
	}
}

func (p *Problems) addf(path, format string, args ...any) {
	p.add(Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// err returns the problems as an error, or nil without problems.
func (p *Problems) err() error {
	if len(*p) == 0 {
		return nil
	}
	return p
}

// Join combines the problems that [Parse] and [Spec.Check] found in one spec, each once, in the order of the
// document. An error that is not a *Problems takes precedence.
// It returns nil if all errs are nil.
func Join(errs ...error) error {
	var all Problems
	for _, err := range errs {
		if err == nil {
			continue
		}
		p, ok := errors.AsType[*Problems](err)
		if !ok {
			return err
		}
		for _, problem := range *p {
			if !slices.ContainsFunc(all, func(o Problem) bool { return o.Path == problem.Path && o.Message == problem.Message }) {
				all.add(problem)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return slices.Compare(placeOf(a.Path), placeOf(b.Path)) })
	return all.err()
}

// placeOf returns the place of a path in the document: that of its first key in the reference and, for a list, the index of the member.
func placeOf(path string) []int {
	end := strings.IndexAny(path+".", ".[")
	place := []int{slices.Index(specKeys, path[:end]), -1}
	if rest := path[end:]; strings.HasPrefix(rest, "[") {
		if i, err := strconv.Atoi(rest[1:max(strings.IndexByte(rest, ']'), 1)]); err == nil {
			place[1] = i
		}
	}
	return place
}

// quote shows a piece of a spec in a message, cut when long.
func quote(s string) string { return `"` + short(s) + `"` }

// maxQuoted is how many characters of a piece of a spec a message shows.
const maxQuoted = 80

// short cuts s to maxQuoted characters.
func short(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuoted {
			return s[:i] + "…"
		}
	}
	return s
}

// likeliest returns the one of allowed that was probably meant by s, or "".
func likeliest(s string, allowed []string) string {
	for _, name := range suggest.Names(s, allowed, 1) {
		return name
	}
	return ""
}

// known returns the one of allowed that s probably means: the name that also has for s (of
// several, separated by |, the first that is allowed), or else the nearest.
func known(s string, also map[string]string, allowed []string) string {
	return cmp.Or(otherName(s, also, allowed), likeliest(s, allowed))
}

// otherName returns the one of allowed that s is another name of, or "".
func otherName(s string, also map[string]string, allowed []string) string {
	for a := range strings.SplitSeq(also[suggest.Plain(s)], "|") {
		if slices.Contains(allowed, a) {
			return a
		}
	}
	return ""
}
