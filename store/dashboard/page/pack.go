package page

import (
	"cmp"
	"slices"

	"service/store/dashboard"
	"service/store/dashboard/panel"
)

// pack returns the width of every panel on a grid of 12 columns, so that rows are full: small panels in a run are spread evenly over as
// many rows as they need, and the rest of any other row is shared by its panels. If small panels fill the rest of a row that begins with a
// large panel, they stay in that row. A row whose widths the spec has, and that they fill, stays as it is.
func pack(panels []dashboard.Panel) []int {
	out := make([]int, len(panels))
	for i := range panels {
		out[i] = asked(panels[i])
	}
	begun := 0 // columns of the row in which panel i is
	for i := 0; i < len(panels); {
		if begun %= 12; begun == 0 {
			if n := exact(panels[i:], out[i:]); n > 0 {
				i += n
				continue
			}
		}
		if n := completing(panels, out, i, begun); n > 0 {
			i, begun = i+n, 0
			continue
		}
		j, texts := i, false
		for j < len(panels) && (small(panels[j]) || spans(panels[j], out[j])) {
			texts = texts || !small(panels[j])
			j++
		}
		if !texts { // the width of a text among small panels determines how they share their rows
			spread(panels[i:j], out[i:j])
		}
		j = max(j, i+1)
		for _, w := range out[i:j] {
			if begun += w; begun > 12 {
				begun = w
			}
		}
		i = j
	}
	from, sum := 0, 0
	for i, w := range out {
		if sum+w > 12 {
			fillRow(panels[from:i], out[from:i])
			from, sum = i, 0
		}
		sum += w
	}
	fillRow(panels[from:], out[from:])
	return out
}

// exact returns the number of panels, from the first on, whose widths are in the spec and fill a row. It returns 0 if they do not fill it.
func exact(panels []dashboard.Panel, widths []int) int {
	sum := 0
	for i := range panels {
		if sum += widths[i]; !panels[i].OwnWidth || sum > 12 {
			return 0
		}
		if sum == 12 {
			return i + 1
		}
	}
	return 0
}

// completing returns the number of small panels, from panel i on, that exactly fill a row in which begun columns are already taken. It
// returns 0 if they do not fill it.
func completing(panels []dashboard.Panel, widths []int, i, begun int) int {
	if begun == 0 || i == 0 || small(panels[i-1]) {
		return 0
	}
	sum := begun
	for j := i; j < len(panels) && small(panels[j]); j++ {
		if sum += widths[j]; sum >= 12 {
			if sum == 12 {
				return j + 1 - i
			}
			return 0
		}
	}
	return 0
}

// widths returns the width of every panel of the page. In an article all but small panels have the width of the column.
func (p *page) widths() []int {
	panels := p.Spec.Panels
	if p.Spec.Article() {
		panels = slices.Clone(panels)
		for i := range panels {
			if !small(panels[i]) {
				panels[i].Width = 12
			}
		}
	}
	return pack(panels)
}

// asked returns the width of a panel by its spec or, if the spec has none, by its type.
func asked(p dashboard.Panel) int {
	if panel.FigureOf(&p).Frame == panel.Unframed {
		return 12
	}
	return min(max(cmp.Or(p.Width, dashboard.DefaultWidth(p.Type)), 2), 12)
}

// spans reports whether a panel is a text that leaves space next to it.
func spans(p dashboard.Panel, width int) bool { return p.Type == dashboard.Text && width < 12 }

// spread divides rows evenly among small panels of one width that follow each other.
func spread(panels []dashboard.Panel, out []int) {
	for i := 0; i < len(panels); {
		j := i
		for j < len(panels) && out[j] == out[i] {
			j++
		}
		if n := j - i; n > 1 {
			fit := 12 / out[i]
			rows := (n + fit - 1) / fit
			k := i
			for r := range rows {
				in := (n - (k - i) + rows - r - 1) / (rows - r)
				fill(out[k:k+in], 12)
				k += in
			}
		}
		i = j
	}
}

func small(p dashboard.Panel) bool { return panel.FigureOf(&p).Small }
func large(p dashboard.Panel) bool { return !small(p) }

// widenLast gives the last of an odd number of small panels the whole width of a phone, because a row on a phone has two small panels.
func widenLast(panels []*panel.Panel) {
	for _, run := range runs(panels) {
		if len(run)%2 == 1 {
			run[len(run)-1].Wide = true
		}
	}
}

// fill divides width equally.
func fill(out []int, width int) {
	for i := range out {
		out[i] = width / len(out)
		if i < width%len(out) {
			out[i]++
		}
	}
}

// fillRow widens the panels of a row until it is full; a lone small panel stays small.
func fillRow(panels []dashboard.Panel, out []int) {
	sum := 0
	for _, w := range out {
		sum += w
	}
	if !slices.ContainsFunc(panels, large) && len(out) < 3 {
		return
	}
	for sum < 12 && len(out) > 0 { // the narrowest first
		i := slices.Index(out, slices.Min(out))
		if k := slices.IndexFunc(panels, large); k >= 0 {
			for j, p := range panels {
				if large(p) && out[j] < out[k] {
					k = j
				}
			}
			i = k
		}
		out[i]++
		sum++
	}
}
