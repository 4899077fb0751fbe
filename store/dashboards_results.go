package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard/cube"
	"service/store/message"
)

// A Result describes the stored rows of a dataset. [Dashboards.Rows] reads them.
type Result struct {
	Dataset     string
	SHA256      []byte
	Rows        int
	Truncated   bool
	RefreshedAt time.Time
	Said        []byte // of a dataset with feeds, its columns as they describe them: see [dashboard.Said]; nil for none
}

// Results lists the stored rows of a version's datasets. A dataset that never had rows is missing.
func (s Dashboards) Results(ctx context.Context, m Member, version uuid.UUID) ([]Result, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT dataset, sha256, row_count, truncated, refreshed_at, said
		  FROM dataset WHERE workspace_id = $1 AND version_id = $2 ORDER BY dataset`, m.workspace, version)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Result])
}

// ResultColumns returns the columns of the stored rows of a version's datasets.
func (s Dashboards) ResultColumns(ctx context.Context, m Member, version uuid.UUID) (map[string][]cube.Column, error) {
	rows, _ := s.pool.Query(ctx, `SELECT dataset, columns FROM dataset WHERE workspace_id = $1 AND version_id = $2`, m.workspace, version)
	out := map[string][]cube.Column{}
	var dataset string
	var columns []byte
	_, err := pgx.ForEachRow(rows, []any{&dataset, &columns}, func() error {
		var cols []cube.Column
		if err := json.Unmarshal(columns, &cols); err != nil {
			return err
		}
		out[dataset] = cols
		return nil
	})
	return out, err
}

// Rows returns the rows of r, in the form that [cube.Decode] reads.
func (s Dashboards) Rows(ctx context.Context, m Member, r Result) ([]byte, error) {
	return s.blob(ctx, s.pool, m.workspace, r.SHA256)
}

// putResults stores the rows of a job's datasets. A dataset whose rows exceed the workspace's quota has failed, in the returned outcome.
func (s *core) putResults(ctx context.Context, tx pgx.Tx, j Job, o Outcome) (Outcome, error) {
	o.Datasets = slices.Clone(o.Datasets)
	at := s.jobNow() // of all: they are of one refresh
	for i := range o.Datasets {
		d := &o.Datasets[i]
		if d.Cube == nil {
			continue
		}
		err := s.putResult(ctx, tx, j, *d, at)
		if refusal, ok := message.As(err); ok {
			d.Cube = nil
			d.RunDataset = RunDataset{ID: d.ID, State: RunFailed, ElapsedMS: d.ElapsedMS, Read: d.Read, Error: refusal.Error()}
			continue
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// putResult stores the rows of one dataset of a job's version.
func (s *core) putResult(ctx context.Context, tx pgx.Tx, j Job, d DatasetResult, at time.Time) error {
	if !d.AsOf.IsZero() && d.AsOf.Before(at) {
		at = d.AsOf
	}
	hash, err := s.putBlob(ctx, tx, j.Workspace, d.Cube.Encode())
	if err != nil {
		return err
	}
	columns, err := json.Marshal(d.Cube.Columns())
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO dataset (workspace_id, version_id, dataset, definition, sha256, columns, row_count, truncated, refreshed_at, said)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (workspace_id, version_id, dataset) DO UPDATE
		   SET definition = excluded.definition, sha256 = excluded.sha256, columns = excluded.columns,
		       row_count = excluded.row_count, truncated = excluded.truncated, refreshed_at = excluded.refreshed_at,
		       said = excluded.said`,
		j.Workspace, j.Version, d.ID, d.Definition, hash, columns, d.Cube.Rows(), d.Truncated, at, d.Said)
	return err
}
