package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/channel"
	"service/store/sqltext"
	"service/tools"
)

// exampleFiles are the tables that examples read, as files that an owner could upload. Other names are tables of "self".
var exampleFiles = map[string]string{
	"orders": "ordered_at,ordered_on,day,country,country_code,channel,customer,amount\n" +
		"2026-03-01T08:00:00Z,2026-03-01,2026-03-01,France,FR,web,ada,12.5\n2026-03-02T09:00:00Z,2026-03-02,2026-03-02,Spain,ES,store,bob,20\n",
	"sales":         "day,country,channel,amount\n2026-03-01,France,web,12.5\n2026-03-02,Spain,store,20\n2026-03-03,Japan,partner,7\n",
	"tickets":       "opened_on,team,customer,hours\n2026-03-01,blue,ada,1.5\n2026-03-02,red,bob,3\n",
	"harvest":       "day,country,weight,minutes,revenue\n2026-03-01,France,2.5,451,900\n2026-03-02,Spain,1.25,90,480\n",
	"deliveries":    "country,country_rank,late\nFrance,1,1\nFrance,1,0\nSpain,2,0\n",
	"subscriptions": "day,country,seats,price\n2026-02-28,France,5,9.5\n2026-03-01,France,6,9.5\n2026-03-01,Spain,2,9.5\n",
	"account":       "created_at,plan,seats\n2026-03-01T08:00:00Z,team,7\n2026-03-02T08:00:00Z,team,9\n",
	"visit": "day,page,minutes\n2025-01-10,home,2\n2025-03-01,home,1\n2025-03-02,docs,3\n" +
		"2026-03-01,home,1.5\n2026-03-01,docs,4\n2026-03-02,home,2\n2026-03-02,docs,8\n",
	"project": "project,team,started,ended\nSite,web,2026-03-01,2026-04-01\nShop,web,2026-03-15,\nBooks,office,2026-02-01,2026-03-20\n",
	"quote": "day,open,high,low,close,volume\n2025-01-10,7,9,6,8,50\n2025-03-03,8,9,7,9,70\n" +
		"2026-03-02,10,12,9,11,100\n2026-03-03,11,13,10,12,90\n",
	"cities":    "name,lat,lon,population\nLisbon,38.72,-9.14,545000\nRiga,56.95,24.11,605000\n",
	"countries": "code,country\nFR,France\nES,Spain\n",
	"release":   "day,name\n2026-03-01,v1\n2026-03-02,v2\n",
	// For expressions: one column of each type.
	"rows_of": "at,placed_at,day,amount,name,item,items\n2026-03-01T08:20:00Z,2026-03-01T08:20:00Z,2026-03-01,2.5,ada," +
		`"{""name"": ""pen""}","[{""name"": ""pen""}]"` + "\n",
}

// An exampleWorld has the files of examples, and runs the examples of docs and
// descriptions.
type exampleWorld struct {
	*world
	connection uuid.UUID
	workbook   uuid.UUID
	uploads    map[string]uuid.UUID // by table name
	calls      int
}

func newExampleWorld(t *testing.T) *exampleWorld {
	t.Helper()
	w := &exampleWorld{world: newWorld(t, newEngine(t)), uploads: map[string]uuid.UUID{}}
	for _, name := range slices.Sorted(maps.Keys(exampleFiles)) {
		added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], name+".csv", []byte(exampleFiles[name]))
		w.must(err)
		w.connection, w.uploads[name] = added.Connection.ID, added.Upload.ID
	}
	added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], "plan.xlsx", workbook(t, map[string][][]any{
		"Budget":    {{"month", "eur"}, {"2026-01", 100}, {"2026-02", 200}},
		"Actuals":   {{"month", "eur"}, {"2026-01", 90.5}},
		"Headcount": {{"team", "people"}, {"Sales", 4}},
	}))
	w.must(err)
	w.workbook = added.Upload.ID
	for _, slug := range []string{"sales-team", "on-call"} { // channels that the example of deliveries names
		_, _, err := w.Messages.AddChannel(t.Context(), w.members["ada@acme"],
			store.ChannelEdit{Slug: slug, Kind: channel.Mail, Name: slug, Members: []uuid.UUID{w.people["ada"]}})
		w.must(err)
	}
	return w
}

// ask calls a tool, and reaches no rate limit.
func (w *exampleWorld) ask(tool string, arguments ...any) result {
	w.t.Helper()
	if w.calls++; w.calls%50 == 0 {
		w.nextMinute()
	}
	return w.call(tool, object(arguments...))
}

// source returns the arguments that name the source for SQL: "self", or the files that
// it reads.
func (w *exampleWorld) source(sql string) []any {
	read := map[string]string{}
	for name, id := range w.uploads {
		if regexp.MustCompile(`(?i)\b(FROM|JOIN) ` + name + `\b`).MatchString(sql) {
			read[name] = id.String()
		}
	}
	if len(read) == 0 {
		return nil
	}
	return []any{"connection", w.connection, "uploads", read}
}

// uploadID matches the ids of uploads in examples.
var uploadID = regexp.MustCompile(`0198c0de-[0-9a-f-]{27}`)

var connectionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// spec checks an example of a spec by a dry run: it must be accepted, and each of its queries must run. It returns the reason
// if not.
func (w *exampleWorld) spec(raw string) string {
	w.t.Helper()
	var whole map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &whole); err != nil {
		return err.Error()
	}
	arguments := []any{"path", "example", "dry_run", true}
	if named := map[string]string{}; whole["sheet"] != nil {
		w.must(json.Unmarshal([]byte(uploadID.ReplaceAllString(raw, w.workbook.String())), &whole))
		whole["connection"] = json.RawMessage(value(w.connection))
	} else if whole["uploads"] != nil {
		w.must(json.Unmarshal(whole["uploads"], &named))
		for name := range named {
			if _, ok := w.uploads[name]; !ok {
				return "no file of the test is called " + name
			}
			named[name] = w.uploads[name].String()
		}
		whole["uploads"] = json.RawMessage(value(named))
		whole["connection"] = json.RawMessage(value(w.connection))
	} else {
		arguments = append(arguments, w.source(raw)...)
		if connection := whole["connection"]; connectionID.Match(connection) {
			whole["connection"] = json.RawMessage(value(w.connection))
		}
	}
	got := w.ask("publish_dashboard", append(arguments, "spec", whole)...)
	for busy := 0; busy < 10 && regexp.MustCompile(`\[(sql_not_checked|rows_not_counted)\]`).MatchString(got.Text); busy++ {
		got = w.ask("publish_dashboard", append(arguments, "spec", whole)...) // the machine was too busy to answer within 5 seconds
	}
	wrong := regexp.MustCompile(`\[(query_fails|sql_not_checked|range_end|key_ignored)\]`)
	if got.IsError || got.Internal != "" || wrong.MatchString(got.Text) {
		return got.Text + got.Internal
	}
	return ""
}

// sql checks a SELECT, and returns the reason if it does not run.
func (w *exampleWorld) sql(sql string) string {
	w.t.Helper()
	got := w.ask("validate_cube_sql", append(w.source(sql), "sql", sql)...)
	for busy := 0; busy < 10 && strings.Contains(got.Text, "5 seconds"); busy++ { // the machine was too busy
		got = w.ask("validate_cube_sql", append(w.source(sql), "sql", sql)...)
	}
	if got.IsError || got.Internal != "" || !strings.Contains(got.Text, `"valid":true`) {
		return got.Text + got.Internal
	}
	return ""
}

// blocks returns the fenced blocks of a page whose first line is ``` and a kind.
func blocks(page, kind string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^ *```"+kind+"\n(.*?)^ *```$").FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reference returns the pages of the reference of specs, the index first.
func reference(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../docs/spec/*.md")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	text := page(t, "spec/README.md")
	for _, file := range files {
		if name := filepath.Base(file); name != "README.md" {
			text += "\n" + page(t, "spec/"+name)
		}
	}
	return text
}

// skills returns the pages of the plugin's skills.
func skills(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../docs/plugin/skills/*/SKILL.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []string
	for _, file := range files {
		name, err := filepath.Rel("../docs", file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page(t, name))
	}
	return all
}

// Each spec, panel and report of the reference and of the skills is accepted by a dry run over files with the columns that it
// reads, and its SQL runs.
func TestExamplesAreAccepted(t *testing.T) {
	t.Parallel()
	w := newExampleWorld(t)
	reference := reference(t)
	specs := blocks(reference, "json spec")
	var whole map[string]any
	w.must(json.Unmarshal([]byte(specs[0]), &whole))
	// Panels read the dataset of the first spec, or one that the text names.
	datasets := map[string]any{}
	for _, d := range whole["datasets"].([]any) {
		d := d.(map[string]any)
		datasets[d["id"].(string)] = d
	}
	for _, m := range regexp.MustCompile("dataset `(\\w+)` with the SQL `(SELECT [^`]*)`").FindAllStringSubmatch(reference, -1) {
		datasets[m[1]] = map[string]any{"id": m[1], "sql": m[2]}
	}
	inSpec := func(changes map[string]any, data string) string {
		s := maps.Clone(whole)
		if data != "orders" {
			delete(s, "filters")
			delete(s, "params")
		}
		s["datasets"] = []any{datasets[data]}
		maps.Copy(s, changes)
		return value(s)
	}
	for _, skill := range skills(t) {
		specs = append(specs, blocks(skill, "json spec")...)
	}
	panels := blocks(reference, "json panel")
	for _, raw := range panels {
		var panel struct{ Data string }
		w.must(json.Unmarshal([]byte(raw), &panel))
		if panel.Data == "" {
			panel.Data = "orders"
		}
		if datasets[panel.Data] == nil {
			t.Errorf("the text does not say which SQL dataset %s has:\n%s", panel.Data, raw)
			continue
		}
		specs = append(specs, inSpec(map[string]any{"panels": []any{json.RawMessage(raw)}}, panel.Data))
	}
	for _, raw := range blocks(reference, "json") { // some keys of a spec
		var keys map[string]any
		w.must(json.Unmarshal([]byte(raw), &keys))
		s := inSpec(keys, "orders")
		if strings.Contains(raw, `"releases"`) {
			keys["datasets"] = []any{datasets["orders"], map[string]any{"id": "releases", "sql": "SELECT day, name FROM release"}}
			keys["panels"] = []any{map[string]any{"type": "line", "data": "orders", "x": "day", "y": "revenue"}}
			s = inSpec(keys, "orders")
		}
		specs = append(specs, s)
	}
	if len(specs) < 45 {
		t.Errorf("%d examples were found", len(specs))
	}
	for slug, set := range map[string]string{ // that an example reads
		"investors": `{"id":"mrr","sql":"SELECT DATE '2026-01-01' AS day, 'FR' AS country, 1.5 AS mrr"}`,
		"support":   `{"id":"tickets","sql":"SELECT DATE '2026-01-01' AS day, 'FR' AS country, 2 AS tickets"}`,
	} {
		w.call("publish_dashboard", object("path", slug, "spec", json.RawMessage(`{"datasets":[`+set+`]}`)))
	}
	w.refresh()
	for _, raw := range specs {
		if why := w.spec(raw); why != "" {
			t.Errorf("%s\n%s", raw, why)
		}
	}
	reports := blocks(reference, "json report")
	if len(reports) < 5 {
		t.Errorf("%d reports were found", len(reports))
	}
	for _, raw := range reports {
		if got := w.ask("publish_dashboard", "path", "example", "dry_run", true, "body", raw); got.IsError || got.Internal != "" {
			t.Errorf("%s\n%s%s", raw, got.Text, got.Internal)
		}
	}
	// The check refuses wrong specs; otherwise the test would prove nothing.
	for _, raw := range []string{
		strings.Replace(specs[0], "country, channel", "country, chanel", 1), strings.Replace(specs[0], `"kpi"`, `"kpis"`, 1),
		strings.Replace(specs[0], "sum(amount)", "sum(amount", 1),
	} {
		if w.spec(raw) == "" {
			t.Errorf("it is accepted:\n%s", raw)
		}
	}
}

// otherDialects are the functions of expressions in docs that only servers of another dialect have.
var otherDialects = map[string]sqltext.Dialect{
	"toStartOfDay": sqltext.ClickHouse, "sumIf": sqltext.ClickHouse, "countIf": sqltext.ClickHouse, "DATE": sqltext.MySQL,
}

// expression checks an expression of SQL in a text, in which … stands for omitted parts. It returns the reason if it does not run.
func (w *exampleWorld) expression(text string) string {
	w.t.Helper()
	sql := "SELECT " + strings.ReplaceAll(text, "…", "amount") + " AS x FROM rows_of"
	if name, _, _ := strings.Cut(text, "("); otherDialects[name] != (sqltext.Dialect{}) {
		q, err := sqltext.Parse(sql, otherDialects[name])
		if err != nil {
			return err.Error()
		}
		for i := range q.Tokens[1 : len(q.Tokens)-4] { // without SELECT, and AS x FROM rows_of
			if word := q.Text(i + 1); q.Kind(i+1) == sqltext.Word && otherDialects[name].Reserved(word) {
				return word + " is a reserved word"
			}
		}
		return ""
	}
	return w.sql(sql)
}

// Each statement and expression of SQL in the reference and in the skills runs, over "self" or files with the columns that it reads.
func TestSQLOfDocsRuns(t *testing.T) {
	t.Parallel()
	w := newExampleWorld(t)
	statements, expressions := map[string]bool{}, map[string]bool{}
	for _, text := range append(skills(t), reference(t)) {
		for _, sql := range blocks(text, "sql") {
			statements[sql] = true
		}
		prose := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
		for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(prose, -1) {
			switch code := m[1]; {
			case strings.HasPrefix(code, "SELECT "):
				statements[code] = true
			case regexp.MustCompile(`^["\w]+\(.*\)$|^["\w]+ ->> |" - `).MatchString(code):
				expressions[code] = true
			}
		}
	}
	if len(statements) < 4 || len(expressions) < 12 {
		t.Errorf("found %d statements and %d expressions", len(statements), len(expressions))
	}
	for sql := range statements {
		if why := w.sql(sql); why != "" {
			t.Errorf("%s\n%s", sql, why)
		}
	}
	for text := range expressions {
		if why := w.expression(text); why != "" {
			t.Errorf("%s\n%s", text, why)
		}
	}
	// Expressions that were in docs, or could be.
	for _, text := range []string{"date_trunc('hour', at)", "at - to_minutes(date_part('minute', at))", "no_such(amount)", "DATE(order)"} {
		if w.expression(text) == "" {
			t.Errorf("%s is accepted", text)
		}
	}
}

// promptTexts returns the texts that prompts expand into. It reads them from the golden file of package prompts,
// because tools does not import that package.
func promptTexts(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("../prompts/testdata/prompts.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	var find func(v any)
	find = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if text, ok := v["text"].(string); ok {
				texts = append(texts, text)
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				find(v[name])
			}
		case []any:
			for _, one := range v {
				find(one)
			}
		}
	}
	var all any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if find(all); len(texts) == 0 {
		t.Fatal("the golden file has no texts")
	}
	return texts
}

// specsIn returns the specs in a text: objects of JSON that have datasets.
func specsIn(text string) []string {
	var found []string
	for i := range text {
		if text[i] != '{' {
			continue
		}
		var raw json.RawMessage
		var whole struct{ Datasets []json.RawMessage }
		if json.NewDecoder(strings.NewReader(text[i:])).Decode(&raw) == nil && json.Unmarshal(raw, &whole) == nil && len(whole.Datasets) > 0 {
			found = append(found, string(raw))
		}
	}
	return found
}

// Each example in instructions, descriptions, prompts, hints and refusals is right: a spec is accepted, SQL runs, and an argument has
// its type.
func TestExamplesForModels(t *testing.T) {
	t.Parallel()
	w := newExampleWorld(t)
	texts := append(promptTexts(t), tools.Instructions)
	var ran int
	for _, d := range tools.Definitions() {
		s := parseSchema(t, d.InputSchema)
		texts = append(texts, d.Description)
		for name, p := range s.Properties {
			texts = append(texts, p.Description)
			_, example, ok := strings.Cut(p.Description, "Example: ")
			if !ok {
				t.Errorf("%s.%s has no example", d.Name, name)
				continue
			}
			example = strings.TrimSuffix(example, ".")
			switch kind := p.Type.(string); {
			case name == "sql":
				ran++
				if why := w.sql(example); why != "" {
					t.Errorf("%s.%s: %s\n%s", d.Name, name, example, why)
				}
			case name == "timezone":
				if _, err := time.LoadLocation(example); err != nil {
					t.Errorf("%s.%s: %v", d.Name, name, err)
				}
			case kind != "string":
				var v any
				if err := json.Unmarshal([]byte(example), &v); err != nil || !ofType(v, kind) {
					t.Errorf("%s.%s: the example %s is not of type %s: %v", d.Name, name, example, kind, err)
				}
			}
		}
	}
	if ran < 2 {
		t.Errorf("%d examples of SQL were found", ran)
	}
	texts = append(texts, w.ask("publish_dashboard", "path", "x", "body", `{"a": 1}`).Text, w.ask("publish_dashboard", "path", "x").Text,
		w.ask("publish_dashboard", "path", "x", "body", "<html></html>").Text, w.ask("publish_dashboard", "path", "x", "spec", "{}").Text)
	specs := map[string]bool{}
	for _, text := range texts {
		for _, spec := range specsIn(text) {
			specs[spec] = true
		}
	}
	if len(specs) < 2 {
		t.Errorf("%d examples of specs were found", len(specs))
	}
	for spec := range specs {
		if why := w.spec(spec); why != "" {
			t.Errorf("%s\n%s", spec, why)
		}
	}
	// Hints of introspect_schema.
	orders := w.warehouse("ada@acme", "orders", "db.example")
	hints := w.ask("introspect_schema").Text + w.ask("introspect_schema", "connection", orders).Text +
		w.ask("introspect_schema", "connection", w.connection, "upload", w.uploads["rows_of"]).Text
	found := regexp.MustCompile(`unnest\(.*?\]'\)\)|\w+ ->> '\w+'`).FindAllString(hints, -1)
	if len(found) < 2 {
		t.Errorf("the hints have the expressions %q", found)
	}
	for _, text := range found {
		if why := w.expression(text); why != "" {
			t.Errorf("%s\n%s", text, why)
		}
	}
	statement := regexp.MustCompile(`SELECT [^"]*? … GROUP BY [\d, ]+`).FindString(hints)
	if why := w.sql(strings.Replace(statement, "…", "FROM sales", 1)); statement == "" || why != "" {
		t.Errorf("%q\n%s", statement, why)
	}
}

// ofType reports whether a decoded value has a JSON type.
func ofType(v any, kind string) bool {
	switch v := v.(type) {
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int(v))
	}
	return false
}

// A file's columns that are reserved words, have capital letters or spaces are listed as SQL reads them: each listed name can be selected,
// grouped by and added up, and the draft of the file can be published.
func TestColumnsAreListedAsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	names := []string{
		"at", "order", "group", "desc", "end", "from", "user", "table", "limit", "my col", "OrderID", "1st", "größe", `say "hi"`,
		"select", "day", "n",
	}
	var head, line []string
	for i, name := range names {
		head, line = append(head, `"`+strings.ReplaceAll(name, `"`, `""`)+`"`), append(line, fmt.Sprint(100+i))
	}
	file := []byte(strings.Join(head, ",") + "\n" + strings.Join(line, ",") + "\n")
	added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], "words.csv", file)
	w.must(err)
	source := []any{"connection", added.Connection.ID, "upload", added.Upload.ID}
	listed := w.call("introspect_schema", object(source...))
	var schema struct {
		Tables []struct{ Columns []struct{ Name string } }
	}
	w.must(json.Unmarshal(listed.Structured, &schema))
	if len(schema.Tables) != 1 || len(schema.Tables[0].Columns) != len(names) {
		t.Fatalf("%s", listed.Structured)
	}
	for i, c := range schema.Tables[0].Columns {
		sql := strings.ReplaceAll("SELECT %, sum(%) AS s, max(t.%) AS m FROM upload AS t WHERE % > 0 GROUP BY % ORDER BY %", "%", c.Name)
		got := w.call("explore_data", object(append(source, "sql", sql)...))
		if want := fmt.Sprintf("[%d,%d,%d]", 100+i, 100+i, 100+i); !strings.Contains(got.Text, want) {
			t.Errorf("%s is listed as %s, which reads another value than %s:\n%s%s", names[i], c.Name, want, got.Text, got.Internal)
		}
	}
	drafted := w.call("explore_data", object(append(source, "table", "upload")...))
	data, _ := jsonOf(drafted.Text)
	var out struct {
		Draft json.RawMessage
	}
	w.must(json.Unmarshal(data, &out))
	if no, _ := w.dryRun(out.Draft); no != "" {
		t.Errorf("the draft is refused: %s\n%s", no, data)
	}
}
