package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A Binding is a dashboard whose current version reads a connection.
type Binding struct {
	Slug, Name string
	Files      Files // the uploaded files it reads
}

// Bindings lists the dashboards of m's workspace that are bound to a connection, by name. They
// stop refreshing when it is deleted.
func (s Connections) Bindings(ctx context.Context, m Member, connection uuid.UUID) ([]Binding, error) {
	rows, _ := s.pool.Query(ctx, `
		SELECT d.slug, d.name, `+filesOf+`
		  FROM dashboard d JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		 WHERE d.workspace_id = $1 AND v.connection_id = $2 ORDER BY d.name, d.slug`, m.workspace, connection)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Binding])
}
