package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/alert"
)

// An alertStatus is the state of an alert of a dashboard.
type alertStatus struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Severity   string   `json:"severity"`
	State      string   `json:"state"`            // firing, holding, quiet, unknown; not_judged before the first refresh
	Values     int      `json:"values,omitempty"` // number of values that fire, for an alert with by
	Since      string   `json:"since,omitempty"`
	Texts      []string `json:"texts,omitempty"`
	Unknown    string   `json:"unknown,omitempty"` // why it could not be judged
	MutedUntil string   `json:"muted_until,omitempty"`
	To         []string `json:"to"` // channels, or the publisher
	failed     bool     // it could not be judged because a refresh failed
}

// alerts returns the alerts of a dashboard. declared is its spec, which may be nil. failed is the last failed refresh,
// or nil if none failed since the last good one.
func (c call) alerts(ctx context.Context, d store.Dashboard, declared *dashboard.Spec, failed *store.Run) ([]alertStatus, error) {
	if declared == nil || len(declared.Alerts) == 0 {
		return nil, nil
	}
	all, err := c.Store.Alerts.DashboardAlerts(ctx, c.Member, d.ID)
	if err != nil {
		return nil, err
	}
	var out []alertStatus
	for _, a := range all {
		s := alertStatus{ID: a.ID, Title: clip(a.Title, 200), Severity: a.Severity, State: "quiet", Since: when(a.Since), To: a.Channels}
		switch {
		case a.CheckedAt == nil:
			s.State = "not_judged"
		case a.Firing > 0:
			s.State, s.Values = "firing", a.Firing
		case a.Unknown != "":
			s.State, s.Unknown = "unknown", whyUnknown(a, declared, failed)
			s.failed = alert.Reason(a.Unknown) == alert.Failed
		case a.Holding > 0:
			s.State = "holding"
		}
		for _, t := range a.Texts {
			s.Texts = append(s.Texts, clip(t, 300))
		}
		if a.Muted(c.Now()) {
			s.MutedUntil = "until it is unmuted"
			if a.MutedUntil.Before(store.Forever) {
				s.MutedUntil = stamp(*a.MutedUntil)
			}
		}
		if len(a.Channels) == 0 {
			s.To = []string{"the publisher"}
		}
		out = append(out, s)
	}
	return out, nil
}

// firingWords names the alerts that fire, as the end of the sentence about the contents of the page.
func firingWords(alerts []alertStatus) string {
	n, first := 0, ""
	for _, a := range alerts {
		if a.State == "firing" {
			if n++; n == 1 {
				first = a.ID
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(`; alert "%s" fires`, first)
	}
	return fmt.Sprintf("; %d alerts fire", n)
}

// whyUnknown returns why the last judgement of an alert failed. After a failed refresh it includes the cause of the
// failure.
func whyUnknown(a store.Alert, s *dashboard.Spec, failed *store.Run) string {
	reason := alert.Reason(a.Unknown)
	why := whyNot[reason]
	if of := s.Alert(a.ID); reason == alert.Failed && of != nil && failed != nil {
		if cause := causeOf(failed, of.Data); cause != "" {
			why += ": " + strings.TrimSuffix(cause, ".")
		}
	}
	return why
}

// alertCheck returns the check of a dashboard's alerts; false if it has no alerts. An alert that fires takes precedence over
// one that could not be judged.
func alertCheck(alerts []alertStatus) (check, bool) {
	if len(alerts) == 0 {
		return check{}, false
	}
	first := map[string]alertStatus{} // by state
	waiting := 0
	for _, a := range alerts {
		if _, ok := first[a.State]; !ok {
			first[a.State] = a
		}
		if a.State == "not_judged" {
			waiting++
		}
	}
	if a, ok := first["firing"]; ok {
		text := strings.Join(a.Texts[:min(len(a.Texts), 1)], "")
		return check{
			"alerts", checkWarn, clip(fmt.Sprintf(`Alert "%s" fires (%s): %s`, a.ID, a.Severity, cmp.Or(text, a.Title)), 400),
			"get_refresh_status has all of them; members mute alerts in the web application.",
		}, true
	}
	if a, ok := first["unknown"]; ok {
		fix := "publish_dashboard with a patch changes it; a dry run says how it would have behaved."
		if a.failed {
			fix = "It is judged again when a refresh succeeds."
		}
		return check{"alerts", checkWarn, fmt.Sprintf(`Alert "%s" could not be judged: %s.`, a.ID, a.Unknown), fix}, true
	}
	if waiting > 0 {
		return check{
			"alerts", checkWarn, fmt.Sprintf("%s not judged so far.", count(waiting, "alert")), "The next refresh judges them.",
		}, true
	}
	return check{"alerts", checkOK, fmt.Sprintf("No alert fires: %s.", count(len(alerts), "alert")), ""}, true
}
