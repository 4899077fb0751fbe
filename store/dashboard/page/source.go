package page

import "service/store/dashboard"

// The source of a page or of a panel: whose data it shows, with a link to them.

// creditOf is a source in words.
func (f formatter) creditOf(s *dashboard.Source) string { return f.Text("Source: %s", s.Name) }
