package dashboard_test

import (
	"testing"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// A timeline needs a label and two columns of times; other keys are refused with those that it has.
func TestTimelineKeys(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{"d": {
		{Name: "project", Type: cube.Text},
		{Name: "team", Type: cube.Text},
		{Name: "started", Type: cube.Date},
		{Name: "ended", Type: cube.Timestamp},
		{Name: "cost", Type: cube.Number},
	}}
	const keys = `; keys: type, title, subtitle, description, width, label, start, end, data, where, series, sort, ` +
		`tooltip, color, thresholds, labels, facet, facet_columns, facet_scale, x_min, x_max, events, click, link, source`
	const of = `is not a key of a panel of type timeline`
	for _, tc := range [][2]string{
		{`"label": "project", "start": "started", "end": "ended"`, ""},
		{`"label": "project", "start": "started", "end": "ended", "series": "project", "sort": "-cost"`, ""},
		{
			`"label": "project", "start": "started", "end": "ended", "tooltip": ["cost"], "link": "https://e.example/{{team}}"`,
			`panels[0].link: {{team}} is no dimension of this panel's marks; dimensions: project, started, ended`,
		},
		{`"label": "project", "start": "started"`, `panels[0].end: is missing`},
		{`"label": "project", "start": "started", "end": "started"`, `panels[0].end: is the column of start; a span has two times`},
		{
			`"label": "project", "start": "started", "end": "cost"`,
			`panels[0].end: "cost" is of type number, and spans have a date or a time; dates: started, ended`,
		},
		{
			`"label": "project", "start": "begun", "end": "ended"`,
			`panels[0].start: column "begun" is not returned by dataset "d"; columns: project, team, started, ended, cost`,
		},
		{
			`"task": "project", "start": "started", "end": "ended"`,
			`panels[0].task: "task" ` + of + `: write "label": "project"` + keys + `; did you mean "label"?`,
		},
		{
			`"label": "project", "startDate": "started", "end": "ended"`,
			`panels[0].startDate: "startDate" ` + of + `: write "start": "started"` + keys + `; did you mean "start"?`,
		},
		{
			`"label": "project", "start": "started", "end": "ended", "limit": 5`,
			`panels[0].limit: "limit" ` + of + `: it draws 80 rows at most; a filter, or sql, leaves those that matter: ` +
				`"where": {"project": ["…"]}, or ORDER BY … LIMIT 5 in the sql` + keys,
		},
		{
			`"label": "project", "start": "started", "end": "ended", "tooltip": "ended"`,
			`panels[0].tooltip: "ended" is end of the panel, which tooltips have anyway; leave it out`,
		},
		{
			`"label": "cost", "start": "started", "end": "ended"`,
			`panels[0].label: "cost" is a measure, and this must be a dimension; if it is one, ` +
				`write "role": "dimension" in datasets[0].columns.cost; dimensions: project, team, started, ended`,
		},
	} {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT project, team, started, ended, sum(c) AS cost ` +
			`FROM t GROUP BY 1, 2, 3, 4"}], "panels": [{"type": "timeline", ` + tc[0] + `}]}`))
		if err == nil {
			_, err = s.Check(columns)
		}
		if got := errorText(err); got != tc[1] {
			t.Errorf("%s\ngot  %s\nwant %s", tc[0], got, tc[1])
		}
	}
}
