package dashboard

import "strings"

// The values of a filter in the address of a page are in the form of [cube.Label], except those that this form does not distinguish.
const (
	AddressNull  = "~null"  // NULL
	AddressEmpty = "~empty" // the empty text
)

// AddressValue returns a value of a filter, in the form of [cube.Label], as the address of a page has it. A value that begins with ~ gets
// another one.
func AddressValue(label string) string {
	switch {
	case label == "":
		return AddressEmpty
	case strings.HasPrefix(label, "~"):
		return "~" + label
	}
	return label
}
