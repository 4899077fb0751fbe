package dashboard

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	parse := func(text string) *Spec {
		s, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := parse(`{"version":1,"title":"Sales","datasets":[{"id":"a","sql":"SELECT day, sum(x) AS x FROM t GROUP BY 1"},
		{"id":"b","sql":"SELECT 1 AS n"}],
		"filters":[{"column":"day"}],"panels":[
		{"type":"kpi","data":"a","value":"x"},{"type":"line","data":"a","title":"X by day","x":"day","y":"x"},{"type":"text","markdown":"Hi"}]}`)
	for name, try := range map[string]struct {
		after string
		want  []string
	}{
		"other values": {
			`{"version":1,"title":"Sales 2","timezone":"Europe/Berlin","datasets":[
			{"id":"a","sql":"SELECT day, sum(x) AS x FROM u GROUP BY 1","row_limit":50},{"id":"c","sql":"SELECT 1 AS n"}],
			"panels":[{"type":"kpi","data":"a","value":"x","title":"Total"},
			{"type":"line","data":"a","title":"X by day","x":"day","y":"x","width":12},{"type":"text","markdown":"Hi"}]}`,
			[]string{
				`title: "Sales" → "Sales 2"`, `time zone: "UTC" → "Europe/Berlin"`, "dataset b removed", "SQL of dataset a changed",
				"row limit of dataset a: 10000 → 50",
				"dataset c added", "filter day removed", "panel kpi of x removed", `panel kpi "Total" added`, `panel line "X by day" changed`,
			},
		},
		"moved": {
			`{"version":1,"title":"Sales","datasets":[{"id":"a","sql":"SELECT day, sum(x) AS x FROM t GROUP BY 1"},
		{"id":"b","sql":"SELECT 1 AS n"}],
			"filters":[{"column":"day"}],"panels":[
		{"type":"line","data":"a","title":"X by day","x":"day","y":"x"},{"type":"kpi","data":"a","value":"x"},{"type":"text","markdown":"Hi"}]}`,
			[]string{"panels in another order"},
		},
	} {
		if diff := cmp.Diff(try.want, Diff(before, parse(try.after))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := Diff(before, before); len(got) != 0 {
		t.Errorf("no change: %q", got)
	}
}
