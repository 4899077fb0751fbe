package dashboard

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
)

// withAlerts is a spec of one dataset with alerts.
func withAlerts(alerts string) []byte {
	return []byte(`{"datasets": [{"id": "d", "sql": "SELECT day, country, sum(a) AS a, avg(b) AS b FROM t GROUP BY 1, 2"}],
		"panels": [{"type": "line", "x": "day", "y": "a"}], "alerts": [` + alerts + `]}`)
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	s, err := Parse(withAlerts(`
		{"id": "low", "value": "a", "x": "day", "if": "<", "than": 1000.5, "for": 2, "severity": "critical", "to": "sales", "again": "7d"},
		{"id": "drop", "title": "Down", "value": "a", "x": "day", "grain": "week", "change": {"against": "mean", "by": -0.2},
		 "where": {"country": ["France", 7, true]}, "again": "never", "recover": false},
		{"id": "odd", "value": "a", "x": "day", "anomaly": "low", "k": 3.5, "by": "country"},
		{"id": "silent", "data": "d", "rows": "none"}, {"id": "stale", "stale": "26h"}, {"id": "broken", "failing": true}`))
	if err != nil {
		t.Fatal(err)
	}
	plain := Alert{For: 1, Again: 24 * time.Hour, Recover: true, Severity: SeverityWarning, K: DefaultK}
	with := func(set func(*Alert)) Alert {
		a := plain
		set(&a)
		return a
	}
	want := []Alert{
		with(func(a *Alert) {
			a.ID, a.Condition, a.If, a.Than, a.Data, a.Value, a.X = "low", AlertThreshold, "<", 1000.5, "d", "a", "day"
			a.For, a.Severity, a.To, a.Again = 2, SeverityCritical, []string{"sales"}, 7*24*time.Hour
		}),
		with(func(a *Alert) {
			a.ID, a.Title, a.Condition, a.Data, a.Value, a.X, a.Grain = "drop", "Down", AlertChange, "d", "a", "day", cube.Weekly
			a.Change = Change{AgainstMean, DefaultMean, -0.2}
			a.Where, a.Again, a.Recover = []Where{{"country", []string{"France", "7", "true"}}}, 0, false
		}),
		with(func(a *Alert) {
			a.ID, a.Condition, a.Anomaly, a.K, a.Data, a.Value, a.X, a.By = "odd", AlertAnomaly, "low", 3.5, "d", "a", "day", "country"
		}),
		with(func(a *Alert) { a.ID, a.Condition, a.Rows, a.Data = "silent", AlertRows, "none", "d" }),
		with(func(a *Alert) { a.ID, a.Condition, a.Stale = "stale", AlertStale, 26*time.Hour }),
		with(func(a *Alert) { a.ID, a.Condition = "broken", AlertFailing }),
	}
	if diff := cmp.Diff(want, s.Alerts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Alert("odd") != &s.Alerts[2] || s.Alert("none") != nil {
		t.Error("Alert finds another one")
	}
}

// Every mistake is named with its place and the way out.
func TestAlertProblems(t *testing.T) {
	t.Parallel()
	const low = `"id": "low", "value": "a", "x": "day", "if": "<", "than": 5`
	for _, tc := range [][2]string{
		{`7`, `alerts[0]: must be an object, not a number`},
		{`{"value": "a", "if": "<", "than": 5}`, `alerts[0].id: is missing`},
		{`{` + low + `}, {` + low + `}`, `alerts[1].id: "low" is the id of two alerts`},
		{`{"id": "1x", "failing": true}`, `alerts[0].id: "1x" is not an id`},
		{`{"id": "low", "value": "a"}`, `alerts[0]: has no condition: write one of "if" with "than"`},
		{`{"id": "low", "value": "a", "than": 5}`, `alerts[0].if: is missing; possible values: >=`},
		{`{"id": "low", "value": "a", "if": "<"}`, `alerts[0].than: is missing`},
		{`{"id": "low", "if": "<", "than": 5}`, `alerts[0].value: is missing`},
		{
			`{` + low + `, "failing": true}`,
			`alerts[0].failing: is a second condition beside "if"; an alert has one`,
		},
		{`{` + low + `, "email": "a@b.c"}`, `"email" is not a key of an alert: a spec carries no address`},
		{`{` + low + `, "threshold": 5}`, `did you mean "than"?`},
		{
			`{` + low + `, "to": "a@b.example"}`,
			`alerts[0].to: "a@b.example" is an address, and a spec carries none: name channels by their slugs`,
		},
		{
			`{` + low + `, "to": ["https://x.example"]}`,
			`alerts[0].to[0]: "https://x.example" is an address, and a spec carries none`,
		},
		{`{` + low + `, "to": ["hooks.slack.com"]}`, `alerts[0].to[0]: "hooks.slack.com" is an address`},
		{`{` + low + `, "to": ["#sales"]}`, `alerts[0].to[0]: "#sales" is an address`},
		{`{` + low + `, "to": ["Sales"]}`, `alerts[0].to[0]: "Sales" is not the slug of a channel`},
		{`{` + low + `, "to": ["s", "s"]}`, `alerts[0].to[1]: "s" is there twice`},
		{`{` + low + `, "to": [7]}`, `alerts[0].to[0]: must be a string, not a number`},
		{`{` + low + `, "for": 0}`, `alerts[0].for: must be a whole number from 1 to 100`},
		{
			`{` + low + `, "again": "5m"}`,
			`alerts[0].again: must be a length of time from 1h to 366d, such as "30m", "26h", "7d" or "2w", or "never"`,
		},
		{`{` + low + `, "again": 24}`, `alerts[0].again: must be a length of time`},
		{
			`{` + low + `, "severity": "urgent"}`,
			`alerts[0].severity: "urgent" is not one of the possible values; possible values: info, warning, ` +
				`critical; did you mean "critical"?`,
		},
		{`{` + low + `, "k": 3}`, `alerts[0].k: does not go with "if"; leave it out`},
		{`{` + low + `, "recover": "yes"}`, `alerts[0].recover: must be true or false, not a string`},
		{
			`{` + low + `, "where": ["France"]}`,
			`alerts[0].where: must be an object of columns and their values, such as {"country": "France"}, not a list`,
		},
		{`{` + low + `, "where": {"country": []}}`, `alerts[0].where.country: is empty`},
		{`{` + low + `, "data": "e"}`, `alerts[0].data: "e" is not the id of a dataset; datasets: d`},
		{`{` + low + `, "grain": "auto"}`, `alerts[0].grain: "auto" is not one of the possible values`},
		{
			`{"id": "low", "value": "a", "if": "<", "than": 5, "grain": "day"}`,
			`alerts[0].grain: is of the periods of x, and there is none`,
		},
		{
			`{"id": "x", "value": "a", "change": {"against": "previous_week", "by": -0.2}}`,
			`alerts[0].x: is missing`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "change": -0.2}`,
			`alerts[0].change: must be an object, not a number`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "change": {"against": "last_week", "by": -0.2}}`,
			`did you mean "previous_week"?`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "change": {"against": "previous_week"}}`,
			`alerts[0].change.by: is missing`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "change": {"against": "previous_week", "by": -20}}`,
			`alerts[0].change.by: is a share, from -1 to 10: for -20 % write -0.2`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "change": {"against": "previous_week", "by": 0}}`,
			`-0.2 is 20 % less, 0.2 is 20 % more`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "change": {"against": "previous_week", "of": 3, "by": 0.1}}`,
			`alerts[0].change.of: is of a mean`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "grain": "month", "change": {"against": "previous_week", "by": 0.1}}`,
			`alerts[0].change.against: a month has none a week before`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "anomaly": "low", "k": 0}`,
			`alerts[0].k: must be from 1 to 100`,
		},
		{`{"id": "x", "value": "a", "x": "day", "anomaly": "below"}`, `did you mean "low"?`},
		{`{"id": "x", "value": "a", "rows": "any"}`, `alerts[0].value: does not go with "rows"; leave it out`},
		{
			`{"id": "x", "rows": "none", "by": "country"}`,
			`alerts[0].x: is missing: only values that have rows of other times`,
		},
		{
			`{"id": "x", "stale": "1 day"}`,
			`alerts[0].stale: must be a length of time from 5m to 366d, such as "30m", "26h", "7d" or "2w"`,
		},
		{`{"id": "x", "stale": "1m"}`, `alerts[0].stale: must be a length of time`},
		{`{"id": "x", "stale": "367d"}`, `alerts[0].stale: must be a length of time`},
		{`{"id": "x", "stale": "30501w"}`, `alerts[0].stale: must be a length of time`},
		{`{"id": "x", "stale": "26h", "again": "61002w"}`, `alerts[0].again: must be a length of time`},
		{`{"id": "x", "stale": "26h", "for": 2}`, `alerts[0].for: does not go with "stale"`},
		{`{"id": "x", "failing": false}`, `alerts[0].failing: is true or is left out`},
		{
			`{"id": "x", "failing": true, "data": "d"}`,
			`alerts[0].data: does not go with "failing"; leave it out`,
		},
		{
			strings.Repeat(`{"id": "x", "failing": true},`, MaxAlerts) + `{"id": "y", "failing": true}`,
			`alerts: has 21 members, over the limit of 20`,
		},
		{
			`{"id": "low", "value": "a", "x": "day", "if": "<", "than": "5"}`,
			`alerts[0].than: must be a number, not a string`,
		},
		{
			`{"id": "x", "value": "a", "x": "day", "anomaly": "low", "change": {"against": "previous_period", "by": -0.2}}`,
			`alerts[0].anomaly: is a second condition beside "change"`,
		},
	} {
		alert, want := tc[0], tc[1]
		_, err := Parse(withAlerts(alert))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", alert, err, want)
		}
	}
	_, _, err := ParseReport([]byte(`{"datasets": [{"id": "d", "rows": [{"a": 1}]}], "alerts": []}`))
	if err == nil || !strings.Contains(err.Error(), "a report is not refreshed, and alerts are judged at refreshes") {
		t.Error(err)
	}
}

func TestAlertColumns(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{"d": {
		{Name: "day", Type: cube.Date}, {Name: "country", Type: cube.Text}, {Name: "a", Type: cube.Number}, {Name: "b", Type: cube.Number},
	}}
	for _, tc := range [][2]string{
		{`"value": "a", "x": "day", "if": "<", "than": 5`, ""},
		{`"value": "a", "if": "<", "than": 5`, ""},
		{`"value": "b", "x": "day", "by": "country", "if": "<", "than": 5`, ""},
		{`"value": "c", "if": "<", "than": 5`, `alerts[0].value: column "c" is not returned by dataset "d"`},
		{`"value": "country", "if": "<", "than": 5`, `alerts[0].value: "country" is a dimension`},
		{
			`"value": "b", "x": "day", "if": "<", "than": 5`,
			`alerts[0].value: "b" cannot be merged over "country"`,
		},
		{
			`"value": "a", "x": "country", "if": "<", "than": 5`,
			`alerts[0].x: "country" is of type text, and periods are those of a date; dates: day`,
		},
		{
			`"value": "a", "x": "day", "grain": "hour", "if": "<", "than": 5`,
			`alerts[0].grain: "day" is a date, which has no hour`,
		},
		{`"value": "a", "x": "day", "by": "a", "if": "<", "than": 5`, `alerts[0].by: "a" is a measure`},
		{
			`"value": "a", "by": "day", "if": "<", "than": 5`,
			`alerts[0].by: "day" is of type date; "x" names the date`,
		},
		{
			`"value": "a", "where": {"town": "Paris"}, "if": "<", "than": 5`,
			`alerts[0].where.town: column "town" is not returned`,
		},
		{
			`"value": "a", "where": {"day": "2026-01-01"}, "if": "<", "than": 5`,
			`alerts[0].where.day: is of type date; "x" names the date`,
		},
		{`"rows": "any", "where": {"country": "France"}`, ""},
		{
			`"value": "a", "x": "day", "by": "countri", "change": {"against": "mean", "by": -0.5}`,
			`did you mean "country"?`,
		},
		{
			`"value": "a", "x": "day", "where": {"country": "France"}, "anomaly": "any", "by": "town"`,
			`alerts[0].by: column "town" is not returned`,
		},
	} {
		alert, want := tc[0], tc[1]
		s, err := Parse(withAlerts(`{"id": "x", ` + alert + `}`))
		if err != nil {
			t.Errorf("%s: %v", alert, err)
			continue
		}
		if _, err = s.Check(columns); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\n got %v\nwant %s", alert, err, want)
		}
	}
}

// Alerts about rows do not fire while refreshes fail, so a spec with one should have an alert about the refreshes.
func TestAlertsAreBlind(t *testing.T) {
	t.Parallel()
	columns := map[string][]cube.Column{"d": {
		{Name: "day", Type: cube.Date}, {Name: "country", Type: cube.Text}, {Name: "a", Type: cube.Number}, {Name: "b", Type: cube.Number},
	}}
	const (
		low     = `{"id": "low", "value": "a", "if": "<", "than": 5}`
		change  = `{"id": "change", "value": "a", "x": "day", "change": {"against": "mean", "by": -0.5}}`
		odd     = `{"id": "odd", "value": "a", "x": "day", "anomaly": "any"}`
		none    = `{"id": "none", "rows": "none"}`
		stale   = `{"id": "stale", "stale": "26h"}`
		failing = `{"id": "failing", "failing": true}`
		thrice  = `{"id": "thrice", "failing": true, "for": 3}`
	)
	for alerts, blind := range map[string]bool{
		"": false, stale: false, failing: false, stale + "," + failing: false,
		low: true, change: true, odd: true, none: true, low + "," + odd: true, low + "," + stale: true,
		low + "," + failing: false, failing + "," + low: false, none + "," + stale + "," + thrice: false,
	} {
		s, err := Parse(withAlerts(alerts))
		if err != nil {
			t.Errorf("%s: %v", alerts, err)
			continue
		}
		warnings, err := s.Check(columns)
		if err != nil {
			t.Errorf("%s: %v", alerts, err)
		}
		var got []string
		for _, w := range warnings {
			if w.Code == WarnAlertBlind {
				got = append(got, w.String())
			}
		}
		if blind != (len(got) == 1) || len(got) > 1 {
			t.Errorf("%s: %q, want a warning: %t", alerts, got, blind)
			continue
		}
		if !blind {
			continue
		}
		// The warning names an alert to add; a spec with that alert gets no warning.
		add := regexp.MustCompile(`\{"id".*?\}`).FindString(got[0])
		if s, err = Parse(withAlerts(alerts + "," + add)); err != nil {
			t.Errorf("%s: %v", add, err)
			continue
		}
		if warnings, _ = s.Check(columns); len(warnings) > 0 {
			t.Errorf("with %s: %v", add, warnings)
		}
	}
}

// The channels of an alert must exist.
func TestCheckChannels(t *testing.T) {
	t.Parallel()
	s, err := Parse(withAlerts(`{"id": "a", "failing": true, "to": ["ops"]}, {"id": "b", "failing": true, "to": ["ops", "saels"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckChannels([]string{"ops", "saels"}); err != nil {
		t.Error(err)
	}
	const want = `alerts[1].to[1]: "saels" is the slug of no channel; channels: ops, sales; did you mean "sales"?`
	if err := s.CheckChannels([]string{"ops", "sales"}); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := s.CheckChannels(nil); err == nil ||
		!strings.Contains(err.Error(), `alerts[0].to[0]: "ops" is the slug of no channel, and the workspace has none yet`) {
		t.Errorf("got %v", err)
	}
}

// All channels that do not exist are reported at once: of alerts, deliveries and row rules.
func TestCheckRecipients(t *testing.T) {
	t.Parallel()
	with := func(alerts, more string) *Spec {
		t.Helper()
		s, err := Parse(bytes.Replace(withAlerts(alerts), []byte(`"alerts"`), []byte(more+`, "alerts"`), 1))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	told := with(`{"id": "a", "failing": true, "to": ["ops"]}`,
		`"deliver": [{"to": "nord", "every": "refresh"}, {"to": "me", "every": "refresh"}, {"to": "ops", "every": "refresh"}]`)
	ruled := with(`{"id": "a", "failing": true}`, `"deliver": [{"to": "sud", "every": "refresh"}],
		"access": [{"column": "day", "is": "member.x", "channels": {"sud": "S", "ops": "O"}}]`)
	for _, tc := range []struct {
		spec     *Spec
		channels []string
		want     string // "" for none
	}{
		{told, []string{"ops", "sued"}, `deliver[0].to: "nord" is the slug of no channel; channels: ops, sued`},
		{told, []string{"ops", "nord"}, ""},
		{told, nil, `alerts[0].to[0]: "ops" is the slug of no channel, and the workspace has none yet: an owner makes one in the ` +
			`web application; without "to" the publisher is told
deliver[0].to: "nord" is the slug of no channel, and the workspace has none yet: an owner makes one in the web application; ` +
			`"me" sends to the publisher
deliver[2].to: "ops" is the slug of no channel, and the workspace has none yet: an owner makes one in the web application; ` +
			`"me" sends to the publisher`},
		{ruled, []string{"ops", "sud"}, ""},
		{ruled, []string{"ops", "sued"}, `deliver[0].to: "sud" is the slug of no channel; channels: ops, sued; did you mean "sued"?
access[0].channels.sud: "sud" is the slug of no channel; channels: ops, sued; did you mean "sued"?`},
	} {
		got := ""
		if err := tc.spec.CheckRecipients(tc.channels); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%v:\n%s\nwant\n%s", tc.channels, got, tc.want)
		}
	}
}

// A client that has tools/list alone can write an alert: the schema's description of alerts names every key, and its example is valid.
func TestAlertsInSchema(t *testing.T) {
	t.Parallel()
	said := readSchema(t).at(t, "alerts").Description
	for _, list := range [][]string{alertKeys, changeKeys, anomalies, rowsAre, severities, againsts} {
		for _, name := range list {
			if name != "id" && !regexp.MustCompile(`\b`+name+`\b`).MatchString(said) {
				t.Errorf("it does not name %s", name)
			}
		}
	}
	example := regexp.MustCompile(`\{"id".*?\}`).FindString(said)
	if _, err := Parse(withAlerts(strings.Replace(example, `"revenue"`, `"a"`, 1))); err != nil {
		t.Errorf("its example %s: %v", example, err)
	}
	change := regexp.MustCompile(`change (\{.*?\})`).FindStringSubmatch(said)
	if change == nil {
		t.Fatal("no example of a change")
	}
	for _, against := range againsts {
		of := ""
		if against == AgainstMean {
			of = `, "of": 7`
		}
		one := regexp.MustCompile(`"against": .*, "by"`).ReplaceAllString(change[1], `"against": "`+against+`"`+of+`, "by"`)
		if _, err := Parse(withAlerts(`{"id": "x", "value": "a", "x": "day", "change": ` + one + `}`)); err != nil {
			t.Errorf("%s: %v", one, err)
		}
	}
}

// Each key of an alert is also in the reference, in the table of keys or in that of the conditions.
func TestAlertsInReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(docsSpec + "alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	section := string(text)
	for _, key := range slices.Concat(alertKeys, changeKeys) {
		if !strings.Contains(section, "`"+key+"`") {
			t.Errorf("it does not name %s", key)
		}
	}
	_, example, _ := strings.Cut(section, "```json spec\n")
	example, _, _ = strings.Cut(example, "```")
	s, err := Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range s.Alerts {
		seen[a.Condition] = true
	}
	for condition := range alertTakes {
		if !seen[condition] {
			t.Errorf("no example of %s", condition)
		}
	}
	if !json.Valid([]byte(example)) {
		t.Error("the example is no JSON")
	}
}
