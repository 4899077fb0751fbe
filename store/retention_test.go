package store_test

import (
	"testing"
	"time"

	"service/store"
)

// TestWhatIsOldGoes: history that is old, or too much for one dashboard, is deleted, and history that may still be needed stays. No
// statement deletes more than 1,000 of the 100,000 events, and no request waits for a row that the deletion has locked.
func TestWhatIsOldGoes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := setup(t, func(o *store.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := b.pool.Exec(ctx, sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	busy := b.spec(t, b.owner, "busy", `{}`).Dashboard // 1,200 runs in fifty days, and one that waits
	idle := b.spec(t, b.owner, "idle", `{}`)           // 30 runs half a year ago
	insert := func(dashboard any, n int, since time.Duration) {
		t.Helper()
		exec(`
			INSERT INTO refresh_run (workspace_id, id, dashboard_id, version_id, cause, state, queued_at, started_at, finished_at)
			SELECT d.workspace_id, ('00000000-0000-7000-8000-' || lpad(to_hex(i + $4::int * 10000), 12, '0'))::uuid, d.id, d.version_id,
			       'schedule', 'succeeded', x.at, x.at, x.at
			  FROM dashboard d, generate_series(1, $2::int) i, LATERAL (SELECT now() - $3::interval + i * interval '1 h' AS at) x
			 WHERE d.id = $1`, dashboard, n, since, n)
	}
	insert(busy.ID, 1200, 51*24*time.Hour)
	exec(`UPDATE refresh_run SET state = 'failed', finished_at = now() - interval '200 d' WHERE id = $1`, idle.Run.ID) // the newest
	insert(idle.Dashboard.ID, 30, 180*24*time.Hour)
	exec(`INSERT INTO audit (id, workspace_id, operator, action, subject, at)
	      SELECT gen_random_uuid(), $1, true, 'test.old', i::text, now() - interval '401 d' FROM generate_series(1, 100000) i`,
		b.owner.WorkspaceID())
	exec(`INSERT INTO audit (id, workspace_id, operator, action, subject, at)
	      SELECT gen_random_uuid(), $1, true, 'test.young', i::text, now() - interval '399 d' FROM generate_series(1, 10) i`,
		b.owner.WorkspaceID())
	exec(`INSERT INTO activity (workspace_id, dashboard_id, day, event, count)
	      SELECT $1, $2, current_date - i, 'view', 1 FROM generate_series(1, 450) i`, b.owner.WorkspaceID(), busy.ID)
	exec(`INSERT INTO rate_counter (key, started_at, used) VALUES ('old', now() - interval '25 h', 1), ('young', now() - interval '23 h', 1)`)
	exec(`CREATE TABLE batches (n int);
	      CREATE FUNCTION note_batch() RETURNS trigger LANGUAGE plpgsql AS
	      'BEGIN INSERT INTO batches SELECT count(*) FROM gone; RETURN NULL; END';
	      CREATE TRIGGER note_batch AFTER DELETE ON audit REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_batch()`)
	held, err := b.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(ctx, `SELECT FROM audit WHERE action = 'test.old' AND subject = '7' FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if err := held.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	for what, count := range map[string]struct {
		sql  string
		want int
	}{
		"runs of the busy dashboard that have ended": {`SELECT count(*) FROM refresh_run r JOIN dashboard d ON d.id = r.dashboard_id
		                                                  WHERE d.slug = 'busy' AND r.finished_at IS NOT NULL`, 999},
		"its runs that wait": {`SELECT count(*) FROM refresh_run WHERE finished_at IS NULL`, 1},
		"runs of the idle dashboard": {`SELECT count(*) FROM refresh_run r JOIN dashboard d ON d.id = r.dashboard_id
		                                                  WHERE d.slug = 'idle'`, 1},
		"old events, but the one that is held": {`SELECT count(*) FROM audit WHERE action = 'test.old'`, 1},
		"young events":                         {`SELECT count(*) FROM audit WHERE action = 'test.young'`, 10},
		"events of now":                        {`SELECT least(count(*), 1) FROM audit WHERE action = 'workspace.create'`, 1},
		"days of counts":                       {`SELECT count(*) FROM activity WHERE event = 'view'`, 399},
		"rate counters":                        {`SELECT count(*) FROM rate_counter WHERE key IN ('old', 'young')`, 1},
		"rows of the largest batch":            {`SELECT max(n) FROM batches`, 1000},
	} {
		var n int
		if err := b.pool.QueryRow(ctx, count.sql).Scan(&n); err != nil || n != count.want {
			t.Errorf("%s: %d, want %d (%v)", what, n, count.want, err)
		}
	}
}
