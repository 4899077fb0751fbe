package tools

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"service/store/dashboard/cube"
)

const (
	maxFloat = math.MaxFloat64
	maxSafe  = 1<<53 - 1 // the largest integer that is exact in JavaScript
)

// A columnProfile summarizes a column's values in the rows that were read.
type columnProfile struct {
	Column   string     `json:"column"`
	Nulls    int        `json:"nulls"`
	Lost     int        `json:"lost,omitempty"` // values that no page can show, such as NaN; they count as missing
	Distinct int        `json:"distinct"`
	Min      any        `json:"min,omitempty" schema:"-"`
	Max      any        `json:"max,omitempty" schema:"-"`
	Top      []topValue `json:"top"`
}

type topValue struct {
	Value any `json:"value"`
	Count int `json:"count"`
}

// mostTop is the number of most frequent values in a profile.
const mostTop = 5

func profile(rows collector, columns int) []columnProfile {
	out := make([]columnProfile, columns)
	for i := range out {
		p := columnProfile{Column: clip(rows.columns[i].Name, maxCell), Lost: rows.lost[i], Top: []topValue{}}
		seen := map[any]int{}
		var least, most any
		for _, row := range rows.rows {
			v := key(row[i])
			if v == nil {
				p.Nulls++
				continue
			}
			seen[v]++
			if least == nil || compare(v, least) < 0 {
				least = v
			}
			if most == nil || compare(v, most) > 0 {
				most = v
			}
		}
		p.Distinct = len(seen)
		if least != nil && rows.columns[i].Type != cube.Boolean {
			p.Min, p.Max = cell(rows.columns[i].Type, least), cell(rows.columns[i].Type, most)
		}
		if p.Distinct < len(rows.rows)-p.Nulls { // some value occurs twice
			values := slices.SortedFunc(maps.Keys(seen), func(a, b any) int {
				return cmp.Or(seen[b]-seen[a], compare(a, b))
			})
			for _, v := range values[:min(len(values), mostTop)] {
				p.Top = append(p.Top, topValue{cell(rows.columns[i].Type, v), seen[v]})
			}
		}
		out[i] = p
	}
	return out
}

// key returns v as a map key. It makes NaN equal to itself.
func key(v any) any {
	switch v := v.(type) {
	case nil, string, bool, int64, cube.Decimal, time.Time:
		return v
	case float64:
		if v != v {
			return "NaN"
		}
		return v
	}
	return fmt.Sprint(v)
}

// compare orders two values of one column, by their text if their types differ.
func compare(a, b any) int {
	if order, ok := cube.Compare(a, b); ok {
		return order
	}
	if x, ok := a.(time.Time); ok {
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}
