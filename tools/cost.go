package tools

import (
	"cmp"
	"context"
	"time"

	"service/store"
	"service/store/dashboard"
	"service/store/warehouse"
)

// bytesOf returns the bytes that a run of a query reads: the estimate, or the bytes that a complete run has read, or -1 if neither is
// known.
func bytesOf(estimate int64, stats warehouse.Stats, err error) int64 {
	if estimate < 0 && err == nil && !stats.Truncated && stats.Read > 0 {
		return stats.Read
	}
	return estimate
}

// refreshBytes returns the bytes that a refresh reads, from those of a run of each dataset. A dataset runs once for each combination of
// options that viewers choose from. Datasets without an estimate are left out.
func refreshBytes(s *dashboard.Spec, bytes map[string]int64) (sum int64) {
	for _, run := range s.Runs() {
		sum += max(0, bytes[run.Dataset.ID])
	}
	return sum
}

// costOf returns the cost of refreshes that read bytes each. A dashboard without a schedule is assumed to refresh hourly.
func costOf(bytes int64, schedule store.Schedule, now time.Time) warehouse.Cost {
	cost := warehouse.Hourly(bytes)
	if schedule.Off() || schedule.Expression == "1h" {
		return cost
	}
	const most = 1500 // a schedule that runs more often is extrapolated
	cost.Often, cost.Runs = "on the schedule "+schedule.Expression, 0
	runs := schedule.Next(now, most)
	for _, at := range runs {
		if at.Sub(now) <= warehouse.Month {
			cost.Runs++
		}
	}
	if cost.Runs == most {
		cost.Runs = int(most * warehouse.Month / runs[most-1].Sub(now))
	}
	return cost
}

// costWarnings warns of a cost that is worth stating, or that exceeds the limit of the source.
func costWarnings(cost warehouse.Cost, src store.Source) []dashboard.Warning {
	cost.Most = src.MonthLimit()
	if text := cost.String(); text != "" {
		return []dashboard.Warning{dashboard.Warnf(dashboard.WarnCost, "", "%s.", text)}
	}
	return nil
}

// costAsScheduled warns of the cost of a spec that was checked, on the schedule of the dashboard before.
func (c call) costAsScheduled(checked checkedSpec, before store.Dashboard) []dashboard.Warning {
	schedule, err := store.ParseSchedule(cmp.Or(before.Schedule, "off"), before.Timezone)
	if err != nil {
		schedule = store.Schedule{} // an earlier release stored it
	}
	return costWarnings(costOf(checked.bytes, schedule, c.Now()), checked.source)
}

// scheduleWarnings returns the cost of a dashboard's refreshes on a schedule. It uses the bytes of the last refresh, or else the estimate
// of the source, and returns nothing if neither is known.
func (c call) scheduleWarnings(ctx context.Context, d store.Detail, schedule store.Schedule) []string {
	if schedule.Off() || d.Bound == nil || !warehouse.Kinds[d.Bound.Kind].Counted {
		return nil
	}
	src, err := c.open(ctx, origin{Connection: d.Connection})
	known := err == nil // another member's connection is not opened
	bytes := int64(0)
	if d.Run != nil {
		for _, set := range d.Run.Datasets {
			bytes += set.Read
		}
	}
	if bytes == 0 && known {
		if s, err := c.specOf(ctx, d.Dashboard); err == nil {
			if described, err := c.describeAll(ctx, src.In(s.Location()), s); err == nil {
				bytes = refreshBytes(s, described.bytes)
			}
		}
	}
	var out []string
	for _, w := range costWarnings(costOf(bytes, schedule, c.Now()), src) {
		out = append(out, w.String())
	}
	return out
}
