package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
)

// A Sheet is a sheet of an uploaded workbook.
type Sheet struct {
	Name   string
	State  warehouse.SheetState
	Reason string // of the state unread
	Rows   int
	SHA256 []byte // of its converted rows; nil unless it was read
}

// A SheetDetail is a sheet and how it was read.
type SheetDetail struct {
	Sheet
	Columns []cube.Column
	Preview [][]*string // as in [UploadDetail]
	Report  warehouse.Report
}

// sheetsOf selects the sheets of upload u as JSON of []Sheet; NULL if it has none.
const sheetsOf = `(SELECT jsonb_agg(jsonb_build_object('Name', s.name, 'State', s.state, 'Reason', s.reason, 'Rows', s.row_count,
	               'SHA256', encode(s.sha256, 'base64')) ORDER BY s.position)
	          FROM upload_sheet s WHERE s.workspace_id = u.workspace_id AND s.upload_id = u.id AND s.file_id IS NULL)`

// sheetDetails lists the sheets of m's upload (file is nil) or of another file of it, in the order of the workbook.
func (s *core) sheetDetails(ctx context.Context, m Member, upload uuid.UUID, file *uuid.UUID) ([]SheetDetail, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT name, state, reason, row_count, sha256, columns, preview, report FROM upload_sheet
		 WHERE workspace_id = $1 AND upload_id = $2 AND file_id IS NOT DISTINCT FROM $3 ORDER BY position`, m.workspace, upload, file)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d SheetDetail, err error) {
		err = row.Scan(&d.Name, &d.State, &d.Reason, &d.Rows, &d.SHA256, &d.Columns, &d.Preview, &d.Report)
		return d, err
	})
}

// A fileContent is the stored content of a file: the columns that the tables upload and upload_file share.
type fileContent struct {
	columns, report, preview []byte
	sha256, original, sheets []byte // hashes; those of original and sheets may be nil
	dated                    bool
}

// putFile stores the content of a file.
func (s *core) putFile(ctx context.Context, tx pgx.Tx, m Member, f warehouse.DataFile, in *warehouse.Ingested) (c fileContent, err error) {
	if c.sha256, err = s.putBlob(ctx, tx, m.workspace, in.Parquet); err != nil {
		return c, err
	}
	if c.dated = isDated(in); c.dated {
		if c.original, err = s.putBlob(ctx, tx, m.workspace, f.Data); err != nil {
			return c, err
		}
	}
	if len(in.Sheets) > 0 {
		h := sha256.New()
		for _, sheet := range in.Sheets {
			fmt.Fprintf(h, "%q %s %x\n", sheet.Name, sheet.State, sha256.Sum256(sheet.Parquet))
		}
		c.sheets = h.Sum(nil)
	}
	c.columns, c.report, c.preview, err = uploadDetail(in.Rowset)
	return c, err
}

// isDated reports whether a column of the file fits both orders of day and month.
func isDated(in *warehouse.Ingested) bool {
	return len(in.Report.Dates) > 0 ||
		slices.ContainsFunc(in.Sheets, func(s warehouse.Sheet) bool { return len(s.Report.Dates) > 0 })
}

// putSheets stores the sheets of a file of m's upload; file is nil for the upload's own.
func (s *core) putSheets(ctx context.Context, tx pgx.Tx, m Member, upload uuid.UUID, file *uuid.UUID, in *warehouse.Ingested) error {
	for i, sheet := range in.Sheets {
		var hash []byte
		if sheet.State == warehouse.SheetRead {
			var err error
			if hash, err = s.putBlob(ctx, tx, m.workspace, sheet.Parquet); err != nil {
				return err
			}
		}
		columns, report, preview, err := uploadDetail(sheet.Rowset)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO upload_sheet (workspace_id, upload_id, file_id, position, name, state, reason, row_count, columns, report, preview, sha256)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			m.workspace, upload, file, i+1, sheet.Name, sheet.State, sheet.Reason, sheet.Rows, columns, report, preview, hash); err != nil {
			return err
		}
	}
	return nil
}

// useSheets makes the sheets of another file those of m's upload. The upload's own sheets become those of the earlier file kept; if kept is
// zero, they are deleted.
func useSheets(ctx context.Context, tx pgx.Tx, m Member, upload, kept, file uuid.UUID) error {
	sql := `DELETE FROM upload_sheet WHERE workspace_id = $1 AND upload_id = $2 AND file_id IS NULL`
	args := []any{m.workspace, upload}
	if kept != uuid.Nil {
		sql, args = `UPDATE upload_sheet SET file_id = $3 WHERE workspace_id = $1 AND upload_id = $2 AND file_id IS NULL`, append(args, kept)
	}
	if _, err := tx.Exec(ctx, sql, args...); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE upload_sheet SET file_id = NULL WHERE workspace_id = $1 AND upload_id = $2 AND file_id = $3`, m.workspace, upload, file)
	return err
}

// sheet returns the sheet that a spec names. Case is ignored, as in the program that made the workbook.
func (u Upload) sheet(name string) (Sheet, bool) {
	for _, s := range u.Sheets {
		if strings.EqualFold(s.Name, name) {
			return s, true
		}
	}
	return Sheet{}, false
}

// maxSheetNames is the limit of sheets in a refusal.
const maxSheetNames = 20

// checkSheet refuses a sheet of u that has no rows to read, or does not exist, and names those that can be read.
func (u Upload) checkSheet(name string) error {
	if name == "" {
		return nil
	}
	file := fmt.Sprintf("%.100s", u.Filename)
	if len(u.Sheets) == 0 {
		if strings.EqualFold(path.Ext(u.Filename), ".xlsx") {
			return message.Refuse(`"%s" was uploaded before sheets were read, so only its first one is known. Upload it again: Replace, on its `+
				`page in the web application, keeps its id.`, file)
		}
		return message.Refuse(`"%s" is not a workbook and has no sheets: leave out sheet.`, file)
	}
	found, ok := u.sheet(name)
	why := fmt.Sprintf(`Sheet "%.100s" of "%s" `, found.Name, file)
	switch {
	case !ok:
		why = fmt.Sprintf(`"%s" has no sheet "%.100s".`, file, name)
	case found.State == warehouse.SheetRead:
		return nil
	case found.State == warehouse.SheetHidden:
		why += "is hidden, so it is not read: show it in the workbook, and upload that again."
	case found.State == warehouse.SheetEmpty:
		why += "is empty."
	case found.State == warehouse.SheetChart:
		why += "is a chart sheet and has no rows."
	default:
		why += fmt.Sprintf("could not be read: %s.", found.Reason)
	}
	return message.Refuse("%s The sheets with rows are %s.", why, u.sheetNames())
}

// sheetNames lists the sheets that were read.
func (u Upload) sheetNames() string {
	var names []string
	more := 0
	for _, s := range u.Sheets {
		switch {
		case s.State != warehouse.SheetRead:
		case len(names) == maxSheetNames:
			more++
		default:
			names = append(names, fmt.Sprintf(`"%.100s"`, s.Name))
		}
	}
	if more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}
