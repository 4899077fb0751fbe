package page

import (
	"net/url"

	"service/store/dashboard"
	"service/store/dashboard/panel"
)

// Params are the parameters of a URL that a page reads: see [panel.Params].
type Params = panel.Params

// ParamsOf returns the parameters that the page of a spec reads; if s is nil, those that every page reads.
func ParamsOf(s *dashboard.Spec) Params { return panel.ParamsOf(s) }

// WallOf returns the colours of the wall that a query asks for, or "" for a page that is not on a wall.
func WallOf(query url.Values) string { return panel.WallOf(query) }

// A Summary describes a panel in words: see [panel.Summary].
type Summary = panel.Summary

// A Number is a KPI in words: see [panel.Number].
type Number = panel.Number
