package dashboard

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard/cube"
)

// ruled is a spec of two datasets with row rules.
func ruled(access, more string) []byte {
	return []byte(`{"datasets": [{"id": "orders", "sql": "SELECT region, amount FROM t"}, {"id": "days", "sql": "SELECT day FROM t"}],
		"panels": [{"type": "table", "data": "orders"}], "access": [` + access + `]` + more + `}`)
}

func TestAccess(t *testing.T) {
	t.Parallel()
	s, err := Parse(ruled(`{"data": "orders", "column": "region", "is": "member.region", "channels": {"emea": ["EMEA", 7], "one": "x"}}`,
		`, "deliver": [{"to": "emea", "every": "refresh"}, {"to": "me", "every": "refresh"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Access{{
		Data: "orders", Column: "region", Attribute: "region", Channels: map[string][]string{"emea": {"EMEA", "7"}, "one": {"x"}},
	}}
	if diff := cmp.Diff(want, s.Access); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, ParseAccess(s.StoredAccess())); diff != "" {
		t.Errorf("what is stored: %s", diff)
	}
	if ParseAccess(nil) != nil || (&Spec{}).StoredAccess() != nil || (*Spec)(nil).StoredAccess() != nil {
		t.Error("no rules are not nil")
	}
	for _, broken := range []string{`{`, `[]`, `{"column": "x"}`, `null`} {
		if rules := ParseAccess([]byte(broken)); len(rules) != 1 || !rules[0].Covers("orders") {
			t.Errorf("%s lets everybody see everything", broken)
		}
	}
}

func TestAccessProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ access, more, want string }{
		{`7`, ``, `access[0]: must be an object, not a number`},
		{`{"is": "member.region"}`, ``, `access[0].column: is missing`},
		{`{"column": "region"}`, ``, `access[0].is: is missing`},
		{`{"column": "region", "is": "region"}`, ``, `access[0].is: must be "member." and the name of an attribute`},
		{`{"column": "region", "is": "member.Region"}`, ``, `access[0].is: must be`},
		{`{"column": "region", "is": "member."}`, ``, `access[0].is: must be`},
		{`{"column": "region", "is": "member.x", "data": "gone"}`, ``, `access[0].data: "gone" is not the id of a dataset`},
		{`{"field": "region", "is": "member.x"}`, ``, `did you mean "column"?`},
		{`{"column": "region", "is": "member.x", "channels": ["a"]}`, ``, `access[0].channels: must be an object`},
		{`{"column": "region", "is": "member.x", "channels": {"A b": []}}`, ``, `is not the slug of a channel`},
		{`{"column": "region", "is": "member.x"}, {"data": "orders", "column": "region", "is": "member.y"}`, ``, `access[1]: is a second rule`},
		{
			`{"column": "region", "is": "member.x", "channels": {"other": ["EMEA"]}}`, `, "deliver": [{"to": "team", "every": "refresh"}]`,
			`deliver[0].to: "team" is a channel, whose readers are not known: name the values whose rows it may be sent in access[0].channels`,
		},
		{
			`{"column": "region", "is": "member.x"}`,
			`, "alerts": [{"id": "low", "data": "orders", "value": "amount", "if": "<", "than": 1, "to": ["me", "team"]}]`,
			`alerts[0].to[1]: an alert judges all rows`,
		},
	} {
		if _, err := Parse(ruled(c.access, c.more)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: %v, want %s", c.access, c.more, err, c.want)
		}
	}
	_, _, err := ParseReport([]byte(`{"datasets": [{"id": "d", "rows": [{"a": 1}]}], "panels": [{"type": "table"}], "access": []}`))
	if err == nil || !strings.Contains(err.Error(), "a report is read whole by all members") {
		t.Errorf("access in a report: %v", err)
	}
}

// A dataset without the column is refused when it is described and when it is refreshed, and so are rows that a limit has cut.
func TestAccessNeedsTheColumn(t *testing.T) {
	t.Parallel()
	region, day := cube.Column{Name: "region", Type: cube.Text}, cube.Column{Name: "day", Type: cube.Date}
	for _, c := range []struct {
		access  string
		columns map[string][]cube.Column
		want    string
	}{
		{`{"column": "region", "is": "member.x"}`, map[string][]cube.Column{"orders": {region}, "days": {region}}, ""},
		{`{"data": "orders", "column": "region", "is": "member.x"}`, map[string][]cube.Column{"orders": {region}, "days": {day}}, ""},
		{
			`{"column": "region", "is": "member.x"}`,
			map[string][]cube.Column{"orders": {region}, "days": {day}},
			`access[0].column: the SQL of dataset "days" returns no column "region"`,
		},
		{
			`{"data": "orders", "column": "day", "is": "member.x"}`,
			map[string][]cube.Column{"orders": {day}},
			`access[0].column: "day" is a time`,
		},
	} {
		s, err := Parse(ruled(c.access, ""))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Check(c.columns)
		if got := ""; err != nil {
			got = err.Error()
			if c.want == "" && strings.Contains(got, "access") || !strings.Contains(got, c.want) {
				t.Errorf("%s: %s, want %s", c.access, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s is not refused", c.access)
		}
	}
	s, err := Parse(ruled(`{"data": "orders", "column": "region", "is": "member.x"}`, ""))
	if err != nil {
		t.Fatal(err)
	}
	for want, got := range map[string]string{
		"is gone":        s.CheckAccess("orders", []cube.Column{day}, false),
		"is a time now":  s.CheckAccess("orders", []cube.Column{{Name: "region", Type: cube.Date}}, false),
		"cut at a limit": s.CheckAccess("orders", []cube.Column{region}, true),
		"":               s.CheckAccess("orders", []cube.Column{region}, false) + s.CheckAccess("days", []cube.Column{day}, true),
	} {
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLoosened(t *testing.T) {
	t.Parallel()
	rule := func(data, column, attribute string, channels ...string) Access {
		a := Access{Data: data, Column: column, Attribute: attribute}
		if len(channels) > 0 {
			a.Channels = map[string][]string{"team": channels}
		}
		return a
	}
	old := []Access{rule("orders", "region", "region", "EMEA", "APAC")}
	for name, c := range map[string]struct {
		after []Access
		loose bool
	}{
		"the same":          {old, false},
		"one more":          {append(slices.Clone(old), rule("", "country", "country")), false},
		"all datasets":      {[]Access{rule("", "region", "region", "EMEA")}, false},
		"fewer values":      {[]Access{rule("orders", "region", "region", "EMEA")}, false},
		"gone":              {nil, true},
		"another column":    {[]Access{rule("orders", "area", "region")}, true},
		"another attribute": {[]Access{rule("orders", "region", "team")}, true},
		"another dataset":   {[]Access{rule("days", "region", "region")}, true},
		"more values":       {[]Access{rule("orders", "region", "region", "EMEA", "AMER")}, true},
	} {
		if got := Loosened(old, c.after) != nil; got != c.loose {
			t.Errorf("%s: loosened %v", name, got)
		}
	}
	if Loosened([]Access{rule("", "region", "region")}, []Access{rule("orders", "region", "region")}) == nil {
		t.Error("a rule of all datasets became one of a dataset")
	}
}
