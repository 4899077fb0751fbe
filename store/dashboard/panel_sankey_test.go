package dashboard_test

import (
	"testing"

	"service/store/dashboard"
)

// A sankey has steps, or from and to, and a measure that adds up; other keys are refused with those that it has.
func TestSankeyKeys(t *testing.T) {
	t.Parallel()
	const of = `is not a key of a panel of type sankey`
	const keys = `; keys: type, title, subtitle, description, width, data, where, steps, from, to, value, limit, click, link, source`
	for _, tc := range [][2]string{
		{`"steps": ["country", "shop_id"], "value": "orders"`, ""},
		{`"from": "country", "to": "shop_id", "value": "revenue"`, ""},
		{`"value": "orders"`, `panels[0]: must have steps (a list of columns), or from and to`},
		{
			`"steps": ["country", "shop_id"], "from": "country", "value": "orders"`,
			`panels[0].steps: a sankey has steps, or from and to; of both, make two panels`,
		},
		{
			`"steps": ["country"], "value": "orders"`,
			`panels[0].steps: has 1 of 2 to 6 columns; list those between which something flows`,
		},
		{`"steps": ["country", "country"], "value": "orders"`, `panels[0].steps[1]: "country" is there twice; each step is another dimension`},
		{`"from": "country", "value": "orders"`, `panels[0].to: is missing`},
		{
			`"from": "country", "to": "country", "value": "orders"`,
			`panels[0].to: is the column of from; flows lead from the values of one column to those of another`,
		},
		{
			`"steps": ["country", "orders"], "value": "orders"`,
			`panels[0].steps[1]: "orders" is a measure, and this must be a dimension; if it is one, write "role": "dimension" in ` +
				`datasets[0].columns.orders; dimensions: day, country, shop_id`,
		},
		{
			`"steps": ["country", "shop_id"], "value": "aov"`,
			`panels[0].value: "aov" does not add up to an amount that flows, as a sankey shows; use a heatmap, or a measure whose "agg" is "sum"`,
		},
		{
			`"source": "country", "to": "shop_id", "value": "orders"`,
			`panels[0].source: is {"name": …, "url": …}: whose data it is; the column from which flows lead is from`,
		},
		{
			`"from": "country", "target": "shop_id", "value": "orders"`,
			`panels[0].target: "target" ` + of + `: to is the dimension to which flows lead` + keys,
		},
		{
			`"steps": ["country", "shop_id"], "value": "orders", "limit": 25`,
			`panels[0].limit: must be from 2 to 24: the values of a step, one of which is Other`,
		},
	} {
		s, err := dashboard.Parse(document(``, `{"type": "sankey", "data": "orders", `+tc[0]+`}`, ``))
		if err == nil {
			_, err = s.Check(checkColumns)
		}
		if got := errorText(err); got != tc[1] {
			t.Errorf("%s\ngot  %s\nwant %s", tc[0], got, tc[1])
		}
	}
}
