package dashboard_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"service/store/dashboard"
)

const aFile = "0198c0de-77aa-7b01-8f00-4d1f2a3b4c5d"

// TestUploads reads the files of a spec, and checks the problems of the names of their tables.
func TestUploads(t *testing.T) {
	t.Parallel()
	const (
		noTable = " cannot be the name of a table: write a letter, then letters, digits and _, at most 63 in all"
		noID    = " is not an upload id; pass the id of an uploaded file, as list_connections shows it"
		aWord   = " is a word of SQL and cannot be the name of a table; did you mean "
		engines = " begins like a table of the query engine's own; give the file's table another name"
	)
	named := func(tables ...string) string {
		var list []string
		for _, table := range tables {
			list = append(list, fmt.Sprintf(`%s: "%s"`, table, aFile))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	long := strings.Repeat("a", 63)
	var eleven []string
	for i := range 11 {
		eleven = append(eleven, fmt.Sprintf(`"t%d"`, i))
	}
	for _, tc := range []struct{ uploads, want string }{
		{`null`, ``},
		{`{}`, ``},
		{named(`"rain"`, `"Sun_2"`, `"upload_2"`, `"tables"`, `"views"`, `"data"`, `"day"`), ``},
		{named(`"` + long + `"`), ``},
		{named(eleven[:10]...), ``},

		{`"rain"`, `uploads: must be an object of tables and the ids of their files, such as {"rain": "<id>"} or ` +
			`{"rain": {"id": "<id>", "sheet": "2026"}}, not a string`},
		{`["` + aFile + `"]`, `uploads: must be an object of tables and the ids of their files, such as {"rain": "<id>"} or ` +
			`{"rain": {"id": "<id>", "sheet": "2026"}}, not a list`},
		{`{"rain": "rain.csv"}`, `uploads.rain: "rain.csv"` + noID},
		{`{"rain": ""}`, `uploads.rain: ""` + noID},
		{`{"rain": "{` + aFile + `}"}`, `uploads.rain: "{` + aFile + `}"` + noID},
		{`{"rain": {"id": "` + aFile + `"}, "sun": {"id": "` + aFile + `", "sheet": "2026"}}`, ``},
		{`{"rain": {"sheet": "2026"}}`, `uploads.rain.id: is missing`},
		{`{"rain": {"id": "rain.csv", "sheet": "2026"}}`, `uploads.rain.id: "rain.csv"` + noID},
		{`{"rain": {"id": "` + aFile + `", "sheet": 2026}}`, `uploads.rain.sheet: must be a string, not a number`},
		{
			`{"rain": {"id": "` + aFile + `", "sheet": " "}}`,
			`uploads.rain.sheet: is empty; write the name of a sheet, as introspect_schema lists it`,
		},
		{
			`{"rain": {"id": "` + aFile + `", "tab": "2026"}}`,
			`uploads.rain.tab: "tab" is not a key of a file of uploads; keys: id, sheet; did you mean "sheet"?`,
		},
		{named(`"rain"`, `"Rain"`), `uploads.Rain: "Rain" is the name of two tables: SQL takes capital and small letters for the same`},
		{named(`"rain"`, `"rain"`), `uploads.rain: is there twice; keep one`},
		{named(`"Order"`), `uploads.Order: "Order"` + aWord + `"Orders"?`},
		{named(`"values"`), `uploads.values: "values"` + aWord + `"values_1"?`},
		{named(`"Upload"`), `uploads.Upload: "upload" is the table of the key upload: name the file there, or give its table another name`},
		{named(`"pg_class"`), `uploads.pg_class: "pg_class"` + engines},
		{named(`"SQLite_master"`), `uploads.SQLite_master: "SQLite_master"` + engines},
		{named(`"duckdb_tables"`), `uploads.duckdb_tables: "duckdb_tables"` + engines},
		{named(`"information_schema"`), `uploads.information_schema: "information_schema"` + engines},
		{named(`"a` + long + `"`), `uploads.a` + long + `: "a` + long + `"` + noTable},
		{named(`"a b"`), `uploads["a b"]: "a b"` + noTable},
		{named(`"a-b"`), `uploads.a-b: "a-b"` + noTable},
		{named(`"1st"`), `uploads["1st"]: "1st"` + noTable},
		{named(`"_x"`), `uploads["_x"]: "_x"` + noTable},
		{named(`""`), `uploads[""]: ""` + noTable},
		{named(`"größe"`), `uploads["größe"]: "größe"` + noTable},
		{named(`"main.x"`), `uploads["main.x"]: "main.x"` + noTable},
		{named(`"x\"; DROP TABLE y; --"`), `uploads["x"; DROP TABLE y; --"]: "x"; DROP TABLE y; --"` + noTable},
		{named(eleven...), `uploads: has 11 files, over the limit of 10`},
	} {
		t.Run(tc.uploads, func(t *testing.T) {
			t.Parallel()
			s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"}], "uploads": ` + tc.uploads + `}`))
			alone, errAlone := dashboard.ParseUploads(json.RawMessage(tc.uploads))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err == nil) != (errAlone == nil) || !slices.Equal(alone, s.Uploads) {
				t.Errorf("alone: %v, %v; in a spec: %v", alone, errAlone, s.Uploads)
			}
			if !slices.IsSortedFunc(alone, func(a, b dashboard.Upload) int { return strings.Compare(a.Table, b.Table) }) {
				t.Errorf("%v is not sorted", alone)
			}
		})
	}
	for upload, want := range map[string]string{
		`"` + aFile + `"`: ``,
		`"a.csv"`:         `datasets[0].upload: "a.csv"` + noID,
		`7`:               `datasets[0].upload: must be a string, not a number`,
	} {
		_, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1", "upload": ` + upload + `}]}`))
		if got := fmt.Sprint(err); want != "" && got != want || want == "" && err != nil {
			t.Errorf("upload of a dataset: got %s, want %s", got, want)
		}
	}
}

// TestDefinitionsOfFiles shows that rows of one file are not taken for those of another, and that the
// definitions that release 0.6.0 stored are still those of datasets without a file of their own.
func TestDefinitionsOfFiles(t *testing.T) {
	t.Parallel()
	of := func(upload string) string {
		s, err := dashboard.Parse([]byte(`{"datasets": [{"id": "d", "sql": "SELECT 1"` + upload + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", s.Datasets[0].Definition(s))
	}
	if got, want := of(""), "7f782e681c107355ae845e650ded7e676d808c52419041d0857edbc034915b9d"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	other := strings.Replace(aFile, "0198", "0199", 1)
	if a, b := of(`, "upload": "`+aFile+`"`), of(`, "upload": "`+other+`"`); a == b || a == of("") {
		t.Error("two files have one definition")
	}
	if a, b := of(`, "upload": "`+aFile+`"`), of(`, "upload": "`+aFile+`", "sheet": "2026"`); a == b {
		t.Error("two sheets have one definition")
	}
}
