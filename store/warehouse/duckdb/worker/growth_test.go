package worker

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"service/store/growthtest"
	"service/store/warehouse"
	"service/store/warehouse/duckdb/datafile"
	"service/store/warehouse/duckdb/wire"
	"service/store/warehouse/warehousetest"
)

// TestGrowth reads files of each format, in the shapes that are worst for their
// reader, in time that grows no faster than n log n.
func TestGrowth(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format datafile.Format
		data   func(n int) []byte // about n bytes
	}{
		{"rows", datafile.CSV, fill("day,n,x,t\n", "2024-01-02,5,1.25,word\n", "")},
		{"quoted fields of a line", datafile.CSV, fill("", `"`+strings.Repeat("x", 40)+`",`, "")},
		{"quotation marks that never end", datafile.CSV, fill(`a,"`, `""`, "")},
		{"line breaks in a field", datafile.CSV, fill(`a,"`, "\r\n", `"`)},
		{"lines of one quoted field", datafile.CSV, fill("", "\"a\n\"\n", "")},
		{"blank lines", datafile.CSV, fill("a", "\n,\n", "a")},
		{"short rows", datafile.CSV, fill("a,b\n1,2\n", "1\n", "")},
		{"titles", datafile.CSV, fill("", "title\n", "a,b,c\n")},
		{"remarks", datafile.CSV, fill("a,b\n1,2\n", "\nremark\n", "")},
		{"commas", datafile.CSV, fill("", ",", "")},
		{"a long digit", datafile.CSV, fill("a\n", "1", "\n")},
		{"a long amount", datafile.CSV, fill("a;b\n", "1.111,", "\n")},
		{"nearly numbers", datafile.CSV, fill("a\n", "1\n", "x\n")},
		{"nearly dates", datafile.CSV, fill("a\n", "1/2/2024 10:00\n", "x\n")},
		{"nearly amounts", datafile.CSV, fill("a\n", "$ 1.234\n", "kg 7\n")},
		{"nearly answers", datafile.CSV, fill("a\n", "yes\nno\n", "maybe\n")},
		{"no values", datafile.CSV, fill("a,b\n1,2\n", "NA,n/a\n", "")},
		{"a total", datafile.CSV, fill("a,b\n", "1,2\n", "Total,9\n")},
		{"Windows-1252", datafile.CSV, fill("a\n", "\xe9\n", "")},
		{"UTF-16", datafile.CSV, fill("\xff\xfea\x00\n\x00", "1\x00\n\x00", "")},
		{"quotation marks that do not match", datafile.TSV, fill("a\tb\n", "1\t\"x\"\n", "\"")},
		{"objects", datafile.JSON, fill(`[{"a":1,"b":"x"}`, `,{"a":2,"b":"y"}`, "]")},
		{"nested arrays", datafile.JSON, fill(`[{"a":`, `[[[[[[`, "")},
		{"keys of one object", datafile.JSON, func(n int) []byte { return keys("{", n, "}") }},
		{"keys beside the rows", datafile.JSON, func(n int) []byte { return keys(`{"data":[{"a":1}],`, n, "}") }},
		{"wrapped objects", datafile.JSON, fill(`{"n":1,"data":[{"a":1}`, `,{"a":1}`, "]}")},
		{"escapes", datafile.JSON, fill(`[{"a":"`, `\u00e9`, `"}]`)},
		{"values of an array", datafile.JSON, fill(`[["a"],[{"b":[`, "1,", "1]}]]")},
		{"arrays", datafile.JSON, fill(`[["a","b"]`, `,[1,2]`, "]")},
		{"space", datafile.JSON, fill(`[{"a":1}`, " \n", "]")},
		{"objects", datafile.NDJSON, fill("", "{\"a\":1,\"b\":\"x\"}\n", "")},
		{"objects that do not end", datafile.NDJSON, fill("", `{"a":`, "")},
		{"rows", datafile.XLSX, sheetOf(fill("", `<row><c><v>1</v></c><c t="str"><v>x</v></c></row>`, ""))},
		{"elements in elements", datafile.XLSX, sheetOf(fill("", `<x>`, ""))},
		{"attributes of an element", datafile.XLSX, sheetOf(fill("<row ", `x:y="1" `, "/>"))},
		{"namespaces", datafile.XLSX, sheetOf(fill("", `<x xmlns:a="b">`, ""))},
		{"merged cells", datafile.XLSX, sheetOf(fill(`<row><c><v>1</v></c></row>`, `<mergeCell ref="A1:B2"/>`, ""))},
		{"a long text", datafile.XLSX, sheetOf(fill(`<row><c t="str"><v>`, "x&lt;", `</v></c></row>`))},
		{"strings", datafile.XLSX, workbook(func(n int) map[string]string {
			return map[string]string{
				"xl/worksheets/sheet1.xml": "<sheetData>" + strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, n/64) + "</sheetData>",
				"xl/sharedStrings.xml":     "<sst>" + strings.Repeat("<si><t>x</t></si>", n/32) + "</sst>",
			}
		})},
		{"styles and formats", datafile.XLSX, workbook(func(n int) map[string]string {
			var cells, styles, formats strings.Builder
			for i := range n / 128 {
				fmt.Fprintf(&cells, `<row><c s="%d"><v>1</v></c></row>`, i)
				fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, 1000+i)
				fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="0.0"/>`, 1000+i)
			}
			return map[string]string{
				"xl/worksheets/sheet1.xml": "<sheetData>" + cells.String() + "</sheetData>",
				"xl/styles.xml": `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts>` +
					formats.String() + "</numFmts><cellXfs>" + styles.String() + "</cellXfs></styleSheet>",
			}
		})},
		{"sheets and relationships", datafile.XLSX, workbook(func(n int) map[string]string {
			var sheets, rels strings.Builder
			for i := range n / 160 {
				fmt.Fprintf(&sheets, `<sheet name="s%d" sheetId="%d" r:id="r%d"/>`, i, i, n-i)
				fmt.Fprintf(&rels, `<Relationship Id="r%d" Target="worksheets/none.xml"/>`, i)
			}
			return map[string]string{"xl/workbook.xml": sheets.String(), "xl/_rels/workbook.xml.rels": rels.String()}
		})},
		{"one sheet under many names", datafile.XLSX, workbook(func(n int) map[string]string {
			var sheets, rels strings.Builder
			for i := range n / 400 {
				fmt.Fprintf(&sheets, `<sheet name="s%d" sheetId="%d" r:id="r%d"/>`, i, i, i)
				fmt.Fprintf(&rels, `<Relationship Id="r%d" Target="worksheets/sheet1.xml"/>`, i)
			}
			return map[string]string{
				"xl/workbook.xml": sheets.String(), "xl/_rels/workbook.xml.rels": rels.String(),
				"xl/worksheets/sheet1.xml": strings.Repeat("<row/>", n/12),
			}
		})},
		{"parts", datafile.XLSX, workbook(func(n int) map[string]string {
			parts := map[string]string{}
			for i := range n / 128 {
				parts[fmt.Sprintf("xl/media/image%d.png", i)] = "x"
			}
			return parts
		})},
		{"rows", datafile.Parquet, parquet(t, "SELECT i, i::VARCHAR AS t, DATE '2024-01-01' AS d FROM range(%d * 2) r(i)")},
		{"row groups", datafile.Parquet, parquet(t, "SELECT i FROM range(2048 * (1 + %d // 2048)) r(i)")},
		{"lists", datafile.Parquet, parquet(t, "SELECT range(%d) AS l")},
		{"a long text", datafile.Parquet, parquet(t, "SELECT repeat('x', 32 * %d) AS t")},
		{"columns", datafile.Parquet, func(n int) []byte {
			list := make([]string, n/64)
			for i := range list {
				list[i] = fmt.Sprintf("1 AS c%d", i)
			}
			return parquet(t, "SELECT "+strings.Join(list, ", ")+" WHERE %d > 0")(n)
		}},
	} {
		t.Run(string(tt.format)+"/"+tt.name, func(t *testing.T) {
			most := 1 << 19
			if tt.format == datafile.XLSX {
				most = 1 << 22 // it unzips to more than an upload may have
			}
			growthtest.Check(t, most, 200*time.Microsecond, func(n int) (run func()) { return reading(t, tt.format, tt.data(n)) })
		})
	}
}

// The gate reads SQL in time that grows no faster than n log n. The engine's parser is a part of it, and
// grows faster for some: for as much as wire.MaxSQL lets through, they are within a second.
func TestGateGrowsSlowly(t *testing.T) {
	db, err := openDatabase(t.Context(), 1024, 1, "") // the one thread is the one that asks
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	gate := func(sql string) { _, _ = db.check(sql, 0) }
	chain := func(piece, end string) func(n int) string {
		return func(n int) string {
			b := []byte("WITH RECURSIVE c0 AS (SELECT 1)")
			for i := 1; len(b)+len(piece)+len(end)+8 <= n; i++ {
				b = fmt.Appendf(b, piece, i, i-1)
			}
			return string(b) + end
		}
	}
	repeated := warehousetest.Repeated
	warehousetest.Growth(t, wire.MaxSQL, gate, map[string]func(n int) string{
		"WITH, each over the one before": chain(", c%d AS (FROM c%d)", " SELECT 1"),
		"WITH, each over itself":         chain(", c%[1]d AS (SELECT 1 UNION FROM c%[1]d)", " SELECT 1"),
		"WITH, and an unknown table":     chain(", c%[1]d AS (SELECT 1)", " FROM d0"),
		"tables of WITH":                 repeated("WITH c AS (SELECT 1) SELECT 1 FROM c", " UNION ALL FROM c", ""),
		"calls":                          repeated("SELECT abs(1)", ",abs(1)", ""),
		"queries in queries":             repeated("", "SELECT (", ""),
	})
	for name, shape := range map[string]func(n int) string{
		"OR":                  func(int) string { return repeated("SELECT 1 WHERE ", "a or ", "b")(5 * maxConditions) },
		"AND and OR":          func(int) string { return repeated("SELECT 1 WHERE ", "a and b or ", "b")(5 * maxConditions) },
		"columns, semicolons": func(n int) string { return repeated("SELECT ", "a,", "b")(n-120) + strings.Repeat(";", 120) },
		"signs, allowed":      repeated("SELECT ", "+-+1,abcdefgh,", "1"),
		"signs in a row":      func(int) string { return repeated("SELECT ", strings.Repeat("+-", 16)+"1,", "1")(20_000) },
		"comments, allowed":   repeated("SELECT ", strings.Repeat("/**/", 50)+" ", "1"),
	} {
		t.Run("bounded/"+name, func(t *testing.T) {
			sql := shape(wire.MaxSQL)
			if conditions, signs := crowded(sql); steps(sql) > maxSteps || conditions || signs {
				t.Fatal("it is refused unread")
			}
			growthtest.Within(t, time.Second, func() { gate(sql) })
		})
	}
}

// SQL that would keep the engine busy for longer is refused unread, with a message that names the remedy.
func TestTooManyConditions(t *testing.T) {
	db, err := openDatabase(t.Context(), 1024, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	many := strings.Repeat("1=1 OR 2=2 and ", maxConditions/2)
	if _, err := db.check("SELECT 1 WHERE "+many+"true", 0); err != nil {
		t.Errorf("%d conditions are refused: %v", maxConditions, err)
	}
	for name, sql := range map[string]string{
		"AND": "SELECT 1 WHERE " + many + "true AND true", "signs": "SELECT " + strings.Repeat("+-+-1,", 10_000) + "1",
	} {
		_, err := db.check(sql, 0)
		var refused *warehouse.Error
		if !errors.As(err, &refused) || refused.Class != warehouse.Refused || !strings.Contains(refused.Message, "; ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fill repeats piece between head and tail.
func fill(head, piece, tail string) func(n int) []byte {
	return func(n int) []byte { return []byte(head + strings.Repeat(piece, n/len(piece)) + tail) }
}

// keys is an object of different keys.
func keys(head string, n int, tail string) []byte {
	b := bytes.NewBufferString(head)
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(b, `"k%d":%d,`, i, i)
	}
	b.WriteString(`"last":0` + tail)
	return b.Bytes()
}

// sheetOf is a workbook of one sheet with rows.
func sheetOf(rows func(n int) []byte) func(n int) []byte {
	return workbook(func(n int) map[string]string {
		return map[string]string{"xl/worksheets/sheet1.xml": "<sheetData>" + string(rows(n)) + "</sheetData>"}
	})
}

// workbook packs parts, which replace those of a workbook of one empty sheet.
func workbook(change func(n int) map[string]string) func(n int) []byte {
	return func(n int) []byte {
		const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		parts := map[string]string{
			"_rels/.rels": relationships + `<Relationship Id="r1" Type="` + office + `/officeDocument" ` +
				`Target="xl/workbook.xml"/></Relationships>`,
			"xl/workbook.xml":            `<sheet name="s" sheetId="1" r:id="r1"/>`,
			"xl/_rels/workbook.xml.rels": `<Relationship Id="r1" Target="worksheets/sheet1.xml"/>`,
			"xl/worksheets/sheet1.xml":   "",
		}
		maps.Copy(parts, change(n))
		parts["xl/workbook.xml"] = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
			`xmlns:r="` + office + `"><sheets>` + parts["xl/workbook.xml"] + "</sheets></workbook>"
		parts["xl/_rels/workbook.xml.rels"] = relationships + parts["xl/_rels/workbook.xml.rels"] + "</Relationships>"
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range parts {
			if w, err := z.Create(name); err == nil {
				io.WriteString(w, text)
			}
		}
		z.Close()
		return b.Bytes()
	}
}

// parquet is the result of a query, given a number.
func parquet(t *testing.T, sql string) func(n int) []byte {
	return func(n int) []byte {
		t.Helper()
		path := filepath.Join(t.TempDir(), "made")
		db, err := openDatabase(t.Context(), 1024, 1, "", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.close()
		const options = " (FORMAT parquet, USE_TMP_FILE false, ROW_GROUP_SIZE 2048)"
		if err := db.exec("COPY (" + fmt.Sprintf(sql, n) + ") TO " + literal(path) + options); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// reading is the reading of a file. One that is refused takes time too.
func reading(t *testing.T, format datafile.Format, data []byte) (run func()) {
	t.Helper()
	if format != datafile.Parquet {
		return func() { read(format, data, warehouse.DatesAuto, func(datafile.Sheet) error { return nil }) }
	}
	path := filepath.Join(t.TempDir(), "upload")
	db, err := openDatabase(t.Context(), 1024, 1, "", path) // the one thread is the one that asks
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.close)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() { db.adopt(path) }
}
