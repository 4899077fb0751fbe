package dashboard

import (
	"errors"
	"strings"
	"testing"
)

// For a stored document that does not parse, the log has only places: nothing of the document, whose problems quote names and values, and
// nothing that a caller is shown as the problems of a spec.
func TestStoredThatDoesNotParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ spec, want string }{
		{`"ada"`, "the document"},
		{`{"ada": 1, "datasets": [{"id": "d", "sql": "SELECT 1"}]}`, "…"},
		{`{"title": "x", "datasets": [{"id": "d", "sql": "SELECT 1 AS n", "columns": {"ada": {"agg": "ada"}}}]}`, "datasets[0].columns…"},
		{
			`{"title": "x", "datasets": [{"id": "d", "sql": "SELECT 1 AS n", "columns": {"ada].x": {"agg": "ada"}}}]}`,
			"datasets[0].columns…",
		},
		{
			`{"title": "x", "locale": "ada!", "timezone": "ada", "currency": "ada", "layout": "ada", "datasets": [{"id": "d", "sql": "SELECT 1"}]}`,
			"timezone, layout, currency and 1 more",
		},
		{
			`{"title": "x", "datasets": [{"id": "d", "sql": "SELECT 1"}], "panels": [{"type": "table"}, {"type": "ada"}]}`,
			"panels[1].type",
		},
	} {
		_, err := ParseStored([]byte(tc.spec))
		if err == nil || err.Error() != "what is stored does not parse: "+tc.want {
			t.Errorf("%s: %v, want %s", tc.spec, err, tc.want)
		}
	}
	_, _, err := ParseStoredReport([]byte(`{"title": "x", "datasets": [{"id": "d", "rows": [{"n": 1}, {"n": "ada"}, ["ada"]]}]}`))
	if err == nil || !strings.HasSuffix(err.Error(), ": datasets[0].rows[2]") {
		t.Errorf("a report: %v", err)
	}
	if _, ok := errors.AsType[*Problems](err); ok {
		t.Error("it wraps the problems, which callers are shown")
	}
	if _, err := ParseStored([]byte(`{"title": "x", "datasets": [{"id": "d", "sql": "SELECT 1"}]}`)); err != nil {
		t.Errorf("a sound spec: %v", err)
	}
}
