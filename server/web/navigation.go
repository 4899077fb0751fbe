package web

import "service/store/dashboard/locale"

// The screens that navigation leads to.
const (
	tabDashboards  locale.Key = "Dashboards"
	tabBin         locale.Key = "Deleted"
	tabConnections locale.Key = "Connections"
	tabUploads     locale.Key = "Uploads"
	tabAlerts      locale.Key = "Alerts"
	tabChannels    locale.Key = "Channels"
	tabConnect     locale.Key = "Connect a client"
	tabClients     locale.Key = "Clients you allowed"
	tabSettings    locale.Key = "General"
	tabMembers     locale.Key = "Members"
	tabAudit       locale.Key = "Audit log"
)

// A place is an entry of a workspace's navigation: the screens of one subject. It opens the first of them.
type place struct {
	name    locale.Key
	screens []navLink
}

// places are the entries for a workspace, at most five so that they can be seen at a
// glance. The addresses of their screens are below the workspace's address.
var places = []place{
	{tabDashboards, []navLink{{Name: tabDashboards, URL: "/"}, {Name: tabBin, URL: "/bin", edits: true}}},
	{locale.Key("Data"), []navLink{
		{Name: tabConnections, URL: "/connections", edits: true}, {Name: tabUploads, URL: "/uploads", edits: true},
	}},
	{tabAlerts, []navLink{{Name: tabAlerts, URL: "/alerts"}, {Name: tabChannels, URL: "/channels", edits: true}}},
	{locale.Key("AI clients"), []navLink{{Name: tabConnect, URL: "/connect"}, {Name: tabClients, URL: "/clients"}}},
	{locale.Key("Settings"), []navLink{
		{Name: tabSettings, URL: "/settings"}, {Name: tabMembers, URL: "/members"}, {Name: tabAudit, URL: "/audit", edits: true},
	}},
}

// A navLink is a link of a navigation.
type navLink struct {
	Name    locale.Key
	URL     string
	Current string // value of aria-current: page for the screen itself, true for its place
	edits   bool   // viewers do not see it
}

// navigation returns the links above and beside a screen: the places of its workspace, and the
// screens of its place if there are several. Outside a workspace it returns only the latter.
func navigation(v *visit, at locale.Key) (above, beside []navLink) {
	if !v.signedIn || at == "" {
		return nil, nil
	}
	base := ""
	if v.in != nil {
		base = "/w/" + v.in.Workspace()
	}
	for _, p := range places {
		to, screens, here := navLink{Name: p.name, URL: base + p.screens[0].URL}, []navLink{}, false
		for _, s := range p.screens {
			if s.edits && v.in != nil && !v.in.Edits() {
				continue
			}
			s.URL = base + s.URL
			if s.Name == at {
				s.Current, here = "page", true
			}
			screens = append(screens, s)
		}
		switch {
		case here && len(screens) > 1:
			to.Current, beside = "true", screens
		case here:
			to.Current = "page"
		}
		if v.in != nil && len(screens) > 0 {
			above = append(above, to)
		}
	}
	return above, beside
}
