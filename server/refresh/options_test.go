package refresh_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/view"
)

// TestOptions: the SQL of a dataset runs once for each combination of options. One combination can fail alone. A page shows the rows of the
// options in its address.
func TestOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.start(t)
	b.publish(t, b.member, "options", `{"title": "Options", "params": [{"id": "n", "type": "number", "options": [1, 2, 0], "default": 1}],
		"datasets": [{"id": "d", "sql": "SELECT CAST(CASE WHEN {{n}} = 0 THEN 'zero' ELSE '7' END AS bigint) * {{n}} AS v",
			"columns": {"v": {"agg": "sum"}}}, {"id": "other", "sql": "SELECT 5 AS w"}],
		"panels": [{"type": "kpi", "data": "d", "value": "v"}]}`, uuid.Nil, uuid.Nil)
	if state := b.wait(t); state != store.RunPartial {
		t.Fatalf("the refresh is %s", state)
	}
	var states []string
	for _, d := range b.status(t, b.member, "options").Run.Datasets {
		states = append(states, d.ID+" "+d.State)
	}
	if got := strings.Join(states, ", "); got != "d succeeded, d?n=2 succeeded, d?n=0 failed, other succeeded" {
		t.Errorf("runs: %s", got)
	}
	d, err := b.Dashboards.Dashboard(t.Context(), b.member, "options")
	if err != nil {
		t.Fatal(err)
	}
	views := view.New(view.Config{Store: b.Store})
	for query, want := range map[string]string{"": "7", "1": "7", "2": "14", "3": "7", "0": ""} {
		v, err := views.View(t.Context(), b.member, d, uuid.Nil, url.Values{"p.n": {query}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if c := v.Cubes["d"]; c != nil {
			got = fmt.Sprint(c.Group(c.Select(), cube.Query{Measures: []cube.Measure{{Column: "v", Agg: cube.Sum}}}).Exact(0, 0))
		}
		if got != want || v.Cubes["other"] == nil || (v.Header.Errors["d"] != "") != (query == "0") {
			t.Errorf("n=%s: %s, want %s; errors %v", query, got, want, v.Header.Errors)
		}
	}
}
