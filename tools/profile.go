package tools

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"service/store/dashboard"
	"service/store/dashboard/cube"
)

const (
	maxFloat = math.MaxFloat64
	maxSafe  = 1<<53 - 1 // the largest whole number for which JavaScript vouches
)

// A columnProfile tells what values a column has, over the rows that were read.
type columnProfile struct {
	Column   string     `json:"column"`
	Nulls    int        `json:"nulls"`
	Distinct int        `json:"distinct"`
	Min      any        `json:"min,omitempty" schema:"-"`
	Max      any        `json:"max,omitempty" schema:"-"`
	Top      []topValue `json:"top"`
}

type topValue struct {
	Value any `json:"value"`
	Count int `json:"count"`
}

// mostTop is how many of the most frequent values a profile has.
const mostTop = 5

func profile(rows collector, columns int) []columnProfile {
	out := make([]columnProfile, columns)
	for i := range out {
		p := columnProfile{Column: clip(rows.columns[i].Name, maxCell), Top: []topValue{}}
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
			p.Min, p.Max = cell(least), cell(most)
		}
		if p.Distinct < len(rows.rows)-p.Nulls { // some value is there twice
			values := slices.SortedFunc(maps.Keys(seen), func(a, b any) int {
				return cmp.Or(seen[b]-seen[a], compare(a, b))
			})
			for _, v := range values[:min(len(values), mostTop)] {
				p.Top = append(p.Top, topValue{cell(v), seen[v]})
			}
		}
		out[i] = p
	}
	return out
}

// key is v as a map key that equals itself.
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

// compare orders two values of one column; those of different types by their text.
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

// A draft is a dataset and panels to begin a spec with.
type draft struct {
	Dataset draftDataset `json:"dataset"`
	Panels  []draftPanel `json:"panels"`
}

type draftDataset struct {
	ID      string               `json:"id"`
	SQL     string               `json:"sql"`
	Columns map[string]draftMeta `json:"columns,omitempty"`
}

type draftMeta struct {
	Agg string `json:"agg,omitempty"`
}

// A draftPanel has the fields of a spec's panel that drafts use.
type draftPanel struct {
	Type     string   `json:"type"`
	Title    string   `json:"title,omitempty"`
	Data     string   `json:"data,omitempty"`
	Value    string   `json:"value,omitempty"`
	X        string   `json:"x,omitempty"`
	Y        string   `json:"y,omitempty"`
	Series   string   `json:"series,omitempty"`
	Columns  []string `json:"columns,omitempty"`
	Sort     string   `json:"sort,omitempty"`
	Limit    int      `json:"limit,omitempty"`
	Markdown string   `json:"markdown,omitempty"`
}

// draftOf drafts a dataset and panels from a query's columns. A table, and a
// query that does not aggregate, is grouped first: a dataset is a cube.
func draftOf(in exploreDataArgs, sql string, columns []dashboard.Column) *draft {
	from := "(" + strings.TrimRight(strings.TrimSpace(sql), "; \n") + "\n)" // the SQL may end in a comment
	if in.Table != "" {
		from = strings.TrimPrefix(sql, "SELECT * FROM ")
	}
	return draftFrom("data", sql, from, columns)
}

// draftFrom makes the draft: sql is used as it is when its measures add up,
// else from is grouped.
func draftFrom(id, sql, from string, columns []dashboard.Column) *draft {
	cols := pick(columns)
	if len(cols.dims)+len(cols.measures) == 0 {
		return nil
	}
	d := &draft{Dataset: draftDataset{ID: id, SQL: sql}}
	if !cols.additive {
		d.Dataset.SQL = grouped(from, &cols)
	}
	d.Panels = panelsFor(id, cols)
	return d
}

// columns that a draft uses.
type picked struct {
	date     string   // a date or timestamp dimension
	time     bool     // it is a timestamp
	dims     []string // the dimensions, the date first
	measures []string
	additive bool // every measure adds up already
}

// Most that a draft uses of either kind.
const (
	mostDims     = 3
	mostMeasures = 4
)

func pick(columns []dashboard.Column) picked {
	p := picked{additive: true}
	for _, c := range columns {
		if !plainName(c.Name) {
			continue
		}
		switch {
		case c.Role == dashboard.Measure && c.Agg == dashboard.None && notSummed.MatchString(c.Name):
		case c.Role == dashboard.Measure && len(p.measures) < mostMeasures:
			p.measures = append(p.measures, c.Name)
			p.additive = p.additive && c.Agg != dashboard.None
		case c.Role == dashboard.Dimension && p.date == "" && c.Type.IsTime():
			p.date, p.time = c.Name, c.Type == cube.Timestamp
			p.dims = append([]string{c.Name}, p.dims...)
		case c.Role == dashboard.Dimension:
			p.dims = append(p.dims, c.Name)
		}
	}
	p.dims = p.dims[:min(len(p.dims), mostDims)]
	p.additive = p.additive && len(p.measures) > 0
	return p
}

// notSummed are names of measures that most likely do not add up. A draft leaves
// them out rather than sum them.
var notSummed = regexp.MustCompile(`(^|_)(avg|average|mean|median|min|max|p\d+|rate|ratio|pct|percent|percentage|share|score|rank|price|temp|temperature|age|lat|lon|lng|latitude|longitude)($|_)`)

// plainName reports whether a column can be written in SQL without quotes, so
// that a draft means the same in every dialect.
func plainName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// grouped is the SQL that groups from by the picked dimensions; without a
// measure it counts rows.
func grouped(from string, p *picked) string {
	var items []string
	for _, d := range p.dims {
		item := "t." + d // a name after a dot may be a word of SQL
		if d == p.date && p.time {
			item = fmt.Sprintf("CAST(t.%s AS date) AS %s", d, d)
		}
		items = append(items, item)
	}
	if len(p.measures) == 0 {
		items = append(items, "count(*) AS row_count")
		p.measures = []string{"row_count"}
	} else {
		for _, m := range p.measures {
			items = append(items, fmt.Sprintf("sum(t.%s) AS %s", m, m))
		}
	}
	sql := "SELECT " + strings.Join(items, ", ") + " FROM " + from + " AS t"
	if len(p.dims) > 0 {
		sql += " GROUP BY "
		for i := range p.dims {
			if i > 0 {
				sql += ", "
			}
			sql += fmt.Sprint(i + 1)
		}
	}
	return sql
}

// panelsFor drafts one panel of each kind that the columns allow.
func panelsFor(id string, p picked) []draftPanel {
	var panels []draftPanel
	for _, m := range p.measures[:min(len(p.measures), 2)] {
		panels = append(panels, draftPanel{Type: dashboard.KPI, Data: id, Value: m})
	}
	if p.date != "" && len(p.measures) > 0 {
		panels = append(panels, draftPanel{Type: dashboard.Line, Data: id, X: p.date, Y: p.measures[0]})
	}
	for _, d := range p.dims {
		if d != p.date && len(p.measures) > 0 {
			panels = append(panels, draftPanel{Type: dashboard.Bar, Data: id, X: d, Y: p.measures[0]})
			break
		}
	}
	return append(panels, draftPanel{Type: dashboard.Table, Data: id, Columns: slices.Concat(p.dims, p.measures), Limit: 20})
}
