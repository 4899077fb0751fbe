package page

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
	"service/store/dashboard/export"
)

// workbookOf returns the workbook of a panel, and the name of its only sheet.
func workbookOf(t testing.TB, v View, panel int) (*excelize.File, string) {
	t.Helper()
	body, err := XLSX(v, panel)
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	sheets := f.GetSheetList()
	if len(sheets) != 1 {
		t.Fatalf("sheets %q", sheets)
	}
	return f, sheets[0]
}

// TestWorkbookEqualsCSV: for each type of panel, and with any filter, order and search, a workbook has the same cells as the CSV: numbers
// are numbers, and times are times.
func TestWorkbookEqualsCSV(t *testing.T) {
	t.Parallel()
	all, views := cases(t), map[string]View{}
	for _, name := range []string{"ordinary", "names", "negative", "gaps", "minute", "huge", "arabic", "maps", "commerce", "weather"} {
		views[name] = all[name]
	}
	sorted, _ := sales(60, 3, func(p *dashboard.Panel) { p.Limit = 20 })
	sorted.Query = map[string][]string{"p0.sort": {"-each"}, "p0.q": {"shop 1"}, "p0.page": {"2"}}
	views["sorted and searched"] = sorted
	panels, kinds := 0, map[string]int{}
	for name, v := range views {
		for i := range v.Spec.Panels {
			text, err := CSV(v, i)
			if err != nil {
				if _, also := XLSX(v, i); also == nil || also.Error() != err.Error() {
					t.Errorf("%s, panel %d: CSV says %v, XLSX %v", name, i, err, also)
				}
				continue
			}
			want, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			f, sheet := workbookOf(t, v, i)
			got, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			panels++
			if len(got) > len(want) {
				t.Errorf("%s, panel %d: %d rows, want %d", name, i, len(got), len(want))
				continue
			}
			for r, row := range want {
				for c, cell := range row {
					have := ""
					if r < len(got) && c < len(got[r]) {
						have = got[r][c]
					}
					kind, same := sameCell(cell, have)
					kinds[kind]++
					if !same {
						t.Fatalf("%s, panel %d, row %d: %q, in the CSV %q", name, i, r, have, cell)
					}
				}
			}
		}
	}
	if panels < 100 || kinds["number"] < 1000 || kinds["time"] < 100 || kinds["text"] < 100 {
		t.Errorf("%d panels, %v", panels, kinds)
	}
}

// writable returns a text with a space for each character that XML cannot contain.
func writable(s string) string {
	return unwritable.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), " ")
}

var unwritable = regexp.MustCompile("[\x00\uFFFE\uFFFF]")

// sameCell reports whether a raw cell of a workbook equals the cell of a CSV, and returns its kind.
func sameCell(want, have string) (kind string, same bool) {
	if at, err := time.Parse(time.DateOnly, want); err == nil {
		return "time", have == strconv.Itoa(int(at.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours()/24))
	}
	if at, err := time.Parse("2006-01-02T15:04:05", want); err == nil {
		days, err := strconv.ParseFloat(have, 64)
		return "time", err == nil && math.Abs(days-at.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours()/24) < 1e-9
	}
	if a, err := strconv.ParseFloat(want, 64); err == nil {
		b, err := strconv.ParseFloat(have, 64)
		return "number", err == nil && strconv.FormatFloat(a, 'g', 15, 64) == strconv.FormatFloat(b, 'g', 15, 64)
	}
	switch want {
	case "true", "false":
		return "truth", have == map[string]string{"true": "1", "false": "0"}[want]
	}
	plain := strings.TrimPrefix(want, "'") // the prefix by which cells of a CSV are not formulas
	tidy := func(s string) string { return writable(strings.ReplaceAll(s, "\r\n", "\n")) }
	return "text", tidy(have) == tidy(want) || tidy(have) == tidy(plain)
}

// TestWorkbookFormats: a workbook shows numbers and dates as the page does, and they stay numbers and dates.
func TestWorkbookFormats(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Title: "All formats"}}, []string{
		"day date", "at timestamp", "month date", "ok boolean", "id integer", "i integer sum", "n number sum",
		"n2 number sum number2", "p number sum percent1", "c number sum currency2", "d number sum duration", "b integer sum bytes",
		"k number sum compact", "early date",
	}, []any{
		day("2026-03-01"), time.Date(2026, 3, 1, 17, 45, 0, 0, time.UTC), day("2026-03-01"), true, int64(1234567890123456789), int64(12345),
		1234.5, 1234.5, 0.1234, -1234.5, 61.5, int64(123456), 12345.0, day("1899-01-02"),
	})
	v.Spec.Datasets[0].Columns[2] = dashboard.Meta{Name: "month", Format: "month"}
	v.Spec.Datasets[0].Columns[13] = dashboard.Meta{Name: "early"}
	for language, want := range map[string]string{
		"en-US": "2026-03-01|2026-03-01 17:45|Mar 2026|TRUE|1234567890123456789|12,345|1,234.5|1,234.50|12.3%|-$1,234.50|61.5\u00a0s|" +
			"123,456\u00a0B|12,345|1899-01-02",
		"de-DE": "2026-03-01|2026-03-01 17:45|Mar 2026|TRUE|1234567890123456789|12,345|1,234.5|1,234.50|12.3%|-1,234.50\u00a0$|61.5\u00a0s|" +
			"123,456\u00a0B|12,345|1899-01-02", // a program for workbooks adds its own separators
	} {
		v.Spec.Locale = language
		f, sheet := workbookOf(t, v, 0)
		rows, err := f.GetRows(sheet)
		if err != nil || len(rows) != 2 {
			t.Fatal(len(rows), err)
		}
		if got := strings.Join(rows[1], "|"); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", language, got, want)
		}
		for cell, want := range map[string]excelize.CellType{
			"A2": excelize.CellTypeUnset, "D2": excelize.CellTypeBool, "E2": excelize.CellTypeInlineString, "F2": excelize.CellTypeUnset,
			"J2": excelize.CellTypeUnset, "N2": excelize.CellTypeInlineString,
		} { // a number has no type of its own
			if got, err := f.GetCellType(sheet, cell); err != nil || got != want {
				t.Errorf("%s is of type %v (%v), want %v", cell, got, err, want)
			}
		}
	}
	f, sheet := workbookOf(t, v, 0)
	panes, err := f.GetPanes(sheet)
	if err != nil || !panes.Freeze || panes.YSplit != 1 || panes.XSplit != 0 {
		t.Errorf("panes %+v (%v)", panes, err)
	}
	id, err := f.GetCellStyle(sheet, "F1")
	style, _ := f.GetStyle(id)
	if err != nil || !style.Font.Bold || style.Alignment == nil || style.Alignment.Horizontal != "right" {
		t.Errorf("the head of numbers has %+v", style)
	}
	if width, err := f.GetColWidth(sheet, "E"); err != nil || width < 20 || width > 24 {
		t.Errorf("a column of ids is %v wide (%v)", width, err)
	}
	if props, err := f.GetDocProps(); err != nil || props.Title != "All formats" || props.Creator != "Acme" {
		t.Errorf("%+v (%v)", props, err)
	}
	one, _ := XLSX(v, 0)
	if two, _ := XLSX(v, 0); !bytes.Equal(one, two) {
		t.Error("two workbooks of one view differ, and so do their tags")
	}
}

// TestWorkbookOfHostileTexts: hostile texts are texts: not formulas, not links, and sheets have names that every program accepts.
func TestWorkbookOfHostileTexts(t *testing.T) {
	t.Parallel()
	for _, attack := range append(slices.Clone(attacks), strings.Repeat("𝄞", 40_000)) {
		v := tiny([]dashboard.Panel{{Type: dashboard.Table, Title: attack}}, []string{"k text", "n integer sum"},
			[]any{attack, int64(1)}, []any{"https://evil.example/" + attack, int64(2)})
		v.Spec.Datasets[0].Columns[0].Label = attack
		f, sheet := workbookOf(t, v, 0)
		if n := len(utf16.Encode([]rune(sheet))); n == 0 || n > 31 || strings.ContainsAny(sheet, `[]:*?/\`) || strings.Trim(sheet, "'") != sheet {
			t.Errorf("%.40q: a sheet called %q", attack, sheet)
		}
		for row := range 3 {
			cell := fmt.Sprint("A", row+1)
			formula, err := f.GetCellFormula(sheet, cell)
			kind, _ := f.GetCellType(sheet, cell)
			if err != nil || formula != "" || kind != excelize.CellTypeInlineString {
				t.Errorf("%.40q: %s is of type %v with the formula %q (%v)", attack, cell, kind, formula, err)
			}
			if linked, _, err := f.GetCellHyperLink(sheet, cell); err != nil || linked {
				t.Errorf("%.40q: %s is a link (%v)", attack, cell, err)
			}
		}
		text, err := f.GetCellValue(sheet, "A2")
		if err != nil || len(utf16.Encode([]rune(text))) > 32_767 {
			t.Errorf("%.40q: a cell of %d units (%v)", attack, len(text), err)
		}
		if want := writable(attack); len(attack) < 1000 && text != want {
			t.Errorf("%q is %q", want, text)
		}
	}
}

// TestWorkbookKeepsControls: control characters are read as they were written, with any neighbours, wherever the writer splits the file.
func TestWorkbookKeepsControls(t *testing.T) {
	t.Parallel()
	texts := []string{
		"\x0b=1", "\x0c=1", "\x1f=1", "a\x01\x02b\x1b[0m", "_x0041\x0b", "__x0041\x0b_x0041_",
		"_x000B_", "_\x0b_", "\ufdd9 \x08", "\uf8ff\uffef\x0e",
		strings.Repeat("é\x0b", 5000),
	}
	var rows [][]any
	for i, text := range texts {
		rows = append(rows, []any{text, int64(len(texts) - i)})
	}
	panels := []dashboard.Panel{{Type: dashboard.Table, Title: "\x0bt"}}
	f, sheet := workbookOf(t, tiny(panels, []string{"k text", "n integer sum"}, rows...), 0)
	for i, want := range texts {
		got, err := f.GetCellValue(sheet, fmt.Sprint("A", i+2))
		if want = strings.ReplaceAll(want, "\ufdd9", "\ufffd"); err != nil || got != want {
			t.Errorf("%.40q is %.40q (%v)", want, got, err)
		}
	}
}

// BenchmarkWorkbook writes one of 200,000 rows.
func BenchmarkWorkbook(b *testing.B) {
	v := orders200k()
	for b.Loop() {
		if _, err := XLSX(v, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
}

// TestWorkbookIsBounded: a workbook with more cells than the limit is refused before it is written, and no page offers it: the CSV has all
// of them.
func TestWorkbookIsBounded(t *testing.T) {
	t.Parallel()
	of := func(rows, columns int) View {
		names, all := []string{"id integer"}, make([][]any, rows)
		for j := 1; j < columns; j++ {
			names = append(names, fmt.Sprintf("n%d integer sum", j))
		}
		for i := range all {
			all[i] = make([]any, columns)
			for j := range all[i] {
				all[i][j] = int64(i)
			}
		}
		return tiny([]dashboard.Panel{{Type: dashboard.Table}, {Type: dashboard.Scatter, X: "n1", Y: []string{"n2"}}}, names, all...)
	}
	const columns = 100
	most, more := of(export.MaxCells/columns, columns), of(export.MaxCells/columns+1, columns)
	if _, err := XLSX(most, 0); err != nil {
		t.Errorf("as many cells as a workbook may have: %v", err)
	}
	for name, v := range map[string]View{"one sheet": more, "all sheets": most} { // more cells together
		if _, err := Workbook(t.Context(), v); !errors.Is(err, export.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
	}
	if _, err := XLSX(more, 0); !errors.Is(err, export.ErrTooLarge) {
		t.Errorf("one row more: %v, want ErrTooLarge", err)
	}
	if _, err := XLSX(more, 1); err != nil {
		t.Errorf("another panel of the page: %v", err)
	}
	text, err := CSV(more, 0)
	if n := bytes.Count(text, []byte("\n")); err != nil || n != export.MaxCells/columns+2 {
		t.Errorf("the CSV has %d lines (%v)", n, err)
	}
	for name, c := range map[string]struct {
		v      View
		offers bool
	}{"most": {most, true}, "more": {more, false}} {
		body, err := Render(t.Context(), c.v)
		if err != nil {
			t.Fatal(err)
		}
		for link, want := range map[string]bool{
			"?panel=0&amp;format=csv": true, "?panel=0&amp;format=xlsx": c.offers, "?panel=1&amp;format=xlsx": true,
		} {
			if got := bytes.Contains(body, []byte(link)); got != want {
				t.Errorf("%s: the page has %s: %t, want %t", name, link, got, want)
			}
		}
	}
}

// TestWorkbookTimesAreRounded: the serial number of a time is rounded, not cut, to the digits that a workbook keeps, and a year that RFC
// 3339 cannot represent is a year in UTC.
func TestWorkbookTimesAreRounded(t *testing.T) {
	t.Parallel()
	v := tiny([]dashboard.Panel{{Type: dashboard.Table, Columns: []dashboard.TableColumn{{Column: "at"}, {Column: "n"}}}},
		[]string{"at instant", "n integer sum"},
		[]any{time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC), int64(1)}, []any{time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), int64(2)})
	v.Spec.Timezone = "Europe/Berlin"
	f, sheet := workbookOf(t, v, 0)
	got, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"46319.9166666667", "2958465.99999999"} {
		if cell := got[i+1][0]; cell != want {
			t.Errorf("row %d: the serial is %s, want %s", i, cell, want)
		}
	}
	text, err := CSV(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "9999-12-31T23:59:59.999Z") {
		t.Errorf("the CSV is %s", text)
	}
}
