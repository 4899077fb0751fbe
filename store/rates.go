package store

import (
	"context"
	"errors"
)

// A Rate is a limit of uses in a window of 60 seconds, counted for each subject separately
// (specification, "Limits"). A subject's window begins with its first use.
type Rate struct {
	Surface string // the tool or route that is counted
	Ceiling int
}

// The rates. The first four are from the specification. Their subject is the user's id, except for RateRegister, which counts client
// addresses, like the other OAuth routes. [Rates.RefreshBudget] is counted per workspace.
var (
	RatePublish  = Rate{"publish_dashboard", 60}
	RateInvite   = Rate{"invite", 5} // mails to people who were added to a workspace
	RateValidate = Rate{"validate_cube_sql", 120}
	RateTrigger  = Rate{"trigger_refresh", 20}

	RateChannelTest = Rate{"channel_test", 20} // of a workspace
	RateRegister    = Rate{"register", 30}

	RateExplore    = Rate{"explore_data", 120}
	RateIntrospect = Rate{"introspect_schema", 120}

	RateAuthorize = Rate{"authorize", 120} // each stores a request
	RateSignIn    = Rate{"sign_in", 120}
	RateToken     = Rate{"token", 1200} // hosted clients send the requests of many people from one address
	RateBearer    = Rate{"bearer", 300} // tokens that are not good; further ones are answered late
)

// RefreshBudget is the rate of refresh triggers of one workspace.
func (s Rates) RefreshBudget() Rate { return Rate{"refresh_budget", s.opt.RefreshBudget} }

// Allow counts one use of r by subject, and reports whether it is within the limit and how many uses are left. The count is in the
// database, so that all replicas share it, and is written outside other transactions, so that no rollback undoes it. If that fails, the use
// is allowed (specification, "Limits"). Two kinds of uses are over the limit without being counted: more simultaneous uses than a window
// allows; and a use that has waited connectWithin for its turn while the database counted others, because so many simultaneous uses are
// over their limit or near it. A use whose caller has left is refused without a log line.
func (s Rates) Allow(ctx context.Context, r Rate, subject string) (ok bool, left int) {
	key := r.Surface + ":" + subject
	if s.counting.Users(key) >= r.Ceiling {
		return false, 0
	}
	before := s.counted.Load()
	limited, cancel := context.WithTimeout(ctx, connectWithin)
	release, err := s.counting.Acquire(limited, key, countedAtOnce)
	crowded := err != nil
	cancel()
	var used int
	if err == nil {
		used, err = s.count(ctx, key)
		release()
	}
	switch {
	case err == nil:
		return used <= r.Ceiling, max(r.Ceiling-used, 0)
	case errors.Is(ctx.Err(), context.Canceled), crowded && s.counted.Load() != before:
		return false, 0
	}
	s.opt.Log.WarnContext(ctx, "rate limiter unavailable: the use is allowed", "surface", r.Surface, "err", err)
	s.opt.LimiterFailed()
	return true, r.Ceiling
}

// count counts a use of key, and returns how many there are in its window.
func (s *core) count(ctx context.Context, key string) (used int, err error) {
	ctx, cancel := context.WithTimeout(ctx, noteWithin)
	defer cancel()
	err = s.pool.QueryRow(ctx, `
		INSERT INTO rate_counter AS c (key, started_at, used) VALUES ($1, clock_timestamp(), 1)
		ON CONFLICT (key) DO UPDATE
		   SET used = CASE WHEN c.started_at > excluded.started_at - interval '60 s' THEN least(c.used, 1000000) + 1 ELSE 1 END,
		       started_at = CASE WHEN c.started_at > excluded.started_at - interval '60 s' THEN c.started_at ELSE excluded.started_at END
		RETURNING used`, key).Scan(&used)
	if err == nil {
		s.counted.Add(1)
	}
	return used, err
}

// Left returns how many uses of r subject has left. It does not count as a use.
func (s Rates) Left(ctx context.Context, r Rate, subject string) int {
	var used int
	_ = s.pool.QueryRow(ctx, `
		SELECT used FROM rate_counter WHERE key = $1 AND started_at > clock_timestamp() - interval '60 s'`,
		r.Surface+":"+subject).Scan(&used) // no row: none used
	return max(r.Ceiling-used, 0)
}

// countedAtOnce is how many uses of one key a process counts at once. They change one row, so that they wait for each other in the
// database: a thousand would hold all connections until they are out of time, and uses that cannot be counted are allowed.
const countedAtOnce = 2
