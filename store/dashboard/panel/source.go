package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// A source names the origin of the data of a page or of a panel, with a link to it.

// CreditOf returns a source in words.
func CreditOf(l *locale.Locale, s *dashboard.Source) string { return l.Text("Source: %s", s.Name) }
