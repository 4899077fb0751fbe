package warehousetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"service/store/warehouse"
)

// BenchmarkGivingUp measures how long after its caller's deadline, which is not sent to the source, a query that never ends returns
// (late-ms is the median, worst-ms the worst), and how long until the source has ended it (gone-ms, the median). The time of each operation
// includes the time until the deadline.
func BenchmarkGivingUp(b *testing.B, c warehouse.Connector, running func(testing.TB) int, queries ...string) {
	for _, sql := range queries {
		b.Run(sql, func(b *testing.B) {
			var late, gone []float64
			const limit = 300 * time.Millisecond
			for b.Loop() {
				ctx, cancel := context.WithTimeout(b.Context(), limit)
				start := time.Now()
				_, err := c.Query(ctx, sql, nil, Wide, &Table{})
				cancel()
				after := time.Since(start) - limit
				if bad, ok := errors.AsType[*warehouse.Error](err); !ok || bad.Class != warehouse.Timeout {
					b.Fatal(err) // for example because the source was not reached by then: the machine is too busy for this measurement
				}
				for running(b) > 0 {
				}
				late = append(late, after.Seconds()*1000)
				gone = append(gone, (time.Since(start)-limit).Seconds()*1000)
			}
			slices.Sort(late)
			slices.Sort(gone)
			b.ReportMetric(late[len(late)/2], "late-ms")
			b.ReportMetric(late[len(late)-1], "worst-ms")
			b.ReportMetric(gone[len(gone)/2], "gone-ms")
		})
	}
}
