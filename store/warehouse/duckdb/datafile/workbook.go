package datafile

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"service/store/warehouse"
)

const maxUnzipped = 64 << 20 // bytes of an unzipped workbook

func damaged() error {
	return warehouse.Errorf(warehouse.Syntax, "the workbook is damaged; save it again, or as .csv")
}

type book struct {
	parts    map[string]*zip.File // by name in lower case, before they are read
	strings  []string
	looks    []look // by style
	from1904 bool
}

// openBook opens a workbook. It refuses one that unzips to more than maxUnzipped bytes.
func openBook(data []byte) (*book, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damaged()
	}
	b := &book{parts: map[string]*zip.File{}}
	room := uint64(maxUnzipped)
	for _, f := range z.File {
		if f.UncompressedSize64 > room {
			return nil, warehouse.Errorf(warehouse.TooLarge, "the workbook unpacks to more than %d MiB; save the sheet as .csv", maxUnzipped>>20)
		}
		room -= f.UncompressedSize64
		b.parts[strings.ToLower(strings.ReplaceAll(f.Name, "\\", "/"))] = f
	}
	return b, nil
}

// part opens a part of the workbook. A part can be opened once.
func (b *book) part(name string) (*xmlReader, error) {
	name = strings.ToLower(name)
	f := b.parts[name]
	if f == nil {
		return nil, damaged()
	}
	delete(b.parts, name)
	r, err := f.Open()
	if err != nil {
		return nil, damaged()
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err != nil || uint64(len(data)) > f.UncompressedSize64 {
		return nil, damaged()
	}
	return &xmlReader{xml.NewDecoder(bytes.NewReader(data))}, nil
}

// A sheet is a sheet of the list in workbook.xml.
type sheet struct {
	name, path string
	state      warehouse.SheetState // known before it is read: hidden or chart; otherwise ""
}

// sheets lists the sheets in the order of the workbook.
func (b *book) sheets() ([]sheet, error) {
	targets := map[string]string{} // by relationship; each is used by one sheet
	rels, err := b.part("xl/_rels/workbook.xml.rels")
	if err != nil {
		return nil, err
	}
	err = rels.each(func(start *xml.StartElement) error {
		if start.Name.Local == "Relationship" {
			target := attribute(start, "Target")
			if inside, ok := strings.CutPrefix(target, "/"); ok {
				target = inside
			} else {
				target = path.Join("xl", target)
			}
			targets[attribute(start, "Id")] = target
		}
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	workbook, err := b.part("xl/workbook.xml")
	if err != nil {
		return nil, err
	}
	var out []sheet
	err = workbook.each(func(start *xml.StartElement) error {
		switch start.Name.Local {
		case "workbookPr":
			b.from1904 = isTrue(attribute(start, "date1904"))
		case "sheet":
			id, name, state := attribute(start, "id"), attribute(start, "name"), attribute(start, "state")
			target := targets[id]
			delete(targets, id)
			s := sheet{name: clean(name), path: target}
			switch {
			case !strings.Contains(target, "worksheets/"):
				s.state = warehouse.SheetChart
			case state == "hidden" || state == "veryHidden":
				s.state = warehouse.SheetHidden
			}
			out = append(out, s)
		}
		return nil
	}, nil)
	return out, err
}

// readStyles reads the number format of each style.
func (b *book) readStyles() error {
	const name = "xl/styles.xml"
	if b.parts[name] == nil {
		return nil // a workbook without styles has no dates
	}
	x, err := b.part(name)
	if err != nil {
		return err
	}
	formats := map[int]look{}
	var ids []int
	list := "" // the one that is read
	err = x.each(func(start *xml.StartElement) error {
		id, _ := strconv.Atoi(attribute(start, "numFmtId")) // 0 is the general format
		switch name := start.Name.Local; {
		case name == "numFmts" || name == "cellXfs":
			list = name
		case list == "numFmts" && name == "numFmt":
			formats[id] = lookOf(attribute(start, "formatCode"))
		case list == "cellXfs" && name == "xf":
			ids = append(ids, id)
		}
		return nil
	}, func(name string) error {
		if name == list {
			list = ""
		}
		return nil
	})
	for _, id := range ids {
		l, ok := formats[id]
		if !ok {
			l = builtIn(id)
		}
		b.looks = append(b.looks, l)
	}
	return err
}

func (b *book) readStrings() error {
	const name = "xl/sharedstrings.xml"
	if b.parts[name] == nil {
		return nil // a workbook without text has no such part
	}
	x, err := b.part(name)
	if err != nil {
		return err
	}
	return x.each(func(start *xml.StartElement) error {
		if start.Name.Local != "si" {
			return nil
		}
		text, err := x.text()
		if err != nil {
			return err
		}
		if b.strings = append(b.strings, text); len(b.strings) > maxCells {
			return tooMany()
		}
		return nil
	}, nil)
}

// cell reads one cell: its type, style, value and inline text.
func (b *book) cell(kind string, style int, value, inline string) (cell, error) {
	text := value
	if strings.TrimSpace(value) == "" && kind != "inlineStr" && kind != "e" {
		return cell{}, nil
	}
	switch kind {
	case "b":
		if isTrue(strings.TrimSpace(value)) { // some programs write true in place of 1
			return cell{boolean, "true"}, nil
		}
		return cell{boolean, "false"}, nil
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(b.strings) {
			return cell{}, damaged()
		}
		text = b.strings[i]
	case "inlineStr":
		text = inline
	case "str": // the result of a formula
		text = unescape(text)
	case "e":
		return cell{failed, value}, nil
	case "", "n":
		if serial, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
			shown, amount := b.look(style).of(serial)
			switch {
			case shown.elapsed:
				return cell{duration, signed(strings.TrimSpace(value))}, nil
			case shown.clock && serial >= 0 && serial < clockDays:
				return cell{plainText, timeOf(serial, shown.fine)}, nil
			case shown.date:
				return b.dateTime(serial, value), nil
			}
			if text, ok := shown.show(amount); ok {
				return cell{plainText, text}, nil
			}
			return cell{number, signed(strings.TrimSpace(value))}, nil
		}
	}
	if strings.TrimSpace(text) == "" {
		return cell{}, nil
	}
	return cell{plainText, text}, nil
}

// clockDays is the number of days before which a number that is shown as a time of day is a duration. A later one is a date with a time.
const clockDays = 366

// timeOf writes a number of days as hours, minutes and seconds. A day or more is written as hours too, although a time of day shows only
// the rest: otherwise a sum of durations would be too small.
func timeOf(days float64, fine bool) string {
	ms := int64(math.Round(days * 86_400_000))
	s := fmt.Sprintf("%02d:%02d:%02d", ms/3_600_000, ms/60_000%60, ms/1000%60)
	if fine {
		s += fmt.Sprintf(".%03d", ms%1000)
	}
	return s
}

// dateTime turns days since 1900 or 1904 into a date. Day 60 since 1900 is the 29th of February 1900, which did not exist; it stays a
// number. A number below 1 since 1900 is a time of day, because there is no day 0.
func (b *book) dateTime(serial float64, value string) cell {
	if math.IsNaN(serial) || serial < 0 || serial >= 2958466 || !b.from1904 && math.Trunc(serial) == 60 {
		return cell{number, signed(value)}
	}
	first := time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	if !b.from1904 {
		first = time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC)
		if serial > 60 {
			first = first.AddDate(0, 0, -1)
		}
	}
	whole, part := math.Modf(serial)
	t := first.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86_400_000)) * time.Millisecond)
	switch {
	case serial < 1 && !b.from1904: // a time of day
		return cell{plainText, t.Format(time.TimeOnly)}
	case t.Year() > 9999:
		return cell{number, signed(value)}
	case t.Equal(t.Truncate(24 * time.Hour)):
		return cell{dateTime, t.Format(time.DateOnly)}
	}
	return cell{dateTime, t.Format("2006-01-02 15:04:05.000")}
}

// look returns how numbers of a style are shown.
func (b *book) look(style int) look {
	if style < 0 || style >= len(b.looks) {
		return look{}
	}
	return b.looks[style]
}
