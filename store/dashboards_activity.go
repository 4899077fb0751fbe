package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The events that the built-in metrics view counts.
const (
	EventView          = "view"
	EventPublish       = "publish"
	EventRefresh       = "refresh"
	EventRefreshFailed = "refresh_failed"
)

// An Activity is an event of a dashboard. It does not record the person.
type Activity struct {
	Event    string
	Duration time.Duration
	Bytes    int
}

// buckets is the number of buckets of durations: bucket i counts durations of less than 2^i
// ms, the last one all that are longer.
const buckets = 24

func bucketOf(d time.Duration) int {
	return min(bits.Len64(uint64(max(d.Milliseconds(), 0))), buckets-1)
}

// percentile95 is the 95th percentile of the durations counted in counts, in milliseconds, to
// the precision of the buckets.
func percentile95(counts []int64) float64 {
	var all, seen int64
	for _, n := range counts {
		all += n
	}
	for i, n := range counts {
		if seen += n; all > 0 && float64(seen) >= 0.95*float64(all) {
			return math.Pow(2, float64(i))
		}
	}
	return 0
}

// countActivity adds a to the counts of its day.
func (s *core) countActivity(ctx context.Context, q querier, workspace, dashboard uuid.UUID, a Activity) error {
	counts := make([]int64, buckets)
	counts[bucketOf(a.Duration)] = 1
	return s.addActivity(ctx, q, activityKey{workspace, dashboard, s.now().Truncate(24 * time.Hour), a.Event},
		activityCount{1, a.Duration.Milliseconds(), int64(a.Bytes), counts})
}

type activityKey struct {
	workspace, dashboard uuid.UUID
	day                  time.Time
	event                string
}

type activityCount struct {
	count, duration, bytes int64
	buckets                []int64
}

func (s *core) addActivity(ctx context.Context, q querier, k activityKey, c activityCount) error {
	_, err := q.Exec(ctx, `
		INSERT INTO activity AS a (workspace_id, dashboard_id, day, event, count, duration_ms, bytes, buckets)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT FROM dashboard WHERE workspace_id = $1 AND id = $2)
		ON CONFLICT (workspace_id, dashboard_id, day, event) DO UPDATE
		   SET count = a.count + excluded.count, duration_ms = a.duration_ms + excluded.duration_ms, bytes = a.bytes + excluded.bytes,
		       buckets = ARRAY (SELECT coalesce(x, 0) + coalesce(y, 0)
		                          FROM unnest(a.buckets, excluded.buckets) WITH ORDINALITY AS b (x, y, i) ORDER BY i)`,
		k.workspace, k.dashboard, k.day, k.event, c.count, c.duration, c.bytes, c.buckets)
	return err
}

// views collects page views in memory until they are written, so that counting does not slow
// pages down.
type views struct {
	mu     sync.Mutex
	counts map[activityKey]*activityCount
	opened map[opening]time.Time
}

// CountView counts one view of a dashboard's page, and remembers that m has opened it. The next
// [Dashboards.FlushViews] writes both.
func (s Dashboards) CountView(m Member, dashboard uuid.UUID, took time.Duration, size int) {
	s.views.open(opening{m.workspace, m.account, dashboard}, s.now())
	k := activityKey{m.workspace, dashboard, s.now().Truncate(24 * time.Hour), EventView}
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	if s.views.counts == nil {
		s.views.counts = map[activityKey]*activityCount{}
	}
	c := s.views.counts[k]
	if c == nil {
		if len(s.views.counts) >= mostViews {
			return
		}
		c = &activityCount{buckets: make([]int64, buckets)}
		s.views.counts[k] = c
	}
	c.count++
	c.duration += took.Milliseconds()
	c.bytes += int64(size)
	c.buckets[bucketOf(took)]++
}

// mostViews is how many counts wait to be written while the database does not take
// them: a dashboard's views of one day are one. Counts of others are dropped.
const mostViews = 20_000

// FlushViews writes the views counted since the last flush. When that fails they are
// kept, and written by the next.
func (s Dashboards) FlushViews(ctx context.Context) error {
	if err := errors.Join(s.flushCounts(ctx), s.flushOpened(ctx)); err != nil {
		return fmt.Errorf("writing views: %w", err)
	}
	return nil
}

func (s *core) flushCounts(ctx context.Context) error {
	s.views.mu.Lock()
	counts := s.views.counts
	s.views.counts = nil
	s.views.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	err := s.tx(ctx, func(tx pgx.Tx) error {
		for k, c := range counts {
			if err := s.addActivity(ctx, tx, k, *c); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return nil
	}
	if dropped := s.views.putBack(counts); dropped > 0 {
		s.opt.Log.WarnContext(ctx, "views were not counted: too many wait to be written", "dashboards", dropped)
	}
	return err
}

// putBack adds counts that could not be written to the counts since then. It returns how many exceeded the limit and were dropped.
func (v *views) putBack(counts map[activityKey]*activityCount) (dropped int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.counts == nil {
		v.counts = map[activityKey]*activityCount{}
	}
	for k, old := range counts {
		switch c := v.counts[k]; {
		case c != nil:
			c.count += old.count
			c.duration += old.duration
			c.bytes += old.bytes
			for i, n := range old.buckets {
				c.buckets[i] += n
			}
		case len(v.counts) < mostViews:
			v.counts[k] = old
		default:
			dropped++
		}
	}
	return dropped
}
