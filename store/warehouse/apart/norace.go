//go:build !race

package apart

const detectsRaces = false
