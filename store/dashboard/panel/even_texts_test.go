package panel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// TestGapsOfMeasures: a gap that several lines share is one.
func TestGapsOfMeasures(t *testing.T) {
	t.Parallel()
	for want, second := range map[string]int{"1 gap without": 0, "2 gaps without": 5} {
		rows := daysOf(60, func(int, time.Time) bool { return true })
		for i := range rows {
			rows[i] = []any{rows[i][0], int64(1), int64(2)}
		}
		for i := 20; i < 25; i++ {
			rows[i][1], rows[i+second][2] = nil, nil
		}
		p := open(tiny([]dashboard.Panel{{Type: dashboard.Line, X: "at", Y: []string{"a", "b"}, Partial: "show"}},
			[]string{"at date", "a integer sum", "b integer sum"}, rows...)).Panel(0)
		if !slices.ContainsFunc(p.Notes, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%q, want %s", p.Notes, want)
		}
	}
}

// TestChangesOfSlopes: the change of a line has as many decimals as its ends, unless it would be written as 0.
func TestChangesOfSlopes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		column   string
		from, to float64
		want     string
	}{
		{"n number avg number1", 14.1, 14.755, "+0.7"},
		{"n number avg number1", 14.1, 14.11, "+0.01"},
		{"n number avg number1", 14.1, 14.1, "0.0"},
		{"n number avg", 14.1, 14.75, "+0.65"},
		{"n number avg percent1", 0.4, 0.41234, "+1.2 pp"},
		{"n number avg percent", 0.4, 0.41234, "+1 pp"},
		{"n number avg percent", 0.4, 0.40123, "+0.123 pp"},
		{"n number avg currency2", 10, 9.5, "−$0.50"},
	} {
		p := open(tiny([]dashboard.Panel{{Type: dashboard.Slope, Label: "who", X: "year", Value: "n"}},
			[]string{"who text", "year text", tc.column}, []any{"a", "1", tc.from}, []any{"a", "2", tc.to})).Panel(0)
		s := p.Content.(*slopePanel)
		if got := strings.ReplaceAll(s.changeText(&s.lines[0]), format.NBSP, " "); got != tc.want {
			t.Errorf("%s from %v to %v: %q, want %q", tc.column, tc.from, tc.to, got, tc.want)
		}
	}
}

// TestNoSignOfZero: a number that is written as 0 has no sign, in the digits of every language.
func TestNoSignOfZero(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en-US", "ar-EG", "de-DE"} {
		v := tiny([]dashboard.Panel{{Type: dashboard.Waterfall, Label: "who", Value: "n"}},
			[]string{"who text", "n number sum percent"}, []any{"a", 0.5}, []any{"b", 0.001})
		v.Spec.Locale = lang
		r := record(open(v).Panel(0))
		zeros := 0
		for _, l := range r.Labels {
			if !strings.Contains(l.Text, "%") && !strings.Contains(l.Text, "٪") || !locale.WritesZero(l.Text) {
				continue
			}
			if zeros++; strings.Contains(l.Text, "+") {
				t.Errorf("%s: %q", lang, l.Text)
			}
		}
		if zeros != 2 { // one is at a gridline
			t.Errorf("%s: %d zeros in %v", lang, zeros, r.Labels)
		}
	}
}

// TestDecimalsOfShares: values that are seen together have the decimals of their format, in the short form too.
func TestDecimalsOfShares(t *testing.T) {
	t.Parallel()
	f := open(tiny(nil, []string{"n number"})).Formatter
	for of, want := range map[string]string{"percent1": "91.7% 40.0%", "percent": "92% 40%"} {
		short, _ := f.Shorts(of, []float64{11.0 / 12, 0.4})
		if got := short(11.0/12) + " " + short(0.4); got != want {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
	}
	same, _ := f.Shorts("percent1", []float64{0.9167, 0.91671}) // equal in their format, too
	if same(0.9167) != "91.7%" {
		t.Error(same(0.9167))
	}
}
