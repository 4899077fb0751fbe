package dashboard

import (
	"fmt"
	"strings"
	"testing"
)

// Data that a map cannot show is refused with a message that names the fix.
func TestMapKeys(t *testing.T) {
	t.Parallel()
	for panel, want := range map[string]string{
		`"area": "c", "value": "v"`:                             "",
		`"lat": "lat", "lon": "lon"`:                            "",
		`"lat": "lat", "lon": "lon", "size": "v", "label": "c"`: "",
		`"area": "c", "value": "v", "region": "Deutschland"`:    "",
		`"area": "c", "value": "v", "region": "North America"`:  "",
		``:                           "panels[0]: must have area and value",
		`"value": "v"`:               "panels[0]: must have area and value",
		`"region": "world"`:          "panels[0]: must have area and value",
		`"area": "c"`:                "panels[0].value: is missing",
		`"lat": "lat"`:               "panels[0].lon: is missing",
		`"lon": "lon"`:               "panels[0].lat: is missing",
		`"lat": "lat", "lon": "lat"`: "panels[0].lon: is the column of lat",
		`"area": "c", "value": "v", "lat": "lat", "lon": "lon"`:         "panels[0].area: a map shows areas (area and value) or points",
		`"area": "c", "value": "v", "size": "v"`:                        "panels[0].size: is for points",
		`"area": "c", "value": "v", "label": "c"`:                       "panels[0].label: is for points",
		`"area": "c", "value": "v", "series": "c"`:                      "panels[0].series: is the column of area",
		`"area": "c", "value": "v", "series": "v", "ramp": "blue"`:      "panels[0].ramp: colours the areas, and so does series",
		`"area": "c", "value": "c"`:                                     `panels[0].value: "c" is a dimension: "series": "c" colours the areas`,
		`"lat": "lat", "lon": "lon", "value": "v"`:                      "",
		`"area": "c", "value": "v", "region": "mars"`:                   `panels[0].region: "mars" is no part of the world`,
		`"area": "c", "value": "v", "region": "erope"`:                  `did you mean "europe"?`,
		`"area": "c", "value": "v", "region": "Germny"`:                 `did you mean "Germany"?`,
		`"country": "c", "value": "v"`:                                  `did you mean "area"?`,
		`"latitude": "lat", "lng": "lon"`:                               `did you mean "lat"?`,
		`"lat": "lat", "lon": "lon", "link": "sales"`:                   "panels[0].link: leads from points that stand for a value",
		`"lat": "lat", "lon": "lon", "label": "c", "link": "sales"`:     "",
		`"area": "c", "value": "v", "zoom": 3`:                          "region says what the map shows",
		`"area": "c", "value": "v", "geojson": "x"`:                     "a map knows countries and US states",
		`"area": "c", "value": "v", "reference": [{"kind": "average"}]`: `"reference" is not a key of a panel of type map`,
	} {
		_, _, err := ParseReport(fmt.Appendf(nil, `{"datasets": [{"id": "d", "rows": [{"c": "France", "lat": 1, "lon": 2, "v": 1}]}],
			"panels": [{"type": "map"%s}]}`, strings.TrimSuffix(", "+panel, ", ")))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", panel, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", panel, err, want)
		}
	}
}

// If the rows are known, a map that shows no row is refused, and so is one that another key would fix.
func TestMapRows(t *testing.T) {
	t.Parallel()
	areas := func(values string) string {
		var rows []string
		for i, v := range strings.Split(values, "|") {
			rows = append(rows, fmt.Sprintf(`{"c": %s, "v": %d}`, v, i))
		}
		return strings.Join(rows, ", ")
	}
	points := func(values string) string {
		var rows []string
		for i, v := range strings.Split(values, "|") {
			lat, lon, _ := strings.Cut(v, " ")
			rows = append(rows, fmt.Sprintf(`{"name": "n%d", "a": %s, "o": %s, "v": 1}`, i, lat, lon))
		}
		return strings.Join(rows, ", ")
	}
	const area, us, point = `"area": "c", "value": "v"`, `"area": "c", "value": "v", "region": "us"`, `"lat": "a", "lon": "o", "label": "name"`
	for _, tc := range []struct{ panel, rows, want string }{
		{area, areas(`"France"|"DE"|"World"`), ""},
		{area, areas(`276|250`), ""},
		{area, areas(`null|"France"`), ""},
		{area, areas(`null|null`), ""},
		{us, areas(`"Texas"|"CA"|"Nowhere"`), ""},
		{us, areas(`6|48|13`), ""},
		{area, areas(`"Bavaria"|"Hesse"|"a"|"b"|"c"|"d"|"e"`), `panels[0].area: no value of "c" is a country: ` +
			`"Bavaria", "Hesse", "a", "b", "c", and 2 more; ` +
			`a map knows countries`},
		{us, areas(`"Bavaria"`), `no value of "c" is a US state: "Bavaria"; a map knows countries`},
		{area, areas(`"Texas"|"Ohio"|"Georgia"`), `panels[0].area: 3 of 3 values of "c" are US states, and 1 countries; write "region": "us"`},
		{area, areas(`"CA"|"TX"|"NY"`), `3 of 3 values of "c" are US states, and 1 countries`},
		{us, areas(`"France"|"Georgia"|"Spain"`), `panels[0].region: 3 of 3 values of "c" are countries, and 1 US states; leave region out`},
		{area, areas(`true|false`), `panels[0].area: "c" is of type boolean, and areas are names or codes`},
		{area, areas(`1.5|2.5`), `"c" is of type number`},
		{area, areas(`"UK"|"United Kingdom"`), `"v" cannot be merged over "UK" and "United Kingdom", which are one area`},
		{point, points("48.8 2.3|52.5 13.4"), ""},
		{point, points("48.8 2.3|null 13.4|99 200"), ""},
		{point, points("139.7 35.7|103.8 1.3"), `panels[0].lat: lat and lon are swapped, as in 139.7, 35.7: write "lat": "o", "lon": "a"`},
		{point, points("139.7 35.7|2.3 48.8"), `lat and lon are swapped`},
		{point, points("5411000 261000"), `panels[0].lat: no row has a place on the globe (5.411e+06, 261000, for one): lat must be degrees`},
		{point, points(`"48,8" 2.3`), `panels[0].lat: "a" is of type text, and this must be degrees, ` +
			`a number; CAST it in the sql; numbers: o, v`},
		{`"lat": "a", "lon": "o", "label": "v"`, points("1 2"), `panels[0].label: "v" is a measure`},
		{`"lat": "a", "lon": "o"`, points("1 2|1 2"), ""},
		{`"lat": "a", "lon": "o", "size": "v"`, points("1 2|1 2"), ""},
	} {
		_, _, err := ParseReport(fmt.Appendf(nil, `{"datasets": [{"id": "d", "rows": [%s]}], "panels": [{"type": "map", %s}]}`,
			tc.rows, tc.panel))
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s of %s: %v", tc.panel, tc.rows, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s of %s: %v, want %s", tc.panel, tc.rows, err, tc.want)
		}
	}
	_, _, err := ParseReport([]byte(`{"datasets": [{"id": "d", "columns": {"r": {"ratio": ["a", "b"]}}, "rows": [{"a": 1, "b": 2}]}],
		"panels": [{"type": "map", "lat": "r", "lon": "b"}]}`))
	if err == nil || !strings.Contains(err.Error(), `panels[0].lat: "r" is a ratio`) {
		t.Errorf("a ratio as a place: %v", err)
	}
	_, _, err = ParseReport([]byte(`{"datasets": [{"id": "d", "rows": [{"longitude": 1, "latitude": 2}]}],
		"panels": [{"type": "map", "lat": "longitude", "lon": "latitude"}]}`))
	if err == nil || !strings.Contains(err.Error(), `lat and lon are swapped: write "lat": "latitude", "lon": "longitude"`) {
		t.Errorf("swapped names: %v", err)
	}
}

// Typical SQL needs no further key, and causes no warning.
func TestMapOfPlainSQL(t *testing.T) {
	t.Parallel()
	for sql, panel := range map[string]string{
		"SELECT name, lat, lon, population FROM cities":                   `"lat": "lat", "lon": "lon", "label": "name", "size": "population"`,
		"SELECT lat, lon FROM cities":                                     `"lat": "lat", "lon": "lon"`,
		"SELECT lat, lon, population FROM cities":                         `"lat": "lat", "lon": "lon", "size": "population"`,
		"SELECT name, avg(lat) AS lat, avg(lon) AS lon FROM t GROUP BY 1": `"lat": "lat", "lon": "lon", "label": "name"`,
		"SELECT country, sum(population) AS population FROM t GROUP BY 1": `"area": "country", "value": "population"`,
	} {
		s, err := Parse(fmt.Appendf(nil, `{"datasets": [{"id": "d", "sql": %q}], "panels": [{"type": "map", %s}]}`, sql, panel))
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := s.Check(exampleColumns(s))
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v, %v", sql, warnings, err)
		}
	}
}
