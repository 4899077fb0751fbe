package dashboard

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// An Unread is the error of a document that parsed when it was stored and does not now. Its text is for the log: it
// says where the problems are and quotes nothing of the document. It is no *[Problems], and wraps none, because these
// are shown to callers, who can do nothing about it.
type Unread struct {
	places []string // of the first few problems
	more   int
}

func (u *Unread) Error() string {
	text := "what is stored does not parse: " + strings.Join(u.places, ", ")
	if u.more > 0 {
		text += fmt.Sprintf(" and %d more", u.more)
	}
	return text
}

// ParseStored is [Parse] for a spec that is stored. The error is *[Unread].
func ParseStored(raw []byte) (*Spec, error) {
	s, err := Parse(raw)
	return s, unread(err)
}

// ParseStoredReport is [ParseReport] for a report that is stored. The error is *[Unread].
func ParseStoredReport(raw []byte) (*Spec, map[string]*cube.Cube, error) {
	s, cubes, err := ParseReport(raw)
	return s, cubes, unread(err)
}

// unreadPlaces is how many places the log names.
const unreadPlaces = 3

func unread(err error) error {
	if err == nil {
		return nil
	}
	problems, ok := errors.AsType[*Problems](err)
	if !ok {
		return err // Parse has no other
	}
	u := &Unread{}
	for _, p := range *problems {
		if len(u.places) == unreadPlaces {
			u.more++
			continue
		}
		u.places = append(u.places, place(p.Path))
	}
	return u
}

// documentKeys are the keys that specs and reports can have anywhere.
var documentKeys = slices.Concat(
	specKeys, reportKeys, paramKeys, datasetKeys, rowsetKeys, columnKeys, appearanceKeys, filterKeys, eventsKeys, eventKeys,
	panelKeys(), referenceKeys, thresholdKeys, tableKeys, alertKeys, changeKeys, deliveryKeys,
)

// pathPart is a key of a path, or a position in a list.
var pathPart = regexp.MustCompile(`^(?:\.?([A-Za-z][\w-]*)|\[\d+\])`)

// place is a path without what its author has named: from the first key on that the reference does not have, such as a
// column's name, it is "…".
func place(path string) string {
	if path == "" {
		return "the document"
	}
	rest := path
	for rest != "" {
		m := pathPart.FindStringSubmatch(rest)
		if m == nil || m[1] != "" && !slices.Contains(documentKeys, m[1]) {
			break
		}
		rest = rest[len(m[0]):]
	}
	if rest == "" {
		return path
	}
	return strings.TrimSuffix(path, rest) + "…"
}
