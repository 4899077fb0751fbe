package alert

import (
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/dashboard/locale"
)

// Words write the findings of alerts, in the language of a spec and in its formats.
type Words struct {
	format.Formatter
	spec *dashboard.Spec
}

// WordsOf returns the words for the alerts of a spec.
func WordsOf(s *dashboard.Spec) Words { return Words{format.New(s), s} }

// Over returns the words for alerts over some rows, by dataset: rows without a value have a name that no value has, as on the page.
func (w Words) Over(cubes map[string]*cube.Cube) Words {
	for i := range w.spec.Alerts {
		if a := &w.spec.Alerts[i]; a.By != "" && cubes[a.Data] != nil {
			w.Take(a.By, cubes[a.Data].Texts(a.By))
		}
	}
	return w
}

// limits describe the comparison with a threshold.
var limits = map[string]locale.Key{"<": "below %s", "<=": "at most %s", ">": "above %s", ">=": "at least %s", "=": "equal to %s"}

// Title returns the name of the alert of a reading, such as "Revenue below $1,000 by country".
func (w Words) Title(r *Reading) string {
	a := r.Alert
	if a.Title != "" {
		return a.Title
	}
	title := w.title(r)
	if a.By != "" {
		return w.Text("%s by %s", title, w.Inside(labelOf(r.By, a.By)))
	}
	return title
}

func (w Words) title(r *Reading) string {
	a := r.Alert
	name := labelOf(r.Column, a.Value)
	switch a.Condition {
	case dashboard.AlertThreshold:
		return name + " " + w.limit(r)
	case dashboard.AlertChange:
		if a.Change.By < 0 {
			return w.Text("%s down by %s or more", name, w.share(a.Change.By))
		}
		return w.Text("%s up by %s or more", name, w.share(a.Change.By))
	case dashboard.AlertAnomaly:
		switch a.Anomaly {
		case "low":
			return w.Text("%s unusually low", name)
		case "high":
			return w.Text("%s unusually high", name)
		}
		return w.Text("%s unusual", name)
	case dashboard.AlertRows:
		if a.Rows == "none" {
			return w.Text("%s without rows", dashboard.Label(a.Data))
		}
		return w.Text("%s with rows", dashboard.Label(a.Data))
	case dashboard.AlertStale:
		return w.Text("Not refreshed for %s", w.Amount("duration", a.Stale.Seconds()))
	}
	return w.Text("The refresh fails")
}

// labelOf returns the label of a column, or else of its name.
func labelOf(c dashboard.Column, name string) string {
	if c.Label != "" {
		return c.Label
	}
	return dashboard.Label(name)
}

// limit describes the threshold of an alert: "below $1,000".
func (w Words) limit(r *Reading) string {
	return w.Text(limits[r.Alert.If], w.number(r, r.Alert.Than))
}

// number writes a number in the format of the alert's measure.
func (w Words) number(r *Reading, v any) string {
	return w.Formatter.Quantity(r.Column, v)
}

// mostDecimals is how many decimals numbers of a sentence have at most to tell them apart.
const mostDecimals = 9

// numbers is [Words.number] for numbers of one sentence. If the format makes different ones equal, as in "$1,000, below $1,000", they have
// as many decimals as tell them apart.
func (w Words) numbers(r *Reading, values ...any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = w.number(r, v)
	}
	apart := func(texts []string) bool {
		for i := range values {
			for k := range i {
				if order, ok := cube.Compare(values[i], values[k]); ok && order != 0 && texts[i] == texts[k] {
					return false
				}
			}
		}
		return true
	}
	finer := make([]string, len(values))
	for n := 0; n <= mostDecimals && !apart(out); n++ {
		for i, v := range values {
			number, _ := cube.Float(v)
			finer[i] = w.InUnit(r.Column, w.Decimals(format.OrInteger(r.Column), number, n))
		}
		if apart(finer) {
			return finer
		}
	}
	return out
}

// share writes the relative size of a change, without its sign.
func (w Words) share(v float64) string {
	return w.ShareUpTo(math.Abs(v), 1)
}

// period writes the judged period; "" for all rows.
func (w Words) period(r *Reading, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return w.Time(r.X.Format, r.Grain, t)
}

// Finding writes a finding: "Revenue was $812 (Nov 21, 2026): below $1,000."
func (w Words) Finding(r *Reading, f Finding) string {
	a := r.Alert
	when := w.period(r, f.Period)
	switch a.Condition {
	case dashboard.AlertFailing:
		if f.Holds {
			return w.Text("The newest refresh failed.")
		}
		return w.Text("The newest refresh succeeded.")
	case dashboard.AlertStale:
		at := f.Period.In(w.spec.Location())
		return w.Text("The last refresh without a failure: %s.", w.Date(at)+" "+w.Clock(at))
	case dashboard.AlertRows:
		return w.rows(dashboard.Label(a.Data), f.Rows, when)
	}
	name := labelOf(r.Column, a.Value)
	value, why := w.valueAndWhy(r, f)
	switch {
	case why == "" && when == "":
		return w.Text("%s is %s.", name, value)
	case why == "":
		return w.Text("%s was %s (%s).", name, value, when)
	case when == "":
		return w.Text("%s is %s: %s.", name, value, why)
	}
	return w.Text("%s was %s (%s): %s.", name, value, when, strings.TrimSuffix(why, "."))
}

func (w Words) rows(name string, n int, when string) string {
	switch {
	case n == 0 && when == "":
		return w.Text("%s has no rows.", name)
	case n == 0:
		return w.Text("%s has no rows (%s).", name, when)
	case when == "":
		return w.Count(n, "%s has %d row.", "%s has %d rows.", name)
	}
	return w.Count(n, "%s has %d row (%s).", "%s has %d rows (%s).", name, when)
}

// valueAndWhy returns the value of a finding and the reason for which it is out of order: "below $1,000". For an anomaly why is the usual
// range, also if the value is in order; for others it is then "".
func (w Words) valueAndWhy(r *Reading, f Finding) (value, why string) {
	a := r.Alert
	switch {
	case a.Condition == dashboard.AlertAnomaly && f.High >= f.Low && f.Unknown == "":
		n := w.numbers(r, f.Value, f.Low, f.High)
		return n[0], w.Text("usual is %s to %s", n[1], n[2])
	case !f.Holds:
		return w.number(r, f.Value), ""
	case a.Condition == dashboard.AlertThreshold:
		n := w.numbers(r, f.Value, a.Than)
		return n[0], w.Text(limits[a.If], n[1])
	}
	n := w.numbers(r, f.Value, f.Base)
	return n[0], w.change(r, f, n[1])
}

// change describes the change of a value from its base.
func (w Words) change(r *Reading, f Finding, base string) string {
	a := r.Alert
	v, _ := cube.Float(f.Value)
	share := w.share((v - f.Base) / math.Abs(f.Base))
	less := v < f.Base
	switch {
	case a.Change.Against == dashboard.AgainstMean && less:
		return w.Count(a.Change.Of, "%s less than the mean before, %s", "%s less than the mean of the %d before, %s", share, base)
	case a.Change.Against == dashboard.AgainstMean:
		return w.Count(a.Change.Of, "%s more than the mean before, %s", "%s more than the mean of the %d before, %s", share, base)
	case less:
		return w.Text("%s less than %s (%s)", share, base, w.period(r, f.BasePeriod))
	}
	return w.Text("%s more than %s (%s)", share, base, w.period(r, f.BasePeriod))
}

// Value writes the finding on a value of the dimension that splits the alert, without its name.
func (w Words) Value(r *Reading, f Finding) string {
	if r.Alert.Condition == dashboard.AlertRows {
		return w.Count(f.Rows, "%d row", "%d rows")
	}
	text, why := w.valueAndWhy(r, f)
	if why != "" {
		return text + " (" + why + ")"
	}
	return text
}

// Name returns the name of a value of the dimension that splits the alert.
func (w Words) Name(r *Reading, f Finding) string {
	if gone, ok := strings.CutPrefix(f.Key, "="); ok && f.Name == nil { // no row has it any more
		return gone
	}
	return w.Cell(r.By, cube.Exact, f.Name)
}

// Sentence describes an event in one sentence or two.
func (w Words) Sentence(r *Reading, e Event) string {
	text := ""
	switch a := r.Alert; {
	case a.By != "" && len(e.Findings) > 1:
		text = w.Count(len(e.Findings), "%s: %d value.", "%s: %d values.", w.Title(r))
		if when := w.period(r, e.Findings[0].Period); when != "" {
			text += " " + when + "."
		}
	case a.By != "":
		text = w.Name(r, e.Findings[0]) + ": " + w.Finding(r, e.Findings[0])
	case a.Title != "":
		text = w.ended(a.Title) + " " + w.Finding(r, e.Findings[0])
	default:
		text = w.Finding(r, e.Findings[0])
	}
	switch e.Kind {
	case Again:
		return w.Text("Still: %s", text)
	case Recovered:
		return w.Text("Over: %s", w.ended(w.Title(r))) + " " + text
	}
	return text
}

// ended returns a title as a sentence.
func (w Words) ended(title string) string {
	if strings.ContainsAny(title[max(0, len(title)-3):], ".!?。！？؟") {
		return title
	}
	return title + "."
}

// PanelOf returns the index of the first panel that shows the measure of an alert, or its rows; -1 for none.
func PanelOf(s *dashboard.Spec, a *dashboard.Alert) int {
	fallback := -1
	for i := range s.Panels {
		p := &s.Panels[i]
		if a.OfRefresh() || !dashboard.NeedsData(p.Type) || p.Data != a.Data {
			continue
		}
		if a.Value == "" || p.Value == a.Value || slices.Contains(p.Y, a.Value) || slices.Contains(p.Bars, a.Value) ||
			slices.Contains(p.Lines, a.Value) || slices.Contains(p.Values, a.Value) {
			if p.X == a.X && a.X != "" { // the course over time is most informative
				return i
			}
			if fallback < 0 {
				fallback = i
			}
			continue
		}
		if p.Type == dashboard.Table && fallback < 0 && (len(p.Columns) == 0 ||
			slices.ContainsFunc(p.Columns, func(c dashboard.TableColumn) bool { return c.Column == a.Value })) {
			fallback = i
		}
	}
	return fallback
}
