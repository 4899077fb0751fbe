package page

import "service/store/dashboard"

// Examine returns a [Summary] of each panel, which names its leading values, and what the page decides for its author:
// what its datasets lose, what its filters do not list, and what its panels cut, merge, leave out or ignore. A
// panel whose dataset has no rows yet says nothing. A warning that several panels share is one warning.
func Examine(v View) ([]Summary, []dashboard.Warning) {
	if v.Spec == nil {
		return nil, nil
	}
	return openFor(v, true).Examine()
}

// Summaries returns the summaries of [Examine].
func Summaries(v View) []Summary {
	out, _ := Examine(v)
	return out
}

// Warnings returns the warnings of [Examine].
func Warnings(v View) []dashboard.Warning {
	_, out := Examine(v)
	return out
}
