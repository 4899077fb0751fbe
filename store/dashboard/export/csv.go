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

// maxCSV is how many bytes a CSV has at most. A text that is kept once can be in each of 200,000 rows.
const maxCSV = 48 << 20

// ErrNoPanel is the error of [CSV] for a panel that has no numbers: it is out of
// range, a text or a section, or cannot be shown.
var ErrNoPanel = errors.New("export: no such panel with numbers")

// CSV returns what panel number i (from 0) shows: all
// its rows, numbers unformatted with a point, NULL empty. Times have one shape in a column,
// whatever rows are shown: dates as ISO 8601, instants as RFC 3339 with the offset of the
// spec's zone, timestamps without one. A text that a spreadsheet would take for a formula
// gets an apostrophe. The error is [ErrTooLarge] where that makes more than 48 MiB.
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

// CSVs returns the CSVs of all panels that have numbers, of at most most bytes together: one for which there
// is no room leaves it to those after it. left is how many that are, with those for which the page has no
// room. Their content is kept for one at a time. The error is that of ctx when it ends between two.
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

// csvFrom is the [CSV] of a panel, or [ErrTooLarge] where it has more than most bytes: it ends as it comes to them.
func csvFrom(p *panel.Panel, most int) ([]byte, error) {
	if p.Grid == nil {
		return nil, ErrNoPanel
	}
	var err error
	b := upTo{most: min(most, maxCSV)}
	if p.Guard("write CSV", func() { err = writeCSV(p, &b) }) && err == nil && b.all == nil { // now it is known how long it is
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

// An upTo takes up to a number of bytes. It keeps them while they have room in all, or are not more than keptAtOnce, and
// else counts them alone: a slice that grows takes up to twice its length.
type upTo struct {
	all  []byte // nil where they are only counted
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

// defuse keeps a text from being read as a formula, as OWASP advises: one that begins with a sign of
// formulas, also behind characters that programs skip or do not show, and one that begins with a tab or
// the end of a line, behind which a cell of another program may begin. An amount below zero, which
// warehouses write as text, cannot be one.
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

// unseen reports whether a cell that begins with r looks as if it began with what is behind it: r is a
// space, a control character, or one that only formats text.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Zs, unicode.Cc, unicode.Cf)
}

// An AddressError is the error of [CSV] and [XLSX] where the panel does not follow all of its address: a page notes that
// beside its numbers, and a file has no place for a note.
type AddressError struct{ Why string } // in sentences for the reader

func (e *AddressError) Error() string { return e.Why }

// download is a panel, worked out to be downloaded. The error is [ErrNoPanel], or an *[AddressError].
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
