package page

import (
	"cmp"
	"slices"

	"service/store/dashboard"
)

// pack gives every panel its width on a grid of 12 columns, so that rows are
// full: small panels in a run are spread evenly over as many rows as they need, and what
// is left over of another row goes to its panels.
func pack(panels []dashboard.Panel) []int {
	out := make([]int, len(panels))
	for i := range panels {
		f := figures[panels[i].Type]
		out[i] = min(max(cmp.Or(panels[i].Width, dashboard.DefaultWidth(panels[i].Type)), 2), 12)
		if f.frame == unframed {
			out[i] = 12
		}
	}
	for i := 0; i < len(panels); i++ {
		j := i
		for j < len(panels) && small(panels[j]) && out[j] == out[i] {
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
			i = j - 1
		}
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

func small(p dashboard.Panel) bool { return figures[p.Type].small }
func large(p dashboard.Panel) bool { return !small(p) }

// widenLast lets the last of an odd number of small panels have the whole width of a
// phone, where they stand two in a row.
func widenLast(panels []*panel) {
	half := 0
	for i, p := range panels {
		if !p.small || p.wide {
			half = 0
			continue
		}
		half++
		if half%2 == 1 && (i+1 == len(panels) || !panels[i+1].small || panels[i+1].wide) {
			p.wide = true
		}
	}
}

// fill shares width equally.
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
