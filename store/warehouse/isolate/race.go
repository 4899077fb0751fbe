//go:build race

package isolate

// detectsRaces is whether the program is built with the race detector.
const detectsRaces = true
