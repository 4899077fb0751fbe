package alert

import (
	"testing"

	"service/store/dashboard"
)

// TestLinkShowsTheValuesOfTheAlert: the filters of a link are the rows of the alert. Values are in the form of addresses, and defaults that
// leave rows out do not apply, except that of the periods of the alert.
func TestLinkShowsTheValuesOfTheAlert(t *testing.T) {
	t.Parallel()
	const value = `"value": "revenue", "if": ">", "than": 1`
	for _, tc := range []struct{ alert, filters, want string }{
		{value, `{"column": "country"}`, ""},
		{value, `{"column": "country", "default": "fr"}`, "f.country="},
		{value, `{"column": "country", "default": ["fr", "de"]}, {"column": "day", "default": "last_7_days"}`, "f.country=&f.day=all"},
		{value, `{"column": "day", "default": ["2026-11-01", "2026-11-02"]}`, "f.day=all"},
		{value + `, "x": "day"`, `{"column": "country", "default": "fr"}, {"column": "day", "default": "last_7_days"}`, "f.country="},
		{value + `, "where": {"country": "de"}`, `{"column": "country", "default": "fr"}`, "f.country=de"},
		{value + `, "where": {"country": ["de", "~x"]}`, `{"column": "country"}`, "f.country=de&f.country=~~x"},
		{value + `, "by": "country"`, `{"column": "country"}`, "f.country=fr&f.country=~null"},
		{value + `, "where": {"country": "de"}`, `{"column": "country", "default": "fr", "locked": true}`, ""},
		{value + `, "where": {"country": "de"}`, `{"column": "country", "default": "fr", "multiple": false}`, "f.country=de"},
		{value, `{"column": "country", "default": "fr", "multiple": false}`, ""},
		{value, `{"column": "country", "default": "fr", "data": ["other"]}`, ""},
		{`"failing": true`, `{"column": "country", "default": "fr"}`, ""},
	} {
		rows := cubeOf(t, row{"2026-11-16", "fr", 8.0}, row{"2026-11-16", "", 9.0})
		in, a := inputOf(t, tc.alert, "", "2026-11-17 06:00", rows)
		with, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}, {"id": "other", "sql": "SELECT 1"}],
			"panels": [{"type": "table", "data": "d"}, {"type": "table", "data": "other"}], "filters": [` + tc.filters + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		in.Spec.Filters = with.Filters
		r := Judge(in, a)
		if got := QueryOf(in.Spec, &r, Event{Fired, r.Findings}); got != tc.want {
			t.Errorf("%s with %s: %s, want %s", tc.alert, tc.filters, got, tc.want)
		}
	}
	empty := Reading{Alert: &dashboard.Alert{Data: "d", By: "country"}}
	spec := &dashboard.Spec{Filters: []dashboard.Filter{{Column: "country"}}}
	if got := QueryOf(spec, &empty, Event{Fired, []Finding{{Key: "=", Name: ""}}}); got != "f.country=~empty" {
		t.Errorf("the empty text: %s", got)
	}
	if got := QueryOf(spec, &empty, Event{Fired, []Finding{{Key: "=gone"}}}); got != "" {
		t.Errorf("a value without rows: %s", got)
	}
}
