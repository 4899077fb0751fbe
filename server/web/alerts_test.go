package web

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// seedAlerts gives the dashboard sales three alerts: one that fires, with a hostile text, one that is quiet, and one
// that could not be judged, whose channel is deleted. The first has one event that was sent, and one that was not.
func (s *site) seedAlerts(t *testing.T) {
	t.Helper()
	s.exec(t, `INSERT INTO alert (workspace_id, dashboard_id, id, place, title, severity, channels, definition, checked_at, unknown)
		SELECT d.workspace_id, d.id, v.* FROM dashboard d, (VALUES
		       ('low', 0, 'Revenue <b>below</b> $1,000', 'critical', '{}'::text[], ''::bytea, now(), ''),
		       ('quiet', 1, 'Orders without rows', 'info', '{ops}', '', now(), ''),
		       ('odd', 2, 'Visits unusual', 'warning', '{gone}', '', now(), 'history')) AS v WHERE d.slug = 'sales'`)
	s.exec(t, `INSERT INTO alert_state (workspace_id, dashboard_id, alert, key, times, firing, since, told_at, text)
		SELECT workspace_id, id, 'low', '=' || c, 3, true, now() - interval '2 days', now(), c || ': $812 <script>alert(1)</script>'
		  FROM dashboard, unnest('{a,b,c,d,e,f,g}'::text[]) c WHERE slug = 'sales'`)
	for i, event := range []string{"fired", "again", "recovered"} {
		s.exec(t, `INSERT INTO alert_event (workspace_id, id, dashboard_id, alert, title, severity, event, sentence, at, told, muted)
			SELECT workspace_id, $1, id, 'low', 'Low', 'critical', $2, 'Sentence of ' || $2, now() - $3 * interval '1 hour', $4, $5
			  FROM dashboard WHERE slug = 'sales'`, uuid.New(), event, 3-i, []int{1, 0, 0}[i], event == "again")
	}
}

// The screen of alerts shows the firing alerts, whom they notify, and the past events; members can
// mute an alert there.
func TestAlertsScreen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, m := s.owner(t, "ada@lovelace.org", "engine")
	s.publish(t, m, "sales", "Sales")
	ada.get("/w/engine/alerts").want(http.StatusOK, "No alerts yet")
	s.seedAlerts(t)
	body := ada.get("/w/engine/alerts").want(http.StatusOK).body
	text := html.UnescapeString(body)
	for _, want := range []string{
		"1 alert fires", "Revenue <b>below</b> $1,000", "a: $812 <script>alert(1)</script>", "and 2 more", "Critical",
		"Notifies ada@lovelace.org, who published the dashboard.",
		"Quiet", "Notifies ops. There is no channel called ops.", "Not judged", "There is too little before to compare with.",
		"There is no channel called gone.", "Sentence of fired", "It was muted.", "Nobody was notified.", "Still", "Over",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
	if strings.Contains(body, "<script>alert") || strings.Contains(body, "<b>below") {
		t.Error("the text of an alert is not escaped")
	}
	mute := func(alert, long string) reply {
		return ada.post("/w/engine/alerts/mute", url.Values{"dashboard": {"sales"}, "alert": {alert}, "for": {long}})
	}
	mute("low", "forever").want(http.StatusOK)
	ada.get("/w/engine/alerts").want(http.StatusOK, "Muted until it is unmuted. By ada@lovelace.org.")
	mute("quiet", "168h").want(http.StatusOK)
	ada.get("/w/engine/alerts").want(http.StatusOK, "Muted until ")
	mute("low", "").want(http.StatusOK)
	if body := ada.get("/w/engine/alerts").body; strings.Contains(body, "Muted until it is unmuted.") {
		t.Error("it is muted still")
	}
	for _, long := range []string{"-1h", "1000h", "x"} {
		mute("low", long).want(http.StatusNotFound)
	}
	mute("none", "1h").want(http.StatusNotFound)
	bob, _ := s.owner(t, "bob@lovelace.org", "other")
	bob.post("/w/engine/alerts/mute", url.Values{"dashboard": {"sales"}, "alert": {"low"}, "for": {"1h"}}).want(http.StatusNotFound)
	bob.get("/w/engine/alerts").want(http.StatusNotFound)
}
