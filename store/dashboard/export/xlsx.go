package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"service/store/dashboard"
	"service/store/dashboard/canvas"
	"service/store/dashboard/canvas/text"
	"service/store/dashboard/chart"
	"service/store/dashboard/cube"
	"service/store/dashboard/format"
	"service/store/dashboard/panel"
)

// Limits of workbooks.
const (
	sheetNameUnits  = 31     // UTF-16 code units in the name of a sheet
	cellUnits       = 32_767 // UTF-16 code units in a cell
	workbookDigits  = 15     // digits of a number; programs change further ones
	narrowestColumn = 8      // characters
	widestColumn    = 60

	// workbookText is the maximum number of bytes of the texts of all cells together. A text that is stored once can occur in each of 200,000
	// rows.
	workbookText = 16 << 20

	// MaxCells is the maximum number of cells of a workbook, over all its sheets. A cell takes about ten times the processor time of a cell of
	// a CSV, and a dataset may have 3,000,000.
	MaxCells = 500_000
)

// ErrTooLarge is the error of [XLSX] and [Workbook] for more cells or longer texts than a workbook may have, and of [CSV] for a file that
// is too long.
var ErrTooLarge = errors.New("export: too large a file")

// XLSX returns the contents of [CSV] as a workbook with one sheet: the same columns and rows, with numbers, dates and booleans as values of
// their types, in the formats of the page. Instants are dates in UTC; if the spec has another zone, the next column has them as text with
// the offset, as in the CSV. A text stays a text, even if it looks like a formula. XLSX returns [ErrNoPanel] in the same cases as CSV, and
// [ErrTooLarge] for more than 500,000 cells or 16 MiB of texts.
//
// A sheet of 16 MB or more is written to a temporary file, if the system allows one.
func XLSX(e *panel.Env, i int, creator string) ([]byte, error) {
	p, err := download(e, i)
	if err != nil {
		return nil, err
	}
	return writeWorkbook(p.Title, creator, []*panel.Panel{p})
}

// Workbook returns the [XLSX] of all panels that have numbers, with a sheet for each. It returns [ErrNoPanel] if there is no such panel,
// [ErrTooLarge] for more than 500,000 cells or 16 MiB of texts together, and the error of ctx if it ends before all panels are computed.
func Workbook(ctx context.Context, e *panel.Env, title, creator string) ([]byte, error) {
	var with []*panel.Panel
	for i := range e.Spec.Panels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if one := e.Panel(i); one.Grid != nil {
			with = append(with, one)
		}
	}
	return writeWorkbook(title, creator, with)
}

// writeWorkbook writes a workbook of panels that have numbers.
func writeWorkbook(title, creator string, panels []*panel.Panel) ([]byte, error) {
	cells := 0
	for _, one := range panels {
		cells += one.Grid.Cells()
	}
	if cells > MaxCells {
		return nil, ErrTooLarge
	}
	if len(panels) == 0 {
		return nil, ErrNoPanel
	}
	p := panels[0].Env
	b := &workbook{Formatter: p.Formatter, file: excelize.NewFile(), styles: map[string]int{}}
	b.file.SetZipWriter(newControlZip)
	defer b.file.Close() // deletes the temporary files too
	at := p.AsOf
	if at.IsZero() {
		at = p.Now
	}
	err := b.file.SetDocProps(&excelize.DocProperties{
		Title: xmlText(title), Creator: xmlText(creator), Created: at.UTC().Format(time.RFC3339),
	})
	for i, one := range panels {
		if err != nil {
			break
		}
		name := sheetName(one.Title)
		if len(panels) > 1 { // so that the names differ
			name = sheetName(strconv.Itoa(i+1) + " " + one.Title)
		}
		if i == 0 {
			err = b.file.SetSheetName("Sheet1", name)
		} else {
			_, err = b.file.NewSheet(name)
		}
		if err == nil && !one.Guard("write a workbook", func() { err = b.write(one, name) }) { // a sheet that was begun cannot be removed
			return writeWorkbook(title, creator, slices.DeleteFunc(panels, func(p *panel.Panel) bool { return p == one }))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("export: write a workbook: %w", err)
	}
	var out bytes.Buffer
	if _, err := b.file.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("export: write a workbook: %w", err)
	}
	return out.Bytes(), nil
}

// A workbook is a workbook while it is written.
type workbook struct {
	format.Formatter
	file   *excelize.File
	styles map[string]int // by number format
	texts  int            // bytes of the texts of the cells written so far
}

func (b *workbook) write(p *panel.Panel, sheet string) error {
	if b.Dir == "rtl" {
		yes := true
		if err := b.file.SetSheetView(sheet, 0, &excelize.ViewOptions{RightToLeft: &yes}); err != nil {
			return err
		}
	}
	w, err := b.file.NewStreamWriter(sheet)
	if err != nil {
		return err
	}
	if err := w.SetPanes(&excelize.Panes{
		Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
		Selection: []excelize.Selection{{SQRef: "A2", ActiveCell: "A2", Pane: "bottomLeft"}},
	}); err != nil {
		return err
	}
	shapes := timeShapes(p)
	for j, width := range b.widths(p.Grid, shapes) {
		if err := w.SetColWidth(j+1, j+1, width); err != nil {
			return err
		}
	}
	head, err := b.head(p.Grid, shapes)
	if err != nil {
		return err
	}
	if err := w.SetRow("A1", head); err != nil {
		return err
	}
	row, n := make([]any, 0, len(head)), 1
	for values := range p.Grid.Each() {
		row = row[:0]
		for j, v := range values {
			cell, err := b.cell(&p.Grid.Columns[j], shapes[j], v)
			if err != nil {
				return err
			}
			row = append(row, cell)
			if text, ok := cell.(string); ok {
				b.texts += len(text)
			}
			if shapes[j].twofold() {
				row = append(row, b.beside(v, shapes[j]))
			}
		}
		if b.texts > workbookText {
			return ErrTooLarge
		}
		n++
		if err := w.SetRow("A"+strconv.Itoa(n), row); err != nil {
			return err
		}
	}
	return w.Flush()
}

// head returns the first row, in bold; the headings of numbers are right-aligned.
func (b *workbook) head(g *panel.Grid, shapes []timeShape) ([]any, error) {
	var row []any
	for j, c := range g.Columns {
		style := excelize.Style{Font: &excelize.Font{Bold: true}}
		if c.Role == dashboard.Measure {
			style.Alignment = &excelize.Alignment{Horizontal: "right"}
		}
		id, err := b.file.NewStyle(&style)
		if err != nil {
			return nil, err
		}
		if s := shapes[j]; s.twofold() {
			row = append(row, excelize.Cell{StyleID: id, Value: asCell(c.Heading() + " (" + time.UTC.String() + ")")},
				excelize.Cell{StyleID: id, Value: asCell(c.Heading() + " (" + s.zone.String() + ")")})
			continue
		}
		row = append(row, excelize.Cell{StyleID: id, Value: asCell(c.Heading())})
	}
	return row, nil
}

// widths returns the widths of the columns, in characters, from the texts that the page shows in their first rows.
func (b *workbook) widths(g *panel.Grid, shapes []timeShape) []float64 {
	var out []float64
	for j, c := range g.Columns {
		most := text.Cells(c.Heading())
		for _, row := range g.Rows[:min(len(g.Rows), panel.MeasuredRows)] {
			most = max(most, text.Cells(b.Formatter.Cell(c.Column, c.Grain, row[j])))
		}
		if s := shapes[j]; s.twofold() {
			most = max(most, len(s.layout))
			out = append(out, float64(min(most+2, widestColumn)))
		}
		out = append(out, float64(min(max(most+2, narrowestColumn), widestColumn)))
	}
	return out
}

// beside returns the text next to an instant; nil for NULL.
func (b *workbook) beside(v any, shape timeShape) any {
	if t, ok := panel.TimeOf(v); ok {
		return shape.text(t)
	}
	return nil
}

// cell returns a value as a cell of the workbook.
func (b *workbook) cell(c *panel.Column, shape timeShape, v any) (any, error) {
	if name, ok := c.ValueName(v); ok {
		return asCell(name), nil
	}
	switch v := v.(type) {
	case cube.Category:
		if v.Other {
			return b.Rest(c.Name), nil
		}
		return b.cell(c, shape, v.Value)
	case string:
		return asCell(v), nil
	case bool:
		return v, nil
	case int64:
		return b.number(c, float64(v), strconv.FormatInt(v, 10))
	case float64:
		return b.number(c, v, "")
	case cube.Decimal:
		n, _ := cube.Float(v)
		return b.number(c, n, string(v))
	case time.Time:
		return b.time(c, shape, v)
	}
	return nil, nil
}

// number returns a number in the format of its column. digits is its decimal form if it is not a float64. An id with more digits than
// workbooks keep becomes a text.
func (b *workbook) number(c *panel.Column, v float64, digits string) (any, error) {
	if c.Role == dashboard.Dimension {
		if len(strings.Trim(digits, "-.0")) > workbookDigits {
			return digits, nil
		}
		if c.Format == "" && c.Suffix == "" {
			return v, nil
		}
	}
	v = roundedForWorkbook(v)
	format := b.numberFormat(format.OrInteger(c.Column), v)
	if c.Role == dashboard.Dimension && c.Format == "" {
		format = ""
	}
	unit := ""
	if c.Suffix != "" {
		unit = inFormat(b.Space(c.Suffix) + c.Suffix)
	}
	switch {
	case c.Brackets || c.Signed: // a format each for positive and negative numbers, and for zero
		format = cmp.Or(format, "General")
		positive, negative, zero := format+unit, "-"+format+unit, format+unit
		if c.Brackets { // positive numbers have the room of a bracket, so that digits are in columns
			positive, negative, zero = positive+"_)", "("+format+")"+unit, zero+"_)"
		}
		format = positive + ";" + negative
		if c.Signed {
			format = "+" + format + ";" + zero
		}
	case unit != "":
		format = cmp.Or(format, "General") + unit
	}
	return b.styled(v, format)
}

// roundedForWorkbook rounds a number to the digits that a workbook keeps; the library would cut off the others.
func roundedForWorkbook(v float64) float64 {
	if short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', workbookDigits-1, 64), 64); err == nil {
		return short
	}
	return v
}

// dayZero is day 0 of a workbook for dates from firstDay on. Workbooks count a 29 February 1900, which did not exist, and programs disagree
// on the days before it.
var (
	dayZero  = cube.DayOf(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC))
	firstDay = cube.DayOf(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC))
)

// time returns a date or a time as its clock shows it, an instant in UTC, and a text for days before firstDay.
func (b *workbook) time(c *panel.Column, shape timeShape, t time.Time) (any, error) {
	if shape.zone != nil {
		t = t.UTC()
	}
	day := cube.DayOf(t)
	if day < firstDay {
		return shape.text(t), nil
	}
	clock := float64(t.Hour()*3600+t.Minute()*60+t.Second()) + float64(t.Nanosecond())/1e9
	return b.styled(roundedForWorkbook(float64(day-dayZero)+clock/chart.ADay), timeFormat(c, shape))
}

// styled returns a number with a number format; "" is the general one.
func (b *workbook) styled(v float64, format string) (any, error) {
	if format == "" {
		return v, nil
	}
	id, ok := b.styles[format]
	if !ok {
		var err error
		if id, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
			return nil, err
		}
		b.styles[format] = id
	}
	return excelize.Cell{StyleID: id, Value: v}, nil
}

// numberFormat returns the number format that shows v as the page does in a format. Formats that shorten numbers show them in full.
func (b *workbook) numberFormat(as string, v float64) string {
	const whole = "#,##0"
	money, as := b.ForFormat(as)
	upTo := func(most int) string { // a format with as many decimals as v has, up to most
		for n := range most {
			if scaled := v * math.Pow10(n); math.Abs(scaled-math.Round(scaled)) < 1e-9*max(1, math.Abs(scaled)) {
				return withDecimals(whole, n)
			}
		}
		return withDecimals(whole, most)
	}
	unit := func(one, number string) string { // one is the text of the number 1
		before, after, _ := strings.Cut(one, "1")
		return inFormat(before) + number + inFormat(after)
	}
	digits := func(whole string, decimals int) string { return withDecimals(whole, max(decimals, 0)) }
	switch name, decimals := dashboard.SplitFormat(as); name {
	case "integer":
		return whole
	case format.CompactEven:
		return upTo(2)
	case "number", "compact":
		if decimals >= 0 {
			return digits(whole, decimals)
		}
		return upTo(2)
	case "percent":
		return digits("0", decimals) + "%"
	case "currency":
		return unit(money.InCurrency("1"), digits(whole, decimals))
	case format.CurrencyEven:
		return unit(money.InCurrency("1"), upTo(2))
	case "currency_compact":
		if decimals >= 0 {
			return unit(money.InCurrency("1"), digits(whole, decimals))
		}
		return unit(money.InCurrency("1"), upTo(2))
	case "duration", "minutes_seconds":
		return unit(b.WithUnit("%s s", "1"), upTo(3))
	case "hours_minutes":
		return unit(b.WithUnit(format.MinuteUnit, "1"), upTo(2))
	case "bytes", format.BytesEven:
		return unit(b.WithUnit("%s B", "1"), whole)
	}
	if a := math.Abs(v); a >= 1 || a == 0 {
		return upTo(2)
	}
	return "" // the general format, with all digits
}

// withDecimals adds n decimals to the format of a whole number.
func withDecimals(whole string, n int) string {
	if n == 0 {
		return whole
	}
	return whole + "." + strings.Repeat("0", n)
}

// inFormat quotes a text for a number format.
func inFormat(s string) string {
	if s == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(s, `"`, "") + `"`
}

// timeFormat returns the number format of the times of a column: dates as in ISO 8601, and months and years by their names. Instants are
// shown in full, since their dates are those of UTC.
func timeFormat(c *panel.Column, shape timeShape) string {
	as := c.Format
	if format.Wider(c.Grain, as) || shape.zone != nil {
		as = ""
	}
	switch as {
	case "date", "day", "week", "quarter":
		return "yyyy-mm-dd"
	case "month":
		return "mmm yyyy"
	case "year":
		return "yyyy"
	case "time":
		return "hh:mm"
	case "minute":
		return "yyyy-mm-dd hh:mm"
	}
	switch c.Grain {
	case cube.Monthly:
		return "mmm yyyy"
	case cube.Yearly:
		return "yyyy"
	}
	return shape.cell
}

// sheetName returns a title as the name of a sheet, in which some characters are not allowed.
func sheetName(title string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\`, r) {
			return '-'
		}
		return r
	}, xmlText(title))
	name = strings.Trim(cutUnits(strings.Join(strings.Fields(name), " "), sheetNameUnits), "' ")
	if name == "" || strings.EqualFold(name, "history") { // Excel reserves this name
		return "Sheet1"
	}
	return name
}

// asCell returns a text in the form in which a cell can contain it.
func asCell(s string) string {
	if len(cutUnits(s, cellUnits)) < len(s) {
		return xmlText(holdControls(cutUnits(s, cellUnits-1))) + canvas.Ellipse
	}
	return xmlText(holdControls(s))
}

// xmlText returns s without the characters that XML cannot express.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// cutUnits returns the longest beginning of s with at most n UTF-16 code units.
func cutUnits(s string, n int) string {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i]
		}
	}
	return s
}
