package dashboard

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"service/store/dashboard/cube"
	"service/store/pattern"
	"service/store/sqltext"
)

// Types of parameters.
const (
	ParamRange  = "date_range" // {{id.start}} and {{id.end}}
	ParamDate   = "date"
	ParamText   = "text"
	ParamNumber = "number"
)

// Dates before and after all data, for the range "all". Every supported warehouse can read them.
var (
	firstDay = time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Bind replaces the placeholders of the dataset's SQL by placeholder(1), placeholder(2) and so on, and returns their values: string, int64
// or float64, or time.Time for a date (midnight UTC). Values never become part of the SQL.
//
// A placeholder that occurs twice is bound once if placeholders are numbered, so that a query can group by an expression with it; if
// placeholder returns the same text for all, it is bound twice. SQL with problems in [Parse] fails here with the same messages.
func (d *Dataset) Bind(s *Spec, now time.Time, placeholder func(n int) string) (sql string, args []any, err error) {
	path := "sql"
	if i := slices.IndexFunc(s.Datasets, func(o Dataset) bool { return o.ID == d.ID }); i >= 0 {
		path = index("datasets", i) + ".sql"
	}
	return bind(path, d.SQL, s.Params, s.clock(now), placeholder)
}

// BindSQL is [Dataset.Bind] for SQL that is not in a spec, so that weeks begin on Monday. The error is
// *[Problems], about the path "sql".
func BindSQL(sql string, params []Param, loc *time.Location, now time.Time, placeholder func(n int) string) (string, []any, error) {
	return bind("sql", sql, params, clock{loc: loc, now: now}, placeholder)
}

// A clock determines the meaning of relative dates: the instant, the time zone, and the first day of weeks.
type clock struct {
	loc  *time.Location
	week cube.Weekday
	now  time.Time
}

func (s *Spec) clock(now time.Time) clock { return clock{s.Location(), s.Week(), s.Today(now)} }

func bind(path, sql string, params []Param, at clock, placeholder func(n int) string) (string, []any, error) {
	var problems Problems
	uses := placeholders(&problems, path, sql, params)
	if err := problems.err(); err != nil {
		return "", nil, err
	}
	var (
		out      strings.Builder
		args     []any
		copied   int
		bound    = map[string]int{}
		numbered = placeholder(1) != placeholder(2)
	)
	for _, u := range uses {
		value, err := u.value(at)
		if err != nil {
			return "", nil, err
		}
		n, again := bound[u.name]
		if !again || !numbered {
			args = append(args, value)
			n = len(args)
			bound[u.name] = n
		}
		out.WriteString(sql[copied:u.From])
		out.WriteString(placeholder(n))
		copied = u.To
	}
	out.WriteString(sql[copied:])
	return out.String(), args, nil
}

// A use is a placeholder in SQL.
type use struct {
	sqltext.Token
	name  string // as written, without space: since.start
	param *Param
	end   bool // of a date range
	start bool
}

// value returns the value that is bound for the placeholder.
func (u use) value(at clock) (any, error) {
	switch u.param.Type {
	case ParamText:
		var s string
		err := json.Unmarshal(u.param.Default, &s)
		return s, err
	case ParamNumber:
		if n, err := strconv.ParseInt(string(u.param.Default), 10, 64); err == nil {
			return n, nil
		}
		return strconv.ParseFloat(string(u.param.Default), 64)
	}
	from, to, ok := Period(u.param.period(), at.loc, at.week, at.now)
	switch {
	case !ok:
		return nil, fmt.Errorf("spec: parameter %q has no date as default", u.param.ID)
	case from.IsZero() && u.end:
		return lastDay, nil
	case from.IsZero():
		return firstDay, nil
	case u.end:
		return to.AddDate(0, 0, 1), nil
	}
	return from, nil
}

// period returns the default of a date range or date in the form of [Period].
func (p *Param) period() []string {
	var list []string
	if json.Unmarshal(p.Default, &list) == nil {
		return list
	}
	var one string
	if json.Unmarshal(p.Default, &one) != nil {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, one); err == nil {
		return []string{one, one}
	}
	return []string{one}
}

// inner matches the text between the braces of a placeholder.
var inner = pattern.New(`^\{\{\s*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?)\s*\}\}$`)

// hidden matches placeholders where they cannot be bound.
var hidden = pattern.New(`\{\{[^{}\n]*\}\}`)

// maxUses bounds the placeholders of one SQL text.
const maxUses = 1000

// placeholders returns the placeholders of sql that can be bound and notes the
// others as problems of path, the first few of them.
func placeholders(problems *Problems, path, sql string, params []Param) []use {
	var (
		uses []use
		bad  Problems
	)
	if !strings.Contains(sql, "{{") {
		return nil
	}
	for t := range sqltext.Tokens(sql) {
		if len(bad) >= MaxProblems || len(uses) > maxUses {
			break
		}
		switch t.Kind {
		case sqltext.Hole:
			if u, ok := newUse(&bad, path, sql, t, params); ok {
				uses = append(uses, u)
			}
			if len(uses) > maxUses {
				bad.addf(path, "has more than %d placeholders", maxUses)
			}
		case sqltext.String, sqltext.Name, sqltext.Comment:
			where := map[sqltext.Kind]string{
				sqltext.String:  "a quoted string: it is a bound value, so write it without the quotes",
				sqltext.Name:    "a quoted name: it is a bound value and cannot name anything",
				sqltext.Comment: "a comment: remove it",
			}[t.Kind]
			for _, m := range hidden.FindAllStringIndex(sql[t.From:t.To], MaxProblems) {
				bad.addf(path, "%s (%s) is inside %s", short(sql[t.From+m[0]:t.From+m[1]]), position(sql, t.From+m[0]), where)
			}
		}
	}
	for _, problem := range bad {
		problems.add(problem)
	}
	return uses
}

func newUse(problems *Problems, path, sql string, t sqltext.Token, params []Param) (use, bool) {
	text := short(sql[t.From:t.To])
	fail := func(p Problem) (use, bool) {
		p.Path, p.Message = path, fmt.Sprintf("%s (%s) %s", text, position(sql, t.From), p.Message)
		problems.add(p)
		return use{}, false
	}
	m := inner.FindStringSubmatch(sql[t.From:t.To])
	if m == nil {
		return fail(Problem{Message: "is not a placeholder: write {{param}}, or {{param.start}} and {{param.end}} of a date_range"})
	}
	u := use{Token: t, name: m[1]}
	id, part, parted := strings.Cut(m[1], ".")
	i := slices.IndexFunc(params, func(p Param) bool { return p.ID == id })
	if i < 0 {
		if len(params) == 0 {
			return fail(Problem{Message: "names no parameter: none is declared in params; leave optional clauses to the dashboard's filters"})
		}
		ids := make([]string, len(params))
		for i, p := range params {
			ids[i] = p.ID
		}
		return fail(Problem{Message: "names no parameter", Noun: "params", Allowed: ids, Nearest: likeliest(id, ids)})
	}
	u.param = &params[i]
	if u.param.Type != ParamRange {
		if parted {
			return fail(Problem{Message: fmt.Sprintf("has no part %s: %s is a %s, so write {{%s}}", quote(part), quote(id), u.param.Type, id)})
		}
		return u, true
	}
	u.start, u.end = part == "start", part == "end"
	if !u.start && !u.end {
		return fail(Problem{Message: fmt.Sprintf("is a date_range: write {{%s.start}} or {{%s.end}}", id, id)})
	}
	return u, true
}

// position describes the position of the byte at in sql, for people.
func position(sql string, at int) string {
	line, column := sqltext.Position(sql, at)
	return fmt.Sprintf("line %d, column %d", line, column)
}

// inclusiveEnds returns the placeholders .end that are compared as if their day
// were still part of the range.
func inclusiveEnds(sql string, params []Param) []string {
	var ignored Problems
	ends := map[int]string{}
	for _, u := range placeholders(&ignored, "", sql, params) {
		if u.end {
			ends[u.From] = u.name
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var out []string
	q := sqltext.Read(sql)
	for i, t := range q.Tokens {
		name, ok := ends[t.From]
		if !ok || slices.Contains(out, name) {
			continue
		}
		if q.Is(i-1, "=") && q.Is(i-2, "<") || q.Is(i-1, "and") && between(q, i-2) {
			out = append(out, name)
		}
	}
	return out
}

// between reports whether the tokens up to i, which an AND follows, are BETWEEN x.
func between(q sqltext.Query, i int) bool {
	for ; i >= 0 && !q.Is(i, "and", "or", "where", "on", "having", "select"); i-- {
		if q.Is(i, "between") {
			return true
		}
	}
	return false
}

// Definition is the SHA-256 of everything that the dataset's rows depend on except the data:
// its SQL, the parameters in it, its row limit, its own file, and the time zone in which the SQL runs.
// Datasets with one definition and one connection have the same rows.
func (d *Dataset) Definition(s *Spec) []byte {
	type value struct{ ID, Type, Default string }
	definition := struct {
		Version  int
		SQL      string
		Rows     int
		Params   []value
		Timezone string
		Week     string `json:",omitempty"`
		AsOf     string `json:",omitempty"`
		Upload   string `json:",omitempty"`
		Sheet    string `json:",omitempty"`
		From     []Ref  `json:",omitempty"`
	}{Version: 1, SQL: d.SQL, Rows: d.Rows, Upload: d.Upload, Sheet: d.Sheet, From: d.From}
	var ignored Problems
	uses := placeholders(&ignored, "", d.SQL, s.Params)
	for i := range s.Params {
		p := &s.Params[i]
		if !slices.ContainsFunc(uses, func(u use) bool { return u.param == p }) {
			continue
		}
		definition.Params = append(definition.Params, value{p.ID, p.Type, string(p.Default)})
		if (p.Type == ParamRange || p.Type == ParamDate) && len(p.period()) == 1 {
			definition.Timezone, definition.AsOf = s.Timezone, s.AsOf // a relative date
			if strings.Contains(p.period()[0], "week") && s.Week() != 0 {
				definition.Week = s.WeekStarts
			}
		}
	}
	if s.Timezone != "UTC" { // release 0.6.0 ran all SQL in UTC: its definitions stay valid
		definition.Timezone = s.Timezone
	}
	b, err := json.Marshal(definition)
	if err != nil {
		panic(err) // cannot fail: strings and numbers only
	}
	sum := sha256.Sum256(b)
	return sum[:]
}
