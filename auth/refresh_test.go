package auth_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"service/auth"
)

func TestRefresh(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c, _, first := w.connected(t, "ana@example.com", "acme")
	w.clock.advance(40 * time.Minute)
	second := c.pair(c.refresh(first.refresh, "resource", w.base+"/mcp/", "scope", "dashboards offline_access"))
	if second.access == first.access || second.refresh == first.refresh || second.expiresIn != 50*time.Minute {
		t.Errorf("%+v after %+v", second, first)
	}
	wantStatus(t, "the first access token, in its time", w.call(t, first.access), http.StatusOK)
	wantStatus(t, "the second", w.call(t, second.access), http.StatusOK)
	w.clock.advance(10 * time.Minute)
	wantStatus(t, "the first, after its time", w.call(t, first.access), http.StatusUnauthorized)
	w.clock.advance(40*time.Minute - time.Second)
	wantStatus(t, "the second, in its last second", w.call(t, second.access), http.StatusOK)
	w.clock.advance(time.Second)
	wantStatus(t, "the second, after it", w.call(t, second.access), http.StatusUnauthorized)
	wantStatus(t, "its refresh token", c.refresh(second.refresh), http.StatusOK)
}

// A refresh token of another client, or something that is not a refresh token, gets no tokens and does
// not harm the client.
func TestRefreshAttacks(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c, _, p := w.connected(t, "ana@example.com", "")
	other := w.client(t)
	wantError(t, "another client", other.refresh(p.refresh), http.StatusBadRequest, "invalid_grant")
	wantError(t, "an access token", c.refresh(p.access), http.StatusBadRequest, "invalid_grant")
	wantError(t, "an access token in disguise",
		c.refresh(strings.Replace(p.access, "svc_at_", "svc_rt_", 1)), http.StatusBadRequest, "invalid_grant")
	wantError(t, "none that ever was", c.refresh("svc_rt_x"), http.StatusBadRequest, "invalid_grant")
	wantError(t, "another scope", c.refresh(p.refresh, "scope", "admin"), http.StatusBadRequest, "invalid_scope")
	wantError(t, "another resource", c.refresh(p.refresh, "resource", "https://evil.example/"), http.StatusBadRequest, "invalid_target")
	if v := c.refresh(p.refresh, "scope", "dashboards admin").json(t); v["scope"] != "dashboards" {
		t.Errorf("a wider scope: %v", v)
	}
}

func TestRefreshReplay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		grace time.Duration
		act   func(w *world, c *client, old, next pair) answer // a second use of old.refresh
	}{
		{"after the grace", 10 * time.Second, func(w *world, c *client, old, _ pair) answer {
			w.clock.advance(10 * time.Second)
			return c.refresh(old.refresh)
		}},
		{"after the successor was used", 10 * time.Second, func(_ *world, c *client, old, next pair) answer {
			c.pair(c.refresh(next.refresh))
			return c.refresh(old.refresh)
		}},
		{"at once, without a grace", 0, func(_ *world, c *client, old, _ pair) answer { return c.refresh(old.refresh) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, func(cfg *auth.Config) { cfg.RefreshGrace = test.grace })
			c, _, old := w.connected(t, "ana@example.com", "")
			next := c.pair(c.refresh(old.refresh))
			wantError(t, "replay", test.act(w, c, old, next), http.StatusBadRequest, "invalid_grant")
			wantStatus(t, "access token", w.call(t, next.access), http.StatusUnauthorized)
			wantError(t, "successor", c.refresh(next.refresh), http.StatusBadRequest, "invalid_grant")
			if n := w.count(t,
				`SELECT count(*) FROM audit WHERE action = 'grant.revoke' AND detail->>'reason' = 'replay of a refresh token'`); n != 1 {
				t.Errorf("%d audit rows", n)
			}
		})
	}
}

// Processes that share a token and race get one pair, and none of them loses access.
func TestRefreshGrace(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c, _, old := w.connected(t, "ana@example.com", "")
	pairs := make([]pair, 16)
	var wg sync.WaitGroup
	for i := range pairs {
		wg.Go(func() {
			if a := c.refresh(old.refresh); a.StatusCode == http.StatusOK {
				pairs[i] = c.pair(a)
			}
		})
	}
	wg.Wait()
	for _, p := range pairs {
		if p != pairs[0] || p.access == "" {
			t.Fatalf("racing refreshes got %+v", pairs)
		}
	}
	w.clock.advance(9 * time.Second)
	again := c.pair(c.refresh(old.refresh))
	if again.access != pairs[0].access || again.refresh != pairs[0].refresh || again.expiresIn != 50*time.Minute-9*time.Second {
		t.Errorf("within the grace: %+v, want %+v", again, pairs[0])
	}
	wantStatus(t, "the access token", w.call(t, again.access), http.StatusOK)
	wantStatus(t, "the refresh token", c.refresh(again.refresh), http.StatusOK)
}

// Each grant owns its chain: the replay of one ends no other.
func TestChainsAreApart(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c, b, one := w.connected(t, "ana@example.com", "")
	two := c.pair(c.redeem(c.code(b, "")))
	next := c.pair(c.refresh(one.refresh))
	c.pair(c.refresh(next.refresh))
	wantError(t, "replay in one chain", c.refresh(one.refresh), http.StatusBadRequest, "invalid_grant")
	wantStatus(t, "access token of the other", w.call(t, two.access), http.StatusOK)
	wantStatus(t, "refresh token of the other", c.refresh(two.refresh), http.StatusOK)
}

// The access token does not outlive the session it belongs to. The session ends when it is idle, and
// at the latest after 180 days.
func TestSessionOfAGrant(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c, b, p := w.connected(t, "ana@example.com", "")

	t.Run("shortened", func(t *testing.T) {
		handle := c.code(b, "")
		w.sql(t, `UPDATE oauth_grant SET expires_at = $1 WHERE used_at IS NULL`, w.clock.Now().Add(10*time.Minute))
		short := c.pair(c.redeem(handle))
		if short.expiresIn != 10*time.Minute-time.Second {
			t.Errorf("the token lives %v in a session of 10 min", short.expiresIn)
		}
		w.sql(t, `UPDATE oauth_grant SET expires_at = $1`, w.clock.Now())
		wantStatus(t, "access token of an ended session", w.call(t, short.access), http.StatusUnauthorized)
		wantError(t, "refresh token of an ended session", c.refresh(short.refresh), http.StatusBadRequest, "invalid_grant")
		last := c.code(b, "")
		w.sql(t, `UPDATE oauth_grant SET expires_at = $1 WHERE used_at IS NULL`, w.clock.Now().Add(time.Second))
		wantError(t, "a session too short for a token", c.redeem(last), http.StatusBadRequest, "invalid_grant")
	})

	p = c.pair(c.redeem(c.code(b, "")))
	created := w.clock.Now()
	for range 7 { // used every 25 days, it stays alive
		w.clock.advance(25 * 24 * time.Hour)
		p = c.pair(c.refresh(p.refresh))
	}
	w.clock.advance(created.Add(180*24*time.Hour).Sub(w.clock.Now()) - 20*time.Minute)
	p = c.pair(c.refresh(p.refresh))
	if p.expiresIn != 20*time.Minute-time.Second {
		t.Errorf("20 min before the absolute end the token lives %v", p.expiresIn)
	}
	w.clock.advance(20*time.Minute - time.Second)
	wantStatus(t, "in the last second", w.call(t, p.access), http.StatusUnauthorized)
	wantError(t, "refreshed in the last second", c.refresh(p.refresh), http.StatusBadRequest, "invalid_grant")

	b = w.signedIn(t, "ana@example.com")
	p = c.pair(c.redeem(c.code(b, "")))
	w.clock.advance(30 * 24 * time.Hour)
	wantError(t, "idle for 30 days", c.refresh(p.refresh), http.StatusBadRequest, "invalid_grant")
}
