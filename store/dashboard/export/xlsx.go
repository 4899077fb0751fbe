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
	sheetNameUnits  = 31     // of UTF-16, in the name of a sheet
	cellUnits       = 32_767 // of UTF-16, in a cell
	workbookDigits  = 15     // of a number; programs change those behind
	narrowestColumn = 8      // in letters
	widestColumn    = 60

	// workbookText is how many bytes the texts of all its cells have together. A text that is kept once can be in each of
	// 200,000 rows.
	workbookText = 16 << 20

	// MaxCells are how many cells one has, of all its sheets: each takes about ten times the processor time of one of
	// a CSV, and a dataset may have 3,000,000.
	MaxCells = 500_000
)

// ErrTooLarge is the error of [XLSX] and [Workbook] where there are more cells or longer texts than a workbook may have,
// of a [CSV] that is too long, and of one among [CSVs] where there is no room for it.
var ErrTooLarge = errors.New("export: too large a file")

// XLSX returns what [CSV] does as a workbook with one sheet: the same columns and rows, with
// numbers, dates and truths as values of their kinds in the formats of the page. Instants are
// dates in UTC; where the spec has another zone, the column beside them has them as text with
// its offset, as the CSV has. Texts are texts, whatever they begin with. The error is [ErrNoPanel] where that of CSV is, and [ErrTooLarge]
// for more than 500,000 cells or 16 MiB of texts.
//
// The sheet is written to a temporary file from 16 MB on, where there can be one.
func XLSX(e *panel.Env, i int, creator string) ([]byte, error) {
	p, err := download(e, i)
	if err != nil {
		return nil, err
	}
	return writeWorkbook(p.Title, creator, []*panel.Panel{p})
}

// Workbook is [XLSX] of all panels that have numbers, a sheet for each. The error is [ErrNoPanel] when
// there is none, and [ErrTooLarge] where they have more than 500,000 cells or 16 MiB of texts together; that
// of ctx when it ends before all panels are worked out.
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

// writeWorkbook writes a workbook of panels, which have numbers.
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
	defer b.file.Close() // of temporary files, which are gone with it
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
		if len(panels) > 1 { // so that no two have one name
			name = sheetName(strconv.Itoa(i+1) + " " + one.Title)
		}
		if i == 0 {
			err = b.file.SetSheetName("Sheet1", name)
		} else {
			_, err = b.file.NewSheet(name)
		}
		if err == nil && !one.Guard("write a workbook", func() { err = b.write(one, name) }) { // a begun sheet cannot be taken back
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

// A workbook is one that is being written.
type workbook struct {
	format.Formatter
	file   *excelize.File
	styles map[string]int // by number format
	texts  int            // bytes of the texts of cells so far
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

// head is the first row: bold, and at the end of their columns what stands over numbers.
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

// widths are those of the columns, in letters, by what the page shows in their first rows.
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

// beside is the text beside an instant; nil for NULL.
func (b *workbook) beside(v any, shape timeShape) any {
	if t, ok := panel.TimeOf(v); ok {
		return shape.text(t)
	}
	return nil
}

// cell is a value as one of a workbook.
func (b *workbook) cell(c *panel.Column, shape timeShape, v any) (any, error) {
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

// number is a number in the format of its column. digits is how it is written where it is not a
// float64. An id that is longer than what programs for workbooks keep of a number is a text.
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
	case c.Brackets:
		format = cmp.Or(format, "General")
		format = format + unit + "_);(" + format + ")" + unit // positive numbers have the room of a bracket, so that digits are in columns
	case unit != "":
		format = cmp.Or(format, "General") + unit
	}
	return b.styled(v, format)
}

// roundedForWorkbook rounds a number to the digits that a workbook keeps: the writer cuts off those behind.
func roundedForWorkbook(v float64) float64 {
	if short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', workbookDigits-1, 64), 64); err == nil {
		return short
	}
	return v
}

// The days of a workbook are counted from the one before its first, in a calendar in which 1900 is a leap year: all
// programs count those from March of that year alike.
var (
	dayZero  = cube.DayOf(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC))
	firstDay = cube.DayOf(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC))
)

// time is a date or a time as its clock shows it, an instant in UTC, or a text before the days that all
// programs count alike.
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

// styled is a number with a number format; "" is the general one.
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

// numberFormat is how a workbook shows a number as the page does in a format. Where that
// shortens numbers, the workbook shows them whole.
func (b *workbook) numberFormat(as string, v float64) string {
	const whole = "#,##0"
	money, as := b.ForFormat(as)
	upTo := func(most int) string { // as many decimals as there are
		for n := range most {
			if scaled := v * math.Pow10(n); math.Abs(scaled-math.Round(scaled)) < 1e-9*max(1, math.Abs(scaled)) {
				return withDecimals(whole, n)
			}
		}
		return withDecimals(whole, most)
	}
	unit := func(one, number string) string { // one is how 1 is written
		before, after, _ := strings.Cut(one, "1")
		return inFormat(before) + number + inFormat(after)
	}
	digits := func(whole string, decimals int) string { return withDecimals(whole, max(decimals, 0)) }
	switch name, decimals := dashboard.SplitFormat(as); name {
	case "integer":
		return whole
	case "number", "compact", format.CompactEven:
		if decimals >= 0 {
			return digits(whole, decimals)
		}
		return upTo(2)
	case "percent":
		return digits("0", decimals) + "%"
	case "currency":
		return unit(money.InCurrency("1"), digits(whole, decimals))
	case "currency_compact", format.CurrencyEven:
		if decimals >= 0 {
			return unit(money.InCurrency("1"), digits(whole, decimals))
		}
		return unit(money.InCurrency("1"), upTo(2))
	case "duration":
		return unit(b.WithUnit("%s s", "1"), upTo(3))
	case "hours_minutes":
		return unit(b.WithUnit(format.MinuteUnit, "1"), upTo(2))
	case "bytes":
		return unit(b.WithUnit("%s B", "1"), whole)
	}
	if a := math.Abs(v); a >= 1 || a == 0 {
		return upTo(2)
	}
	return "" // as many digits as tell it
}

// withDecimals adds n decimals to the format of a whole number.
func withDecimals(whole string, n int) string {
	if n == 0 {
		return whole
	}
	return whole + "." + strings.Repeat("0", n)
}

// inFormat is a text of a number format that is shown as it is.
func inFormat(s string) string {
	if s == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(s, `"`, "") + `"`
}

// timeFormat is how a workbook shows the times of a column: dates as ISO 8601 writes them, and
// months and years by their names. Instants are shown whole, since their dates are those of UTC.
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

// sheetName is a title as the name of a sheet: some characters are not allowed in one.
func sheetName(title string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\`, r) {
			return '-'
		}
		return r
	}, xmlText(title))
	name = strings.Trim(cutUnits(strings.Join(strings.Fields(name), " "), sheetNameUnits), "' ")
	if name == "" || strings.EqualFold(name, "history") { // a name that Excel keeps for itself
		return "Sheet1"
	}
	return name
}

// asCell is a text as a cell can hold it.
func asCell(s string) string {
	if len(cutUnits(s, cellUnits)) < len(s) {
		return xmlText(holdControls(cutUnits(s, cellUnits-1))) + canvas.Ellipse
	}
	return xmlText(holdControls(s))
}

// xmlText is s without what XML has no way to write.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// cutUnits is as much of s as n units of UTF-16 hold.
func cutUnits(s string, n int) string {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i]
		}
	}
	return s
}
