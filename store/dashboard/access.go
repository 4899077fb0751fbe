package dashboard

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"service/store/dashboard/cube"
)

// Limits of row rules.
const (
	MaxAccess       = 5
	maxAccessValues = 100 // of a channel
)

// An Access is a row rule: a reader gets the rows of a dataset whose column has a value of one of the reader's attributes. The database
// stores its JSON next to the spec.
type Access struct {
	Data      string              `json:"data,omitempty"` // dataset id; "" for all, which must then have the column
	Column    string              `json:"column"`
	Attribute string              `json:"is"`                 // of a member
	Channels  map[string][]string `json:"channels,omitempty"` // by slug: the values whose rows a channel gets

	// Of an inherited rule: the dataset that it is from, as [Ref.String] writes it, and the account that gets all rows of it as long as it is
	// an editor; "" for none.
	Along  string `json:"along,omitempty"`
	Reader string `json:"reader,omitempty"`
}

// Foreign reports whether the rule was inherited from another dashboard.
func (a Access) Foreign() bool { return strings.Contains(a.Along, "/") }

// Same reports whether both are the same rule.
func (a Access) Same(b Access) bool {
	return a.Data == b.Data && a.Column == b.Column && a.Attribute == b.Attribute && a.Along == b.Along && a.Reader == b.Reader &&
		maps.EqualFunc(a.Channels, b.Channels, slices.Equal[[]string])
}

// OwnAccess returns the rules of a spec itself, without inherited ones.
func OwnAccess(rules []Access) []Access {
	return slices.DeleteFunc(slices.Clone(rules), func(a Access) bool { return a.Along != "" })
}

// Covers reports whether the rule is one of the dataset called id.
func (a Access) Covers(id string) bool { return a.Data == "" || a.Data == id }

// Within reports whether the rule gives no reader a row that old does not give.
func (a Access) Within(old Access) bool {
	if a.Data != old.Data && a.Data != "" || a.Column != old.Column || a.Attribute != old.Attribute {
		return false
	}
	for slug, values := range a.Channels {
		for _, v := range values {
			if !slices.Contains(old.Channels[slug], v) {
				return false
			}
		}
	}
	return true
}

// Loosened returns the first of the rules before that no rule after keeps, or nil. A rule that was added loosens nothing. Inherited rules
// are not compared: each version inherits them anew.
func Loosened(before, after []Access) *Access {
	before, after = OwnAccess(before), OwnAccess(after)
	for i, old := range before {
		if !slices.ContainsFunc(after, func(a Access) bool { return a.Within(old) }) {
			return &before[i]
		}
	}
	return nil
}

// accessPrefix is before the name of an attribute in a spec.
const accessPrefix = "member."

var (
	accessKeys      = []string{"data", "column", "is", "channels"}
	otherAccessKeys = map[string]string{
		"dataset": "data", "datasets": "data", "field": "column", "dimension": "column", "equals": "is", "in": "is", "value": "is",
		"attribute": "is", "member": "is", "user": "is", "channel": "channels",
	}
	accessHints = map[string]string{
		"role": `a rule names an attribute of members, such as "is": "member.region"; workspace owners see all rows`,
		"sql":  "a rule compares a column of a dataset with an attribute of members; further conditions belong into the SQL",
	}
)

// CheckAttribute reports whether name can be an attribute of members: a small letter, then small letters, digits and _, at most 40.
func CheckAttribute(name string) bool {
	if name == "" || len(name) > 40 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// access reads the row rules.
func (p *parser) access(o *object, s *Spec) {
	for i, raw := range o.list("access", MaxAccess) {
		o := p.problems.object(index("access", i), raw)
		if o == nil {
			continue
		}
		o.closed("a rule of access", accessKeys, otherAccessKeys, accessHints)
		o.require("column", "is")
		a := Access{Column: o.name("column"), Channels: p.accessChannels(o)}
		if o.has("data") {
			a.Data = p.data(o, s)
		}
		if is := o.text("is", maxName); o.has("is") {
			name, ok := strings.CutPrefix(is, accessPrefix)
			if !ok || !CheckAttribute(name) {
				p.problems.addf(o.at("is"), `must be "member." and the name of an attribute, such as "member.region": `+
					`small letters, digits and _, at most 40`)
			}
			a.Attribute = name
		}
		if slices.ContainsFunc(s.Access, func(b Access) bool { return a.Column == b.Column && (a.Data == b.Data || b.Data == "") }) {
			p.problems.addf(o.path, "is a second rule of a column; keep one")
		}
		s.Access = append(s.Access, a)
	}
	if len(s.Access) > 0 {
		p.accessReceivers(s)
	}
}

// accessChannels reads the values whose rows channels get.
func (p *parser) accessChannels(o *object) map[string][]string {
	raw, ok := o.values["channels"]
	if !ok {
		return nil
	}
	of := p.problems.object(o.at("channels"), raw)
	if of == nil {
		return nil
	}
	out := map[string][]string{}
	for _, slug := range of.keys {
		if CheckSlug(slug) != nil || slug == Me {
			p.problems.addf(of.at(slug), "%s is not the slug of a channel", quote(slug))
			continue
		}
		out[slug] = of.texts(slug, maxAccessValues, false)
	}
	return out
}

// accessReceivers refuses messages to channels without rights: a delivery needs the values of each rule, and an alert of a spec with rules
// may reach only its publisher.
func (p *parser) accessReceivers(s *Spec) {
	for i, d := range s.Deliver {
		if d.To == Me || d.To == "" {
			continue
		}
		for j, a := range s.Access {
			if _, ok := a.Channels[d.To]; !ok {
				p.problems.addf(join(index("deliver", i), "to"),
					`%s is a channel, whose readers are not known: name the values whose rows it may be sent in access[%d].channels, `+
						`{"%s": ["…"]}`, quote(d.To), j, d.To)
			}
		}
	}
	for i, a := range s.Alerts {
		for j, to := range a.To {
			if to != Me {
				p.problems.addf(index(join(index("alerts", i), "to"), j),
					`an alert judges all rows, and access gives readers some of them: leave "to" out, or write ["me"]`)
			}
		}
	}
}

// access checks the rules against the columns of the datasets.
func (c *checker) access() {
	for i := range c.spec.Access {
		a := &c.spec.Access[i]
		for j := range c.spec.Datasets {
			set := c.sets[c.spec.Datasets[j].ID]
			if set == nil || !a.Covers(set.ID) {
				continue
			}
			at := slices.IndexFunc(set.cols, func(k cube.Column) bool { return k.Name == a.Column })
			switch {
			case at < 0:
				names := []string{}
				for _, k := range set.cols {
					names = append(names, k.Name)
				}
				c.problems.add(Problem{
					Path: join(index("access", i), "column"), Noun: "columns", Allowed: names, Nearest: likeliest(a.Column, names),
					Message: "the SQL of dataset " + quote(set.ID) + " returns no column " + quote(a.Column) +
						", so nobody's rows can be told apart; return it, or name the datasets that have it with data",
				})
			case set.cols[at].Type.IsTime():
				c.problems.addf(join(index("access", i), "column"), "%s is a time, and a rule compares texts, numbers or true and false",
					quote(a.Column))
			}
		}
	}
}

// CheckAccess returns why the rows of the dataset called id cannot be stored under the spec's row rules, or "". truncated reports whether a
// limit has cut them.
func (s *Spec) CheckAccess(id string, columns []cube.Column, truncated bool) string {
	for _, a := range s.Access {
		if !a.Covers(id) {
			continue
		}
		at := slices.IndexFunc(columns, func(k cube.Column) bool { return k.Name == a.Column })
		switch {
		case at < 0:
			return "The column " + quote(a.Column) + ", by which access decides who sees a row, is gone."
		case columns[at].Type.IsTime():
			return "The column " + quote(a.Column) + ", by which access decides who sees a row, is a time now."
		case truncated:
			return "The rows were cut at a limit, and access needs all of them. Group by coarser dimensions, or raise row_limit."
		}
	}
	return ""
}

// StoredAccess returns the JSON of row rules that is stored next to a spec; nil for none.
func (s *Spec) StoredAccess() []byte {
	if s == nil {
		return nil
	}
	return StoreAccess(s.Access)
}

// StoreAccess returns rules in the form of [Spec.StoredAccess].
func StoreAccess(rules []Access) []byte {
	if len(rules) == 0 {
		return nil
	}
	text, err := json.Marshal(rules)
	if err != nil {
		panic(err) // cannot fail: strings
	}
	return text
}

// ParseAccess reads the result of [Spec.StoredAccess]. If that fails, it returns a rule that covers everything and gives no reader a row.
func ParseAccess(stored []byte) []Access {
	if len(stored) == 0 {
		return nil
	}
	var out []Access
	if json.Unmarshal(stored, &out) != nil || len(out) == 0 {
		return []Access{{Column: "?", Attribute: "?"}}
	}
	return out
}

// ParseAttributes reads the attributes of a member, in the form in which they are stored: {"region": ["EMEA"]}.
func ParseAttributes(stored string) map[string][]string {
	if stored == "" || stored == "{}" {
		return nil
	}
	var out map[string][]string
	if json.Unmarshal([]byte(stored), &out) != nil {
		return nil // no member has such an attribute
	}
	return out
}
