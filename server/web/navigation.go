package web

import "service/store/dashboard/locale"

// The screens that navigation leads to.
const (
	tabDashboards  locale.Key = "Dashboards"
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

// A place is what the navigation of a workspace shows at once: the screens of one subject. The
// first of them opens with it.
type place struct {
	name    locale.Key
	screens []navLink
}

// places are those of a workspace, at most five so that they are taken in at a glance. The
// addresses of their screens are below that of the workspace.
var places = []place{
	{tabDashboards, []navLink{{Name: tabDashboards, URL: "/"}}},
	{locale.Key("Data"), []navLink{{Name: tabConnections, URL: "/connections"}, {Name: tabUploads, URL: "/uploads"}}},
	{tabAlerts, []navLink{{Name: tabAlerts, URL: "/alerts"}, {Name: tabChannels, URL: "/channels"}}},
	{locale.Key("AI clients"), []navLink{{Name: tabConnect, URL: "/connect"}, {Name: tabClients, URL: "/clients"}}},
	{locale.Key("Settings"), []navLink{
		{Name: tabSettings, URL: "/settings"}, {Name: tabMembers, URL: "/members"}, {Name: tabAudit, URL: "/audit"},
	}},
}

// A navLink is one of a navigation.
type navLink struct {
	Name    locale.Key
	URL     string
	Current string // value of aria-current: page for the screen itself, true for its place
}

// navigation is how a screen is reached and what is beside it: the places of its workspace,
// and the screens of its place where there are several. Outside of a workspace there are the
// latter alone, which have the same addresses there.
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
		if v.in != nil {
			above = append(above, to)
		}
	}
	return above, beside
}
