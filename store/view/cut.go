package view

import (
	"encoding/hex"

	"service/store"
	"service/store/blob"
	"service/store/dashboard/cube"
)

// only returns the rows of the dataset called set that a cut allows. This is the one place where row rules are applied: pages, lists of
// values, files, pictures, mails and the answers of tools are made of its result. A rule whose column the rows lack allows no row. Cut
// cubes are cached by the values, not by the person.
func (r *Renderer) only(m store.Member, cut store.Cut, set string, rows store.Result, c *cube.Cube) *cube.Cube {
	var filters []cube.Filter
	for _, rule := range cut.Rules {
		if !rule.Covers(set) {
			continue
		}
		at := c.Index(rule.Column)
		if at < 0 || c.Columns()[at].Type.IsTime() {
			return c.Only(nil)
		}
		filters = append(filters, cube.Filter{Column: rule.Column, Values: rule.Values})
	}
	if len(filters) == 0 {
		return c
	}
	key := m.WorkspaceID().String() + hex.EncodeToString(rows.SHA256) + set + string(blob.Hash([]byte(cut.Key())))
	if c, ok := r.cubes.get(key); ok {
		return c
	}
	c = c.Only(c.Select(filters...))
	r.cubes.put(key, c, c.Size())
	return c
}
