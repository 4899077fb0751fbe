package datafile

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"service/store/warehouse"
)

// rewritten changes the parts of a workbook.
func rewritten(t testing.TB, data []byte, change func(name, text string) string) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		o, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(o, change(f.Name, string(text))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withSheet is a workbook whose first sheet is the given XML.
func withSheet(t testing.TB, inside string) []byte {
	t.Helper()
	return rewritten(t, workbook(t, func(f *excelize.File) { rows(t, f, "Sheet1", []any{"shared"}) }), func(name, text string) string {
		if name != "xl/worksheets/sheet1.xml" {
			return text
		}
		return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` + inside + `</worksheet>`
	})
}

// TestWorkbookFound reads workbooks with more than values: formats, formulas,
// merged and hidden cells, titles.
func TestWorkbookFound(t *testing.T) {
	t.Parallel()
	shown := func(f *excelize.File, custom string, cells ...string) {
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &custom})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			if err := f.SetCellStyle("Sheet1", c, c, style); err != nil {
				t.Fatal(err)
			}
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		data   []byte
		want   string
		report []string
	}{
		{"dates since 1900", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"d"}, []any{1}, []any{59}, []any{61}, []any{45293.75}, []any{2958465})
			shown(f, "yyyy-mm-dd hh:mm", "A2", "A3", "A4", "A5", "A6")
		}), "d timestamp 1900-01-01T00:00:00 1900-02-28T00:00:00 1900-03-01T00:00:00 2024-01-02T18:00:00 9999-12-31T00:00:00", nil},
		{"a day that never was", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"d"}, []any{60})
			shown(f, "yyyy-mm-dd", "A2")
		}), "d integer 60", nil},
		{"dates since 1904", workbook(t, func(f *excelize.File) {
			on := true
			must(f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &on}))
			rows(t, f, "Sheet1", []any{"d"}, []any{43831}, []any{60})
			shown(f, "yyyy-mm-dd", "A2", "A3")
		}), "d date 2024-01-02T00:00:00 1904-03-01T00:00:00", nil},
		{"the first day since 1904", workbook(t, func(f *excelize.File) {
			on := true
			must(f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &on}))
			rows(t, f, "Sheet1", []any{"d", "t"}, []any{0, 0}, []any{1, 0.5})
			shown(f, "yyyy-mm-dd", "A2", "A3")
			shown(f, "h:mm", "B2", "B3")
		}), "d date 1904-01-01T00:00:00 1904-01-02T00:00:00; t text 00:00:00 12:00:00", []string{
			`column "t": it is text: its times have no date`,
		}},
		{"times of day", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"t", "fine", "at"}, []any{0.5, 0.25, 45293.5}, []any{1.25, 0.00001, 45294.75}, []any{0.1, nil, nil})
			shown(f, "h:mm:ss", "A2", "A3", "A4")
			shown(f, "mm:ss.000", "B2", "B3")
			shown(f, "h:mm", "C2", "C3")
		}), "t text 12:00:00 30:00:00 02:24:00; fine text 06:00:00.000 00:00:00.864 <nil>; " +
			"at timestamp 2024-01-02T12:00:00 2024-01-03T18:00:00 <nil>", []string{
			`column "t": it is text: its times have no date, and those of a day or more are in hours, as in 30:00:00`,
			`column "fine": it is text: its times have no date`,
		}},
		{"durations", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"d", "e", "n"}, []any{1.5, 2, 3}, []any{0.25, 1, 4})
			shown(f, "[h]:mm", "A2", "A3")
			style, err := f.NewStyle(&excelize.Style{NumFmt: 46})
			must(err)
			must(f.SetCellStyle("Sheet1", "B2", "B3", style))
		}), "d number 1.5 0.25; e integer 2 1; n integer 3 4", []string{
			`column "d": durations are numbers of days; times 1440 they are the minutes that the format hours_minutes shows`,
			`column "e": durations are numbers of days; times 1440 they are the minutes that the format hours_minutes shows`,
		}},
		{"formats with words", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"a", "b"}, []any{5, 5}, []any{1234, 1234})
			shown(f, "Standard", "A2", "A3")
			shown(f, "Padrão", "B2", "B3")
		}), "a integer 5 1234; b integer 5 1234", nil},
		{"zeros of the format", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"phone", "n"}, []any{301234567, 12}, []any{301234568, 0})
			shown(f, `"0"#########`, "A2", "A3")
			shown(f, `0000;-0000;"-"`, "B2", "B3")
		}), "phone text 0301234567 0301234568; n text 0012 -", []string{
			`column "phone": it is text: some values begin with a zero, as codes do`,
			`column "n": it is text: some values begin with a zero, as codes do`,
		}},
		{"leading zeros that only the format has", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"code"}, []any{1067}, []any{10115})
			shown(f, "00000", "A2", "A3")
		}), "code text 01067 10115", []string{`column "code": it is text: some values begin with a zero, as codes do`}},
		{"formats of numbers", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"p", "c"}, []any{0.125, 5.5}, []any{0.5, 7})
			shown(f, "0.00%", "A2", "A3")
			shown(f, `"$"#,##0.00`, "B2", "B3")
		}), "p number 0.125 0.5; c number 5.5 7", nil},
		{"text that is amounts", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"p", "c"}, []any{"12%", "1.234,50 €"}, []any{"7%", "3,00 €"})
		}), "p number 0.12 0.07; c number 1234.5 3", []string{
			`column "p": percentages read as shares of one, as the percent formats want them: 12.5 % is 0.125`,
			`column "c": amounts in € read as numbers, written like 1.234,5`,
		}},
		{
			"cells that failed", withSheet(t, `<sheetData>
			<row r="1"><c r="A1" t="str"><v>n</v></c><c r="B1" t="str"><v>s</v></c></row>
			<row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="str"><f>"x"</f><v>x</v></c></row>
			<row r="3"><c r="A3" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B3" t="e"><v>#N/A</v></c></row>
			<row r="4"><c r="A4"><f>1+3</f></c><c r="B4" t="str"><f>""</f><v></v></c></row></sheetData>`),
			"n integer 2 <nil> <nil>; s text x <nil> <nil>",
			[]string{
				`column "n": 2 formulas failed or were never calculated, so there is no value`,
				`column "s": 1 formula failed or was never calculated, so there is no value`,
				"n: 2 without value, from row 2",
				"s: 1 without value, from row 2",
			},
		},
		{
			"text in pieces", withSheet(t, `<sheetData><row><c t="inlineStr"><is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is></c></row>
			<row><c t="inlineStr"><is><r><t>one</t></r><r><rPr><b/></rPr><t xml:space="preserve"> two</t></r></is></c></row></sheetData>`),
			"東京 text one two", nil,
		},
		{"merged cells", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"g", "n"}, []any{"x", 1}, []any{nil, 2}, []any{"y", 3})
			must(f.MergeCell("Sheet1", "A2", "A3"))
		}), "g text x <nil> y; n integer 1 2 3", []string{`of cells that are merged, only the first has the value: "A2:A3"`}},
		{"around the table", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{nil, "Report 2024"}, []any{nil}, []any{"day", "n"}, []any{"2024-01-01", 1}, []any{"2024-01-02", 2},
				[]any{"Total", 3}, []any{nil}, []any{"Source: us"})
		}), "day date 2024-01-01T00:00:00 2024-01-02T00:00:00; n integer 1 2", []string{
			"2 blank rows were skipped: rows 2 and 7",
			"left out above the table: row 1",
			"left out below the table: row 8",
			"row 6 is the total of the rows above it and was left out",
		}},
		{"what is hidden", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"a", "b"}, []any{1, 2}, []any{3, 4})
			must(f.SetRowVisible("Sheet1", 3, false))
			must(f.SetColVisible("Sheet1", "B", false))
			_, err := f.NewSheet("Secret")
			must(err)
			must(f.SetSheetVisible("Secret", false))
			rows(t, f, "Secret", []any{"x"}, []any{1})
		}), "a integer 1 3; b integer 2 4", []string{
			"1 row is hidden in the sheet and read like the others: row 3",
			"columns that are hidden in the sheet were read like the others",
			`sheets that are hidden were not read: "Secret"`,
		}},
		{"true and false in words", withSheet(t, `<sheetData><row><c t="inlineStr"><is><t>ok</t></is></c></row>`+
			`<row><c t="b"><v>true</v></c></row><row><c t="b"><v>0</v></c></row><row><c t="b"><v> 1 </v></c></row>`+
			`<row><c t="b"><v>false</v></c></row></sheetData>`), "ok boolean true false true false", nil},
		{"no names", workbook(t, func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{1.5, true}, []any{2.5, false})
		}), "column1 number 1.5 2.5; column2 boolean true false", []string{
			"the first line holds values, not names; the columns are called column1, column2 and so on",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readFirst(XLSX, tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if s := show(got); s != tt.want {
				t.Errorf("\n got %s\nwant %s", s, tt.want)
			}
			if diff := cmp.Diff(tt.report, said(got)); diff != "" {
				t.Errorf("report: -want +got\n%s", diff)
			}
		})
	}
}

// TestWorkbookBombs reads small workbooks that expand to much data. Each is refused.
func TestWorkbookBombs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct {
		name    string
		data    []byte
		class   warehouse.Class
		message string
	}{
		{"one text, many times", rewritten(t, withSheet(t, "<sheetData><row><c t=\"str\"><v>h</v></c></row>"+
			strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 1000)+"</sheetData>"), func(name, text string) string {
			if name == "xl/sharedStrings.xml" {
				return "<sst><si><t>" + long + "</t></si></sst>"
			}
			return text
		}), warehouse.TooLarge, "the values have more than 64 MiB of text"},
		{
			"a sheet that swells", withSheet(t, strings.Repeat("<!-- -->"+long, 70)), warehouse.TooLarge,
			"the workbook unpacks to more than 64 MiB",
		},
		{
			"a far column", withSheet(t, `<sheetData><row><c r="XFD1"><v>1</v></c></row></sheetData>`), warehouse.TooLarge,
			"the sheet is wider than 500 columns",
		},
		{
			"no such column", withSheet(t, `<sheetData><row><c r="ZZZZ1"><v>1</v></c></row></sheetData>`), warehouse.Syntax,
			"the workbook is damaged",
		},
		{
			"a far row", withSheet(t, `<sheetData><row r="99999999"><c><v>1</v></c></row></sheetData>`), warehouse.Syntax,
			"the workbook is damaged",
		},
		{"rows out of order", withSheet(t, `<sheetData><row r="2"/><row r="1"/></sheetData>`), warehouse.Syntax, "the workbook is damaged"},
		{
			"cells out of order", withSheet(t, `<sheetData><row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row></sheetData>`), warehouse.Syntax,
			"the workbook is damaged",
		},
		{"XML that ends", withSheet(t, `<sheetData><row><c><v>1</v></c>`), warehouse.Syntax, "the workbook is damaged"},
		{
			"entities", withSheet(t, `<!DOCTYPE a [<!ENTITY b "cc">]><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData>`), warehouse.Syntax,
			"the workbook is damaged",
		},
		{
			"a text that does not exist", withSheet(t, `<sheetData><row><c t="s"><v>9</v></c></row></sheetData>`), warehouse.Syntax,
			"the workbook is damaged",
		},
		{"no values", withSheet(t, `<sheetData><row><c/></row></sheetData>`), warehouse.Refused, "the workbook has no values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := readFirst(XLSX, tt.data)
			got, ok := errors.AsType[*warehouse.Error](err)
			if !ok || got.Class != tt.class || !strings.HasPrefix(got.Message, tt.message) {
				t.Errorf("got %v, want %s (%s)", err, tt.message, tt.class)
			}
		})
	}
}
