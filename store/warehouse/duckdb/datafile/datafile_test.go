package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// TestColumns infers the type of one column at a time, from fields of a CSV file.
func TestColumns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values string // separated by |
		kind   cube.Type
		want   []any
	}{
		{"1|2|-3", cube.Integer, []any{int64(1), int64(2), int64(-3)}},
		{"1| 2 |", cube.Integer, []any{int64(1), int64(2), nil}},
		{"0|10", cube.Integer, []any{int64(0), int64(10)}},
		{"1|2.5", cube.Number, []any{1.0, 2.5}},
		{".097|0.1|-.5|1.", cube.Number, []any{.097, .1, -.5, 1.0}},
		{"1.0e3|2E-2", cube.Number, []any{1000.0, 0.02}},
		{"1,234|5", cube.Integer, []any{int64(1234), int64(5)}},
		{"1,234,567.5|-1,000", cube.Number, []any{1234567.5, -1000.0}},
		{"1,23|4", cube.Text, []any{"1,23", "4"}},
		{"1234,567|1", cube.Text, []any{"1234,567", "1"}},
		{"007|123", cube.Text, []any{"007", "123"}},
		{"-01|1", cube.Text, []any{"-01", "1"}},
		{"00.5|1", cube.Text, []any{"00.5", "1"}},
		{"+491234|+491235", cube.Text, []any{"+491234", "+491235"}},
		{"9223372036854775807|1", cube.Integer, []any{int64(9223372036854775807), int64(1)}},
		{"9223372036854775808|1", cube.Text, []any{"9223372036854775808", "1"}},
		{"12345678901234567890123|1.5", cube.Text, []any{"12345678901234567890123", "1.5"}},
		{"1e999|1.5", cube.Text, []any{"1e999", "1.5"}},
		{"0x10|1", cube.Text, []any{"0x10", "1"}},
		{"1_000|1", cube.Text, []any{"1_000", "1"}},
		{"Infinity|1.5", cube.Text, []any{"Infinity", "1.5"}},
		{"1|NA|n/a|-", cube.Integer, []any{int64(1), nil, nil, nil}},
		{"1|NaN|.", cube.Integer, []any{int64(1), nil, nil}},
		{"NA|n/a", cube.Text, []any{"NA", "n/a"}},
		{"None|Minor", cube.Text, []any{"None", "Minor"}},
		{"1|two", cube.Text, []any{"1", "two"}},
		{"$5|$6", cube.Integer, []any{int64(5), int64(6)}},
		{"5%|6%", cube.Number, []any{0.05, 0.06}},
		{" a |b", cube.Text, []any{" a ", "b"}},
		{"|", cube.Text, []any{nil, nil}},
		{"true|FALSE|", cube.Boolean, []any{true, false, nil}},
		{"yes|no", cube.Boolean, []any{true, false}},
		{"true|1", cube.Text, []any{"true", "1"}},

		{"2024-01-31|2024-2-1", cube.Date, []any{day(2024, 1, 31), day(2024, 2, 1)}},
		{"2012/01/01|2012/1/2", cube.Date, []any{day(2012, 1, 1), day(2012, 1, 2)}},
		{"2012.01.01", cube.Date, []any{day(2012, 1, 1)}},
		{"Jan 1 2000|Feb 29 2000", cube.Date, []any{day(2000, 1, 1), day(2000, 2, 29)}},
		{"January 1, 2000|Sept 3rd, 2000|March 22nd 2001", cube.Date, []any{day(2000, 1, 1), day(2000, 9, 3), day(2001, 3, 22)}},
		{"12-Jun-98|1-Jan-05|31-Dec-68", cube.Date, []any{day(1998, 6, 12), day(2005, 1, 1), day(2068, 12, 31)}},
		{"1 January 2000|2 feb 2001", cube.Date, []any{day(2000, 1, 1), day(2001, 2, 2)}},
		{"Sat, 1 Jan 2000|Saturday January 8 2000", cube.Date, []any{day(2000, 1, 1), day(2000, 1, 8)}},
		{"2000 Jan 5", cube.Date, []any{day(2000, 1, 5)}},
		{"Jan 2000|Feb 2000", cube.Date, []any{day(2000, 1, 1), day(2000, 2, 1)}},
		{"2000-01|2000-12", cube.Date, []any{day(2000, 1, 1), day(2000, 12, 1)}},
		{"Jun 12 1998|1998-08-07|7-Oct-46", cube.Date, []any{day(1998, 6, 12), day(1998, 8, 7), day(2046, 10, 7)}},
		{"12/31/2006|1/2/2006", cube.Date, []any{day(2006, 12, 31), day(2006, 1, 2)}},
		{"31/12/2006|1/2/2006", cube.Date, []any{day(2006, 12, 31), day(2006, 2, 1)}},
		{"1/2/2006|3/4/2006", cube.Date, []any{day(2006, 1, 2), day(2006, 3, 4)}},
		{"31/12/2006|12/31/2006", cube.Text, []any{"31/12/2006", "12/31/2006"}},
		{"1/8/90|12/31/15", cube.Date, []any{day(1990, 1, 8), day(2015, 12, 31)}},
		{"31.12.2006|1.2.2006", cube.Date, []any{day(2006, 12, 31), day(2006, 2, 1)}},
		{"01.02.06", cube.Date, []any{day(2006, 2, 1)}},
		{"2024-01-31|NA", cube.Date, []any{day(2024, 1, 31), nil}},
		{"2024-02-30|2024-01-01", cube.Text, []any{"2024-02-30", "2024-01-01"}},
		{"2024-01-01|soon", cube.Text, []any{"2024-01-01", "soon"}},
		{"1.2.10|1.2.11", cube.Text, []any{"1.2.10", "1.2.11"}},
		{"10.0.0.1|10.0.0.2", cube.Text, []any{"10.0.0.1", "10.0.0.2"}},
		{"10-11-12|10-11-13", cube.Text, []any{"10-11-12", "10-11-13"}},
		{"2012-01/02", cube.Text, []any{"2012-01/02"}},
		{"May|June", cube.Text, []any{"May", "June"}},
		{"May 5|May 6", cube.Text, []any{"May 5", "May 6"}},
		{"1999|2000", cube.Integer, []any{int64(1999), int64(2000)}},
		{"10:30|11:00", cube.Text, []any{"10:30", "11:00"}},

		{
			"2024-01-31 10:20:30|2024-01-31", cube.Timestamp,
			[]any{day(2024, 1, 31).Add(10*time.Hour + 20*time.Minute + 30*time.Second), day(2024, 1, 31)},
		},
		{"2024-01-31T10:20:30.5Z", cube.Instant, []any{day(2024, 1, 31).Add(10*time.Hour + 20*time.Minute + 30500*time.Millisecond)}},
		{"2024-01-01T01:00:00+02:00", cube.Instant, []any{day(2023, 12, 31).Add(23 * time.Hour)}},
		{"2024-01-31 10:20 UTC", cube.Instant, []any{day(2024, 1, 31).Add(10*time.Hour + 20*time.Minute)}},
		{"1/8/2024 3:05 PM|1/8/2024 12:00 am", cube.Timestamp, []any{day(2024, 1, 8).Add(15*time.Hour + 5*time.Minute), day(2024, 1, 8)}},
		{"1/8/90 0:00|1/9/90 0:00", cube.Date, []any{day(1990, 1, 8), day(1990, 1, 9)}},
		{"2024-01-31 25:00", cube.Text, []any{"2024-01-31 25:00"}},
		{"2024-01-31 10:20 later", cube.Text, []any{"2024-01-31 10:20 later"}},
	} {
		var b strings.Builder
		b.WriteString("v,other\n")
		for v := range strings.SplitSeq(tt.values, "|") {
			fmt.Fprintf(&b, "\"%s\",x\n", v)
		}
		got, err := readFirst(CSV, []byte(b.String()))
		if err != nil {
			t.Errorf("%s: %v", tt.values, err)
			continue
		}
		if got.Columns[0].Type != tt.kind || !cmp.Equal(tt.want, got.Values[0]) {
			t.Errorf("%s\n got %s %v\nwant %s %v", tt.values, got.Columns[0].Type, got.Values[0], tt.kind, tt.want)
		}
	}
}

// TestReport shows that decisions that are not obvious are in the report.
func TestReport(t *testing.T) {
	t.Parallel()
	ten := strings.Repeat("1\n", 10)
	for _, tt := range []struct {
		csv  string
		want warehouse.Report
	}{
		{"n\n" + ten, warehouse.Report{}},
		{"n\n" + ten + "NA\nNA\n", warehouse.Report{
			Notes: []string{`column "n": read as no value: "NA"`},
			Cells: []warehouse.BadCells{{Column: "n", Count: 2, FirstRow: 11}},
		}},
		{"n\n" + ten + "x\n", warehouse.Report{Notes: []string{
			`column "n": it is text: 10 of 11 values are whole numbers, the first that is not is in row 11`,
		}}},
		{"n,m\n,1\n", warehouse.Report{Notes: []string{`column "n": it has no values`}}},
		{"n\n1/2/2006\n", warehouse.Report{Notes: []string{
			`column "n": dates read with the month first, as in 12/31/2006`,
			`column "n": both orders of day and month fit; this one was assumed`,
		}, Dates: []warehouse.DateColumn{{Column: "n", Order: warehouse.MonthFirst}}}},
		{"n\n31/2/2006\n13/2/2006\n", warehouse.Report{}},
		{"n\n13/2/2006\n", warehouse.Report{Notes: []string{`column "n": dates read with the day first, as in 31/12/2006`}}},
		{"n\n\"1,234\"\n", warehouse.Report{Notes: []string{`column "n": numbers written like 1,234`}}},
		{"a,A\n1,2\n", warehouse.Report{Notes: []string{`column 2: the name "A" is used twice; this one is now "A_2"`}}},
		{"n\ncaf\xe9\n", warehouse.Report{Notes: []string{"the text is not UTF-8; it was read as Windows-1252"}}},
	} {
		got, err := readFirst(CSV, []byte(tt.csv))
		if err != nil {
			t.Errorf("%q: %v", tt.csv, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got.Report); diff != "" {
			t.Errorf("%q: -want +got\n%s", tt.csv, diff)
		}
	}
}

// show writes a table in one line.
func show(t *Table) string {
	var b strings.Builder
	for i, c := range t.Columns {
		fmt.Fprintf(&b, "%s %s", c.Name, c.Type)
		for _, v := range t.Values[i] {
			if d, ok := v.(time.Time); ok {
				v = d.Format("2006-01-02T15:04:05")
			}
			fmt.Fprintf(&b, " %v", v)
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// TestFiles reads whole files of the text formats.
func TestFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format     Format
		data, want string
	}{
		{CSV, "a,b\n1,x\n2,\"y,\"\"z\"\"\"\n", `a integer 1 2; b text x y,"z"`},
		{CSV, "a,b\r\n1,\"two\r\nlines\"\r\n", "a integer 1; b text two\nlines"},
		{CSV, "a,b", "a text; b text"},
		{CSV, "\xef\xbb\xbfa,b\n1,2", "a integer 1; b integer 2"},
		{CSV, "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00", "a integer 1; b text é"},
		{CSV, "\xfe\xff\x00a\x00\n\x001", "a integer 1"},
		{CSV, "a\ncaf\xe9 \x80\n", "a text café €"},
		{CSV, "a;b\n1,5;1.234,5\n2;3\n", "a number 1.5 2; b number 1234.5 3"},
		{CSV, "a;b\n1.5;x\n", "a number 1.5; b text x"},
		{CSV, "a\tb\n1\tx,y\n", "a integer 1; b text x,y"},
		{CSV, "a|b\n1|x\n", "a integer 1; b text x"},
		{CSV, "\"a,b,c\";d\n1;2\n", "a,b,c integer 1; d integer 2"},
		{CSV, "a,b,\n1,2,\n3,4,\n", "a integer 1 3; b integer 2 4"},
		{CSV, "a,b,\n1,2,3\n", "a integer 1; b integer 2; column3 integer 3"},
		{CSV, "a,b\n1,2,,\n", "a integer 1; b integer 2"},
		{CSV, " a  b ,,a  b,column2\n1,2,3,4\n", "a b integer 1; column2_2 integer 2; a b_2 integer 3; column2 integer 4"},
		{CSV, "x,x,x_2\n1,2,3\n", "x integer 1; x_3 integer 2; x_2 integer 3"},
		{CSV, "<TICKER>,<DATE>\nA,2024-01-01\n", "<TICKER> text A; <DATE> date 2024-01-01T00:00:00"},
		{TSV, "a\tb\n1\t\"x\ty\"\n", "a integer 1; b text x\ty"},
		{TSV, "a,b\tc\n1,5\t2\n", "a,b number 1.5; c integer 2"},
		{JSON, `[{"a":1,"b":"x"},{"b":null,"c":true},{"a":2.5}]`, "a number 1 <nil> 2.5; b text x <nil> <nil>; c boolean <nil> true <nil>"},
		{JSON, `[{"a":"007","b":"5"},{"a":"8","b":"6"}]`, "a text 007 8; b text 5 6"},
		{JSON, `[{"a":1},{"a":"x"},{"a":true}]`, "a text 1 x true"},
		{JSON, `[{"a":{"b": [1, 2]}},{"a":[ ]}]`, `a text {"b":[1,2]} []`},
		{JSON, `[{"a":"2024-01-01"},{"a":"Jan 2 2024"}]`, "a date 2024-01-01T00:00:00 2024-01-02T00:00:00"},
		{JSON, `[{"a":"NA"},{"a":"2024-01-01"}]`, "a date <nil> 2024-01-01T00:00:00"},
		{JSON, `[{"a":12345678901234567890},{"a":1}]`, "a text 12345678901234567890 1"},
		{JSON, `[{"a":"\u0000\ud800"}]`, "a text \x00\ufffd"},
		{JSON, `{"a":1}`, "a integer 1"},
		{JSON, "{\"a\":1}\n{\"a\":2}\n", "a integer 1 2"},
		{JSON, "[]", ""},
		{NDJSON, "{\"a\":1}\n\n{\"b\":2}\n", "a integer 1 <nil>; b integer <nil> 2"},
	} {
		got, err := readFirst(tt.format, []byte(tt.data))
		if err != nil {
			if tt.want != "" {
				t.Errorf("%q: %v", tt.data, err)
			}
			continue
		}
		if s := show(got); s != tt.want {
			t.Errorf("%q\n got %s\nwant %s", tt.data, s, tt.want)
		}
	}
}

// TestRefusals shows that an error names the fault and its place.
func TestRefusals(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("x,", MaxColumns) + "x"
	for _, tt := range []struct {
		name, data string
		class      warehouse.Class
		message    string
	}{
		{"a.csv", "a,b\n1\n2\n", warehouse.Syntax, "row 1 (line 2) has 1 value, but the table has 2 columns; no row has as many"},
		{"a.csv", "a,b\n1,2\n3", warehouse.Syntax, "row 2 (line 3) has 1 value, but the table has 2 columns; the file may be cut off"},
		{
			"a.csv", "a,b,c\n1,2,3\n\n4,two\nlines,5\n", warehouse.Syntax,
			"row 2 (line 4) has 2 values, but the table has 3 columns; with the next line it would have as many",
		},
		{
			"a.csv", "a,b\n1,2,3\n", warehouse.Syntax,
			"row 1 (line 2) has 3 values, but the table has 2 columns; values that contain a separator must stand in quotation marks",
		},
		{
			"a.csv", "a,b\n\"x\ny\",2\n3,é\"y\n4,\"z\"z\n", warehouse.Syntax,
			"line 5 cannot be read: the quotation mark at character 5 is not closed, or is followed by something",
		},
		{"a.csv", "a,b\n1,\"open\n2,3\n", warehouse.Syntax, "line 2 cannot be read: the quotation mark at character 3 is not closed"},
		{"a.csv", "\"a", warehouse.Syntax, "line 1 cannot be read: the quotation mark at character 1 is not closed"},
		{"a.csv", "\xff\xfea\x00,", warehouse.Refused, "the file ends within a character; it may be cut off"},
		{"a.csv", "a\nb\nc\x00\n", warehouse.Refused, "this is not a text file: there is a byte of zero in line 3"},
		{"a.csv", wide, warehouse.TooLarge, "the file has 501 columns; at most 500 are possible"},
		{"a.csv", strings.Repeat("n", 201) + "\n1\n", warehouse.TooLarge, "the name of column 1 is longer than 200 bytes"},
		{"a.csv", " \n ", warehouse.Refused, "the file is empty"},
		{"a.csv", "PK\x03\x04", warehouse.Refused, "the file name ends in .csv, but the file is .xlsx; rename it"},
		{"a.json", "PAR1....PAR1", warehouse.Refused, "the file name ends in .json, but the file is .parquet; rename it"},
		{"a.xlsx", "a,b\n1,2\n", warehouse.Refused, "the file name ends in .xlsx, but its contents are something else; rename it"},
		{"a.parquet", "a,b\n1,2\n", warehouse.Refused, "the file name ends in .parquet, but its contents are something else; rename it"},
		{
			"a.xlsx", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", warehouse.Refused,
			"this is an old or encrypted Excel file; save it as .xlsx without a password, or as .csv",
		},
		{"a.xlsx", "PK\x03\x04 and nothing more", warehouse.Syntax, "the workbook is damaged; save it again, or as .csv"},
		{"a.html", "<p>", warehouse.Refused, "the file's name must end in .csv, .tsv, .json, .ndjson, .parquet or .xlsx"},
		{"a", "a\n1\n", warehouse.Refused, "the file's name must end in .csv, .tsv, .json, .ndjson, .parquet or .xlsx"},
		{"a.json", `[{"a":1},2]`, warehouse.Syntax, "row 2 is not an object; the file must be an array of objects, or one object a line"},
		{"a.json", `[1,2]`, warehouse.Syntax, "row 1 is not an object; the file must be an array of objects, or one object a line"},
		{"a.json", `[{"a":1},{"a":}]`, warehouse.Syntax, "row 2 is not valid JSON, at or after line 1, character 15 of the file"},
		{
			"a.ndjson", "{\"a\":1}\n\n{\"a\":é}\n{\"a\":3}\n", warehouse.Syntax,
			"row 2 is not valid JSON, at or after line 3, character 6 of the file",
		},
		{
			"a.ndjson", "{\"a\":1}\n{\"a\":2\n{\"a\":3}\n", warehouse.Syntax,
			"row 2 is not valid JSON, at or after line 3, character 1 of the file",
		},
		{"a.json", "{\"data\":[{\"a\":1},\n{\"a\":1,\"a\":2}]}", warehouse.Syntax, "row 2 has the key of column 1 twice"},
		{"a.json", "{\"data\":[{\"a\":1},\n2]}", warehouse.Syntax, "row 2 is not an object"},
		{"a.json", `[["a","b"],[1,2],[1,2,3]]`, warehouse.Syntax, "row 2 (row 3) has 3 values, but the table has 2 columns"},
		{"a.json", `[["a"],{"a":1}]`, warehouse.Syntax, "row 2 is not an object"},
		{"a.json", `[{"a":1}`, warehouse.Syntax, "row 2 is not valid JSON"},
		{"a.json", `[{"a":1,"a":2}]`, warehouse.Syntax, "row 1 has the key of column 1 twice"},
		{"a.json", `[{"a":1}] x`, warehouse.Syntax, "there is something after row 1 that is not an object"},
		{"a.json", `[]`, warehouse.Refused, "the file has no columns"},
		{"a.ndjson", "[{\"a\":1}]", warehouse.Syntax, "row 1 is not an object; the file must be an array of objects, or one object a line"},
		{"a.json", "[{\"a\":" + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}]", warehouse.Syntax, "row 1 is not valid JSON"},
	} {
		format, err := Sniff(tt.name, []byte(tt.data))
		if err == nil {
			_, err = readFirst(format, []byte(tt.data))
		}
		got, ok := errors.AsType[*warehouse.Error](err)
		if !ok || got.Class != tt.class || !strings.HasPrefix(got.Message, tt.message) {
			t.Errorf("%s %.60q\n got %v\nwant %s (%s)", tt.name, tt.data, err, tt.message, tt.class)
		}
	}
}

// TestMarkup refuses documents and programs that are called data.
func TestMarkup(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"<!DOCTYPE html><html></html>", "<!-- x -->", "<html>", " \n<HTML lang=en>", "\xef\xbb\xbf<html>",
		"<?xml version='1.0'?><a/>", "<?php echo 1;", "<svg xmlns='x'></svg>", "<script>alert(1)</script>",
		"<table><tr><td>1,2</td></tr></table>", "<a href=x>,", "<img/>", "<br>", "#!/bin/sh\nrm,x", "%PDF-1.7,", "{\\rtf1,",
		"\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "\xfe\xff\x00<\x00h\x00t\x00m\x00l\x00>",
		"a,b\n1,<script>alert(1)</script>\n",
	} {
		for _, name := range []string{"a.csv", "a.tsv", "a.json", "a.ndjson"} {
			if _, err := Sniff(name, []byte(s)); err == nil {
				t.Errorf("%s %q passes", name, s)
			}
		}
	}
	for _, s := range []string{"a,b\n<5,>6\n", "<TICKER>,<DATE>\n", "a\nx < y\n", "# comment,b\n1,2\n"} {
		if _, err := Sniff("a.csv", []byte(s)); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for name, want := range map[string]Format{"A.CSV": CSV, "x.y.jsonl": NDJSON, "a.ndjson": NDJSON} {
		if got, err := Sniff(name, []byte("{}")); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// workbook builds an XLSX file.
func workbook(t testing.TB, fill func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	fill(f)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func rows(t testing.TB, f *excelize.File, sheet string, rows ...[]any) {
	t.Helper()
	for i, row := range rows {
		if err := f.SetSheetRow(sheet, fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWorkbook(t *testing.T) {
	t.Parallel()
	noon := day(2024, 1, 2).Add(12 * time.Hour)
	format := func(f *excelize.File, cell, custom string) {
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &custom})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.SetCellStyle("Sheet1", cell, cell, style); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		fill  func(f *excelize.File)
		want  string
		notes []string
	}{
		{"types", func(f *excelize.File) {
			rows(t, f, "Sheet1",
				[]any{"text", "whole", "number", "flag", "day", "at", "id", "mixed"},
				[]any{"a & b", 1, 39.81, true, day(2024, 1, 2), noon, "007", "x"},
				[]any{"<c>", 2, 0.1, false, day(2024, 1, 3), noon, "008", 5},
				[]any{nil, nil, nil, nil, nil, nil, nil, nil},
				[]any{"d", 3})
			for _, cell := range []string{"E2", "E3"} {
				format(f, cell, "yyyy\\-mm\\-dd")
			}
		}, "text text a & b <c> d; whole integer 1 2 3; number number 39.81 0.1 <nil>; flag boolean true false <nil>; " +
			"day date 2024-01-02T00:00:00 2024-01-03T00:00:00 <nil>; at timestamp 2024-01-02T12:00:00 2024-01-02T12:00:00 <nil>; " +
			"id text 007 008 <nil>; mixed text x 5 <nil>", nil},
		{"formats", func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"a", "b", "c", "d", "e"}, []any{45293, 45293, 45293, 0.5, 1.5})
			format(f, "A2", `[$-409]d\ mmm\ yy;@`)
			format(f, "B2", `#,##0.00 "days"`)
			format(f, "C2", `[Red]0.0\d`)
			format(f, "D2", `h:mm`)
			format(f, "E2", `[h]:mm`)
		}, "a date 2024-01-02T00:00:00; b integer 45293; c integer 45293; d text 12:00:00; e number 1.5", nil},
		{"sheets", func(f *excelize.File) {
			for _, name := range []string{"Hidden", "Data", "More"} {
				if _, err := f.NewSheet(name); err != nil {
					t.Fatal(err)
				}
			}
			rows(t, f, "Hidden", []any{"secret"}, []any{1})
			if err := f.SetSheetVisible("Hidden", false); err != nil {
				t.Fatal(err)
			}
			rows(t, f, "Data", []any{nil}, []any{nil, "n", "n"}, []any{1, 2, 3}, []any{nil, nil, nil, 4})
		}, "column1 integer 1 <nil>; n integer 2 <nil>; n_2 integer 3 <nil>; column4 integer <nil> 4", []string{
			`these are the rows of the sheet "Data"; the key sheet names another one: "Sheet1", "More"`,
		}},
		{"rich text and formulas", func(f *excelize.File) {
			rows(t, f, "Sheet1", []any{"t", "f"}, []any{nil, 3})
			runs := []excelize.RichTextRun{{Text: "one"}, {Text: " two", Font: &excelize.Font{Bold: true}}}
			if err := f.SetCellRichText("Sheet1", "A2", runs); err != nil {
				t.Fatal(err)
			}
			if err := f.SetCellFormula("Sheet1", "B2", "1+2"); err != nil {
				t.Fatal(err)
			}
		}, "t text one two; f integer 3", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readFirst(XLSX, workbook(t, tt.fill))
			if err != nil {
				t.Fatal(err)
			}
			if s := show(got); s != tt.want {
				t.Errorf("\n got %s\nwant %s", s, tt.want)
			}
			for _, note := range tt.notes {
				if !strings.Contains(strings.Join(got.Report.Notes, "\n"), note) {
					t.Errorf("notes %q lack %q", got.Report.Notes, note)
				}
			}
		})
	}
	if _, err := readFirst(XLSX, workbook(t, func(*excelize.File) {})); err == nil {
		t.Error("an empty workbook passes")
	}
}
