package panel

import (
	"strings"
	"testing"
)

// TestMissingValuesHaveNoShare: a value without a number is no part of a whole: neither a slice of 0 nor a share of 0 %.
func TestMissingValuesHaveNoShare(t *testing.T) {
	t.Parallel()
	columns := []string{"name text", "n number sum", "m number sum"}
	rows := [][]any{{"a", 30.0, 40.0}, {"b", nil, 20.0}, {"c", 10.0, nil}, {"d", 0.0, 10.0}}
	for keys, want := range map[string]string{
		`"type": "pie", "label": "name", "value": "n"`:                                                  "a 30 75.0%|c 10 25.0%|d 0 0.0%|b –",
		`"type": "bar", "x": "name", "y": "n", "horizontal": true, "sort": "name"`:                      "a 30 75.0%|b –|c 10 25.0%|d 0 0.0%",
		`"type": "bar", "x": "name", "y": "n", "horizontal": true, "sort": "name", "share": "first"`:    "a 30 100.0%|b –|c 10 33.3%|d 0 0.0%",
		`"type": "bar", "x": "name", "y": "n", "horizontal": true, "sort": "name", "share": "previous"`: "a 30 100.0%|b –|c 10|d 0 0.0%",
		`"type": "bar", "x": "name", "y": "n", "horizontal": true, "sort": "name", "target": "m"`:       "a 30 75.0%|b –|c 10|d 0 0.0%",
	} {
		p, c := recorded(t, tinySpec(t, `{`+keys+`}`, columns, rows...), 0)
		var got []string
		for _, it := range c.Items {
			if it.Value != "" {
				got = append(got, strings.TrimSpace(it.Name+" "+it.Value+" "+it.Share))
			}
		}
		if all := strings.Join(got, "|"); all != want {
			t.Errorf("%s: %s, want %s", keys, all, want)
		}
		if strings.Contains(p.Summary, "b") {
			t.Errorf("%s: %s", keys, p.Summary)
		}
	}
}

// TestSharesAtTheLatest: the sentence of shares along times has those of the last period with a value, and not of one without.
func TestSharesAtTheLatest(t *testing.T) {
	t.Parallel()
	rows := [][]any{
		{day("2026-08-01"), "a", 30.0},
		{day("2026-08-01"), "b", 10.0},
		{day("2026-09-01"), "a", 20.0},
		{day("2026-09-01"), "b", 20.0},
		{day("2026-10-01"), "a", nil},
		{day("2026-10-01"), "b", nil},
	}
	for _, kind := range []string{"area", "bar"} {
		v := tinySpec(t, `{"type": "`+kind+`", "x": "day", "y": "n", "series": "part", "stack": "percent"}`,
			[]string{"day date", "part text", "n number sum"}, rows...)
		const want = "2 points from Aug 2026 to Sep 2026: a 50.0%, b 50.0% at the latest."
		if got := summaries(v)[0].Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
