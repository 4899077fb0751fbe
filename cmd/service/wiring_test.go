package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"service/auth"
	"service/server"
	"service/server/notify"
	"service/store"
	"service/store/storetest"
)

// TestReplicaIsTiedTogether: the parts of servers and workers have the values of the
// configuration, and update the metrics. No other test fails if that is lost.
func TestReplicaIsTiedTogether(t *testing.T) {
	t.Parallel()
	_, db := storetest.New(t)
	in := install(t, "DATABASE_URL="+databaseURL(db), "SERVICE_AUDIT_RETENTION=48h", "SERVICE_REFRESH_BUDGET=7", "SERVICE_BIN_DAYS=0",
		"SERVICE_MIN_SCHEDULE=2m", "SERVICE_DEFAULT_PLAN=paid", "SERVICE_WORKSPACE_CREATION=example.com",
		"SERVICE_STORAGE_FREE=2MiB", "SERVICE_STORAGE_PAID=3MiB")
	ctx := t.Context()
	r, err := (&program{environ: in.environ, stdout: io.Discard, stderr: t.Output()}).begin(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close() //nolint:errcheck // other tests check how it ends

	for name, want := range map[string]string{
		"application_name": "service", "jit": "off",
		"statement_timeout": "15s", "lock_timeout": "2s", "idle_in_transaction_session_timeout": "30s",
	} {
		var got string
		if err := r.pool.QueryRow(ctx, "SHOW "+name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q (%v)", name, got, want, err)
		}
	}

	if _, err := r.pool.Exec(ctx, `
		ALTER TABLE rate_counter RENAME TO gone;
		CREATE SEQUENCE tries;
		CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('tries') = 1 THEN RAISE EXCEPTION 'a deadlock' USING ERRCODE = '40P01'; END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER fail_once BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION fail_once()`); err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.Accounts.EnsureAccount(ctx, store.Identity{Issuer: "https://id.example.com", Subject: "ann"}); err != nil {
		t.Error(err)
	}
	if ok, _ := r.store.Rates.Allow(ctx, store.RateToken, "ann"); !ok {
		t.Error("refused because the limiter does not answer")
	}
	for _, name := range []string{"service_db_transactions_retried_total", "service_rate_limit_fail_open_total"} {
		if got := counted(t, r, name); got != 1 {
			t.Errorf("%s is %v, want 1", name, got)
		}
	}

	isTiedToLimits(t, r)

	var got store.Options
	k, err := open(ctx, r.config, r.log, nil, func(o *store.Options) { got = *o })
	if err != nil {
		t.Fatal(err)
	}
	defer k.close() //nolint:errcheck // as above
	want := store.Options{
		Creators:       store.Creators{Domains: []string{"example.com"}},
		AuditRetention: 48 * time.Hour, MinSchedule: 2 * time.Minute, Bin: -1, RefreshBudget: 7,
		DefaultPlan: "paid", Quotas: map[string]int{"free": 2 << 20, "paid": 3 << 20},
	}
	if diff := cmp.Diff(want, store.Options{
		Creators: got.Creators, AuditRetention: got.AuditRetention, MinSchedule: got.MinSchedule, Bin: got.Bin, RefreshBudget: got.RefreshBudget,
		DefaultPlan: got.DefaultPlan, Quotas: got.Quotas,
	}); diff != "" {
		t.Errorf("the store's options (-want +got):\n%s", diff)
	}
}

// TestOwnersGoFirst: a person who wants to revoke a token does not wait behind the calls that somebody makes with it, nor behind pages.
func TestOwnersGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &replica{core: &core{config: &config{base: &url.URL{Scheme: "http"}}}, notify: notify.New(notify.Config{})}
		in, account := newLimits(), uuid.New()
		first := map[string]func(context.Context, uuid.UUID) (func(), error){
			"quick": in.quick.Of(server.Calls), "slow": in.slow.Of(server.Calls),
		}
		app := r.webConfig(nil, in)
		for queue, behind := range map[string][]func(context.Context, uuid.UUID) (func(), error){
			"quick": {first["quick"], r.hostConfig(nil, in).Acquire, app.Acquire},
			"slow":  {first["slow"], app.AcquireSlow},
		} {
			var held []func()
			for ctx, cancel := context.WithTimeout(t.Context(), time.Second); ; {
				release, err := first[queue](ctx, account)
				if err != nil {
					cancel()
					break
				}
				held = append(held, release)
			}
			var order []int
			for i, from := range behind {
				go func() {
					release, err := from(t.Context(), account)
					if err != nil {
						t.Error(err)
						return
					}
					order = append(order, i)
					release()
				}()
				synctest.Wait()
			}
			held[0]()
			synctest.Wait()
			if !slices.IsSortedFunc(order, func(a, b int) int { return b - a }) || len(order) != len(behind) {
				t.Errorf("%s: served in the order %v, want the last first", queue, order)
			}
			for _, release := range held {
				release()
			}
		}
	})
}

// isTiedToLimits checks that one account's calls, pages and requests to the app share a queue, that those that wait for other
// systems share another, that files and large calls share their memory, and that refusals are delayed. Each of these hooks is
// optional, so nothing else would fail without it.
func isTiedToLimits(t *testing.T, r *replica) {
	t.Helper()
	in := newLimits()
	all, app, pages, account := r.serverConfig(nil, in), r.webConfig(nil, in), r.hostConfig(nil, in), uuid.New()
	if all.Queue != in.quick || all.SlowQueue != in.slow || all.Bodies != in.bodies {
		t.Error("calls have other limits")
	}
	now, cancel := context.WithCancel(t.Context())
	cancel() // a caller that disconnects at once gets a slot only if one is free
	type acquire = func(context.Context, uuid.UUID) (func(), error)
	full := func(from acquire) {
		for range 10_000 {
			if _, err := from(now, account); err != nil {
				return
			}
		}
		t.Error("there are slots without end")
	}
	full(in.quick.Of(server.Calls))
	for name, from := range map[string]acquire{"app": app.Acquire, "workspaces": pages.Acquire} {
		if _, err := from(now, account); err == nil {
			t.Errorf("the %s' requests wait in another queue than calls", name)
		}
	}
	if release, err := app.AcquireSlow(now, account); err != nil {
		t.Errorf("who waits for others waits for calls too: %v", err)
	} else {
		release()
	}
	full(in.slow.Of(server.Calls))
	if _, err := app.AcquireSlow(now, account); err == nil {
		t.Error("requests that wait for others wait in another queue than calls that do")
	}
	for range 10 { // more than the limit of an account
		_, _ = in.bodies.Acquire(nil, &http.Request{ContentLength: -1}, account)
	}
	if _, err := app.AcquireBody(nil, &http.Request{ContentLength: -1}, account); err == nil {
		t.Error("files have other memory than the bodies of calls")
	}
	delay := reflect.ValueOf(server.Delay).Pointer()
	for name, got := range map[string]func(context.Context){
		"auth": r.authConfig(auth.OIDC{}).Delay, "tools": r.toolsConfig(nil).Delay,
	} {
		if got == nil || reflect.ValueOf(got).Pointer() != delay {
			t.Errorf("package %s delays no refusals", name)
		}
	}
}

// TestScarceStorage: readiness fails when less than 64 MiB are free on the embedded database's
// disk, before the database stops for lack of space, but not if the free space is unknown.
func TestScarceStorage(t *testing.T) {
	t.Parallel()
	s, _ := storetest.New(t)
	for name, tc := range map[string]struct {
		free  uint64
		err   error
		ready bool
	}{
		"room": {leastRoom, nil, true}, "little room": {leastRoom - 1, nil, false}, "none": {0, nil, false},
		"nobody knows": {0, errors.New("no statfs"), true},
	} {
		k := &core{store: s, free: func() (uint64, error) { return tc.free, tc.err }}
		if err := k.checks()["storage"](t.Context()); errors.Is(err, store.ErrStorageFull) == tc.ready || (err == nil) != tc.ready {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// counted returns the value of a counter without labels.
func counted(t *testing.T, r *replica, name string) float64 {
	t.Helper()
	families, err := r.metrics.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}
