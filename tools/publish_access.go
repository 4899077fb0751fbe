package tools

import (
	"context"
	"fmt"

	"service/store/dashboard"
)

// accessWarnings warns of row rules by which some members of the workspace see no rows, because they lack the attribute. The counts have no
// names: attributes are for owners.
func (c call) accessWarnings(ctx context.Context, s *dashboard.Spec) ([]dashboard.Warning, error) {
	var out []dashboard.Warning
	seen := map[string]bool{}
	for i, rule := range dashboard.OwnAccess(s.Access) {
		if seen[rule.Attribute] {
			continue
		}
		seen[rule.Attribute] = true
		lacking, all, err := c.Store.Members.Lacking(ctx, c.Member, rule.Attribute)
		if err != nil {
			return nil, err
		}
		if lacking > 0 {
			out = append(out, dashboard.Warnf(dashboard.WarnAccess, fmt.Sprintf("access[%d].is", i),
				`%d of %s who are not owners {has|have} no attribute "%s", and {sees|see} no rows; an owner sets it in the web application, `+
					"under Members.", lacking, count(all, "other member"), rule.Attribute))
		}
	}
	return out, nil
}
