package page

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"service/store/dashboard/cube"
)

// ErrNoPanel is the error of [CSV] for a panel that has no numbers: it is out of
// range, a text or a section, or cannot be shown.
var ErrNoPanel = errors.New("page: no such panel with numbers")

// CSV returns what panel number i (from 0) shows under the view's filters: all
// its rows, numbers unformatted with a point, dates as ISO 8601, NULL empty. A
// text that a spreadsheet would take for a formula gets an apostrophe.
func CSV(v View, i int) ([]byte, error) { return CSVUpTo(v, i, math.MaxInt) }

// CSVUpTo is [CSV] of at most most bytes: one that has more ends as it comes to them, and is
// [ErrTooLarge].
func CSVUpTo(v View, i, most int) ([]byte, error) {
	if v.Spec == nil || i < 0 || i >= len(v.Spec.Panels) {
		return nil, ErrNoPanel
	}
	p := open(v)
	g := p.panel(i).grid
	if g == nil {
		return nil, ErrNoPanel
	}
	b := upTo{most: most}
	w := csv.NewWriter(&b)
	record := make([]string, len(g.cols))
	for j, c := range g.cols {
		record[j] = defuse(c.Label)
	}
	if err := w.Write(record); err != nil {
		return nil, fmt.Errorf("page: write CSV: %w", err)
	}
	for row := range g.all() {
		for j, value := range row {
			record[j] = p.csvCell(value)
		}
		if err := w.Write(record); err != nil {
			return nil, fmt.Errorf("page: write CSV: %w", err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("page: write CSV: %w", err)
	}
	return b.Bytes(), nil
}

// An upTo keeps what is written, up to a number of bytes.
type upTo struct {
	bytes.Buffer
	most int
}

func (b *upTo) Write(p []byte) (int, error) {
	if len(p) > b.most-b.Len() {
		return 0, ErrTooLarge
	}
	return b.Buffer.Write(p)
}

func (f formatter) csvCell(v any) string {
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
		return csvTime(v)
	case cube.Category:
		if v.Other {
			return f.Text(other)
		}
		return f.csvCell(v.Value)
	}
	return ""
}

// csvTime is a time for machines: a date at midnight.
func csvTime(t time.Time) string {
	if t.Hour()|t.Minute()|t.Second()|t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999")
}

// defuse keeps a text from being read as a formula, as OWASP advises.
func defuse(s string) string {
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + s
	}
	return s
}
