package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/dashboard/cube"
	"service/store/message"
	"service/store/warehouse"
)

// Added is an upload that was added or replaced, as its connection has it now.
type Added struct {
	Connection Connection
	Upload     Upload
	Refreshes  int // dashboards that read it and are being refreshed
}

// An UploadDetail is an uploaded file and how it was read.
type UploadDetail struct {
	Upload
	Replaced bool        // it replaced an earlier file
	Preview  [][]*string // its first 20 rows as text, cells cut at 200 characters; nil for NULL
	Report   warehouse.Report
	Bindings []Binding     // dashboards of the workspace that read it
	Workbook []SheetDetail // its sheets in their order; nil for other files, and for workbooks whose sheets were not kept
	Dated    *bool         // whether a column fits both orders of day and month; nil if that was not kept
	Identity []byte        // the hash of all its tables
	Earlier  []UploadFile  // earlier files, at most [KeptFiles], the last first
	Waiting  *UploadFile   // the file that waits until its owner decides; nil for none
}

// Upload returns one of m's own uploaded files in m's workspace, or [ErrNotFound].
func (s Uploads) Upload(ctx context.Context, m Member, id uuid.UUID) (UploadDetail, error) {
	var d UploadDetail
	var connection uuid.UUID
	err := s.pool.QueryRow(ctx, `
		SELECT u.id, u.filename, u.size, u.row_count, u.columns, u.sha256, coalesce(u.replaced_at, u.created_at), u.replaced_at IS NOT NULL,
		       u.preview, u.report, u.dates, u.dated, `+identity("u")+`, c.id
		  FROM upload u JOIN connection c ON c.id = u.connection_id
		 WHERE u.workspace_id = $1 AND u.id = $2 AND c.owner_id = $3`, m.workspace, id, m.account).
		Scan(&d.ID, &d.Filename, &d.Size, &d.Rows, &d.Columns, &d.SHA256, &d.CreatedAt, &d.Replaced, &d.Preview, &d.Report,
			&d.Dates, &d.Dated, &d.Identity, &connection)
	if err != nil {
		return d, plain(err)
	}
	if d.Workbook, err = s.sheetDetails(ctx, m, id, nil); err != nil {
		return d, err
	}
	files, err := s.uploadFiles(ctx, s.pool, m, id)
	if err != nil {
		return d, err
	}
	for _, f := range files {
		if f.ReplacedAt == nil {
			d.Waiting = &f
			continue
		}
		d.Earlier = append(d.Earlier, f)
	}
	all, err := Connections(s).Bindings(ctx, m, connection)
	for _, b := range all {
		if b.Files.Has(id) {
			d.Bindings = append(d.Bindings, b)
		}
	}
	return d, err
}

// AddUpload reads and stores a data file of m's. With the first file it also creates the connection
// through which m's uploads are read. It returns a *warehouse.Error for a file that cannot be read,
// and a *message.Refusal for one that is too large.
func (s Uploads) AddUpload(ctx context.Context, m Member, filename string, data []byte) (Added, error) {
	file := warehouse.DataFile{Name: filename, Data: data}
	in, err := s.ingest(ctx, m, file)
	if err != nil {
		return Added{}, err
	}
	var out Added
	var connection uuid.UUID
	u := Upload{ID: newID(), Filename: filename, Size: len(data), Rows: in.Rows, Columns: in.Columns, CreatedAt: s.now()}
	err = s.tx(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			INSERT INTO connection (workspace_id, id, owner_id, kind, label, status, status_at, created_at)
			VALUES ($1, $2, $3, 'upload', 'Uploaded files', 'active', $4, $4)
			ON CONFLICT (workspace_id, owner_id) WHERE kind = 'upload' DO UPDATE SET last_used_at = excluded.created_at
			RETURNING id`, m.workspace, newID(), m.account, s.now()).Scan(&connection)
		if err != nil {
			return err
		}
		stored, err := s.putFile(ctx, tx, m, file, in)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			INSERT INTO upload (workspace_id, id, connection_id, filename, size, row_count, columns, report, preview, sha256, dated, original,
			                    sheets_sha256, created_by, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			m.workspace, u.ID, connection, u.Filename, u.Size, u.Rows, stored.columns, stored.report, stored.preview, stored.sha256,
			stored.dated, stored.original, stored.sheets, m.account, s.now()); err != nil {
			return err
		}
		if err := s.putSheets(ctx, tx, m, u.ID, nil, in); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "upload.add", Subject: u.ID.String(),
			Detail: map[string]any{"filename": filename}, // without the number of rows: who gets some of them reads the log too
		})
	})
	if err != nil {
		return Added{}, err
	}
	if out.Connection, err = Connections(s).Connection(ctx, m, connection); err != nil {
		return out, err
	}
	out.Upload, _ = uploadOf(out.Connection, u.ID)
	return out, nil
}

// DeleteUpload deletes m's upload and returns its file's name. Dashboards that read it keep their last
// rows and stop refreshing. It returns [ErrNotFound] when m has no such upload.
func (s Uploads) DeleteUpload(ctx context.Context, m Member, id uuid.UUID) (filename string, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `
			DELETE FROM upload u USING connection c
			 WHERE u.workspace_id = $1 AND u.id = $2 AND c.id = u.connection_id AND c.owner_id = $3 RETURNING u.filename`,
			m.workspace, id, m.account).Scan(&filename); err != nil {
			return plain(err)
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "upload.delete", Subject: id.String(),
			Detail: map[string]any{"filename": filename},
		})
	})
	return filename, err
}

func (s *core) ingest(ctx context.Context, m Member, f warehouse.DataFile) (*warehouse.Ingested, error) {
	if len(f.Data) > message.MaxBytes {
		return nil, message.PayloadTooLarge(len(f.Data))
	}
	if err := dashboard.CheckLine("the file's name", f.Name, dashboard.MaxName); err != nil {
		return nil, err
	}
	if s.opt.Engine == nil {
		return nil, errors.New("no engine to read data files with")
	}
	return s.opt.Engine.Ingest(ctx, m.tenant(), f)
}

// uploadDetail encodes how a table was read, as JSON for the database.
func uploadDetail(in warehouse.Rowset) (columns, report, preview []byte, err error) {
	if columns, err = json.Marshal(append([]cube.Column{}, in.Columns...)); err != nil {
		return nil, nil, nil, err
	}
	if report, err = json.Marshal(in.Report); err != nil {
		return nil, nil, nil, err
	}
	preview, err = json.Marshal(previewText(in.Columns, in.Preview))
	return columns, report, preview, err
}

// maxCell is how much of a cell a preview keeps, in characters.
const maxCell = 200

// previewText is the text of the values of rows, for people.
func previewText(columns []cube.Column, rows [][]any) [][]*string {
	out := make([][]*string, len(rows))
	for i, row := range rows {
		out[i] = make([]*string, len(row))
		for j, value := range row {
			var text string
			switch value := value.(type) {
			case nil:
				continue
			case time.Time:
				layout := time.DateTime
				if columns[j].Type == cube.Date {
					layout = time.DateOnly
				}
				text = value.UTC().Format(layout)
			case float64: // without the exponent that Sprint writes for large numbers
				text = strconv.FormatFloat(value, 'f', -1, 64)
			default:
				text = strings.ReplaceAll(fmt.Sprint(value), "\x00", "") // which jsonb cannot hold
			}
			if runes := []rune(text); len(runes) > maxCell {
				text = string(runes[:maxCell]) + "…"
			}
			out[i][j] = &text
		}
	}
	return out
}
