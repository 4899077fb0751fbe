package panel

import (
	"bytes"
	"strings"
	"testing"

	"service/store/dashboard"
)

// TestLinksEnd: the placeholders of a link can repeat a value as often as its template allows; an address that is too long is not a link.
func TestLinksEnd(t *testing.T) {
	t.Parallel()
	template := "https://example.com/?" + strings.Repeat("{{name}}", 240)
	row := []any{strings.Repeat("&", 1999), int64(1)}
	var columns []dashboard.TableColumn
	for range 100 {
		columns = append(columns, dashboard.TableColumn{Column: "name", Link: template})
	}
	for name, panel := range map[string]dashboard.Panel{
		"table": {Type: dashboard.Table, Columns: columns},
		"bar":   {Type: dashboard.Bar, X: "name", Y: []string{"n"}, Link: template},
	} {
		v := tiny([]dashboard.Panel{panel}, []string{"name text", "n integer sum"}, row)
		if doc := render(t, v); bytes.Contains(doc, []byte("example.com")) || len(doc) > 4<<20 {
			t.Errorf("%s: a page of %d bytes", name, len(doc))
		}
		row[0] = "&"
		v = tiny([]dashboard.Panel{panel}, []string{"name text", "n integer sum"}, row)
		if doc := render(t, v); !bytes.Contains(doc, []byte("example.com/?%26%26")) {
			t.Errorf("%s: there is no link where it is short", name)
		}
		row[0] = strings.Repeat("&", 1999)
	}
	if to := link("sales?f.a={{f.name}}&f.b={{f.name}}", map[string]string{"f.name": strings.Repeat("&", 1999)}); to != "" {
		t.Errorf("a link to a dashboard of %d bytes", len(to))
	}
}
