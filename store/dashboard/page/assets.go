package page

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/panel"
)

// Script is the page's script. It is served at /assets/<ScriptName>, and may be cached for ever, since its name depends on its content.
//
//go:embed page.js
var Script []byte

// ScriptName is the name of [Script].
var ScriptName = "page-" + hash(Script) + ".js"

// ViewHeader is a header of requests that the script makes because a reader followed a link or changed a filter. Requests by which the
// script looks for newer data lack it.
const ViewHeader = "X-View"

// CSP is the Content-Security-Policy of every page of this package.
var CSP = "default-src 'none'; style-src" + html.StyleHashes() + "; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// needs returns the parts of a page that need styles of their own: the types of its panels, "lines" across marks, "fit" for trends and
// averages, "compare" for lines of an earlier period over other marks, "goal" for targets, "words" for kpis that may be texts, "y2" for an
// axis or names on the right of lines, "highlight", "facet" for small plots, "heat" and "sparkline" in cells of tables and their "total",
// the hues of ramps, "events", and "article". It does not depend on the values shown at the moment: an open page keeps its styles until its
// spec changes.
func needs(s *dashboard.Spec) []string {
	var out []string
	for i := range s.Panels {
		p := &s.Panels[i]
		out = append(out, p.Type)
		for _, c := range p.Columns {
			if c.Heat {
				out = append(out, "heatmap", "heat") // with the colours of heat maps
				out = append(out, panel.HuesOf(s, c.Ramp, c.Column)...)
			}
			if c.Sparkline != "" {
				out = append(out, "sparkline")
			}
			if c.Group != "" {
				out = append(out, "group")
			}
		}
		if p.Type != dashboard.Table && p.ShowsRamp() {
			out = append(out, panel.HuesOf(s, p.Ramp, append(slices.Clone(p.Values), cmp.Or(p.Color, p.Value))...)...)
		}
		if len(p.Thresholds) > 0 && p.Type != dashboard.KPI {
			out = append(out, "hue_"+canvas.ToneHue.String())
		}
		if slices.ContainsFunc(p.Thresholds, func(t dashboard.Threshold) bool { return t.Row }) {
			out = append(out, "heatmap", "heat", "hue_"+canvas.PaleHue.String()) // with the inks of heat maps
		}
		if p.Type == dashboard.Scatter && p.Color == "" && len(p.Y) > 0 { // the counts of points, if these are many
			out = append(out, panel.HuesOf(s, nil, p.Y[0])...)
		}
		if (p.Type == dashboard.Scatter || p.Type == dashboard.Bar) && p.Color != "" {
			out = append(out, "heatmap", "hue_"+canvas.GrayHue.String())
		}
		if p.Type == dashboard.Bar && p.Color != "" {
			out = append(out, "bar_ramp")
		}
		if p.Type == dashboard.Heatmap && p.Color != "" { // cells without a value of it are gray
			out = append(out, "hue_"+canvas.GrayHue.String())
		}
		if p.Type == dashboard.Table && len(p.Compare) > 0 {
			out = append(out, "group")
		}
		if p.TotalRow {
			out = append(out, "total")
		}
		if len(p.Reference)+len(p.Targets) > 0 || p.Range[dashboard.AxisY].Fixed() {
			out = append(out, "lines")
		}
		if p.Lights() {
			out = append(out, "highlight", "hue_"+canvas.GrayHue.String())
			if p.Type == dashboard.Pie {
				out = append(out, "highlight_pie")
			}
		}
		if len(p.Y2) > 0 || p.Legend == dashboard.LegendEnds { // both have texts on the right of the plot
			out = append(out, "y2")
		}
		if p.Band != nil {
			out = append(out, "band")
		}
		if p.Trend != "" || p.Average > 0 {
			out = append(out, "fit")
		}
		if len(p.Compare) > 0 && (p.Type == dashboard.Box || p.Type == dashboard.Candlestick) {
			out = append(out, "compare")
		}
		if p.Target != 0 || p.TargetBy != "" {
			out = append(out, "goal")
		}
		if p.Type == dashboard.KPI && p.Target == 0 && p.TargetBy == "" && p.Sparkline == "" && len(p.Compare) == 0 {
			out = append(out, "words")
		}
		if p.Facet != "" {
			out = append(out, "facet")
		}
	}
	if s.HasEvents() {
		out = append(out, "events")
		if slices.ContainsFunc(s.Panels, func(p dashboard.Panel) bool {
			return p.Type == dashboard.Calendar || p.Type == dashboard.Heatmap
		}) {
			out = append(out, "lines")
		}
	}
	if s.Article() {
		out = append(out, "article")
	}
	return out
}

// needs returns what the page needs styles for, including the figures whose rows it shows: the page may change from the rows to the figure
// in place.
func (p *page) needs() []string {
	var were dashboard.Spec
	for _, f := range p.RowsOf {
		were.Panels = append(were.Panels, *f)
	}
	return append(needs(p.Spec), needs(&were)...)
}
