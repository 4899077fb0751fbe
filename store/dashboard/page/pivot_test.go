package page

import "service/store/dashboard"

// across returns dimensions across, as a spec has them.
func across(names ...string) []dashboard.TableColumn {
	var out []dashboard.TableColumn
	for _, name := range names {
		out = append(out, dashboard.TableColumn{Column: name})
	}
	return out
}
