package store

import (
	"context"

	"github.com/google/uuid"

	"service/store/message"
)

// Storage is how much a workspace stores, in bytes of content before it is compressed: pages,
// rows and files, of all versions that are kept. Storage that has been replaced or deleted counts
// until it is swept, an hour or two later.
type Storage struct {
	Used  int
	Quota int // what its plan lets it store; 0: any amount
}

// Full reports whether n more bytes are above the quota.
func (s Storage) Full(n int) bool { return s.Quota > 0 && s.Used+n > s.Quota }

// Scarce reports whether less than a fifth of the quota is left.
func (s Storage) Scarce() bool { return s.Full(s.Quota / 5) }

// Storage returns the amount of data that m's workspace stores.
func (s Workspaces) Storage(ctx context.Context, m Member) (Storage, error) {
	return s.storage(ctx, s.pool, m.workspace)
}

func (s *core) storage(ctx context.Context, q querier, workspace uuid.UUID) (Storage, error) {
	var out Storage
	var plan string
	err := q.QueryRow(ctx, `
		SELECT w.plan, (SELECT coalesce(sum(size), 0) FROM blob WHERE workspace_id = w.id) FROM workspace w WHERE w.id = $1`,
		workspace).Scan(&plan, &out.Used)
	out.Quota = s.opt.Quotas[plan]
	return out, plain(err)
}

// fits refuses n bytes of new content that exceed the workspace's quota.
func (s *core) fits(ctx context.Context, q querier, workspace uuid.UUID, n int) error {
	if len(s.opt.Quotas) == 0 {
		return nil
	}
	stored, err := s.storage(ctx, q, workspace)
	if err == nil && stored.Full(n) {
		err = message.QuotaReached(stored.Used, stored.Quota)
	}
	return err
}
