package datafile

import (
	"errors"

	"service/store/warehouse"
)

// Limits of the sheets of a workbook.
const (
	MaxSheets = 30  // that are read; the others are listed
	maxListed = 200 // and the table of the file, wherever it is
)

// maxSheetNotes is the limit of notes on a sheet after the first one, because the notes on all sheets are in one answer.
const maxSheetNotes = 50

// A Sheet is a table of a file: a sheet of a workbook, or the only table of another file, without a name.
type Sheet struct {
	Name   string
	State  warehouse.SheetState
	Reason string // of the state unread
	Table  *Table // of the state read, otherwise nil
}

// readWorkbook reads an XLSX file (ECMA-376) and passes all its sheets to take, in their order. The first one that is visible and has
// values is the table of the file: an error in it fails the file, and an error in a later one makes that one unread. Each part is read
// once, as a stream: a tree of a sheet would be many times the size of the file.
func readWorkbook(data []byte, dates warehouse.Dates, take func(Sheet) error) error {
	b, err := openBook(data)
	if err != nil {
		return err
	}
	sheets, err := b.sheets()
	if err != nil {
		return err
	}
	if err := b.readStyles(); err != nil {
		return err
	}
	if err := b.readStrings(); err != nil {
		return err
	}
	found := 0 // sheets with a table
	for i, s := range sheets {
		if i >= maxListed && found > 0 {
			break
		}
		out := Sheet{Name: s.name, State: s.state}
		switch {
		case s.state != "":
		case found >= MaxSheets:
			out.State, out.Reason = warehouse.SheetUnread, "only the first sheets of a workbook are read"
		default:
			out.State = warehouse.SheetRead
			out.Table, err = b.tableOf(s, sheets, dates, found == 0)
		}
		bad, isBad := errors.AsType[*warehouse.Error](err)
		switch {
		case err != nil && (found == 0 || !isBad):
			return err
		case err != nil:
			out.State, out.Reason, out.Table, err = warehouse.SheetUnread, bad.Message, nil, nil
		case out.State != warehouse.SheetRead:
		case out.Table == nil:
			out.State = warehouse.SheetEmpty
		default:
			found++
		}
		if i < maxListed || out.Table != nil {
			if err := take(out); err != nil {
				return err
			}
		}
	}
	if found == 0 {
		return warehouse.Errorf(warehouse.Refused, "the workbook has no values")
	}
	return nil
}

// tableOf reads a sheet; the table is nil if the sheet has no values. first reports that it is the table of the file, whose notes name the
// other sheets.
func (b *book) tableOf(s sheet, all []sheet, dates warehouse.Dates, first bool) (*Table, error) {
	g, err := b.read(s)
	if g == nil || err != nil {
		return nil, err
	}
	if g.dates = dates; first {
		g.noteSheets(s, all)
	} else {
		g.maxNotes = maxSheetNotes
	}
	return g.table()
}

// noteSheets notes the sheets of the workbook other than its table.
func (g *grid) noteSheets(read sheet, all []sheet) {
	var others, hidden []string
	for _, s := range all {
		switch {
		case s.state == warehouse.SheetHidden:
			hidden = append(hidden, s.name)
		case s.state == "" && s != read:
			others = append(others, s.name)
		}
	}
	if len(others) > 0 {
		g.note("these are the rows of the sheet \"%s\"; the key sheet names another one: %s", read.name, list(others))
	}
	if len(hidden) > 0 {
		g.note("sheets that are hidden were not read: %s", list(hidden))
	}
}
