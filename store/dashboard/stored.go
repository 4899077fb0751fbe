package dashboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
	"service/store/pattern"
)

// An Unread is the error of a document that parsed when it was stored and no longer does. Its text names the places of the problems and
// does not quote the document. It neither is nor wraps a *[Problems], because the problems are not those of a caller's document.
type Unread struct {
	places []string // of the first few problems
	more   int
}

func (u *Unread) Error() string { return "what is stored does not parse: " + u.Places() }

// Places returns the places of the first few problems, and how many there are besides: "panels[0].type, panels[1] and 2 more".
func (u *Unread) Places() string {
	text := strings.Join(u.places, ", ")
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

// unreadPlaces is the number of places in the log.
const unreadPlaces = 3

func unread(err error) error {
	if err == nil {
		return nil
	}
	problems, ok := errors.AsType[*Problems](err)
	if !ok {
		return err // Parse returns no other error
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
	panelKeys(), referenceKeys, thresholdKeys, rampKeys, tableKeys, alertKeys, changeKeys, deliveryKeys, accessKeys,
)

// pathPart is a key of a path, or a position in a list.
var pathPart = pattern.New(`^(?:\.?([A-Za-z][\w-]*)|\[\d+\])`)

// place returns a path without its author's names: it replaces everything from the first key that is not in the reference, such as a
// column's name, by "…".
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
