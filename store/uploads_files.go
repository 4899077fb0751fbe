package store

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard/cube"
	"service/store/warehouse"
)

// KeptFiles is how many earlier files of an upload are kept.
const KeptFiles = 3

// An UploadFile is a file that an upload can have instead of its own: an earlier file, or one that waits for the decision of the upload's
// owner.
type UploadFile struct {
	ID         uuid.UUID
	Filename   string
	Size       int // in bytes, as it was uploaded
	Rows       int
	Columns    []cube.Column
	SHA256     []byte     // of the converted file
	CreatedAt  time.Time  // when it was uploaded, or became the upload's own again
	ReplacedAt *time.Time // nil: it waits
	Dates      warehouse.Dates
	Reread     bool // it is the file that the upload has, read with another order of day and month
}

// An UploadFileDetail is such a file, with how it was read.
type UploadFileDetail struct {
	UploadFile
	Preview  [][]*string // as in [UploadDetail]
	Report   warehouse.Report
	Workbook []SheetDetail
}

// ErrFileChanged is returned if the file to be replaced is not the one that was shown.
var ErrFileChanged = errors.New("the upload has another file by now")

const selectUploadFile = `
	SELECT f.id, f.filename, f.size, f.row_count, f.columns, f.sha256, f.created_at, f.replaced_at, f.dates,
	       coalesce(f.original = u.original AND f.dates <> u.dates, false)
	  FROM upload_file f
	  JOIN upload u ON u.workspace_id = f.workspace_id AND u.id = f.upload_id
	  JOIN connection c ON c.id = u.connection_id
	 WHERE f.workspace_id = $1 AND f.upload_id = $2 AND c.owner_id = $3`

// uploadFiles lists the other files of m's upload, those that were replaced last first.
func (s *core) uploadFiles(ctx context.Context, q querier, m Member, upload uuid.UUID) ([]UploadFile, error) {
	rows, _ := q.Query(ctx, selectUploadFile+` ORDER BY f.replaced_at DESC, f.id DESC`, m.workspace, upload, m.account)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[UploadFile])
}

// UploadFile returns another file of m's upload, or [ErrNotFound].
func (s Uploads) UploadFile(ctx context.Context, m Member, upload, id uuid.UUID) (UploadFileDetail, error) {
	var d UploadFileDetail
	rows, _ := s.pool.Query(ctx, selectUploadFile+` AND f.id = $4`, m.workspace, upload, m.account, id)
	var err error
	if d.UploadFile, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[UploadFile]); err != nil {
		return d, plain(err)
	}
	err = s.pool.QueryRow(ctx, `
		SELECT preview, report FROM upload_file WHERE workspace_id = $1 AND id = $2`, m.workspace, id).Scan(&d.Preview, &d.Report)
	if err != nil {
		return d, plain(err)
	}
	d.Workbook, err = s.sheetDetails(ctx, m, upload, &id)
	return d, err
}

// identity selects the hash of all tables of u, of upload or upload_file.
func identity(u string) string { return `coalesce(` + u + `.sheets_sha256, ` + u + `.sha256)` }

// lockUpload locks m's upload and returns the identity and the name of its file, or [ErrNotFound].
func lockUpload(ctx context.Context, tx pgx.Tx, m Member, upload uuid.UUID) (hash []byte, filename string, err error) {
	err = tx.QueryRow(ctx, `
		SELECT `+identity("u")+`, u.filename FROM upload u JOIN connection c ON c.id = u.connection_id
		 WHERE u.workspace_id = $1 AND u.id = $2 AND c.owner_id = $3
		 FOR UPDATE OF u`, m.workspace, upload, m.account).Scan(&hash, &filename)
	return hash, filename, plain(err)
}

// OfferFile reads and stores a file that could replace that of m's upload, and returns its id. It replaces one that waited before.
// [Uploads.UseFile] makes it the upload's own; otherwise it is deleted after a day. Errors are as those of [Uploads.AddUpload]; it returns
// [ErrNotFound] if m has no such upload.
func (s Uploads) OfferFile(ctx context.Context, m Member, upload uuid.UUID, filename string, data []byte) (uuid.UUID, error) {
	file := warehouse.DataFile{Name: filename, Data: data}
	err := s.pool.QueryRow(ctx, `
		SELECT u.dates FROM upload u JOIN connection c ON c.id = u.connection_id
		 WHERE u.workspace_id = $1 AND u.id = $2 AND c.owner_id = $3`, m.workspace, upload, m.account).Scan(&file.Dates)
	if err != nil {
		return uuid.Nil, plain(err)
	}
	return s.offer(ctx, m, upload, file)
}

// OfferDates reads the file of m's upload again with another order of day and month, and offers the result as [Uploads.OfferFile] does. If
// no column of the file depends on the order, it stores the order for the next file at once, and returns the zero id; the same is true of a
// file that was uploaded before originals were kept. It returns [ErrNotFound] if m has no such upload.
func (s Uploads) OfferDates(ctx context.Context, m Member, upload uuid.UUID, dates warehouse.Dates) (uuid.UUID, error) {
	file := warehouse.DataFile{Dates: dates}
	var original []byte
	err := s.pool.QueryRow(ctx, `
		SELECT u.filename, u.original FROM upload u JOIN connection c ON c.id = u.connection_id
		 WHERE u.workspace_id = $1 AND u.id = $2 AND c.owner_id = $3`, m.workspace, upload, m.account).Scan(&file.Name, &original)
	if err != nil {
		return uuid.Nil, plain(err)
	}
	if original == nil {
		return uuid.Nil, s.setDates(ctx, m, upload, dates)
	}
	if file.Data, err = s.blob(ctx, s.pool, m.workspace, original); err != nil {
		return uuid.Nil, err
	}
	return s.offer(ctx, m, upload, file)
}

// setDates keeps the order of day and month for the next file of m's upload.
func (s *core) setDates(ctx context.Context, m Member, upload uuid.UUID, dates warehouse.Dates) error {
	return s.tx(ctx, func(tx pgx.Tx) error {
		_, filename, err := lockUpload(ctx, tx, m, upload)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE upload SET dates = $3 WHERE workspace_id = $1 AND id = $2`, m.workspace, upload, dates); err != nil {
			return err
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: "upload.dates", Subject: upload.String(),
			Detail: map[string]any{"filename": filename, "dates": dates},
		})
	})
}

// offer reads a file and stores it as the waiting one of m's upload.
func (s *core) offer(ctx context.Context, m Member, upload uuid.UUID, f warehouse.DataFile) (uuid.UUID, error) {
	in, err := s.ingest(ctx, m, f)
	if err != nil {
		return uuid.Nil, err
	}
	id := newID()
	err = s.tx(ctx, func(tx pgx.Tx) error {
		stored, err := s.putFile(ctx, tx, m, f, in)
		if err != nil {
			return err
		}
		if _, _, err := lockUpload(ctx, tx, m, upload); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			DELETE FROM upload_file WHERE workspace_id = $1 AND upload_id = $2 AND replaced_at IS NULL`, m.workspace, upload); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `
			INSERT INTO upload_file (workspace_id, id, upload_id, filename, size, row_count, columns, report, preview, sha256, created_at,
			                         dates, dated, original, sheets_sha256)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			m.workspace, id, upload, f.Name, len(f.Data), in.Rows, stored.columns, stored.report, stored.preview, stored.sha256, s.now(),
			f.Dates, stored.dated, stored.original, stored.sheets); err != nil {
			return err
		}
		return s.putSheets(ctx, tx, m, upload, &id, in)
	})
	return id, err
}

// asUpload returns u with the file instead of its own.
func (f UploadFileDetail) asUpload(u Upload) Upload {
	u.Filename, u.Columns, u.SHA256, u.Sheets = f.Filename, f.Columns, f.SHA256, nil
	for _, s := range f.Workbook {
		u.Sheets = append(u.Sheets, s.Sheet)
	}
	return u
}

// A Use is how a file is made the upload's own.
type Use struct {
	Instead []byte // the identity of the file that it replaces; [ErrFileChanged] if the upload has another by now
	Despite int    // how many dashboards its owner accepts to break by it
}

// UseFile makes another file of m's upload its own, which keeps the upload's id, and queues a refresh of each
// dashboard that reads it. The file that it replaces is kept as an earlier one; of these the last
// [KeptFiles] stay.
func (s Uploads) UseFile(ctx context.Context, m Member, upload, file uuid.UUID, use Use) (Added, error) {
	var out Added
	var connection uuid.UUID
	err := s.tx(ctx, func(tx pgx.Tx) error {
		out = Added{}
		now, before, err := lockUpload(ctx, tx, m, upload)
		switch {
		case err != nil:
			return err
		case !bytes.Equal(now, use.Instead):
			return ErrFileChanged
		}
		rows, _ := tx.Query(ctx, selectUploadFile+` AND f.id = $4 FOR UPDATE OF f`, m.workspace, upload, m.account, file)
		f, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[UploadFile])
		if err != nil {
			return plain(err)
		}
		kept, err := s.keepFile(ctx, tx, m, upload, f)
		if err != nil {
			return err
		}
		if err := useSheets(ctx, tx, m, upload, kept, file); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `
			UPDATE upload u
			   SET filename = f.filename, size = f.size, row_count = f.row_count, columns = f.columns, report = f.report, preview = f.preview,
			       sha256 = f.sha256, dates = f.dates, dated = f.dated, original = f.original, sheets_sha256 = f.sheets_sha256, replaced_at = $4
			  FROM upload_file f
			 WHERE u.workspace_id = $1 AND u.id = $2 AND f.workspace_id = $1 AND f.id = $3
			RETURNING u.connection_id`, m.workspace, upload, file, s.now()).Scan(&connection); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM upload_file WHERE workspace_id = $1 AND id = $2`, m.workspace, file); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			DELETE FROM upload_file WHERE workspace_id = $1 AND id IN (
			       SELECT id FROM upload_file WHERE workspace_id = $1 AND upload_id = $2 AND replaced_at IS NOT NULL
			        ORDER BY replaced_at DESC, id DESC OFFSET $3)`, m.workspace, upload, KeptFiles); err != nil {
			return err
		}
		if out.Refreshes, err = s.refreshReaders(ctx, tx, m, upload); err != nil {
			return err
		}
		action := "upload.replace"
		switch {
		case f.Reread:
			action = "upload.dates"
		case f.ReplacedAt != nil:
			action = "upload.restore"
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: action, Subject: upload.String(),
			Detail: map[string]any{
				"filename": f.Filename, "before": before, "dashboards": out.Refreshes, "despite": use.Despite, "dates": f.Dates,
			},
		})
	})
	if err != nil {
		return Added{}, err
	}
	if out.Connection, err = Connections(s).Connection(ctx, m, connection); err != nil {
		return out, err
	}
	out.Upload, _ = uploadOf(out.Connection, upload)
	return out, nil
}

// keepFile stores the file that m's upload has as an earlier one, and returns its id. It keeps nothing and returns zero if f, which will
// replace the file, is the same.
func (s *core) keepFile(ctx context.Context, tx pgx.Tx, m Member, upload uuid.UUID, f UploadFile) (uuid.UUID, error) {
	id := newID()
	tag, err := tx.Exec(ctx, `
		INSERT INTO upload_file (workspace_id, id, upload_id, filename, size, row_count, columns, report, preview, sha256,
		                         dates, dated, original, sheets_sha256, created_at, replaced_at)
		SELECT u.workspace_id, $3, u.id, u.filename, u.size, u.row_count, u.columns, u.report, u.preview, u.sha256,
		       u.dates, u.dated, u.original, u.sheets_sha256, least(coalesce(u.replaced_at, u.created_at), $5), $5
		  FROM upload u JOIN upload_file f ON f.workspace_id = u.workspace_id AND f.upload_id = u.id AND f.id = $4
		 WHERE u.workspace_id = $1 AND u.id = $2 AND `+identity("u")+` <> `+identity("f"), m.workspace, upload, id, f.ID, s.now())
	if err != nil || tag.RowsAffected() == 0 {
		return uuid.Nil, err
	}
	return id, nil
}

// refreshReaders queues a refresh of each dashboard that reads upload, and returns how many do.
func (s *core) refreshReaders(ctx context.Context, tx pgx.Tx, m Member, upload uuid.UUID) (int, error) {
	rows, _ := tx.Query(ctx, `
		SELECT d.id, d.version_id FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		 WHERE v.workspace_id = $1 AND `+readsUpload+` ORDER BY d.id FOR SHARE OF d`, m.workspace, upload)
	bound, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Dashboard, Version uuid.UUID }])
	if err != nil {
		return 0, err
	}
	for _, b := range bound {
		if _, _, err := s.enqueue(ctx, tx, m.workspace, b.Dashboard, b.Version, m.account, CauseUpload); err != nil {
			return 0, err
		}
	}
	return len(bound), nil
}

// DropFile deletes a file that waits for m's decision and returns its name, or [ErrNotFound].
func (s Uploads) DropFile(ctx context.Context, m Member, upload, file uuid.UUID) (filename string, err error) {
	err = s.pool.QueryRow(ctx, `
		DELETE FROM upload_file f USING upload u, connection c
		 WHERE f.workspace_id = $1 AND f.id = $4 AND f.replaced_at IS NULL AND f.upload_id = $2
		   AND u.workspace_id = f.workspace_id AND u.id = f.upload_id AND c.id = u.connection_id AND c.owner_id = $3
		RETURNING f.filename`, m.workspace, upload, m.account, file).Scan(&filename)
	return filename, plain(err)
}

// Readers lists the dashboards of m's workspace that read upload, by name.
func (s Uploads) Readers(ctx context.Context, m Member, upload uuid.UUID) ([]Dashboard, error) {
	rows, _ := s.pool.Query(ctx, selectDashboard+`
		 WHERE d.workspace_id = $1 AND `+readsUpload+` ORDER BY d.name, d.slug`, m.workspace, upload)
	return pgx.CollectRows(rows, scanDashboard)
}

// TrySource is [Connections.Source] with another file instead of that of m's upload, to show its effect. A *message.Refusal is about a
// sheet that the file lacks.
func (s Uploads) TrySource(ctx context.Context, m Member, d Dashboard, upload uuid.UUID, f UploadFileDetail) (Source, error) {
	c, err := Connections(s).CheckConnection(ctx, m, d.Connection, d.Files, false)
	if err != nil {
		return Source{}, err
	}
	for i, u := range c.Uploads {
		if u.ID == upload {
			c.Uploads[i] = f.asUpload(u)
		}
	}
	if err := checkSheets(c, d.Files); err != nil {
		return Source{}, err
	}
	return s.open(ctx, c, d.Files)
}
