package panel

import (
	"net/url"
	"strings"
	"testing"

	"service/store/dashboard"
)

// peopleAtSteps are the people at four steps in September, October and a part of November 2026: nobody was invited in September, and
// nobody paid in October.
func peopleAtSteps() (columns []string, rows [][]any) {
	for _, at := range []string{"2026-08-31", "2026-09-10", "2026-09-20", "2026-10-05", "2026-10-31", "2026-11-19", "2026-11-20"} {
		month := int64(day(at).Month())
		for k, step := range []string{"1 Visit", "2 Sign-up", "3 Invited", "4 Paid"} {
			if month == 9 && k == 2 || month == 10 && k == 3 {
				continue
			}
			rows = append(rows, []any{day(at), step, 100*month - 30*month*int64(k) + int64(k)})
		}
	}
	return []string{"at date", "step text", "people integer sum"}, rows
}

// A compared funnel has the value of each step in both periods and the change: under its bars, in its sentence, its drawing and its files.
// Steps of one period alone have a dash for the other.
func TestComparedFunnel(t *testing.T) {
	t.Parallel()
	columns, rows := peopleAtSteps()
	for name, tc := range map[string]struct{ filter, csv, sentence, more string }{
		"last month": {
			"", `Step,People,Share of the first,Share of the step before,Sep 2026,vs Sep 2026
1 Visit,2000,1,,1800,0.1111111111111111
2 Sign-up,1402,0.701,0.701,1262,0.1109350237717908
3 Invited,804,0.402,0.5734664764621968,,
4 Paid,,,,186,
`,
			" 1 Visit: up 11.1% from 1,800 (Sep 2026); 4 Paid: Sep 2026: 186.",
			"70.1% of the first · ▲ +11.1% (Sep 2026: 1,262)",
		},
		"filter": {
			"this_month", `Step,People,Share of the first,Share of the step before,Oct 1 – Oct 19,vs Oct 1 – Oct 19
1 Visit,1100,1,,1000,0.1
`,
			" 1 Visit: up 10.0% from 1,000 (Oct 1 – Oct 19); 4 Paid: Oct 1 – Oct 19: –.",
			"70.1% of the first · ▲ +10.0% (Oct 1 – Oct 19: 701)",
		},
		"no earlier": {
			"2026-09-01..2026-09-30", `Step,People,Share of the first,Share of the step before,Aug 2026,vs Aug 2026
1 Visit,1800,1,,,
`,
			" 1 Visit: Aug 2026: –; 4 Paid: Aug 2026: –.", "70.1% of the first · Aug 2026: –",
		},
		"no period": {"all", "Step,People,Share of the first,Share of the step before\n1 Visit,", "", "of the first"},
	} {
		v := tinySpec(t, `{"type": "funnel", "label": "step", "value": "people", "compare": "previous_period"}`, columns, rows...)
		if tc.filter != "" {
			v.Spec.Filters = []dashboard.Filter{{Column: "at"}}
			v.Query = url.Values{"f.at": {tc.filter}}
		}
		if csv, err := csvOfPanel(v, 0); err != nil || !strings.HasPrefix(string(csv), tc.csv) {
			t.Errorf("%s: the CSV is %s, %v, want %s", name, csv, err, tc.csv)
		}
		p, c := recorded(t, v, 0)
		if p.Problem != "" || !strings.Contains(p.Summary, tc.sentence) {
			t.Errorf("%s: %s%s, want %s", name, p.Summary, p.Problem, tc.sentence)
			continue
		}
		if got := c.Items[1].More; got != tc.more && name != "no period" {
			t.Errorf("%s: under the bar is %q, want %q", name, got, tc.more)
		}
		got := strings.Join(p.Content.(*funnelPanel).sketch(), "\n")
		if tc.sentence != "" && !strings.Contains(got, "2026: ") && !strings.Contains(got, "Oct 1 – Oct 19: ") {
			t.Errorf("%s: the drawing is\n%s", name, got)
		}
		if notes := strings.Join(p.Notes, " "); strings.Contains(notes, "is compared with") == (name == "no period") {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}
