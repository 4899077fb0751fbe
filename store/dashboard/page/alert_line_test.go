package page

import (
	"strings"
	"testing"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/alert"
)

// firing is a page on which three alerts fire, with hostile texts.
func firing(t testing.TB) View {
	t.Helper()
	v := commerce(400)
	v.Spec.Alerts = []dashboard.Alert{
		{ID: "odd", Condition: dashboard.AlertThreshold, Value: "revenue", X: "day"},
		{ID: "low", Condition: dashboard.AlertThreshold, Value: "revenue", X: "day"},
		{ID: "stale", Condition: dashboard.AlertStale},
	}
	since := now.Add(-26 * time.Hour)
	v.Alerts = []FiringAlert{
		{
			ID: "odd", Title: "Revenue <b>unusual</b>", Severity: "warning", Texts: []string{"France: $812 (usual is $900 to $1,100)"}, More: 3,
			Since: since,
		},
		{
			ID: "low", Title: "Revenue below $1,000", Severity: "critical", Texts: []string{"Revenue was $812: <script>alert(1)</script>."},
			Since: since,
		},
		{ID: "stale", Title: "Not refreshed for 1 d", Severity: "info", Since: since, Muted: true},
	}
	return v
}

// TestFiringAlerts: firing alerts are above the panels, the most severe first, and mark the panel that shows their measure; a word and a
// sign give the severity.
func TestFiringAlerts(t *testing.T) {
	t.Parallel()
	v := firing(t)
	body := string(render(t, v))
	_, section, _ := strings.Cut(body, `<section class="alert fires"`)
	section, _, _ = strings.Cut(section, "</section>")
	last := 0
	for _, want := range []string{
		"Alerts</strong>", "<b>Critical: Revenue below $1,000</b>", "Revenue was $812: &lt;script&gt;", `">To the panel</a>`,
		"<b>Warning: Revenue &lt;b&gt;unusual&lt;/b&gt;</b>", "and 3 more", "<b>Information: Not refreshed for 1 d</b>",
		"Nobody is notified: it is muted.",
	} {
		at := strings.Index(section, want)
		if at < last {
			t.Errorf("%q is missing, or stands too early, in %s", want, section)
		}
		last = max(at, last)
	}
	if n := strings.Count(section, "<svg"); n != 3 {
		t.Errorf("%d signs", n)
	}
	at := alert.PanelOf(v.Spec, &v.Spec.Alerts[0])
	if at < 0 || v.Spec.Panels[at].X != "day" {
		t.Fatalf("the alert marks panel %d", at)
	}
	if n := strings.Count(body, `<p class="mark `); n != 2 {
		t.Errorf("%d marks in panels", n)
	}
	if strings.Contains(body, "<script>alert") {
		t.Error("what an alert says is not escaped")
	}
	v.Alerts = nil
	if body := string(render(t, v)); strings.Contains(body, `class="alert fires"`) || strings.Contains(body, `<p class="mark `) {
		t.Error("there is a line of alerts, and none fires")
	}
}
