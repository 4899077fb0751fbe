package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/warehouse"
)

// A budget counts the bytes that queries over a connection read, by month, and refuses queries over the connection's limit.
type budget struct {
	store                 *core
	workspace, connection uuid.UUID
	most                  int64 // bytes of a month; 0 for no limit
}

// settleTime is how long recording the bytes of a query may take after its caller has left.
const settleTime = 5 * time.Second

// query runs a query of c within the budget. The estimate of its bytes is reserved before it runs, so that queries at the same time do not
// exceed the limit together. If this process ends meanwhile, the reservation counts as read.
func (b *budget) query(
	ctx context.Context, c warehouse.Connector, sql string, args []any, l warehouse.Limits, sink warehouse.Sink,
) (warehouse.Stats, error) {
	if b == nil {
		return c.Query(ctx, sql, args, l, sink)
	}
	reserved, month := int64(-1), b.store.month()
	l.Reserve = func(ctx context.Context, bytes int64) (int64, error) {
		left, err := b.reserve(ctx, month, bytes)
		if err == nil {
			reserved = max(0, bytes)
		}
		return left, err
	}
	stats, err := c.Query(ctx, sql, args, l, sink)
	if reserved >= 0 && stats.Read != reserved {
		b.settle(ctx, month, stats.Read-reserved)
	}
	return stats, err
}

// month returns the first day of the month in UTC.
func (s *core) month() time.Time {
	now := s.now().UTC()
	return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// reserve counts bytes that a query is estimated to read, and returns how many it may read. bytes is -1 if there is no estimate: then the
// query may read the remaining bytes. It returns a *[warehouse.Error] if the limit does not allow the query.
func (b *budget) reserve(ctx context.Context, month time.Time, bytes int64) (left int64, err error) {
	var used int64
	err = b.store.pool.QueryRow(ctx, `
		INSERT INTO connection_usage AS u (workspace_id, connection_id, month, bytes, runs)
		SELECT $1, $2, $3, greatest($4::bigint, 0), 1 WHERE $5::bigint = 0 OR $4::bigint <= $5
		ON CONFLICT (workspace_id, connection_id, month) DO UPDATE SET bytes = u.bytes + excluded.bytes, runs = u.runs + 1
		      WHERE $5::bigint = 0 OR u.bytes + excluded.bytes <= $5 AND ($4::bigint >= 0 OR u.bytes < $5)
		RETURNING bytes - greatest($4::bigint, 0)`, b.workspace, b.connection, month, bytes, b.most).Scan(&used)
	switch {
	case err == nil && b.most == 0:
		return math.MaxInt64, nil
	case err == nil:
		return b.most - used, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return 0, fmt.Errorf("store: count the bytes of a connection: %w", err)
	}
	if used, err = b.store.used(ctx, b.workspace, b.connection, month); err != nil {
		return 0, err
	}
	return 0, b.over(used, bytes)
}

// over is the refusal of a query.
func (b *budget) over(used, bytes int64) *warehouse.Error {
	reads := "The query was not run"
	if bytes > 0 {
		reads = "A run of the query reads about " + warehouse.Size(bytes)
	}
	return warehouse.Errorf(warehouse.TooLarge, "%s: queries over this connection have read %s this month, and it allows %s a month. "+
		"Wait until the next month, read less, or have the connection's owner raise its limit.",
		reads, warehouse.Size(used), warehouse.Size(b.most))
}

// settle corrects the bytes of a month by the difference between the bytes that a query has read and those that were reserved.
func (b *budget) settle(ctx context.Context, month time.Time, difference int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	if _, err := b.store.pool.Exec(ctx, `
		UPDATE connection_usage SET bytes = greatest(0, bytes + $4) WHERE workspace_id = $1 AND connection_id = $2 AND month = $3`,
		b.workspace, b.connection, month, difference); err != nil {
		b.store.opt.Log.WarnContext(ctx, "the bytes of a query could not be recorded", "connection", b.connection, "err", err)
	}
}

// Facts signs in to the warehouse of m's connection, and returns the properties of the session.
func (s *Store) Facts(ctx context.Context, m Member, connection uuid.UUID) ([]warehouse.Fact, error) {
	c, t, err := s.warehouseTarget(ctx, m, connection)
	if err != nil {
		return nil, err
	}
	if _, ok := s.opt.Warehouses[c.Kind]; !ok {
		return nil, nil
	}
	source, err := s.openTarget(c.Kind, t, c.tenant())
	if err != nil {
		return nil, err
	}
	limited := limitTo(&s.sources, source, t, c.tenant())
	var facts []warehouse.Fact
	err = limited.with(ctx, func() error {
		facts, err = warehouse.Facts(ctx, source, c.Kind, t)
		return err
	})
	return facts, err
}

func (s *core) used(ctx context.Context, workspace, connection uuid.UUID, month time.Time) (bytes int64, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT coalesce(sum(bytes), 0)::bigint FROM connection_usage WHERE workspace_id = $1 AND connection_id = $2 AND month = $3`,
		workspace, connection, month).Scan(&bytes)
	return bytes, err
}

// A Usage is the bytes that queries over a connection have read in a month.
type Usage struct {
	Month time.Time // its first day, in UTC
	Bytes int64
	Runs  int64
}

// Usage returns the bytes that queries over m's connection have read in the last twelve months, newest first.
func (s *Store) Usage(ctx context.Context, m Member, connection uuid.UUID) ([]Usage, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT u.month, u.bytes, u.runs FROM connection_usage u
		  JOIN connection c ON c.workspace_id = u.workspace_id AND c.id = u.connection_id
		 WHERE u.workspace_id = $1 AND u.connection_id = $2 AND c.owner_id = $3 ORDER BY u.month DESC LIMIT 12`,
		m.workspace, connection, m.account)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Usage])
}
