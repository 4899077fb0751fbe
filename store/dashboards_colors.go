package store

import (
	"bytes"
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
)

// Colors are the colours of the values of a dashboard's columns. All versions share them.
func (s Dashboards) Colors(ctx context.Context, m Member, d Dashboard) (dashboard.Colors, error) {
	var b []byte
	err := s.pool.QueryRow(ctx, `SELECT colors FROM dashboard WHERE workspace_id = $1 AND id = $2`, m.workspace, d.ID).Scan(&b)
	return dashboard.ReadColors(b), plain(err)
}

// giveColors replaces a dashboard's colours by the result of give. It runs in the transaction that stores the values (a publish of rows or
// the end of a refresh), so that reading a page writes nothing and all pages agree.
func giveColors(ctx context.Context, tx pgx.Tx, workspace, id uuid.UUID, give func(dashboard.Colors) dashboard.Colors) error {
	if give == nil {
		return nil
	}
	var b []byte
	err := tx.QueryRow(ctx, `SELECT colors FROM dashboard WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE`, workspace, id).Scan(&b)
	if err != nil {
		return err
	}
	kept := dashboard.ReadColors(b)
	given := give(kept).Encode()
	if bytes.Equal(given, kept.Encode()) {
		return nil
	}
	_, err = tx.Exec(ctx, `UPDATE dashboard SET colors = $3 WHERE workspace_id = $1 AND id = $2`, workspace, id, given)
	return err
}
