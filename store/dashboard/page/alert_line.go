package page

import (
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/alert"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/html"
	"service/store/dashboard/locale"
)

// A FiringAlert is an alert of the page's dashboard that is firing.
type FiringAlert struct {
	ID       string // in the spec
	Title    string
	Severity string
	Texts    []string // the first values found
	More     int      // number of values found that are not in Texts
	Since    time.Time
	Muted    bool
}

// severityNames are the names of the severities. They are written next to the signs, so that the meaning depends neither on colour nor on
// shape alone.
var severityNames = map[string]locale.Key{
	dashboard.SeverityCritical: "Critical", dashboard.SeverityWarning: "Warning", dashboard.SeverityInfo: "Information",
}

// SeverityName returns the name of a severity.
func SeverityName(l *locale.Locale, severity string) string {
	if key, ok := severityNames[severity]; ok {
		return l.Text(key)
	}
	return severity
}

// severitySigns are an octagon, a triangle and a circle, each with a mark in it.
var severitySigns = map[string]html.H{
	dashboard.SeverityCritical: `<svg class="sg" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">` +
		`<path d="M4 0h6l4 4v6l-4 4H4l-4-4V4zM6.2 3v5h1.6V3zM6.2 9.4V11h1.6V9.4z" fill="currentColor" fill-rule="evenodd"/></svg>`,
	dashboard.SeverityWarning: `<svg class="sg" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">` +
		`<path d="M7 0l7 13.5H0zM6.2 5v4h1.6V5zM6.2 10.3v1.6h1.6v-1.6z" fill="currentColor" fill-rule="evenodd"/></svg>`,
	dashboard.SeverityInfo: `<svg class="sg" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">` +
		`<path d="M7 0a7 7 0 1 0 0 14A7 7 0 0 0 7 0zM6.2 6v5h1.6V6zM6.2 3v1.6h1.6V3z" fill="currentColor" fill-rule="evenodd"/></svg>`,
}

var severityTones = map[string]string{
	dashboard.SeverityCritical: "bad", dashboard.SeverityWarning: "warn", dashboard.SeverityInfo: "info",
}

// mostSevere orders alerts: by severity, the most severe first, then by the time for which they have been firing, the longest first.
func mostSevere(a, b FiringAlert) int {
	order := []string{dashboard.SeverityCritical, dashboard.SeverityWarning, dashboard.SeverityInfo}
	if d := slices.Index(order, a.Severity) - slices.Index(order, b.Severity); d != 0 {
		return d
	}
	return a.Since.Compare(b.Since)
}

// severity writes the sign and the name of a severity.
func (p *page) severity(d *html.Doc, a FiringAlert) {
	d.Add(severitySigns[a.Severity], h(` <b>`), SeverityName(p.Locale, a.Severity), h(`: `), a.Title, h(`</b>`))
}

// drawAlerts lists the firing alerts above the panels.
func (p *page) drawAlerts(d *html.Doc) {
	if len(p.Alerts) == 0 {
		return
	}
	d.Add(h(`<section class="alert fires" aria-labelledby="alerts"><strong id="alerts">`), p.Text("Alerts"), h(`</strong><ul>`))
	for _, a := range slices.SortedStableFunc(slices.Values(p.Alerts), mostSevere) {
		d.Add(h(`<li class="`), severityTones[a.Severity], h(`">`))
		p.severity(d, a)
		if len(a.Texts) > 0 {
			d.Add(h(` <span>`), canvas.Clip(strings.Join(a.Texts, " · "), 600), h(`</span>`))
		}
		if a.More > 0 {
			d.Add(h(` <span>`), p.Count(a.More, "and %d more", "and %d more"), h(`</span>`))
		}
		d.Add(h(` <span class="since">`))
		d.Around(p.Text("Since %s."), func() { moment(d, a.Since, p.Zone, p.Formatter) })
		if a.Muted {
			d.Add(h(` `), p.Text("Nobody is notified: it is muted."))
		}
		d.Add(h(`</span>`))
		if i := p.alertPanel(a); i >= 0 && p.titled(i) {
			d.Add(h(` <a href="#p`), i, h(`">`), p.Text("To the panel"), h(`</a>`))
		}
		d.Add(h(`</li>`))
	}
	d.Add(h(`</ul></section>`))
}

// alertPanel returns the index of the panel that an alert marks, or -1.
func (p *page) alertPanel(a FiringAlert) int {
	if of := p.Spec.Alert(a.ID); of != nil {
		return alert.PanelOf(p.Spec, of)
	}
	return -1
}

// titled reports whether panel number i has a heading, to which links lead.
func (p *page) titled(i int) bool { return i < len(p.panels) && p.panels[i].Title != "" }

// drawMarks writes in a panel which alerts are firing about its values.
func (p *card) drawMarks(w *html.Painter) {
	for _, a := range slices.SortedStableFunc(slices.Values(p.page.Alerts), mostSevere) {
		if p.page.alertPanel(a) != p.Index {
			continue
		}
		w.Height += 19 * html.Lines(canvas.Letters(a.Title)+14, w.Letters)
		w.Add(h(`<p class="mark `), severityTones[a.Severity], h(`">`))
		p.page.severity(w.Doc, a)
		w.Add(h(`</p>`))
	}
}
