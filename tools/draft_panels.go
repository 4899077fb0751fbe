package tools

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

// isSeries reports whether the rows are readings at regular times.
func (p *draftedPage) isSeries() bool {
	t := p.time()
	return t != nil && t.distinct > 20 && !p.events && len(p.means) > 0
}

// kpis adds the numbers at the top: the lead, the number of rows, and averages or other sums.
func (p *draftedPage) kpis() {
	add := func(column string) {
		if len(p.Panels) == 4 || slices.ContainsFunc(p.Panels, func(k draftPanel) bool { return k.Value == column }) {
			return
		}
		k := draftPanel{Type: dashboard.KPI, Data: "data", Value: column, Title: p.label(column)}
		if t := p.time(); t != nil && p.grain() != "" && !p.hasSpans() {
			if k.Sparkline, k.Partial = t.Name, "hide"; p.filtersTime() { // without a filter, the number is of all times
				k.Grain = p.grain()
			}
		}
		p.Panels = append(p.Panels, k)
	}
	add(p.lead)
	if p.count != "" {
		add(p.count)
	}
	for _, f := range slices.Concat(p.levels[:min(len(p.levels), 2)], p.sums[:min(len(p.sums), 2)]) {
		add(f.Name)
	}
	for _, f := range p.means {
		if !slices.Contains(p.scores, f) {
			add(f.Name)
		}
	}
}

// grain returns the step of the lines over the column of times, so that there are about 6 to 100 steps, with enough rows in each.
func (p *draftedPage) grain() string {
	t := p.time()
	if t == nil {
		return ""
	}
	perStep, most := 8.0, 130.0 // rows in each, and steps
	if !p.events {
		perStep, most = 1, 400
	}
	finer := ""
	days := math.Max(t.days(), 0.01)
	for _, g := range []struct {
		name string
		days float64
	}{{"minute", 1.0 / 1440}, {"hour", 1.0 / 24}, {"day", 1}, {"week", 7}, {"month", 30}, {"quarter", 91}} {
		steps := days / g.days
		if t.Type == cube.Date && g.days < 1 || g.days < t.spacing()*0.6 {
			continue
		}
		switch enough := float64(t.rows)/math.Max(steps, 1) >= perStep; {
		case steps > most:
		case steps < 6 && finer != "":
			return finer
		case enough:
			return g.name
		default:
			finer = g.name
		}
	}
	if days < 400 {
		return cmp.Or(finer, "month")
	}
	return "year"
}

// overTime adds the lead over time.
func (p *draftedPage) overTime() {
	t := p.time()
	if t == nil || t.distinct < 3 {
		return
	}
	line := draftPanel{Type: dashboard.Line, Data: "data", X: t.Name, Y: p.lead, Grain: p.grain(), Partial: "mark", Width: 12}
	line.Title = title(p.words.overTime, p.label(p.lead))
	if p.leadAgg != dashboard.Sum {
		if i := slices.IndexFunc(p.groups, func(f *fact) bool { return f.distinct <= 6 }); i >= 0 {
			line.Series = p.groups[i].Name
		}
	}
	p.Panels = append(p.Panels, line)
	if !p.isSeries() || p.leadAgg != dashboard.Avg {
		return
	}
	for _, f := range p.means[1:min(len(p.means), 3)] { // the other readings
		p.Panels = append(p.Panels, draftPanel{
			Type: dashboard.Line, Data: "data", X: t.Name, Y: f.Name, Grain: line.Grain, Partial: "mark", Series: line.Series, Width: 6,
			Title: title(p.words.overTime, p.label(f.Name)),
		})
	}
}

// bars adds the lead by categories, and countries on a map.
func (p *draftedPage) bars() {
	n, heights := 0, map[int]int{}
	for _, f := range p.groups {
		if n == 4 || f.chars > 28 {
			break
		}
		if p.leadAgg != dashboard.Sum && p.time() != nil && f.distinct <= 6 { // a line shows it already
			continue
		}
		named := title(p.words.by, p.label(p.lead), p.named(f))
		if isNumber(f.Type) && namesYear.MatchString(f.Name) && f.distinct > 4 { // an axis of times
			p.Panels = append(p.Panels, draftPanel{Type: dashboard.Line, Data: "data", X: f.Name, Y: p.lead, Width: 6, Title: named})
			n++
			continue
		}
		if f.use == usePlace && f.distinct >= 5 {
			p.Panels = append(p.Panels, draftPanel{Type: "map", Data: "data", Area: f.Name, Value: p.lead, Width: 6, Title: named})
			n++
			continue
		}
		bar := draftPanel{Type: dashboard.Bar, Data: "data", X: f.Name, Y: p.lead, Width: 6, Title: named}
		if !isNumber(f.Type) { // numbers stay in their order
			bar.Horizontal, bar.Sort = true, "-"+p.lead
			if f.distinct > 12 {
				bar.Limit = 10
			}
		}
		p.Panels = append(p.Panels, bar)
		if bar.Horizontal {
			heights[len(p.Panels)-1] = min(f.distinct, 10)
		}
		n++
	}
	p.meanBar()
	p.evenOut(heights)
}

// meanBar adds a share, or the first average on a page whose other bars count rows, by the best category.
func (p *draftedPage) meanBar() {
	var of *fact
	if i := slices.IndexFunc(p.means, func(f *fact) bool { return f.share }); i >= 0 {
		of = p.means[i]
	} else if rest := p.rest(); p.lead == p.count && len(rest) > 0 {
		of = rest[0]
	}
	if of == nil || of.Name == p.lead || len(p.groups) == 0 || p.groups[0].distinct > 12 {
		return
	}
	bar := draftPanel{Type: dashboard.Bar, Data: "data", X: p.groups[0].Name, Y: of.Name, Width: 6}
	if !isNumber(p.groups[0].Type) {
		bar.Horizontal, bar.Sort = true, "-"+of.Name
	}
	bar.Title = title(p.words.by, p.label(of.Name), p.named(p.groups[0]))
	p.Panels = append(p.Panels, bar)
}

// evenOut draws the lower of two neighbours as columns, which fill the height, if it has far fewer bars. heights has the numbers of bars by
// the indexes of panels.
func (p *draftedPage) evenOut(heights map[int]int) {
	for i := 0; i+1 < len(p.Panels); i++ {
		a, b := heights[i], heights[i+1]
		if a == 0 || b == 0 {
			continue
		}
		if low := i; max(a, b)-min(a, b) > 3 {
			if b < a {
				low++
			}
			p.Panels[low].Horizontal = false
		}
		i++ // the two are one row of the page
	}
}

// ends returns the columns of the names, starts and ends of a table whose rows are spans of time, or nil.
func (p *draftedPage) ends() (label, start, end *fact) {
	for i := range p.facts {
		switch f := &p.facts[i]; {
		case f.use == useTime && start == nil && namesStart.MatchString(f.Name):
			start = f
		case f.use == useTime && end == nil && namesEnd.MatchString(f.Name):
			end = f
		case (f.use == useName || f.use == useID) && label == nil:
			label = f
		}
	}
	if start == nil || end == nil || label == nil || start.Type != end.Type || len(p.raw) > maxSpans {
		return nil, nil, nil
	}
	return label, start, end
}

func (p *draftedPage) hasSpans() bool {
	label, _, _ := p.ends()
	return label != nil
}

// spans adds a timeline of rows that have a start and an end.
func (p *draftedPage) spans() {
	label, start, end := p.ends()
	if label == nil {
		return
	}
	line := draftPanel{Type: dashboard.Timeline, Data: "data", Label: label.Name, Start: start.Name, End: end.Name, Width: 12}
	for _, f := range p.groups {
		if f.distinct <= 8 && (line.Series == "" || namesState.MatchString(f.Name)) {
			line.Series = f.Name
		}
	}
	p.Panels = append(p.Panels, line)
}

// flows adds the flows between the values of two categories, such as from_plan and to_plan.
func (p *draftedPage) flows() {
	i := slices.IndexFunc(p.groups, func(f *fact) bool { return namesFrom.MatchString(f.Name) })
	j := slices.IndexFunc(p.groups, func(f *fact) bool { return namesInto.MatchString(f.Name) })
	if i < 0 || j < 0 || p.leadAgg != dashboard.Sum {
		return
	}
	p.Panels = append(p.Panels, draftPanel{
		Type: dashboard.Sankey, Data: "data", Steps: []string{p.groups[i].Name, p.groups[j].Name}, Value: p.lead, Width: 12,
	})
}

// stars returns the only score, such as a rating, or nil.
func (p *draftedPage) stars() *fact {
	if len(p.scores) > 0 {
		return nil
	}
	for _, f := range p.means {
		if f.isScore() && namesScore.MatchString(f.Name) {
			return f
		}
	}
	return nil
}

// answers adds the questions of a survey: their scores, and the distributions of their answers.
func (p *draftedPage) answers(from string) {
	if len(p.scores) == 0 {
		return
	}
	var names, columns, keep []string
	for _, f := range p.scores {
		names, columns = append(names, f.Name), append(columns, "t."+f.sql)
	}
	for _, f := range p.groups {
		keep = append(keep, "t."+f.sql+", ")
	}
	if t := p.time(); t != nil {
		keep = append(keep, "t."+t.sql+", ")
	}
	set := draftDataset{ID: "answers", Columns: map[string]draftMeta{
		"score":   {Agg: string(dashboard.Avg), Label: p.words.score},
		"answer":  {Role: "dimension", Label: p.words.answer},
		"answers": {Agg: string(dashboard.Sum), Label: p.words.count},
	}}
	if slices.IndexFunc(p.scores, func(f *fact) bool { return f.max > 5 || f.min < 1 }) < 0 {
		p.Columns = map[string]draftOrder{"answer": {Colors: map[string]string{
			"1": "red", "2": "orange", "3": "gray", "4": "lime", "5": "green",
		}}}
	}
	set.SQL = "SELECT " + strings.Join(keep, "") + "unnest([" + literals(names) + "]) AS question, unnest([" + strings.Join(columns, ", ") +
		"]) AS score, unnest([" + strings.Join(columns, ", ") + "]) AS answer, 1 AS answers FROM " + from + " AS t"
	set.limit(len(p.raw) * len(names))
	p.Datasets = append(p.Datasets, set)
	p.Panels = append(p.Panels,
		draftPanel{Type: dashboard.KPI, Data: "answers", Value: "score"},
		draftPanel{Type: dashboard.Bar, Data: "answers", X: "question", Y: "score", Horizontal: true, Sort: "-score", Width: 6},
		draftPanel{
			Type: dashboard.Bar, Data: "answers", X: "question", Y: "answers", Series: "answer", Stack: "percent", Horizontal: true, Width: 6,
		})
	if len(p.groups) > 0 {
		p.Panels = append(p.Panels, draftPanel{
			Type: "heatmap", Data: "answers", X: p.groups[0].Name, Y: "question", Value: "score", Width: 12,
		})
	}
}

// points adds a map of the rows with coordinates.
func (p *draftedPage) points() {
	points := draftPanel{Type: "map", Data: "data", Width: 12}
	for _, f := range p.facts {
		switch {
		case f.use == useLat && points.Lat == "":
			points.Lat = f.Name
		case f.use == useLon && points.Lon == "":
			points.Lon = f.Name
		case (f.use == useID || f.use == useName) && points.Label == "":
			points.Label = f.Name
		}
	}
	if points.Lat == "" || points.Lon == "" {
		return
	}
	if i := slices.IndexFunc(p.groups, p.namesPlaces); points.Label == "" && i >= 0 { // readings at places
		points.Label, points.Value = p.groups[i].Name, p.lead
		points.Title = title(p.words.by, p.label(p.lead), p.named(p.groups[i]))
	}
	p.Panels = append(p.Panels, points)
}

// namesPlaces reports whether each value of a category is at one place.
func (p *draftedPage) namesPlaces(f *fact) bool {
	lat := slices.IndexFunc(p.facts, func(f fact) bool { return f.use == useLat })
	lon := slices.IndexFunc(p.facts, func(f fact) bool { return f.use == useLon })
	at, i := map[any][2]any{}, p.index(f)
	for _, row := range p.raw {
		name, place := key(row[i]), [2]any{key(row[lat]), key(row[lon])}
		if was, ok := at[name]; ok && was != place {
			return false
		}
		at[name] = place
	}
	return true
}

// shapes adds the distribution of a measure, and the relation of two.
func (p *draftedPage) shapes() {
	p.points()
	if f := p.stars(); f != nil {
		p.Panels = append(p.Panels, draftPanel{Type: "histogram", Data: "data", Value: f.Name, Width: 6})
	}
	rest := p.rest()
	if a, b := p.related(rest); a != nil {
		s := draftPanel{Type: "scatter", Data: "data", X: a.Name, Y: b.Name, Width: 12, Title: a.label + " – " + b.label}
		if i := slices.IndexFunc(p.groups, func(f *fact) bool { return f.distinct <= 5 }); i >= 0 {
			s.Series = p.groups[i].Name
		}
		p.Panels = append(p.Panels, s)
		return
	}
	if p.hasHistogram() {
		p.Panels = append(p.Panels, draftPanel{Type: "histogram", Data: "data", Value: rest[0].Name, Width: 6})
	}
	p.fill()
}

// even leaves out the widths of panels in rows that these do not fill: the page chooses there.
func (p *draftedPage) even() {
	from, sum := 0, 0
	for i := range len(p.Panels) + 1 {
		width := 13 // beyond the last
		if i < len(p.Panels) {
			width = cmp.Or(p.Panels[i].Width, dashboard.DefaultWidth(p.Panels[i].Type))
		}
		if sum+width > 12 {
			for j := from; j < i && sum != 12; j++ {
				p.Panels[j].Width = 0
			}
			from, sum = i, 0
		}
		sum += width
	}
}

// fill widens the last panel if it is alone in the half of a row.
func (p *draftedPage) fill() {
	n := 0
	for i := len(p.Panels) - 1; i >= 0 && p.Panels[i].Width == 6; i-- {
		n++
	}
	if n%2 == 1 {
		p.Panels[len(p.Panels)-1].Width = 12
	}
}

// rest returns the averaged measures with many values.
func (p *draftedPage) rest() []*fact {
	var out []*fact
	for _, f := range p.means {
		if !slices.Contains(p.scores, f) && f != p.stars() && f.distinct > 12 {
			out = append(out, f)
		}
	}
	return out
}

// hasHistogram reports whether the page shows the distribution of a measure.
func (p *draftedPage) hasHistogram() bool {
	rest := p.rest()
	a, _ := p.related(rest)
	return len(rest) > 0 && p.events && a == nil
}

// table adds the rows themselves, the latest or the largest first.
func (p *draftedPage) table() {
	t := draftPanel{Type: dashboard.Table, Data: "data", Width: 12, PageSize: 10}
	t.Title = title(p.words.all, p.words.rows)
	if p.events || t.Title == "" {
		t.Title = cmp.Or(title(p.words.all, p.within(p.countLabel())), p.countLabel())
	}
	text := ""
	if i := slices.IndexFunc(p.facts, func(f fact) bool { return f.use == useText }); i >= 0 && p.events { // text that a person wrote
		text = p.facts[i].Name
	}
	for i := range p.facts {
		f := &p.facts[i]
		shown := f.use != useNone && f.use != useLat && f.use != useLon && (f.use != useText || f.Name == text) && f.sql != "" &&
			!slices.Contains(p.scores, f)
		if shown && !(f.use == useID && f.chars > 20) && len(t.Columns) < 8 {
			t.Columns = append(t.Columns, f.Name)
		}
	}
	if len(t.Columns) < 2 {
		return
	}
	switch f := p.time(); {
	case f != nil && slices.Contains(t.Columns, f.Name):
		t.Sort = "-" + f.Name
	case slices.Contains(t.Columns, p.lead):
		t.Sort = "-" + p.lead
	}
	p.Panels = append(p.Panels, t)
}

// filtersTime reports whether the draft has a filter for the time: there are more than two times to choose from.
func (p *draftedPage) filtersTime() bool {
	t := p.time()
	return t != nil && t.distinct > 2
}

// filters adds filters for the time and for the categories that a reader would choose.
func (p *draftedPage) filters() {
	if p.filtersTime() {
		p.Filters = append(p.Filters, draftFilter{Column: p.time().Name})
	}
	for _, f := range p.groups {
		if len(p.Filters) < 4 && f.chars <= 40 {
			p.Filters = append(p.Filters, draftFilter{Column: f.Name})
		}
	}
}

// wide drafts a page over a table with a column for each period, like the tables of budgets.
func (p *draftedPage) wide(from string) *draftedPage {
	var names, columns, keep []string
	for _, f := range p.months {
		names, columns = append(names, f.Name), append(columns, "CAST(t."+f.sql+" AS DOUBLE)")
	}
	for _, f := range p.groups {
		keep = append(keep, "t."+f.sql+", ")
	}
	for i := range p.facts {
		if f := &p.facts[i]; f.use == useName || f.use == useID {
			p.groups, keep = append(p.groups, f), append(keep, "t."+f.sql+", ")
		}
	}
	period, amount := "period", "amount"
	set := draftDataset{ID: "data", Columns: map[string]draftMeta{amount: {Agg: string(dashboard.Sum)}}}
	set.SQL = "SELECT " + strings.Join(keep, "") +
		"unnest([" + literals(names) + "]) AS " + period + ", unnest([" + strings.Join(columns, ", ") +
		"]) AS " + amount + " FROM " + from + " AS t"
	set.limit(len(p.raw) * len(names))
	p.Datasets, p.lead, p.leadAgg = []draftDataset{set}, amount, dashboard.Sum
	p.Columns = map[string]draftOrder{period: {Order: names}}
	p.Panels = append(p.Panels, draftPanel{Type: dashboard.KPI, Data: "data", Value: amount, Width: 12})
	over := draftPanel{Type: dashboard.Bar, Data: "data", X: period, Y: amount, Width: 12}
	over.Title = title(p.words.overTime, dashboard.Label(amount))
	if i := slices.IndexFunc(p.groups, func(f *fact) bool { return f.distinct >= 2 && f.distinct <= 8 }); i >= 0 {
		over.Series, over.Stack = p.groups[i].Name, "normal"
	}
	p.Panels = append(p.Panels, over)
	p.bars()
	if len(p.groups) > 0 {
		p.Panels = append(p.Panels, draftPanel{
			Type: "pivot", Data: "data", Rows: []string{p.groups[0].Name}, Columns: []string{period}, Values: []string{amount}, Width: 12,
		})
	}
	p.even()
	p.filters()
	p.Filters = append(p.Filters, draftFilter{Column: period})
	return p
}
