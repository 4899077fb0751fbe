package tools

import (
	"context"
	"fmt"

	"service/store"
	"service/store/dashboard"
	"service/store/dashboard/alert"
)

// An alertStatus is how an alert of a dashboard is.
type alertStatus struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Severity   string   `json:"severity"`
	State      string   `json:"state"`            // firing, holding, quiet, unknown; not_judged before the first refresh
	Values     int      `json:"values,omitempty"` // that fire, of one with by
	Since      string   `json:"since,omitempty"`
	Texts      []string `json:"texts,omitempty"`
	Unknown    string   `json:"unknown,omitempty"` // why it could not be judged
	MutedUntil string   `json:"muted_until,omitempty"`
	To         []string `json:"to"` // channels, or the publisher
}

// alerts are the alerts of a dashboard with a spec, which may be nil.
func (c call) alerts(ctx context.Context, d store.Dashboard, s *dashboard.Spec) ([]alertStatus, error) {
	if s == nil || len(s.Alerts) == 0 {
		return nil, nil
	}
	all, err := c.Store.DashboardAlerts(ctx, c.Member, d.ID)
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
			s.State, s.Unknown = "unknown", whyNot[alert.Reason(a.Unknown)]
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

// firingWords says which alerts fire, after what the page shows.
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

// alertCheck is the check of a dashboard's alerts; false where it has none.
func alertCheck(alerts []alertStatus) (check, bool) {
	if len(alerts) == 0 {
		return check{}, false
	}
	for _, a := range alerts {
		switch {
		case a.State == "firing" && len(a.Texts) > 0:
			return check{
				"alerts", checkWarn, clip(fmt.Sprintf(`Alert "%s" fires (%s): %s`, a.ID, a.Severity, a.Texts[0]), 400),
				"get_refresh_status has all of them; members mute alerts in the web application.",
			}, true
		case a.State == "unknown":
			return check{
				"alerts", checkWarn, fmt.Sprintf(`Alert "%s" could not be judged: %s.`, a.ID, a.Unknown),
				"publish_dashboard with a patch changes it; a dry run says how it would have behaved.",
			}, true
		}
	}
	return check{"alerts", checkOK, fmt.Sprintf("No alert fires: %s.", count(len(alerts), "alert")), ""}, true
}
