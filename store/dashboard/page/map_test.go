package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/geo"
)

// worldMap is a page with a map of all countries.
func worldMap() View {
	var rows [][]any
	for i, a := range geo.Countries().Areas {
		if !strings.HasPrefix(a.Code, "-") && i%20 > 0 {
			rows = append(rows, []any{a.Code, float64(i*i%997) * 1.37})
		}
	}
	return tiny([]dashboard.Panel{{Type: dashboard.Map, Area: "country", Value: "v", Width: 12}}, []string{"country text", "v number sum"},
		rows...)
}

// manyPoints is a page with 2,000 points on a map of the world.
func manyPoints() View {
	var rows [][]any
	for i := range 2000 {
		lat, lon := math.Asin(math.Mod(float64(i)*0.618034, 2)-1)*57.29, math.Mod(float64(i)*137.5, 360)-180
		rows = append(rows, []any{fmt.Sprintf("Place %d", i), lat, lon, float64(i*i%997) + 1})
	}
	return tiny([]dashboard.Panel{{Type: dashboard.Map, Lat: "lat", Lon: "lon", Label: "name", Size: "v", Width: 12}},
		[]string{"name text", "lat number none", "lon number none", "v number none"}, rows...)
}

// TestMapSize limits the size of a map of the world.
func TestMapSize(t *testing.T) {
	t.Parallel()
	page := render(t, worldMap())
	size := gzipped(t, page)
	t.Logf("%d bytes, %d gzipped", len(page), size)
	if size > 60<<10 {
		t.Errorf("a page with a map of the world has %d bytes, more than 60 KiB", size)
	}
}
