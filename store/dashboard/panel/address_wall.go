package panel

import (
	"net/url"
	"slices"
)

// The address of a wall has askWall. The script alone reads the others, which name the pages that follow.
const (
	askWall  = "wall"
	askNext  = "next"  // a slug, once or several times
	askEvery = "every" // seconds
)

// The colours of a wall.
const (
	WallDark  = "dark"
	WallLight = "light"
)

// WallOf returns the colours of the wall that a query asks for, or "" for a page that is not on a wall.
func WallOf(query url.Values) string {
	values := query[askWall]
	switch {
	case len(values) == 0 || !isWall(values[0]):
		return ""
	case values[0] == WallLight:
		return WallLight
	}
	return WallDark
}

func isWall(value string) bool { return slices.Contains([]string{"", WallDark, WallLight}, value) }

// goesRound reports whether a query is for a wall with other pages, which have filters of their own.
func goesRound(query url.Values) bool { return WallOf(query) != "" && query.Has(askNext) }
