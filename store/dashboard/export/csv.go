package export

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/dashboard/panel"
)

// maxCSV is the maximum number of bytes of a CSV. A text that is stored once can occur in each of 200,000 rows.
const maxCSV = 48 << 20

// ErrNoPanel is the error of [CSV] for a panel that has no numbers: it is out of
// range, a text or a section, or cannot be shown.
var ErrNoPanel = errors.New("export: no such panel with numbers")

// CSV returns the numbers of panel i (from 0): all its rows, with numbers unformatted and with a decimal point, and NULL as an empty cell.
// The times of a column have one format, independent of the rows: dates as ISO 8601, instants as RFC 3339 with the offset of the spec's
// zone, timestamps without one. A text that a spreadsheet would read as a formula gets an apostrophe. CSV returns [ErrTooLarge] if the file
// would exceed 48 MiB.
func CSV(e *panel.Env, i int) ([]byte, error) {
	p, err := download(e, i)
	if err != nil {
		return nil, err
	}
	return csvFrom(p, maxCSV)
}

// A File is the [CSV] of a panel, by its number from 0.
type File struct {
	Panel int
	Body  []byte
}

// CSVs returns the CSVs of all panels that have numbers, of at most most bytes together. A panel that does not fit is left out, and later
// ones may still fit. left is the number of panels that do not fit, or whose numbers exceed the limits of the page. Only one panel is in
// memory at a time. The error is that of ctx if it ends between two panels.
func CSVs(ctx context.Context, e *panel.Env, most int) (files []File, left int, err error) {
	for i := range e.Spec.Panels {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		one := e.Panel(i)
		body, err := csvFrom(one, most)
		switch {
		case errors.Is(err, ErrTooLarge), errors.Is(err, ErrNoPanel) && one.Data != nil && e.Overspent():
			left++
		case errors.Is(err, ErrNoPanel):
		case err != nil:
			return nil, 0, err
		default:
			most -= len(body)
			files = append(files, File{i, body})
		}
	}
	return files, left, nil
}

// csvFrom returns the [CSV] of a panel, or [ErrTooLarge] as soon as it exceeds most bytes.
func csvFrom(p *panel.Panel, most int) ([]byte, error) {
	if p.Grid == nil {
		return nil, ErrNoPanel
	}
	var err error
	b := upTo{most: min(most, maxCSV)}
	if p.Guard("write CSV", func() { err = writeCSV(p, &b) }) && err == nil && b.all == nil { // again, into a buffer of that size
		b = upTo{most: b.size, all: make([]byte, 0, b.size)}
		p.Guard("write CSV", func() { err = writeCSV(p, &b) })
	}
	switch {
	case p.Grid == nil: // it panicked
		return nil, ErrNoPanel
	case err != nil:
		return nil, err
	}
	return b.all, nil
}

func writeCSV(p *panel.Panel, b *upTo) error {
	g := p.Grid
	w := csv.NewWriter(b)
	record := make([]string, len(g.Columns))
	for j, c := range g.Columns {
		record[j] = defuse(p.Env.Head(c.Column, c.Heading()))
	}
	if err := w.Write(record); err != nil {
		return fmt.Errorf("export: write CSV: %w", err)
	}
	shapes := timeShapes(p)
	for row := range g.Each() {
		for j, value := range row {
			if c, ok := value.(cube.Category); ok && c.Other {
				record[j] = p.Env.Rest(g.Columns[j].Name)
				continue
			}
			if name, ok := g.Columns[j].ValueName(value); ok {
				record[j] = defuse(name)
				continue
			}
			record[j] = csvCell(value, shapes[j])
		}
		if err := w.Write(record); err != nil {
			return fmt.Errorf("export: write CSV: %w", err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("export: write CSV: %w", err)
	}
	return nil
}

// An upTo is a writer of at most most bytes. It keeps them up to keptAtOnce bytes, or to the capacity of its buffer. Beyond that it only
// counts them, because a growing slice takes up to twice its length.
type upTo struct {
	all  []byte // nil if the bytes are only counted
	size int
	most int
}

const keptAtOnce = 8 << 20

func (b *upTo) Write(p []byte) (int, error) {
	if len(p) > b.most-b.size {
		return 0, ErrTooLarge
	}
	switch {
	case b.size == 0 && b.all == nil, b.all != nil && len(b.all)+len(p) <= max(cap(b.all), keptAtOnce):
		b.all = append(b.all, p...)
	default:
		b.all = nil
	}
	b.size += len(p)
	return len(p), nil
}

func csvCell(v any, shape timeShape) string {
	switch v := v.(type) {
	case string:
		return defuse(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case cube.Decimal:
		return string(v)
	case time.Time:
		return shape.text(v)
	case cube.Category:
		return csvCell(v.Value, shape)
	}
	return ""
}

// defuse keeps a text from being read as a formula, as OWASP advises. It changes texts that begin with a sign of formulas, also after
// characters that programs skip or do not show, and texts that begin with a tab or a line break, after which another program may begin a
// cell. A negative amount, which warehouses write as text, is not changed.
func defuse(s string) string {
	if dashboard.IsAmount(s) {
		return s
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, unseen))
	if s != "" && (strings.ContainsRune("\t\r\n", rune(s[0])) || strings.ContainsRune("=+-@|%＝＋－＠", first)) {
		return "'" + s
	}
	return s
}

// unseen reports whether programs may ignore r at the beginning of a cell: it is a space, a control character, or a character that only
// formats text.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Zs, unicode.Cc, unicode.Cf)
}

// An AddressError is the error of [CSV] and [XLSX] if the panel ignores a part of its address. A page notes that next to its numbers, but a
// file cannot contain a note.
type AddressError struct{ Why string } // in sentences for the reader

func (e *AddressError) Error() string { return e.Why }

// download returns a panel with its numbers computed. Its errors are [ErrNoPanel] and *[AddressError].
func download(e *panel.Env, i int) (*panel.Panel, error) {
	if i < 0 || i >= len(e.Spec.Panels) {
		return nil, ErrNoPanel
	}
	p := e.Panel(i)
	if why := p.Unread(); len(why) > 0 {
		return nil, &AddressError{strings.Join(why, " ")}
	}
	if p.Grid == nil {
		return nil, ErrNoPanel
	}
	return p, nil
}
