package panel

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
)

// The order, search and page of a panel's table are in the address:
//
//	p3.sort=-revenue   the column of the followed head, in the form of a panel's sort
//	p3.q=acme web      words that rows must contain
//	p3.page=2
const (
	askSort   = "sort"
	askSearch = "q"
	askPage   = "page"

	maxSearch   = 100 // characters of a search
	wordsAtOnce = 8   // of a search, each of which is a bit of a byte
)

// wallRows is the number of rows of a table on a wall, unless the spec has a page_size.
const wallRows = 10

// A reading is the viewer's order, search and page of a table.
type reading struct {
	sort   string // "" for the order of the spec
	search string // words with one space between them
	page   int    // from 1
}

// tableAsks are the parameters of a table.
var tableAsks = []ask{
	{askSort, func(p *dashboard.Panel) func(string) bool {
		var columns []string
		for _, c := range p.Columns {
			if columns = append(columns, c.Column); len(p.Compare) > 0 {
				columns = append(columns, c.Column+dashboard.BeforeSuffix, c.Column+dashboard.ChangeSuffix)
			}
		}
		return func(v string) bool {
			column, _ := sortKey(v)
			return len(v) <= 4*dashboard.MaxName && v != "" && (columns == nil || slices.Contains(columns, column))
		}
	}},
	{askSearch, func(*dashboard.Panel) func(string) bool {
		return func(v string) bool { return readSearch(v) != "" }
	}},
	{askPage, func(*dashboard.Panel) func(string) bool {
		return func(v string) bool { return strconv.Itoa(readPage(v)) == v && v != "1" }
	}},
}

// reading returns the viewer's order, search and page of the panel's table.
func (p *Settings) reading() reading {
	in := p.inTable()
	return reading{p.asked(in + askSort), readSearch(p.asked(in + askSearch)), readPage(p.asked(in + askPage))}
}

// inTable returns the prefix of the parameters of the panel's table.
func (p *Settings) inTable() string {
	if p.FigureOf != nil {
		return inRows
	}
	return ""
}

// readSearch returns the words of a search; too long ones are cut.
func readSearch(v string) string {
	words := strings.Fields(strings.ToValidUTF8(v[:min(len(v), 8*maxSearch)], ""))
	return strings.TrimSpace(cutLetters(strings.Join(words, " "), maxSearch))
}

// readPage returns the number of a page, or 1.
func readPage(v string) int {
	if n, err := strconv.Atoi(v); err == nil && n > 1 && n <= dashboard.MaxRows {
		return n
	}
	return 1
}

// cutLetters returns the first n characters of s.
func cutLetters(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// address returns the address of the page with another reading of the panel's table, to which it leads.
func (p *Settings) address(r reading) string {
	page := ""
	if r.page > 1 {
		page = strconv.Itoa(r.page)
	}
	in := p.inTable()
	return p.with(in+askSort, r.sort, in+askSearch, r.search, in+askPage, page)
}

// with returns the address of the page with other parameters of the panel: keys, each followed by its value, "" for none. It leads to the
// panel.
func (p *Settings) with(asked ...string) string {
	keep := p.Env.Kept()
	for i := 0; i < len(asked); i += 2 {
		if keep.Del(paramOf(p.Index, asked[i])); asked[i+1] != "" {
			keep.Set(paramOf(p.Index, asked[i]), asked[i+1])
		}
	}
	return "?" + keep.Encode() + "#p" + strconv.Itoa(p.Index)
}

// DropPages removes the pages of tables from a query: for links that change the rows.
func DropPages(query url.Values) {
	maps.DeleteFunc(query, func(name string, _ []string) bool {
		return strings.HasPrefix(name, "p") && strings.HasSuffix(name, "."+askPage)
	})
}

// Fields returns the values of a query for a form.
func Fields(query url.Values) []canvas.Field {
	var out []canvas.Field
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			out = append(out, canvas.Field{Name: name, Value: value})
		}
	}
	return out
}
