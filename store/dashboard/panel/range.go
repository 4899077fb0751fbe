package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/chart"
	"service/store/dashboard/encode"
	"service/store/dashboard/format"
)

// The spec can set the ends of an axis, and make it logarithmic. Values outside of an axis are not drawn, and the panel reports them.

// axisOf returns an axis of one of the panel's charts, whose gridlines are written as numbers of a column in a format.
func (p *Settings) axisOf(which int, col dashboard.Column, format string) chart.Axis {
	r := p.Spec.Range[which]
	return chart.Axis{
		Min: r.Min, Max: r.Max, Log: p.Spec.Log(which), Reverse: p.Spec.Reverse && which == dashboard.AxisY, Unit: unitOf(format),
		Write: p.Env.ticksOf(col, format),
	}
}

// onLog reports whether an axis has a place for a value: a logarithmic axis has none for zero and negative values.
func (p *Settings) onLog(axis int, v float64) bool { return v > 0 || !p.Spec.Log(axis) }

// drawn reports whether a value is within its axis.
func (p *Settings) drawn(axis int, v float64) bool {
	return p.onLog(axis, v) && !p.Spec.Range[axis].Outside(v)
}

// A census counts the values that an axis does not show.
type census struct {
	shown, log, outside int
}

func (c *census) count(p *Settings, axis int, v float64) {
	switch {
	case !p.onLog(axis, v):
		c.log++
	case p.Spec.Range[axis].Outside(v):
		c.outside++
	default:
		c.shown++
	}
}

// noteHidden reports how many values the axis of the measures does not show. It returns false if the axis shows none.
func (p *Rows) noteHidden(c census) bool {
	r := p.Spec.Range[dashboard.AxisY]
	if p.Spec.Log(dashboard.AxisY) {
		p.report(encode.Noted("The axis is logarithmic."))
	}
	p.noteReverse()
	if c.log > 0 {
		p.report(encode.Noted("Left out, because not above zero: %s.", c.log).
			Warned(dashboard.WarnLeftOut, "scale",
				"%d {value is|values are} zero or below, which a logarithmic axis does not have, and {is|are} left out; "+
					"a linear one shows {it|them}.", c.log))
	}
	if c.outside > 0 {
		key := "y_max"
		if r.Max == nil {
			key = "y_min"
		}
		p.report(encode.Noted("Values outside the axis: %s.", c.outside).
			Warned(dashboard.WarnClipped, key,
				"values that lie outside the axis, and are cut off: %d; another y_min or y_max shows them.", c.outside))
	}
	if c.shown == 0 && c.log+c.outside > 0 {
		p.Empty = p.Env.Text("No value is on the axis.")
		return false
	}
	return true
}

// noteReverse reports that low values are at the top: readers expect high ones there.
func (p *Settings) noteReverse() {
	if p.Spec.Reverse {
		p.report(encode.Noted("Low values are at the top of the axis."))
	}
}

// reaches reports whether a reference line, or a part of a range, is within its axis.
func (p *Settings) reaches(axis int, r chart.Reference) bool {
	lo, hi := r.Ends()
	bounds := p.Spec.Range[axis]
	return p.onLog(axis, hi) && !(bounds.Min != nil && hi < *bounds.Min) && !(bounds.Max != nil && lo > *bounds.Max)
}

// onScale returns the reference lines within an axis. See [Panel.noteReferences] for the others.
func (p *Settings) onScale(refs []chart.Reference, axis int) []chart.Reference {
	var out []chart.Reference
	for _, r := range refs {
		if p.reaches(axis, r) {
			out = append(out, r)
		}
	}
	return out
}

// noteReferences reports the reference lines that are not drawn because they are outside of the axis.
func (p *Settings) noteReferences(refs []chart.Reference, axis int) {
	for _, r := range refs {
		if !p.reaches(axis, r) {
			p.report(encode.Noted("The line %s is outside the axis.", r.Text).
				Warned(dashboard.WarnClipped, "reference",
					`the line "%s" is outside the axis, and is not drawn; the range of the axis shows it.`, r.Text))
		}
	}
}

// unitOf returns the unit of an axis whose numbers have a format.
func unitOf(of string) chart.Unit {
	switch {
	case of == "integer":
		return chart.Whole
	case format.OneLasts(of) == 1:
		return chart.Seconds
	case format.OneLasts(of) == 60:
		return chart.Minutes
	}
	return chart.Plain
}
