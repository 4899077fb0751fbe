//go:build race

package apart

// detectsRaces is whether the program is built with the race detector.
const detectsRaces = true
