//go:build !race

package isolate

const detectsRaces = false
