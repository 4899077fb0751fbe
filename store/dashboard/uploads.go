package dashboard

import (
	"encoding/json"
	"slices"
	"strings"

	"service/store/message"
	"service/store/sqltext"
)

// UploadTable is the name of the table of a file without a name.
const UploadTable = "upload"

// MaxUploads is the largest number of files with names of their own.
const MaxUploads = 10

// maxTable is the longest name of a file's table, in characters.
const maxTable = 63

// An Upload is an uploaded file under the name of its table.
type Upload struct {
	Table string
	ID    string // UUID
	Sheet string // of a workbook; "" for the first one with rows
}

// maxSheet is the longest name of a sheet, in characters. Programs that make workbooks allow 31.
const maxSheet = 100

// sheet reads the key sheet. It returns "" if that is absent or faulty.
func (p *parser) sheet(o *object) string {
	name := o.text("sheet", maxSheet)
	if o.has("sheet") && kindOf(o.values["sheet"]) == "a string" && strings.TrimSpace(name) == "" {
		p.problems.addf(o.at("sheet"), "is empty; write the name of a sheet, as introspect_schema lists it")
		return ""
	}
	return name
}

// ParseUploads reads the files of a source in the form of the spec's key uploads, sorted by their tables. The error is *[Problems].
func ParseUploads(raw json.RawMessage) ([]Upload, error) {
	p := &parser{}
	if problem := syntax(raw); problem != nil {
		problem.Path = "uploads"
		p.problems.add(*problem)
		return nil, p.problems.err()
	}
	o := &object{problems: &p.problems, values: map[string]json.RawMessage{}}
	if kindOf(raw) != "null" {
		o.values["uploads"] = raw
	}
	uploads := p.uploads(o)
	return uploads, p.problems.err()
}

func (p *parser) uploads(o *object) []Upload {
	raw, ok := o.values["uploads"]
	if !ok {
		return nil
	}
	path := o.at("uploads")
	if kindOf(raw) != "an object" {
		p.problems.addf(path, `must be an object of tables and the ids of their files, such as {"rain": "<id>"} or `+
			`{"rain": {"id": "<id>", "sheet": "2026"}}, not %s`, kindOf(raw))
		return nil
	}
	files := p.problems.object(path, raw)
	if files == nil {
		return nil
	}
	if n := len(files.keys); n > MaxUploads {
		p.problems.addf(path, "has %d files, over the limit of %d", n, MaxUploads)
		return nil
	}
	var out []Upload
	for _, table := range files.keys {
		at := files.at(table)
		if why := badTable(table, out); why != nil {
			why.Path = at
			p.problems.add(*why)
		}
		if u := p.namedUpload(files, table); u.ID != "" {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b Upload) int { return strings.Compare(a.Table, b.Table) })
	return out
}

// Keys of a file in the long form.
var (
	uploadKeys      = []string{"id", "sheet"}
	otherUploadKeys = map[string]string{
		"upload": "id", "file": "id", "uploadid": "id", "uuid": "id",
		"tab": "sheet", "worksheet": "sheet", "sheetname": "sheet", "name": "sheet", "table": "sheet",
	}
)

// namedUpload reads the file of a table: its id, or an object of id and sheet. The id is "" if it is faulty.
func (p *parser) namedUpload(files *object, table string) Upload {
	raw := files.values[table]
	if kindOf(raw) != "an object" {
		return Upload{Table: table, ID: p.uploadID(files, table)}
	}
	o := p.problems.object(files.at(table), raw)
	if o == nil {
		return Upload{}
	}
	o.closed("a file of uploads", uploadKeys, otherUploadKeys, nil)
	o.require("id")
	return Upload{Table: table, ID: p.uploadID(o, "id"), Sheet: p.sheet(o)}
}

// uploadID reads the id of a file; it returns "" if it is absent or faulty.
func (p *parser) uploadID(o *object, key string) string {
	id := o.text(key, 0)
	if o.has(key) && !isUUID(id) && kindOf(o.values[key]) == "a string" {
		p.problems.addf(o.at(key), `%s is not an upload id; pass the id of an uploaded file, as list_connections shows it`, quote(id))
	}
	if !isUUID(id) {
		return ""
	}
	return id
}

// badTable returns the problem of name as the name of a file's table next to those of others, or nil.
func badTable(name string, others []Upload) *Problem {
	lower := sqltext.Lower(name)
	switch {
	case !isTable(name):
		return &Problem{Message: quote(name) + " cannot be the name of a table: write a letter, then letters, digits and _, at most 63 in all"}
	case lower == UploadTable:
		return &Problem{Message: `"upload" is the table of the key upload: name the file there, or give its table another name`}
	case slices.Contains(reservedTables, lower):
		return &Problem{Message: quote(name) + " is a word of SQL and cannot be the name of a table", Nearest: nearTable(name, others)}
	case slices.ContainsFunc(ownTables, func(prefix string) bool { return strings.HasPrefix(lower, prefix) }):
		return &Problem{Message: quote(name) + " begins like a table of the query engine's own; give the file's table another name"}
	case slices.ContainsFunc(others, func(u Upload) bool { return sqltext.Lower(u.Table) == lower }):
		return &Problem{Message: quote(name) + " is the name of two tables: SQL takes capital and small letters for the same"}
	}
	return nil
}

// isTable reports whether SQL can write name without quotes, if it is not reserved.
func isTable(name string) bool {
	return len(name) <= maxTable && isID(name) && !strings.Contains(name, "-")
}

// nearTable returns a valid name that is similar to a reserved one.
func nearTable(name string, others []Upload) string {
	for _, end := range []string{"s", "_1", "_2"} {
		if plural := end == "s" && strings.HasSuffix(name, end); !plural && badTable(name+end, others) == nil {
			return name + end
		}
	}
	return ""
}

// ownTables are the beginnings of names that the query engine uses itself.
var ownTables = []string{"duckdb_", "pg_", "sqlite_", "pragma_", "information_schema"}

// reservedTables are the words that the query engine does not read as the name of a table unless they are quoted. A test in
// store/warehouse/duckdb compares them with the engine.
var reservedTables = strings.Fields(`
	all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint binary bit boolean both by case cast char
	character check coalesce collate collation column columns concurrently constraint create cross dec decimal default deferrable desc
	describe distinct do else end except exists extract false fetch float for foreign freeze from full generated glob group grouping
	grouping_id having ilike in initially inner inout int integer intersect interval into is isnull join lambda lateral leading left like
	limit map national natural nchar none not notnull null nullif numeric offset on only or order out outer overlaps overlay pivot
	pivot_longer pivot_wider placing position positional precision primary qualify real references returning right row select semi setof
	show similar smallint some struct substring summarize symmetric table tablesample then time timestamp to trailing treat trim true
	try_cast union unique unpack unpivot using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement
	xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

// CheckTable returns the refusal of name as the name of a file's table next to those of others, or nil.
func CheckTable(name string, others []Upload) error {
	if why := badTable(name, others); why != nil {
		return message.Refuse("%s", why.Message)
	}
	return nil
}
