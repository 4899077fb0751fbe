package datafile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestCodesOfFormats: a number whose format has literal signs between its digits, or fills up with zeros, is the text that a person sees; a
// number of any other format stays a number, and colours and
// names of the general format are not read as dates.
func TestCodesOfFormats(t *testing.T) {
	t.Parallel()
	const phone = `[<=9999999]###\-####;\(###\)\ ###\-####`
	for _, tt := range []struct {
		format string
		value  float64
		want   string // "" for a number, "date", "clock" or "duration"
	}{
		{`00000\-0000`, 156927603, "15692-7603"},
		{`00000\-0000`, 15692, "00001-5692"},
		{`00000-0000`, 156927603, "15692-7603"},
		{`00000"-"0000`, 156927603, "15692-7603"},
		{`000\-00\-0000`, 12345678, "012-34-5678"},
		{`[$-409]000\-00\-0000`, 12345678, "012-34-5678"},
		{phone, 5551234, "555-1234"},
		{phone, 2025551234, "(202) 555-1234"},
		{`[>9999999]\(000\)\ 000\-0000;000\-0000`, 5551234, "555-1234"},
		{`0#" "##" "##" "##" "##`, 612345678, "06 12 34 56 78"},
		{`000" "000`, 12345, "012 345"},
		{`"INV-"00000`, 42, "INV-00042"},
		{`00\.00\.00`, 10203, "01.02.03"},
		{`00000`, 1067, "01067"},
		{`00000`, 10115, ""},
		{`00000;\-00000;00000`, -67, "-00067"},
		{`[Red]00000\-0000;[Blue]00000\-0000`, -156927603, "15692-7603"},
		{`0`, 5, ""},
		{`0.00`, 5.25, ""},
		{`#,##0`, 1234567, ""},
		{`#\ ##0`, 1234567, ""},
		{`#"'"##0`, 1234567, ""},
		{"#\u00a0##0", 1234567, ""},
		{`# ?/?`, 0.5, ""},
		{`0%`, 0.5, ""},
		{`0.00E+00`, 12345, ""},
		{`0" km"`, 5, ""},
		{`"$"#,##0.00;[Red]\-"$"#,##0.00`, -5, ""},
		{`[Red]0;[Magenta]0`, 7, ""},
		{`[Red]General`, 7, ""},
		{`[Color10]0`, 7, ""},
		{`[h]:mm`, 45293.5, "duration"},
		{`[mm]:ss`, 45293.5, "duration"},
		{`[ss].00`, 0.5, "duration"},
		{`"days "0`, 3, ""},
		{`[Magenta]yyyy\-mm\-dd`, 45293, "date"},
		{`[Green]d/m/yyyy`, 45293, "date"},
		{`[$-F800]dddd, mmmm dd, yyyy`, 45293, "date"},
		{`yyyy\-mm\-dd;@`, 45293, "date"},
		{`d.m.yyyy`, 45293, "date"},
		{`mmm`, 45293, "date"},
		{`mm`, 45293, "date"},
		{`yyyy年m月d日`, 45293, "date"},
		{`[$-411]ggge"年"m"月"d"日";@`, 45293, "date"},
		{`aaaa`, 45293, "date"},
		{`yyyy-mm-ddThh:mm:ssZ`, 45293, "date"},
		{`d/m/yyyy h:mm AM/PM`, 45293.5, "date"},
		{`h:mm AM/PM`, 0.5, "clock"},
		{`[$-F400]h:mm:ss`, 0.5, "clock"},
		{`mm:ss.0`, 0.5, "clock"},
		// Names of the general format in other languages, and units.
		{`Standard`, 5, ""},
		{`Normal`, 5, ""},
		{`Padrão`, 5, ""},
		{`Estándar`, 5, ""},
		{`Général`, 5, ""},
		{`Ogólny`, 5, ""},
		{`Všeobecný`, 5, ""},
		{`Основной`, 5, ""},
		{`標準`, 5, ""},
		{`GENERAL`, 5, ""},
		{`[Red]Standard;[Blue]-Standard`, -5, ""},
		{`0 Stunden`, 5, ""},
		{`#,##0 USD`, 5, ""},
		// Digits of the format itself.
		{`"0"#########`, 301234567, "0301234567"},
		{`"0"#`, 5, "05"},
		{`"0"0`, 5, "05"},
		{`\0\00`, 5, "005"},
		{`#"0"`, 5, "50"},
		{`"+49"#`, 301234567, "+49301234567"},
		{`0" m2"`, 5, ""},
		{`"2024: "0`, 5, ""},
		// The section for zero.
		{`0000;-0000;"-"`, 0, "-"},
		{`0000;-0000;"-"`, 12, "0012"},
		{`[>0]000;[<0]"n"000;"zero"`, 0, "zero"},
		{`[>0]000;[<0]"n"000;"zero"`, -7, "-n007"},
		{`0000;"below";"zero"`, -7, "below"},
		{`0000;;`, 0, ""},
		{`0;-0;"-"`, 0, ""},
		{`#,##0;-#,##0;"zero"`, 0, ""},
	} {
		section, amount := lookOf(tt.format).of(tt.value)
		got, _ := section.show(amount)
		switch {
		case section.elapsed:
			got = "duration"
		case section.clock:
			got = "clock"
		case section.date:
			got = "date"
		}
		if got != tt.want {
			t.Errorf("%g as %s is %q, want %q", tt.value, tt.format, got, tt.want)
		}
	}
}

// TestCodesOfWorkbook: codes stay text together with other cells of their column.
func TestCodesOfWorkbook(t *testing.T) {
	t.Parallel()
	data := workbook(t, func(f *excelize.File) {
		rows(t, f, "Sheet1", []any{"zip", "n"}, []any{156927603, 1}, []any{15692, 2}, []any{"10115-0001", 3})
		custom := `00000\-0000`
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &custom})
		if err == nil {
			err = f.SetCellStyle("Sheet1", "A2", "A3", style)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	got, err := readFirst(XLSX, data)
	if err != nil {
		t.Fatal(err)
	}
	if want := "zip text 15692-7603 00001-5692 10115-0001; n integer 1 2 3"; show(got) != want {
		t.Errorf("got %s\nwant %s", show(got), want)
	}
}

// TestEscapesOfWorkbooks: characters that XML cannot contain are decoded wherever a workbook has text, and texts escaped by excelize, which
// writes our exports, are read back unchanged.
func TestEscapesOfWorkbooks(t *testing.T) {
	t.Parallel()
	for escaped, want := range map[string]string{
		"a_x000D_b": "a\rb", "_x000d__x000A_": "\r\n", "_x005F_x000D_": "_x000D_", "_xD83D__xDE00_": "😀", "_x00zz_": "_x00zz_",
		"_x": "_x", "_x000D": "_x000D", "a_xb": "a_xb", "__x0041_": "_A", "no": "no", "": "",
	} {
		if got := unescape(escaped); got != want {
			t.Errorf("%q is %q, want %q", escaped, got, want)
		}
	}
	for _, cell := range []string{
		`<c t="inlineStr"><is><t>one_x000D_two</t></is></c>`, `<c t="str"><f>"x"</f><v>one_x000D_two</v></c>`,
		`<c t="inlineStr"><is><r><t>one</t></r><r><t>_x000D_two</t></r></is></c>`,
	} {
		got, err := readFirst(XLSX, withSheet(t, `<sheetData><row><c t="str"><v>h</v></c></row><row>`+cell+`</row></sheetData>`))
		if err != nil || !strings.Contains(fmt.Sprint(got.Values), "one\rtwo") {
			t.Errorf("%s: %q, %v", cell, got.Values, err)
		}
	}
	texts := []string{"a\rb", "a_x000D_b", "_x005F_", "_x005F_x000D_", "tab\there", "😀", "a\nb", "x_x"}
	var lines [][]any
	for _, s := range append([]string{"text"}, texts...) {
		lines = append(lines, []any{s})
	}
	got, err := readFirst(XLSX, workbook(t, func(f *excelize.File) {
		w, err := f.NewStreamWriter("Sheet1")
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			if err := w.SetRow(fmt.Sprintf("A%d", i+1), line); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range texts {
		if got.Values[0][i] != want {
			t.Errorf("%q comes back as %q", want, got.Values[0][i])
		}
	}
}

// TestAlmost: the note of a column that is text because of a few values names the first of them.
func TestAlmost(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"03/04/2026|25/06/2026|07/28/2026|unsure": "the month first in row 3 and the day first in row 2; 3 of 4 values are dates",
		"31/12/2006|12/31/2006":                   "both orders, the month first in row 2 and the day first in row 1",
		"2026-01-01|2026-01-02|soon|2026-01-04":   "3 of 4 values are dates, the first that is not is in row 3",
		"true|false|true|maybe":                   "3 of 4 values are true or false, the first that is not is in row 4",
		"yes|no|yes|maybe":                        `3 of 4 values are "yes" or "no", the first that is not is in row 4`,
		"1|2|3|x":                                 "3 of 4 values are whole numbers, the first that is not is in row 4",
		"1.5|2.5|x|3.5":                           "3 of 4 values are numbers, the first that is not is in row 3",
		"2026-01-01|later|never|2026-01-04":       "",
		"a|b|c|4":                                 "",
		"10234|10235|10E36":                       "some values have an E between digits, as codes do",
		"1E5|2E6":                                 "some values have an E between digits, as codes do",
		"1.0E5|2E+6|-3E7":                         "",
	} {
		got, err := readFirst(CSV, []byte("v,w\n"+strings.ReplaceAll(values, "|", ",x\n")+",x\n"))
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(slices.Clone(said(got)), "; ")
		if !strings.Contains(notes, want) || want == "" && strings.Contains(notes, `"v": it is text`) {
			t.Errorf("%s: %q, want %q", values, notes, want)
		}
	}
}

// TestDigitsOfWriters: numbers that other programs write with all 17 digits have lost nothing.
func TestDigitsOfWriters(t *testing.T) {
	t.Parallel()
	for text, lost := range map[string]bool{
		"76.599999999999994": false, "0.10000000000000001": false, "0.30000000000000004": false, "76.6": false,
		"-1.1000000000000001": false, "1.0000000000000000": false, "5.0999999999999997E-2": false,
		"3.14159265358979323846": true, "0.1234567890123456789": true, "76.5999999999999931": true,
	} {
		f, _ := parseNumber(text)
		if got := rounded(text, f.(float64)); got != lost {
			t.Errorf("%s: rounded %v, want %v", text, got, lost)
		}
	}
}
