package dashboard

import "fmt"

// KPI is the type of panel that shows one number.
const KPI = "kpi"

var kpiPanel = panelType{
	name:     KPI,
	also:     []string{"number", "metric", "stat", "bignumber", "scorecard", "card", "value", "gauge"},
	doc:      "one number",
	required: []panelKey{keyValue},
	optional: []panelKey{
		keyData, keyCompare, keySparkline, keyGrain, keyPartial, keyThresholds,
	},
	width: 3,
	check: checkKPI,
	title: func(p *Panel, label labeler) string { return label.of(p.Value) },
}

var (
	keyCompare = nameKey("compare", "previous_period or previous_year (need a date filter), or a measure",
		func(p *Panel) *string { return &p.Compare })
	keySparkline = nameKey("sparkline", "date dimension of a small line", func(p *Panel) *string { return &p.Sparkline })
)

func checkKPI(c *panelCheck) {
	p := c.panel
	c.shows(c.at("value"), p.Value)
	c.compare(c.at("compare"))
	c.times(p.Sparkline)
	if col := c.column(c.at("sparkline"), c.set, p.Sparkline); col != nil && !isDate(*col) {
		c.problems.add(Problem{
			Path: c.at("sparkline"), Message: quote(p.Sparkline) + " is no date", Noun: "dates", Allowed: c.set.names(isDate),
		})
	}
}

// previous reports whether a comparison is with an earlier period.
func previous(compare string) bool { return compare == "previous_period" || compare == "previous_year" }

// compare checks what a kpi is compared with.
func (c *panelCheck) compare(path string) {
	p, set := c.panel, c.set
	if !previous(p.Compare) {
		if p.Compare != "" && find(set.columns, p.Compare) == nil {
			all := append([]string{"previous_period", "previous_year"}, set.names(isMeasure)...)
			c.problems.add(Problem{
				Path: path, Message: fmt.Sprintf("%s is neither an earlier period nor a measure of dataset %s", quote(p.Compare), quote(set.ID)),
				Allowed: all, Nearest: likeliest(p.Compare, all),
			})
			return
		}
		if p.Compare != "" && p.Compare == p.Value {
			c.problems.addf(path, "compares %s with itself", quote(p.Value))
			return
		}
		c.shows(path, p.Compare)
		return
	}
	for _, f := range c.spec.Filters {
		if col := find(set.columns, f.Column); col != nil && isDate(*col) && f.Narrows(set.ID) {
			return
		}
	}
	dates := set.names(isDate)
	if len(dates) == 0 {
		c.problems.addf(path, `"%s" needs a date, and dataset %s returns none; group its SQL by a date too, or compare with another measure`,
			p.Compare, quote(set.ID))
		return
	}
	if len(c.spec.Filters) > 0 { // Parse has reported that there are none
		c.problems.add(Problem{
			Path:    path,
			Message: fmt.Sprintf(`"%s" needs a filter on a date of dataset %s, which says what the period is`, p.Compare, quote(set.ID)),
			Noun:    "dates", Allowed: dates,
		})
	}
}
