package dashboard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sending is a spec with deliveries.
func sending(deliveries string) []byte {
	return []byte(`{"datasets": [{"id": "d", "sql": "SELECT a FROM t"}], "panels": [{"type": "kpi", "value": "a"}],
		"deliver": [` + deliveries + `]}`)
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	s, err := Parse(sending(`{"to": "sales", "every": "weekly", "on": "Monday", "at": "08:05", "changed": true},
		{"to": "sales", "every": "monthly", "on": "31", "at": "00:00", "attach": "xlsx"},
		{"to": "ops", "every": "daily", "at": "23:59", "attach": "pdf"},
		{"to": ["ops"], "every": "refresh"}, {"to": "ops", "every": "weekly", "on": "sun", "at": "10:00"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Delivery{
		{To: "sales", Rhythm: Rhythm{EveryWeek, 1, 485}, Changed: true},
		{To: "sales", Rhythm: Rhythm{EveryMonth, 31, 0}, Attach: "xlsx"},
		{To: "ops", Rhythm: Rhythm{EveryDay, 0, 1439}, Attach: AttachPDF},
		{To: "ops", Rhythm: Rhythm{Every: EveryRefresh}},
		{To: "ops", Rhythm: Rhythm{EveryWeek, 0, 600}},
	}
	if diff := cmp.Diff(want, s.Deliver); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every mistake is named with its place and the way out; an address above all.
func TestDeliveryProblems(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		{`7`, `deliver[0]: must be an object, not a number`},
		{`{"every": "refresh"}`, `deliver[0].to: is missing`},
		{`{"to": "sales"}`, `deliver[0].every: is missing`},
		{`{"to": "boss@example.com", "every": "refresh"}`, `deliver[0].to: "boss@example.com" is an address, and a spec carries none`},
		{`{"to": "https://hooks.example.com/x", "every": "refresh"}`, `deliver[0].to: "https://hooks.example.com/x" is an address`},
		{`{"to": "Sales Team", "every": "refresh"}`, `deliver[0].to: "Sales Team" is not the slug of a channel`},
		{`{"to": "sales", "every": "refresh", "email": "x@example.com"}`, `deliver[0].email: `},
		{`{"to": "sales", "every": "hourly"}`, `deliver[0].every: `},
		{`{"to": "sales", "every": "daily"}`, `deliver[0].at: is missing`},
		{`{"to": "sales", "every": "weekly", "at": "08:00"}`, `deliver[0].on: is missing`},
		{`{"to": "sales", "every": "weekly", "on": "someday", "at": "08:00"}`, `deliver[0].on: "someday" is no day of the week`},
		{`{"to": "sales", "every": "weekly", "on": 1, "at": "08:00"}`, `deliver[0].on: must be`},
		{`{"to": "sales", "every": "monthly", "on": 32, "at": "08:00"}`, `deliver[0].on: must be a day of the month from 1 to 31`},
		{`{"to": "sales", "every": "monthly", "on": "mon", "at": "08:00"}`, `deliver[0].on: must be a day of the month`},
		{`{"to": "sales", "every": "daily", "on": "mon", "at": "08:00"}`, `deliver[0].on: does not go with "daily"`},
		{`{"to": "sales", "every": "refresh", "at": "08:00"}`, `deliver[0].at: does not go with "refresh"`},
		{`{"to": "sales", "every": "daily", "at": "8am"}`, `deliver[0].at: must be a time of the day from "00:00" to "23:59", not "8am"`},
		{`{"to": ["sales", "me"], "every": "refresh"}`, `deliver[0].to: has 2 names, and a delivery has one; write a delivery for each`},
		{`{"to": [], "every": "refresh"}`, `deliver[0].to: has 0 names, and a delivery has one`},
		{`{"to": [5], "every": "refresh"}`, `deliver[0].to: must be a string`},
		{`{"to": "sales", "every": "refresh", "attach": "docx"}`, `deliver[0].attach: "docx" is not one of the possible values; `},
		{`{"to": "sales", "every": "refresh", "changed": "yes"}`, `deliver[0].changed: must be`},
		{`{"to": "sales", "every": "refresh"}, {"to": "sales", "every": "refresh"}`, `deliver[1]: is there twice`},
		{strings.Repeat(`{"to": "sales", "every": "refresh"},`, 5) + `{}`, `deliver: has 6`},
	} {
		_, err := Parse(sending(tc[0]))
		if err == nil || !strings.Contains(err.Error(), tc[1]) {
			t.Errorf("%s\ngot  %v\nwant %s", tc[0], err, tc[1])
		}
	}
	if _, _, err := ParseReport([]byte(`{"datasets": [{"id": "d", "rows": [{"a": 1}]}], "panels": [{"type": "kpi", "value": "a"}],
		"deliver": []}`)); err == nil || !strings.Contains(err.Error(), "pages are sent after refreshes") {
		t.Errorf("a report: %v", err)
	}
}
