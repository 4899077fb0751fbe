package dashboard

import (
	"strings"
	"testing"

	"service/store/dashboard/cube"
)

// TestInnerColumnsAreReadOnce: the SELECTs within the SQL of a spec are read once, however many pages are drawn of it, with the results
// that the SQL has alone. Those of very long SQL are not kept.
func TestInnerColumnsAreReadOnce(t *testing.T) {
	t.Parallel()
	const sql = `WITH w AS (SELECT max(day) AS at, min(day) AS first FROM t GROUP BY v) SELECT at, first AS begun FROM w`
	s, err := Parse([]byte(`{"title": "T", "datasets": [{"id": "d", "sql": "` + sql + `"}], "panels": [{"type": "table"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	d := &s.Datasets[0]
	cols := []cube.Column{{Name: "at", Type: cube.Date}, {Name: "begun", Type: cube.Date}}
	d.Resolve(cols)
	if len(d.inner.columns) == 0 {
		t.Fatal("nothing is kept")
	}
	for i, c := range d.Resolve(cols) {
		if alone := ResolveColumns(sql, cols)[i]; c.SQLEnd == "" || c.SQLEnd != alone.SQLEnd {
			t.Errorf("%s ends at %s, of the SQL alone at %s", c.Name, c.SQLEnd, alone.SQLEnd)
		}
	}
	delete(d.inner.columns, "at")
	if end := d.Resolve(cols)[0].SQLEnd; end != "" {
		t.Errorf("the SQL is read again: %s", end)
	}
	long := keptInner{}
	if long.read(sql + strings.Repeat(" ", maxKeptInner)); long.columns != nil {
		t.Error("the columns of long SQL are kept")
	}
}
