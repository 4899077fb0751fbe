package code

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// orders is a file without mistakes.
const orders = `# Kept by the shop team.
name: Orders
tags: [weekly, "2026"] # two
schedule: daily 07:30

title: Orders # and returns
connection: Shop
datasets:
  # One row for each day.
  - id: orders
    sql: |
      SELECT day, sum(revenue) AS revenue
      FROM orders GROUP BY day
panels:
  - {type: kpi, value: revenue}
  - type: line # the course
    x: day
    y: revenue
`

func TestCheckNamesLines(t *testing.T) {
	t.Parallel()
	if _, err := readPage("orders.yaml", "orders", []byte(orders)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file, old, new string
		want           []string
	}{
		"of a spec":  {"a.yaml", "x: day", "x: day\n    colour: red", []string{`a.yaml:18:5: panels[1].colour: "colour" is not a key`}},
		"of a value": {"a.yaml", "type: line", "type: lines", []string{`a.yaml:16:5: panels[1].type: "lines" is not one`}},
		"two": {"a.yaml", "title: Orders", "titel: Orders\ntimezone: Berlin", []string{
			`a.yaml:6:1: titel: "titel" is not a key`, `a.yaml:7:1: timezone: "Berlin" is not an IANA time zone`,
		}},
		"missing": {"a.yaml", "    y: revenue\n", "", []string{`a.yaml:16:5: panels[1].y: is missing`}},
		"YAML":    {"a.yaml", "name: Orders", "name: [Orders", []string{`a.yaml:2:1: not YAML: did not find expected`}},
		"twice": {"a.yaml", "connection: Shop", "title: Shop", []string{
			`a.yaml:7:1: the key "title" is a duplicate: it is already on line 6`,
		}},
		"merge":      {"a.yaml", "    y: revenue", "    <<: {y: revenue}", []string{`a.yaml:18:5: merge keys`}},
		"a tag":      {"a.yaml", "y: revenue", "y: !binary aGk=", []string{`a.yaml:18:8: the tag !binary is not supported`}},
		"no number":  {"a.yaml", "y: revenue", "y: .nan", []string{`a.yaml:18:8: .nan cannot be written as a JSON number`}},
		"two pages":  {"a.yaml", "panels:", "---\npanels:", []string{`a.yaml:14:1: the file has a second document`}},
		"tags":       {"a.yaml", `[weekly, "2026"]`, "[weekly, 2026]", []string{`a.yaml:3:16: a tag must be a text`}},
		"schedule":   {"a.yaml", "daily 07:30", "daily", []string{`a.yaml:4:1: schedule "daily" is not one of: off, 5m`}},
		"a zone":     {"a.yaml", "schedule: daily 07:30", "schedule_timezone: UTC", []string{`a.yaml:4:1: schedule_timezone requires`}},
		"empty name": {"a.yaml", "name: Orders", "name: ' '", []string{`a.yaml:2:1: name must be a text that is not empty`}},
		"a slug":     {"A_b.yaml", "", "", []string{`A_b.yaml:2:1: the slug is the name of the file: slug "A_b" must match [a-z0-9-]`}},
		"reserved":   {"mcp.yaml", "", "", []string{`mcp.yaml:2:1: the slug is the name of the file: `}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slug, _, _ := strings.Cut(c.file, ".")
			_, err := readPage(c.file, slug, []byte(strings.Replace(orders, c.old, c.new, 1)))
			got, ok := errors.AsType[Mistakes](err)
			if !ok || len(got) != len(c.want) {
				t.Fatalf("%v", err)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i].String(), want) {
					t.Errorf("mistake %d: %s\nwant %s…", i, got[i], want)
				}
			}
		})
	}
}

func TestCheckOfJSONNamesLines(t *testing.T) {
	t.Parallel()
	const text = "{\n\t\"title\": \"Örders\", \"datasets\": [{\"id\": \"a\", \"sql\": \"SELECT 1 AS n\"}],\n" +
		"\t\"panels\": [{\"type\": \"kpi\", \"value\": \"n\"}]\n}\n"
	if _, err := readPage("a.json", "a", []byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"value"`, `"valeu"`, `a.json:3:29: panels[0].valeu: `},
		{`"datasets"`, `"datsets"`, "a.json:1:1: datasets: is missing; declare at least one dataset\na.json:2:21: datsets: "},
		{"}]\n}", "}]\n", `a.json:5:1: not JSON: the document ends too early`},
		{"}]\n}", "}]\n} {}", `a.json:5:1: not JSON: `},
		{`"kpi",`, `"kpi"`, `a.json:3:`},
		{text, `[1]`, `a.json:1:1: a dashboard is a mapping`},
		{text, ``, `a.json:1:1: not JSON: `},
		{text, `{"a": 1, "a": 2}`, `a.json:1:10: the key "a" is a duplicate`},
	} {
		_, err := readPage("a.json", "a", []byte(strings.Replace(text, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s…", c.new, err, c.want)
		}
	}
}

// Aliases are small in a file, and can represent very large values.
func TestAliasesHaveALimit(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += strings.NewReplacer("N", string(rune('1'+i)), "M", string(rune('0'+i))).
			Replace("aN: &aN [*aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM, *aM]\n")
	}
	if _, err := decode("a.yaml", []byte(bomb)); err == nil || !strings.Contains(err.Error(), "more than 500000 values") {
		t.Errorf("%v", err)
	}
}

// Words that YAML may read as other types are texts, as they are in JSON.
func TestValuesOfYAML(t *testing.T) {
	t.Parallel()
	n, err := decode("a.yaml", []byte(
		"a: 2026-05-01\non: yes\nb: 0x10\nc: 1_000\nd: 1e3\ne: ~\nf: True\ng: 01:30\nh: 1.50\ni: &x [1]\nj: *x\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"a":"2026-05-01","on":"yes","b":16,"c":1000,"d":1e3,"e":null,"f":true,"g":"01:30","h":1.50,"i":[1],"j":[1]}`
	if got := string(toJSON(n)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A file that is written is read as the same values, for all texts.
func TestEncodeIsRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"plain", "", " ", "true", "2026-05-01", "1e3", "null", "~", "- a", "a: b", "#x", "a #b", "*x", "&x", "!x", "a\nb", "a\nb\n", "\na",
		"a \nb", "\tx\ny", "  x\n y", "a\n\n\nb\n\n", "ä\u2028b", "\u0085", "\u0000", "\ufeff", "\r\n",
		"😀", `"`, `'`, `\`, "{{from}}", "%", "@", "`",
		"y", "on", "SELECT *\nFROM t -- 'x'\nWHERE a = \"b\" \n", strings.Repeat("long ", 60), "---\n", "...\nx",
	} {
		spec, err := decodeJSON([]byte(`{"title":` + string(quoteJSON(text)) + `,"panels":[` + string(quoteJSON(text)) + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"a.yaml", "a.json"} {
			out, err := encode(file, arrange(spec, specShape()), nil)
			if err != nil {
				t.Errorf("%q in %s: %v", text, file, err)
				continue
			}
			again, err := decode(file, out)
			if err != nil || !sameValue(spec, again) {
				t.Errorf("%q in %s is read as something else (%v):\n%s", text, file, err, out)
			}
		}
	}
}

// A change of the server goes into a file, whose comments and order stay.
func TestCommentsStay(t *testing.T) {
	t.Parallel()
	page, err := readPage("orders.yaml", "orders", []byte(orders))
	if err != nil {
		t.Fatal(err)
	}
	server, err := decodeJSON([]byte(`{"title":"Orders","connection":"Shop","currency":"EUR","datasets":[
		{"id":"orders","sql":"SELECT day, sum(revenue) AS revenue\nFROM orders GROUP BY day\n"}],
		"panels":[{"type":"line","x":"day","y":"revenue","title":"Course"},{"type":"table"},{"type":"kpi","value":"revenue"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	now := Page{Slug: "orders", Spec: server, Head: Head{Name: "All orders", Tags: []string{"weekly"}, Chart: "line", Schedule: "off"}}
	text, err := encode("orders.yaml", now.topOf(), page.top)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Kept by the shop team.
name: All orders
tags: [weekly] # two
title: Orders # and returns
connection: Shop
currency: EUR
datasets:
  # One row for each day.
  - id: orders
    sql: |
      SELECT day, sum(revenue) AS revenue
      FROM orders GROUP BY day
panels:
  - type: line # the course
    title: Course
    x: day
    y: revenue
  - type: table
  - {type: kpi, value: revenue}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Pages are the same whatever the form of their files.
func TestHash(t *testing.T) {
	t.Parallel()
	hash := func(file, text string) string {
		t.Helper()
		p, err := readPage(file, "a", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash()
	}
	const spec = "title: A\ndatasets: [{id: a, sql: SELECT 1 AS n}]\npanels: [{type: kpi, value: n}]\n"
	one := hash("a.yaml", spec)
	for name, same := range map[string]string{
		"JSON":     hash("a.json", `{"panels":[{"value":"n","type":"kpi"}],"datasets":[{"sql":"SELECT 1 AS n","id":"a"}],"title":"A"}`),
		"defaults": hash("a.yaml", "name: A\ntags: []\nchart: kpi\nschedule: off\nconnection: self\n"+spec),
	} {
		if same != one {
			t.Errorf("%s: another hash", name)
		}
	}
	for name, other := range map[string]string{
		"title": hash("a.yaml", strings.Replace(spec, "title: A", "title: B", 1)), "name": hash("a.yaml", "name: B\n"+spec),
		"tags": hash("a.yaml", "tags: [b]\n"+spec), "schedule": hash("a.yaml", "schedule: 1h\n"+spec),
		"connection": hash("a.yaml", "connection: b\n"+spec),
	} {
		if other == one {
			t.Errorf("%s: the same hash", name)
		}
	}
}

// A comment of a pull request shows values of data as they are, and calls nobody.
func TestMarkdownShowsTexts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	Plan{Environment: "production", Steps: []Step{{
		Slug: "a", File: "a.yaml", Changes: []string{"title: \"<img src=x>\" → \"@ann [x](https://evil.example)\""},
		Numbers: []Number{{"A | B (kpi)", "1\n2", "`3` *4*"}}, Compared: "both", Cost: "1 query",
	}}}.Markdown(&b)
	for _, bad := range []string{"<img", "@ann", " [x](", "A | B", "1\n2", " `3`", " *4*", "https://evil"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the comment has %q:\n%s", bad, &b)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"https://dash.example.com": "https://dash.example.com/mcp", "https://dash.example.com/": "https://dash.example.com/mcp",
		"https://dash.example.com/mcp": "https://dash.example.com/mcp", "http://localhost:8080": "http://localhost:8080/mcp",
		"http://127.0.0.1:1/mcp/": "http://127.0.0.1:1/mcp/",
		"http://dash.example.com": "", "dash.example.com": "", "ftp://x": "", "": "",
	} {
		if got, err := endpointOf(server); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", server, got, err)
		}
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	wrong := func(want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	open := func() (*Project, error) { return Open(dir) }
	_, err := open()
	wrong("there is no service.yaml in", err)
	write("service.yaml", "environmets: {}\n")
	_, err = open()
	wrong("service.yaml: unmarshal errors:", err)
	write("service.yaml", "folder: ../x\n")
	_, err = open()
	wrong(`folder "../x" must be a folder below`, err)
	write("service.yaml", "environments:\n  a: {server: https://a}\n  b: {}\n")
	p, err := open()
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Environment("")
	wrong("choose one with --env (a, b)", err)
	_, err = p.Environment("c")
	wrong(`has no environment "c"; it has a, b`, err)
	_, err = p.Environment("b")
	wrong(`environment "b" has no server`, err)
	if e, err := p.Environment("a"); err != nil || e.Server != "https://a" {
		t.Error(e, err)
	}
	write("dashboards/team/orders.yaml", orders)
	write("dashboards/orders.json", "{}")
	write("dashboards/.hidden/x.yaml", "x")
	write("dashboards/notes.md", "x")
	_, err = p.Pages(nil)
	wrong("dashboards/orders.json is the dashboard orders too", err)
	_, err = p.Pages([]string{"none"})
	wrong("no file is called none.yaml or none.json", err)
	write("service.lock", "<<<<<<<")
	_, err = open()
	wrong("service.lock cannot be read", err)
	if sub, err := Open(filepath.Join(dir, "dashboards", "team")); sub != nil && err == nil {
		t.Error("a lock that cannot be read was ignored")
	}
}
