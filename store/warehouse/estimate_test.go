package warehouse_test

import (
	"math"
	"testing"

	"service/store/warehouse"
)

// TestCostSentence: a cost has two digits, is not stated below 100 GB a month unless it is over a limit, and does not overflow.
func TestCostSentence(t *testing.T) {
	t.Parallel()
	over := warehouse.Hourly(1_000_000)
	over.Most = 500_000_000
	for want, cost := range map[string]warehouse.Cost{
		"about 12 GB a run; hourly that is 8.6 TB a month": warehouse.Hourly(12_000_000_000),
		"": warehouse.Hourly(138_000_000),
		"about 140 MB a run; hourly that is 100 GB a month":     warehouse.Hourly(139_000_000),
		"about 1e+03 PB a run; hourly that is 1e+03 PB a month": warehouse.Hourly(math.MaxInt64),
		"about 1 MB a run; hourly that is 720 MB a month, and this connection allows 500 MB a month: " +
			"then its queries are refused until the next month": over,
	} {
		if got := cost.String(); got != want {
			t.Errorf("%d bytes: %q, want %q", cost.Bytes, got, want)
		}
	}
	if got := (warehouse.Cost{Bytes: -1, Runs: 720, Often: "hourly"}).String(); got != "" {
		t.Errorf("a cost that is not known: %s", got)
	}
}
