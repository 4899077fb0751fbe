package tools

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"service/store"
	"service/store/dashboard"
)

// A dashboard whose source calls for no schedule needs one if its SQL depends on the time of the refresh.
func TestScheduleCheck(t *testing.T) {
	t.Parallel()
	file := store.OneFile(uuid.New())
	feed := []dashboard.Ref{{Slug: "sales", Dataset: "orders"}}
	for _, tc := range []struct {
		name string
		d    store.Dashboard
		set  dashboard.Dataset
		want string
		ok   bool
	}{
		{
			"a file",
			store.Dashboard{Files: file},
			dashboard.Dataset{SQL: "SELECT n FROM upload"},
			"It needs no schedule: it refreshes when a file", true,
		},
		{
			"a file and the clock",
			store.Dashboard{Files: file},
			dashboard.Dataset{SQL: "SELECT n FROM upload WHERE due < current_date"},
			`but the rows of dataset "d" change with the clock, because its SQL uses current_date.`, false,
		},
		{"a feed", store.Dashboard{}, dashboard.Dataset{From: feed}, "It needs no schedule: it refreshes after the dashboards", true},
		{
			"a feed and the clock",
			store.Dashboard{},
			dashboard.Dataset{From: feed, SQL: "SELECT n FROM orders WHERE day > now() - INTERVAL 7 DAY"},
			`because its SQL uses now().`, false,
		},
		{
			"a warehouse",
			store.Dashboard{},
			dashboard.Dataset{SQL: "SELECT n FROM t WHERE due < current_date"},
			"until somebody triggers a refresh", false,
		},
		{
			"a schedule",
			store.Dashboard{Files: file, Schedule: "daily", Timezone: "UTC"},
			dashboard.Dataset{SQL: "SELECT n FROM upload WHERE due < current_date"},
			`It refreshes on the schedule "daily" (UTC).`, true,
		},
	} {
		tc.set.ID = "d"
		got := scheduleCheck(tc.d, &dashboard.Spec{Datasets: []dashboard.Dataset{tc.set}})
		if !strings.Contains(got.Message, tc.want) || (got.Status == checkOK) != tc.ok {
			t.Errorf("%s: %s: %s, want %q", tc.name, got.Status, got.Message, tc.want)
		}
	}
}

// A delivery by the calendar sends rows, and refreshes none. The answer to publish_dashboard names the tool that does.
func TestDeliveryWithoutSchedule(t *testing.T) {
	t.Parallel()
	warehouse := dashboard.Dataset{ID: "d", SQL: "SELECT n FROM t"}
	fed := dashboard.Dataset{ID: "d", From: []dashboard.Ref{{Slug: "a", Dataset: "b"}}}
	each, daily := dashboard.Delivery{Rhythm: dashboard.Rhythm{Every: dashboard.EveryRefresh}}, dashboard.Delivery{}
	daily.Rhythm.Every = dashboard.EveryDay
	spec := func(set dashboard.Dataset, sent ...dashboard.Delivery) dashboard.Spec {
		return dashboard.Spec{Datasets: []dashboard.Dataset{set}, Deliver: sent}
	}
	const want = " deliver[1] sends the rows of the last refresh: set_refresh_schedule renews them before it."
	for name, tc := range map[string]struct {
		d    store.Dashboard
		s    dashboard.Spec
		want string
	}{
		"a warehouse":   {s: spec(warehouse, each, daily), want: want},
		"each refresh":  {s: spec(warehouse, each)},
		"a schedule":    {s: spec(warehouse, each, daily), d: store.Dashboard{Schedule: "daily"}},
		"a file":        {s: spec(warehouse, each, daily), d: store.Dashboard{Files: store.OneFile(uuid.New())}},
		"another page":  {s: spec(fed, each, daily)},
		"no deliveries": {s: spec(warehouse)},
	} {
		if got := unscheduled(&tc.s, tc.d); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// The reason for a schedule is given once, whatever the number of datasets.
func TestClockIsNamedOnce(t *testing.T) {
	t.Parallel()
	set := func(id, sql string) dashboard.Dataset {
		return dashboard.Dataset{ID: id, SQL: "SELECT n FROM upload WHERE due < " + sql}
	}
	today, now, still := "current_date", "now()", "DATE '2026-01-02'"
	for name, tc := range map[string]struct {
		sets []dashboard.Dataset
		want string
	}{
		"one": {
			[]dashboard.Dataset{set("a", still), set("b", today)},
			`the rows of dataset "b" change with the clock, because its SQL uses current_date`,
		},
		"two": {
			[]dashboard.Dataset{set("a", today), set("b", today)},
			`the rows of datasets "a" and "b" change with the clock, because their SQL uses current_date`,
		},
		"three words": {
			[]dashboard.Dataset{set("a", today), set("b", now), set("c", "current_timestamp"), set("d", now), set("e", still)},
			`the rows of datasets "a", "b", "c" and "d" change with the clock, because their SQL uses current_date, now() or current_timestamp`,
		},
	} {
		s := &dashboard.Spec{Datasets: tc.sets}
		next := unscheduled(s, store.Dashboard{})
		if want := " set_refresh_schedule then keeps it current: " + tc.want + "."; next != want {
			t.Errorf("%s: %q, want %q", name, next, want)
		}
		k := scheduleCheck(store.Dashboard{Files: store.OneFile(uuid.New())}, s)
		if !strings.Contains(k.Message, "but "+tc.want+". Until then they are those of the last refresh.") {
			t.Errorf("%s: %q, want %q", name, k.Message, tc.want)
		}
	}
}
