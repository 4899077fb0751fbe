package panel

import (
	"service/store/dashboard"
	"service/store/dashboard/locale"
)

// The source of a page or of a panel: whose data it shows, with a link to them.

// CreditOf returns a source in words.
func CreditOf(l *locale.Locale, s *dashboard.Source) string { return l.Text("Source: %s", s.Name) }
