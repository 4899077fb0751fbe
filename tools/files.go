package tools

import (
	"context"
	"strings"

	"service/store"
	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// A sourceFile is an uploaded file, with how it was read.
type sourceFile struct {
	Upload    string        `json:"upload"`
	Filename  string        `json:"filename"`
	Rows      int           `json:"rows"`
	Dates     string        `json:"dates,omitempty"` // the order of day and month that a person set
	Notes     []string      `json:"notes,omitempty"`
	NotesLeft int           `json:"notes_left,omitempty"`
	Sheets    []sourceSheet `json:"sheets,omitempty"` // of a workbook, in its order
	Left      int           `json:"sheets_left,omitempty"`

	units []warehouse.ColumnUnit // of the columns of the table
}

// A sourceSheet is a sheet of a workbook. Only one in the state read can be named.
type sourceSheet struct {
	Name      string         `json:"name"`
	State     string         `json:"state"` // read, hidden, empty, chart or unread
	Reason    string         `json:"reason,omitempty"`
	Rows      int            `json:"rows"`
	Columns   []sharedColumn `json:"columns,omitempty"`
	Left      int            `json:"columns_left,omitempty"`
	Notes     []string       `json:"notes,omitempty"`
	NotesLeft int            `json:"notes_left,omitempty"`
}

// Limits of the description of a file in an answer.
const (
	mostNotes        = 12
	mostSheetColumns = 60
)

// files describes the uploaded files of a source, as far as they fit into space.
func (c call) files(ctx context.Context, o origin, space *int) ([]sourceFile, error) {
	var out []sourceFile
	var seen store.Files
	for _, f := range o.Files {
		if seen.Has(f.Upload) {
			continue
		}
		seen = append(seen, f)
		d, err := c.Store.Uploads.Upload(ctx, c.Member, f.Upload)
		if err != nil {
			return nil, err
		}
		out = append(out, fileShown(d, f.Sheet, space))
	}
	out, _ = fit(out, space)
	return out, nil
}

// fileShown describes an upload, of which the dashboard reads a sheet; "" is the first one with rows. The sheets are counted against space.
func fileShown(d store.UploadDetail, sheet string, space *int) sourceFile {
	out := sourceFile{Upload: d.ID.String(), Filename: clip(d.Filename, 200), Rows: d.Rows, Dates: string(d.Dates)}
	if sheet == "" {
		out.Notes, out.NotesLeft = notesShown(d.Report)
		out.units = d.Report.Units
	}
	if len(d.Workbook) < 2 {
		return out
	}
	var sheets []sourceSheet
	for _, s := range d.Workbook {
		if strings.EqualFold(s.Name, sheet) {
			out.units = s.Report.Units
		}
		shown := sourceSheet{Name: clip(s.Name, 100), State: string(s.State), Reason: clip(s.Reason, 200), Rows: s.Rows}
		shown.Columns, shown.Left = columnsShown(s.Columns)
		shown.Notes, shown.NotesLeft = notesShown(s.Report)
		sheets = append(sheets, shown)
	}
	out.Sheets, out.Left = fit(sheets, space)
	return out
}

func columnsShown(columns []cube.Column) (out []sharedColumn, left int) {
	for _, col := range columns[:min(len(columns), mostSheetColumns)] {
		out = append(out, sharedColumn{clip(col.Name, 200), string(col.Type)})
	}
	return out, len(columns) - len(out)
}

// notesShown returns how a table was read, in sentences.
func notesShown(r warehouse.Report) (out []string, left int) {
	for _, c := range r.Cells {
		out = append(out, count(c.Count, "value")+` of column "`+clip(c.Column, 100)+`" did not fit and became NULL`)
	}
	out = append(append([]string{}, r.Notes...), out...)
	for i := range out {
		out[i] = clip(out[i], 300)
	}
	left = max(len(out)-mostNotes, 0)
	return out[:len(out)-left], left
}
