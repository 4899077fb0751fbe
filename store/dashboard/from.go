package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"service/store/dashboard/cube"
	"service/store/sqltext"
)

// Limits of datasets that read others.
const (
	MaxFrom  = 10 // datasets that one dataset reads
	MaxDepth = 4  // the longest chain of dashboards that read each other's rows
)

// A Ref names a dataset whose stored rows another dataset reads.
type Ref struct {
	Slug    string // of its dashboard; "" for the same spec
	Dataset string
}

// String returns the reference as a spec has it: "investors/mrr" or "mrr".
func (r Ref) String() string {
	if r.Slug == "" {
		return r.Dataset
	}
	return r.Slug + "/" + r.Dataset
}

// AsStored reports whether the dataset copies the stored rows of another one.
func (d *Dataset) AsStored() bool { return len(d.From) > 0 && d.SQL == "" }

// Reads reports whether a dataset of the spec reads the rows of another one.
func (s *Spec) Reads() bool {
	return slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return len(d.From) > 0 })
}

// Queries reports whether a dataset of the spec runs its SQL on the spec's connection.
func (s *Spec) Queries() bool {
	return slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return len(d.From) == 0 })
}

// isRead reports whether another dataset of the spec reads the dataset called id.
func (s *Spec) isRead(id string) bool {
	return slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return slices.Contains(d.From, Ref{Dataset: id}) })
}

// An Offer is a dataset that other dashboards may read.
type Offer struct {
	ID          string `json:"id"`
	Description string `json:"description"`
}

// Offers returns the datasets that the spec offers to other dashboards, as JSON; nil for none.
func (s *Spec) Offers() []byte {
	if s == nil {
		return nil
	}
	var out []Offer
	for _, d := range s.Datasets {
		if d.Shared {
			out = append(out, Offer{d.ID, d.Description})
		}
	}
	if out == nil {
		return nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // cannot fail: strings
	}
	return text
}

// inOrder returns the indexes of the datasets in an order in which each comes after those of the spec that it reads.
func (s *Spec) inOrder() []int {
	out, done := make([]int, 0, len(s.Datasets)), make([]bool, len(s.Datasets))
	var visit func(i int)
	visit = func(i int) {
		if done[i] {
			return
		}
		done[i] = true // before its own, so that a cycle, which Parse refuses, ends
		for _, r := range s.Datasets[i].From {
			if j := slices.IndexFunc(s.Datasets, func(d Dataset) bool { return r.Slug == "" && d.ID == r.Dataset }); j >= 0 {
				visit(j)
			}
		}
		out = append(out, i)
	}
	for i := range s.Datasets {
		visit(i)
	}
	return out
}

// Stages returns the runs of all datasets in stages: first those that query the connection, then those with feeds, each after the datasets
// of the spec that it reads.
func (s *Spec) Stages() [][]Run {
	level := map[string]int{}
	var out [][]Run
	for _, i := range s.inOrder() {
		d := &s.Datasets[i]
		at := min(len(d.From), 1)
		for _, r := range d.From {
			if r.Slug == "" {
				at = max(at, level[r.Dataset]+1)
			}
		}
		level[d.ID] = at
		for len(out) <= at {
			out = append(out, nil)
		}
		out[at] = append(out[at], s.runs(d)...)
	}
	return out
}

const fromForm = `write "slug/dataset", such as "investors/mrr", or the id of another dataset of this spec`

// from reads the datasets whose rows a dataset reads. Those of the spec itself are checked by [parser.checkFrom] at the end.
func (p *parser) from(o *object, d *Dataset) {
	texts := o.texts("from", MaxFrom, true)
	single := kindOf(o.values["from"]) == "a string"
	if !single && kindOf(o.values["from"]) == "a list" && len(texts) == 0 {
		p.problems.addf(o.at("from"), "is empty; %s", fromForm)
	}
	for i, text := range texts {
		path := o.at("from")
		if !single {
			path = index(path, i)
		}
		r := Ref{Dataset: text}
		if slug, id, ok := strings.Cut(text, "/"); ok {
			r = Ref{slug, id}
		}
		switch {
		case text == "": // reported
			continue
		case r.Slug != "" && CheckSlug(r.Slug) != nil || !isID(r.Dataset) || strings.HasPrefix(text, "/"):
			p.problems.addf(path, "%s does not name a dataset; %s", quote(text), fromForm)
			continue
		case slices.ContainsFunc(d.From, func(q Ref) bool { return sqltext.Lower(q.Dataset) == sqltext.Lower(r.Dataset) }):
			p.problems.addf(path, "%s is the id of two datasets, and the tables of the SQL are called by the ids", quote(r.Dataset))
			continue
		case slices.ContainsFunc(ownTables, func(prefix string) bool { return strings.HasPrefix(sqltext.Lower(r.Dataset), prefix) }):
			p.problems.addf(path, "%s begins like a table of the query engine's own, so no SQL can read it", quote(r.Dataset))
			continue
		}
		d.From = append(d.From, r)
	}
	switch {
	case !o.has("sql") && len(texts) > 1:
		p.problems.addf(o.at("sql"), "is missing: without sql, from names one dataset, whose rows are taken as they are")
	case o.has("sql"):
	case o.has("row_limit"):
		p.problems.addf(o.at("row_limit"), "is of sql; without sql the rows come as they are stored")
	}
	for _, key := range []string{"upload", "sheet"} {
		if o.has(key) {
			p.problems.addf(o.at(key), "does not go with from: another dataset reads the file, and from can name it")
		}
	}
}

// ParseFrom reads datasets of other dashboards in the form of a dataset's key from. The error is *[Problems].
func ParseFrom(raw json.RawMessage) ([]Ref, error) {
	p := &parser{}
	o := &object{problems: &p.problems, values: map[string]json.RawMessage{"from": raw, "sql": json.RawMessage(`"x"`)}}
	d := Dataset{}
	p.from(o, &d)
	for _, r := range d.From {
		if r.Slug == "" {
			p.problems.addf("from", `%s does not name a dataset; write "slug/dataset", such as "investors/mrr"`, quote(r.Dataset))
		}
	}
	return d.From, p.problems.err()
}

// shared reads whether a dataset is offered to other dashboards.
func (p *parser) shared(o *object, d *Dataset) {
	d.Description, d.Shared = o.text("description", maxLong), o.boolean("shared")
	if d.Shared && strings.TrimSpace(d.Description) == "" {
		p.problems.addf(o.at("description"), `is missing: "shared": true offers the dataset to other dashboards, and the description says `+
			`what its rows mean`)
	}
}

// checkFrom checks the references between datasets of the spec.
func (p *parser) checkFrom(s *Spec) {
	for i := range s.Datasets {
		d := &s.Datasets[i]
		for j, r := range d.From {
			if r.Slug == "" && !slices.Contains(p.declared, r.Dataset) {
				p.problems.add(Problem{
					Path: index(index("datasets", i)+".from", j), Noun: "datasets", Allowed: p.declared, Nearest: likeliest(r.Dataset, p.declared),
					Message: quote(r.Dataset) + ` is not the id of a dataset of this spec; one of another dashboard is written "slug/dataset"`,
				})
			}
		}
		if ring := s.ring(d.ID, d.ID, nil); ring != nil {
			p.problems.addf(index("datasets", i)+".from", "reads itself: %s", strings.Join(ring, " → "))
			return // the other datasets of the cycle would be reported as well
		}
	}
}

// ring returns the path from a dataset of the spec back to the dataset called id, or nil.
func (s *Spec) ring(id, at string, way []string) []string {
	way = append(way, at)
	d := s.Dataset(at)
	if d == nil || len(way) > MaxDatasets+1 {
		return nil
	}
	for _, r := range d.From {
		switch {
		case r.Slug != "":
		case r.Dataset == id:
			return append(way, id)
		case !slices.Contains(way, r.Dataset):
			if out := s.ring(id, r.Dataset, slices.Clone(way)); out != nil {
				return out
			}
		}
	}
	return nil
}

// A Said describes the columns of a dataset with feeds, as its feeds do.
type Said struct {
	SQL     string `json:"sql,omitempty"` // of copied rows: the query that returned them
	Columns []Meta `json:"columns,omitempty"`
}

// ReadSaid reads the result of [Said.Stored]; it returns a zero Said for anything else.
func ReadSaid(stored []byte) Said {
	var out Said
	if len(stored) > 0 {
		_ = json.Unmarshal(stored, &out) // otherwise there is no description
	}
	return out
}

// Stored returns the JSON that the database stores with the rows.
func (s Said) Stored() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot fail: strings and numbers
	}
	return text
}

// moneyIn returns the currency of a column of money, and "" for other columns. spec is the currency of the column's spec, which is the
// default.
func (c Column) moneyIn(spec string) string {
	if !strings.HasPrefix(c.Format, "currency") {
		return ""
	}
	if _, code := SplitCurrency(c.Format); code != "" {
		return code
	}
	return spec
}

// says returns the descriptions of the columns of a feed as settings. If all is set, it returns all settings, otherwise those that remain
// valid where SQL names the columns.
func says(columns []Column, currency string, all bool) []Meta {
	var out []Meta
	for _, c := range columns {
		m := Meta{Name: c.Name, Label: c.Label, Unit: c.Suffix, Brackets: c.Brackets, Signed: c.Signed, Currency: c.moneyIn(currency)}
		if m.Format, _ = SplitCurrency(c.Format); m.Format != "" && !slices.Contains(formats, m.Format) {
			name, n := SplitFormat(m.Format)
			m.Format, m.Decimals = name, &n
		}
		if all {
			m.Description, m.Role, m.Agg, m.Along, m.Ratio = c.Description, c.Role, c.Agg, c.Along, c.Ratio
			m.Hidden, m.Good = c.Hidden, c.Good
			if m.IsRatio() {
				m.Agg = "" // follows from its parts
			}
		} else if c.IsRatio() {
			continue // not a column of the rows
		}
		if m.Label == Label(c.Name) {
			m.Label = ""
		}
		out = append(out, m)
	}
	return out
}

// A Fed is a dataset that another one reads, with its columns as its own spec describes them.
type Fed struct {
	Ref      Ref
	SQL      string // that returned its rows
	Columns  []Column
	Currency string // of its spec
	Timezone string
}

// FedOf returns the dataset that a reference names in the spec s of its dashboard, with rows of the columns cols, and said, the
// descriptions by its own feeds. It returns false if s, which may be nil, does not have the dataset.
func FedOf(s *Spec, r Ref, said []byte, cols []cube.Column) (Fed, bool) {
	if s == nil {
		return Fed{}, false
	}
	d := s.Dataset(r.Dataset)
	if d == nil {
		return Fed{}, false
	}
	own := *d
	out := Fed{Ref: r, SQL: d.SQL, Currency: s.Currency, Timezone: s.Timezone}
	if len(d.From) > 0 {
		heard := ReadSaid(said)
		if own.hear(heard); d.AsStored() {
			out.SQL = heard.SQL
		}
	}
	out.Columns = own.Resolve(cols)
	return out, true
}

// Say returns the descriptions of the columns cols of d by its feeds.
func (d *Dataset) Say(fed []Fed, cols []string) Said {
	if d.AsStored() {
		if len(fed) != 1 {
			return Said{}
		}
		return Said{SQL: fed[0].SQL, Columns: says(fed[0].Columns, fed[0].Currency, true)}
	}
	var out Said
	for _, name := range cols {
		plain := d.plainColumn(name, cols)
		if plain == "" {
			continue
		}
		var found []Meta
		for _, f := range fed {
			for _, m := range says(f.Columns, f.Currency, false) {
				if sqltext.Lower(m.Name) == sqltext.Lower(plain) {
					found = append(found, m)
				}
			}
		}
		if len(found) == 0 || slices.ContainsFunc(found, func(m Meta) bool { return !m.alike(found[0]) }) {
			continue // it is ambiguous which of them it is
		}
		found[0].Name = name
		out.Columns = append(out.Columns, found[0])
	}
	return out
}

// alike reports whether two columns describe their values alike.
func (m Meta) alike(o Meta) bool {
	return m.Label == o.Label && WithDecimals(m.Format, m.Decimals) == WithDecimals(o.Format, o.Decimals) && m.Unit == o.Unit &&
		m.Currency == o.Currency
}

// plainColumn returns the name of the column that an output of the SQL passes on unchanged, or "".
func (d *Dataset) plainColumn(name string, cols []string) string {
	list := d.selectList()
	if list == nil {
		return ""
	}
	if list.star {
		for _, o := range list.outputs {
			if strings.EqualFold(o.name, name) {
				return o.plain
			}
		}
		return name // of a *
	}
	i := slices.Index(cols, name)
	if len(list.outputs) != len(cols) || i < 0 {
		return ""
	}
	return list.outputs[i].plain
}

// Heard returns the spec with the descriptions of its datasets' columns by their feeds; said has them by dataset id. Settings of the spec
// itself take precedence.
func (s *Spec) Heard(said map[string]Said) *Spec {
	if len(said) == 0 {
		return s
	}
	out := *s
	out.Datasets = slices.Clone(s.Datasets)
	for i := range out.Datasets {
		if d := &out.Datasets[i]; len(d.From) > 0 {
			d.hear(said[d.ID])
		}
	}
	return &out
}

// hear adds descriptions to the settings of the columns.
func (d *Dataset) hear(said Said) {
	if d.AsStored() {
		d.readList(said.SQL)
	}
	columns := slices.Clone(d.Columns)
	for _, m := range said.Columns {
		i := slices.IndexFunc(columns, func(c Meta) bool { return c.Name == m.Name })
		if i < 0 {
			columns = append(columns, m)
			continue
		}
		columns[i] = columns[i].over(m)
	}
	d.Columns = columns
}

// over returns the settings, with those of below in place of empty ones. Of settings that exclude one another, it takes only one.
func (m Meta) over(below Meta) Meta {
	if m.Label == "" {
		m.Label = below.Label
	}
	if m.Description == "" {
		m.Description = below.Description
	}
	if m.Good == "" && (m.Role == "" || m.Role == below.Role) {
		m.Good = below.Good
	}
	if m.Role == "" && m.Agg == "" && !m.IsRatio() {
		m.Role, m.Agg, m.Along, m.Ratio = below.Role, below.Agg, below.Along, below.Ratio
	} else if m.Role == "" && !m.IsRatio() {
		m.Role = below.Role
	}
	if m.Format == "" {
		m.Format, m.Currency = below.Format, below.Currency
		if m.Decimals == nil {
			m.Decimals = below.Decimals
		}
	} else if strings.HasPrefix(m.Format, "currency") {
		m.Currency = below.Currency
	}
	if m.Unit == "" {
		m.Unit = below.Unit
	}
	m.Hidden = m.Hidden || below.Hidden
	return m
}

// FromWarnings warns of differences between the spec and those whose datasets it reads: columns of money of another currency, and days and
// timestamps cut in another time zone. fed has the feeds by the id of the dataset that reads them.
func (s *Spec) FromWarnings(fed map[string][]Fed) []Warning {
	var out []Warning
	for i := range s.Datasets {
		d, path := &s.Datasets[i], index("datasets", i)+".from"
		for _, f := range fed[d.ID] {
			money, days := "", ""
			for _, c := range f.Columns {
				if code := c.moneyIn(f.Currency); code != "" && code != s.Currency && money == "" {
					money = fmt.Sprintf("%s of %s is in %s", quote(c.Name), quote(f.Ref.String()), code)
				}
				if days == "" && (c.Type == cube.Date || c.Type == cube.Timestamp) && f.Timezone != s.Timezone {
					days = c.Name
				}
			}
			if money != "" {
				out = append(out, Warnf(WarnCurrency, path, "%s, and this page in %s: the column keeps its currency as it is, and what SQL "+
					"computes of it gets none but this page's.", money, s.Currency))
			}
			if days != "" {
				out = append(out, Warnf(WarnZone, path, "%s of %s was cut in the time zone %s, and this page has %s: its days stay as they are.",
					quote(days), quote(f.Ref.String()), f.Timezone, s.Timezone))
			}
		}
	}
	return out
}
