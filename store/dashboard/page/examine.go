package page

import "service/store/dashboard"

// Examine returns a [Summary] of each panel, which names its leading values, and warnings to the author about what the page decides: rows
// that its datasets lose, values that its filters do not list, and values and keys that its panels cut, merge, leave out or ignore. A panel
// whose dataset has no rows yet has neither. A warning that several panels share is returned once.
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
