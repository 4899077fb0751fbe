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

// An UploadFile is a file that an upload can have in place of its own: one that it had before, or one
// that waits until the upload's owner decides.
type UploadFile struct {
	ID         uuid.UUID
	Filename   string
	Size       int // in bytes, as it was uploaded
	Rows       int
	Columns    []cube.Column
	SHA256     []byte     // of the converted file
	CreatedAt  time.Time  // when it was uploaded, or became the upload's own again
	ReplacedAt *time.Time // nil: it waits
}

// An UploadFileDetail is such a file and how it was read.
type UploadFileDetail struct {
	UploadFile
	Preview [][]*string // as in [UploadDetail]
	Report  warehouse.Report
}

// ErrFileChanged is returned when the file to be replaced is not the one that was looked at.
var ErrFileChanged = errors.New("the upload has another file by now")

const selectUploadFile = `
	SELECT f.id, f.filename, f.size, f.row_count, f.columns, f.sha256, f.created_at, f.replaced_at
	  FROM upload_file f
	  JOIN upload u ON u.workspace_id = f.workspace_id AND u.id = f.upload_id
	  JOIN connection c ON c.id = u.connection_id
	 WHERE f.workspace_id = $1 AND f.upload_id = $2 AND c.owner_id = $3`

// uploadFiles lists the other files of m's upload, those that were replaced last first.
func (s *Store) uploadFiles(ctx context.Context, q querier, m Member, upload uuid.UUID) ([]UploadFile, error) {
	rows, _ := q.Query(ctx, selectUploadFile+` ORDER BY f.replaced_at DESC, f.id DESC`, m.workspace, upload, m.account)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[UploadFile])
}

// UploadFile returns another file of m's upload, or [ErrNotFound].
func (s *Store) UploadFile(ctx context.Context, m Member, upload, id uuid.UUID) (UploadFileDetail, error) {
	var d UploadFileDetail
	rows, _ := s.pool.Query(ctx, selectUploadFile+` AND f.id = $4`, m.workspace, upload, m.account, id)
	var err error
	if d.UploadFile, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[UploadFile]); err != nil {
		return d, plain(err)
	}
	err = s.pool.QueryRow(ctx, `
		SELECT preview, report FROM upload_file WHERE workspace_id = $1 AND id = $2`, m.workspace, id).Scan(&d.Preview, &d.Report)
	return d, plain(err)
}

// lockUpload locks m's upload and returns the hash and the name of its file, or [ErrNotFound].
func lockUpload(ctx context.Context, tx pgx.Tx, m Member, upload uuid.UUID) (hash []byte, filename string, err error) {
	err = tx.QueryRow(ctx, `
		SELECT u.sha256, u.filename FROM upload u JOIN connection c ON c.id = u.connection_id
		 WHERE u.workspace_id = $1 AND u.id = $2 AND c.owner_id = $3
		 FOR UPDATE OF u`, m.workspace, upload, m.account).Scan(&hash, &filename)
	return hash, filename, plain(err)
}

// OfferFile reads and stores a file that could replace that of m's upload, and returns its id. It takes the
// place of one that waited before. [Store.UseFile] makes it the upload's own, and after a day it is deleted.
// Errors are as those of [Store.AddUpload]; it returns [ErrNotFound] when m has no such upload.
func (s *Store) OfferFile(ctx context.Context, m Member, upload uuid.UUID, filename string, data []byte) (uuid.UUID, error) {
	in, err := s.ingest(ctx, m, filename, data)
	if err != nil {
		return uuid.Nil, err
	}
	columns, report, preview, err := uploadDetail(in)
	if err != nil {
		return uuid.Nil, err
	}
	id := newID()
	err = s.tx(ctx, func(tx pgx.Tx) error {
		hash, err := s.putBlob(ctx, tx, m.workspace, in.Parquet)
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
		_, err = tx.Exec(ctx, `
			INSERT INTO upload_file (workspace_id, id, upload_id, filename, size, row_count, columns, report, preview, sha256, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			m.workspace, id, upload, filename, len(data), in.Rows, columns, report, preview, hash, s.now())
		return err
	})
	return id, err
}

// A Use says how a file is made the upload's own.
type Use struct {
	Instead []byte // the hash of the file that it replaces; [ErrFileChanged] if the upload has another by now
	Despite int    // how many dashboards its owner knows to break by it
}

// UseFile makes another file of m's upload its own, which keeps the upload's id, and queues a refresh of each
// dashboard that reads it. The file that it replaces is kept as an earlier one; of these the last
// [KeptFiles] stay.
func (s *Store) UseFile(ctx context.Context, m Member, upload, file uuid.UUID, use Use) (Added, error) {
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
		if err := s.keepFile(ctx, tx, m, upload, f); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `
			UPDATE upload u
			   SET filename = f.filename, size = f.size, row_count = f.row_count, columns = f.columns, report = f.report, preview = f.preview,
			       sha256 = f.sha256, replaced_at = $4
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
		if f.ReplacedAt != nil {
			action = "upload.restore"
		}
		return s.audit(ctx, tx, Event{
			Workspace: m.workspace, Account: m.account, ClientID: m.client, Action: action, Subject: upload.String(),
			Detail: map[string]any{
				"filename": f.Filename, "before": before, "rows": f.Rows, "dashboards": out.Refreshes, "despite": use.Despite,
			},
		})
	})
	if err != nil {
		return Added{}, err
	}
	if out.Connection, err = s.Connection(ctx, m, connection); err != nil {
		return out, err
	}
	out.Upload, _ = uploadOf(out.Connection, upload)
	return out, nil
}

// keepFile stores the file that m's upload has as an earlier one, unless f, which will replace it, is the same.
func (s *Store) keepFile(ctx context.Context, tx pgx.Tx, m Member, upload uuid.UUID, f UploadFile) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO upload_file (workspace_id, id, upload_id, filename, size, row_count, columns, report, preview, sha256,
		                         created_at, replaced_at)
		SELECT workspace_id, $3, id, filename, size, row_count, columns, report, preview, sha256,
		       least(coalesce(replaced_at, created_at), $5), $5
		  FROM upload WHERE workspace_id = $1 AND id = $2 AND sha256 <> $4`, m.workspace, upload, newID(), f.SHA256, s.now())
	return err
}

// refreshReaders queues a refresh of each dashboard that reads upload, and returns how many do.
func (s *Store) refreshReaders(ctx context.Context, tx pgx.Tx, m Member, upload uuid.UUID) (int, error) {
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
func (s *Store) DropFile(ctx context.Context, m Member, upload, file uuid.UUID) (filename string, err error) {
	err = s.pool.QueryRow(ctx, `
		DELETE FROM upload_file f USING upload u, connection c
		 WHERE f.workspace_id = $1 AND f.id = $4 AND f.replaced_at IS NULL AND f.upload_id = $2
		   AND u.workspace_id = f.workspace_id AND u.id = f.upload_id AND c.id = u.connection_id AND c.owner_id = $3
		RETURNING f.filename`, m.workspace, upload, m.account, file).Scan(&filename)
	return filename, plain(err)
}

// Readers lists the dashboards of m's workspace that read upload, by name.
func (s *Store) Readers(ctx context.Context, m Member, upload uuid.UUID) ([]Dashboard, error) {
	rows, _ := s.pool.Query(ctx, selectDashboard+`
		 WHERE d.workspace_id = $1 AND `+readsUpload+` ORDER BY d.name, d.slug`, m.workspace, upload)
	return pgx.CollectRows(rows, scanDashboard)
}

// TrySource is [Store.Source] with another file in the place of that of m's upload, to see what it would do.
func (s *Store) TrySource(ctx context.Context, m Member, d Dashboard, upload uuid.UUID, f UploadFile) (Source, error) {
	c, err := s.CheckConnection(ctx, m, d.Connection, d.Files, false)
	if err != nil {
		return Source{}, err
	}
	for i, u := range c.Uploads {
		if u.ID == upload {
			c.Uploads[i].Columns, c.Uploads[i].SHA256 = f.Columns, f.SHA256
		}
	}
	return s.open(ctx, c, d.Files)
}
