package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"service/store/blob"
)

// putBlob stores body under its hash, once per workspace, and returns the hash. It refuses a new body that exceeds the workspace's quota.
func (s *core) putBlob(ctx context.Context, q querier, workspace uuid.UUID, body []byte) ([]byte, error) {
	hash := blob.Hash(body)
	tag, err := q.Exec(ctx, `UPDATE blob SET touched_at = $3 WHERE workspace_id = $1 AND sha256 = $2`, workspace, hash, s.now())
	if err != nil || tag.RowsAffected() > 0 {
		return hash, err
	}
	if err := s.fits(ctx, q, workspace, len(body)); err != nil {
		return nil, err
	}
	_, err = q.Exec(ctx, `
		INSERT INTO blob (workspace_id, sha256, size, body, touched_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (workspace_id, sha256) DO UPDATE SET touched_at = excluded.touched_at`,
		workspace, hash, len(body), blob.Compress(body), s.now())
	return hash, err
}

// blob reads the content with the hash.
func (s *core) blob(ctx context.Context, q querier, workspace uuid.UUID, hash []byte) ([]byte, error) {
	var size int
	var z []byte
	err := q.QueryRow(ctx, `SELECT size, body FROM blob WHERE workspace_id = $1 AND sha256 = $2`, workspace, hash).Scan(&size, &z)
	if err != nil {
		return nil, plain(err)
	}
	body, err := blob.Decompress(z, size)
	if err != nil {
		return nil, fmt.Errorf("content %x: %w", hash, err)
	}
	return body, nil
}

// notUploaded is a condition on a blob: no upload, file or sheet has it.
func notUploaded(b string) string {
	return strings.ReplaceAll(`AND NOT EXISTS (SELECT FROM upload u WHERE u.workspace_id = b.workspace_id AND u.sha256 = b.sha256)
		       AND NOT EXISTS (SELECT FROM upload u WHERE u.workspace_id = b.workspace_id AND u.original = b.sha256)
		       AND NOT EXISTS (SELECT FROM upload_file f WHERE f.workspace_id = b.workspace_id AND f.sha256 = b.sha256)
		       AND NOT EXISTS (SELECT FROM upload_file f WHERE f.workspace_id = b.workspace_id AND f.original = b.sha256)
		       AND NOT EXISTS (SELECT FROM upload_sheet s WHERE s.workspace_id = b.workspace_id AND s.sha256 = b.sha256)`, " b.", " "+b+".")
}

// SweepBlobs deletes content that nothing refers to and that is at least an hour old. Foreign
// keys protect content in use, and the hour protects content of a publish under way.
func (s *Store) SweepBlobs(ctx context.Context) (int64, error) {
	return s.sweep(ctx, "blob", `t.touched_at < $1
		   AND NOT EXISTS (SELECT FROM version v WHERE v.workspace_id = t.workspace_id AND v.sha256 = t.sha256)
		   AND NOT EXISTS (SELECT FROM dataset d WHERE d.workspace_id = t.workspace_id AND d.sha256 = t.sha256)
		   `+notUploaded("t"),
		s.now().Add(-time.Hour))
}
