package dashboard

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Limits of parameters that viewers choose.
const (
	MaxOptions = 12 // of a parameter
	MaxRuns    = 12 // of the SQL of a dataset: combinations of the options of its parameters
	MaxAllRuns = 40 // of all datasets together
)

// A Run is the SQL of a dataset with one combination of the options of its parameters. The rows of each combination are stored
// under an id of their own.
type Run struct {
	ID      string // the dataset's for the defaults; otherwise followed by the other options, as sales?days=30
	Dataset *Dataset
	Params  []Param // those of the spec, with the options of this run as their defaults
}

// Spec returns the spec with the options of the run as defaults of its parameters.
func (r Run) Spec(s *Spec) *Spec {
	own := *s
	own.Params = r.Params
	return &own
}

// Chosen reports whether viewers choose the value of the parameter.
func (p *Param) Chosen() bool { return len(p.Options) > 0 }

// Param returns the parameter of the address that chooses an option.
func (p *Param) Param() string { return "p." + p.ID }

// Value returns an option, or the default, in the form of an address: a text, the digits of a number, a date, the name of a range, or two
// dates with a slash between them.
func (p *Param) Value(option json.RawMessage) string {
	var list []string
	var one string
	switch {
	case json.Unmarshal(option, &list) == nil:
		return strings.Join(list, "/")
	case json.Unmarshal(option, &one) == nil:
		return one
	}
	return string(option)
}

// Option returns the option with a value of an address; ok is false if there is no such option.
func (p *Param) Option(value string) (json.RawMessage, bool) {
	i := slices.IndexFunc(p.Options, func(o json.RawMessage) bool { return p.Value(o) == value })
	if i < 0 {
		return nil, false
	}
	return p.Options[i], true
}

// choices returns the indexes of the parameters with options that the SQL of a dataset names.
func (s *Spec) choices(d *Dataset) []int {
	if !slices.ContainsFunc(s.Params, func(p Param) bool { return p.Chosen() }) {
		return nil
	}
	var ignored Problems
	uses := placeholders(&ignored, "", d.SQL, s.Params)
	var out []int
	for i := range s.Params {
		if s.Params[i].Chosen() && slices.ContainsFunc(uses, func(u use) bool { return u.param == &s.Params[i] }) {
			out = append(out, i)
		}
	}
	return out
}

// Runs returns the runs of all datasets, in the order of the spec. The first of each dataset has the defaults.
func (s *Spec) Runs() []Run {
	var out []Run
	for i := range s.Datasets {
		out = append(out, s.runs(&s.Datasets[i])...)
	}
	return out
}

func (s *Spec) runs(d *Dataset) []Run {
	choices := s.choices(d)
	out := []Run{{ID: d.ID, Dataset: d, Params: s.Params}}
	for _, i := range choices {
		for _, run := range slices.Clone(out) {
			for _, o := range s.Params[i].Options {
				if string(o) == string(s.Params[i].Default) {
					continue
				}
				run.Params = slices.Clone(run.Params)
				run.Params[i].Default = o
				out = append(out, run)
			}
		}
	}
	for i := range out {
		out[i].ID = s.runID(d, choices, out[i].Params)
	}
	return out
}

// runID returns the id of a run: its options that are not the defaults. choices are the indexes of the parameters that its SQL names.
func (s *Spec) runID(d *Dataset, choices []int, params []Param) string {
	q := url.Values{}
	for _, i := range choices {
		if string(params[i].Default) != string(s.Params[i].Default) {
			q.Set(params[i].ID, params[i].Value(params[i].Default))
		}
	}
	if len(q) == 0 {
		return d.ID
	}
	return d.ID + "?" + q.Encode()
}

// DatasetOf returns the id of the dataset of a run.
func DatasetOf(run string) string {
	id, _, _ := strings.Cut(run, "?")
	return id
}

// ChosenRun returns the id of the run of a dataset whose rows the page of an address shows. Values that are not options leave the default.
func (s *Spec) ChosenRun(d *Dataset, query url.Values) string {
	params, choices := slices.Clone(s.Params), s.choices(d)
	for _, i := range choices {
		for _, value := range query[params[i].Param()] {
			if o, ok := params[i].Option(value); ok {
				params[i].Default = o
				break
			}
		}
	}
	return s.runID(d, choices, params)
}

// Names reports whether the SQL of a dataset names a parameter that viewers choose.
func (s *Spec) Names(d *Dataset, param string) bool {
	return slices.ContainsFunc(s.choices(d), func(i int) bool { return s.Params[i].ID == param })
}

// readOptions reads the options of a parameter, in the one form of its default, which must be among them.
func (p *parser) readOptions(o *object, param *Param) {
	if !o.has("options") {
		return
	}
	raw := o.list("options", MaxOptions)
	for i, value := range raw {
		path := index(o.at("options"), i)
		one := &object{problems: &p.problems, path: path, values: map[string]json.RawMessage{"default": value}}
		before := len(p.problems)
		option := p.paramDefault(one, param.Type)
		for k := before; k < len(p.problems); k++ { // they are about a member of the list
			p.problems[k].Path = strings.Replace(p.problems[k].Path, path+".default", path, 1)
		}
		switch text := param.Value(option); {
		case option == nil || len(p.problems) > before:
		case text == "":
			p.problems.addf(path, "is empty, and an option has a name")
		case slices.ContainsFunc(param.Options, func(o json.RawMessage) bool { return string(o) == string(option) }):
			p.problems.addf(path, "is there twice; keep one")
		default:
			param.Options = append(param.Options, option)
		}
	}
	switch {
	case kindOf(o.values["options"]) == "a list" && len(raw) < 2:
		p.problems.addf(o.at("options"), "are at least two; leave them out for a value that nobody chooses")
		param.Options = nil
	case param.Default != nil && len(param.Options) == len(raw) &&
		!slices.ContainsFunc(param.Options, func(o json.RawMessage) bool { return string(o) == string(param.Default) }):
		p.problems.addf(o.at("default"), "is not one of the options; the page opens with it, so it must be")
	}
}

// checkRuns checks how often the SQL of the datasets runs.
func (p *parser) checkRuns(s *Spec) {
	all := 0
	for i := range s.Datasets {
		d, n := &s.Datasets[i], 1
		for _, c := range s.choices(d) {
			n *= len(s.Params[c].Options)
		}
		if all += n; n > MaxRuns {
			p.problems.addf(index("datasets", i)+".sql", "names parameters with %d combinations of options, over the limit of %d; "+
				"leave options out, or let a filter choose among rows", n, MaxRuns)
		}
	}
	if all > MaxAllRuns && slices.ContainsFunc(s.Params, func(p Param) bool { return p.Chosen() }) {
		p.problems.addf("params", "make %d runs of SQL at each refresh, over the limit of %d; leave options out", all, MaxAllRuns)
	}
}

// RunWords describes how often a refresh runs the SQL of datasets with parameters that viewers choose; "" without such parameters.
func (s *Spec) RunWords() string {
	var parts []string
	for i := range s.Datasets {
		if n := len(s.runs(&s.Datasets[i])); n > 1 {
			parts = append(parts, fmt.Sprintf("%s %d times", quote(s.Datasets[i].ID), n))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("A refresh runs the SQL of %s, once for each combination of options. Each run costs as much as one query.",
		strings.Join(parts, ", of "))
}
