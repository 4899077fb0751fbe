package warehousetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"service/store/warehouse"
)

// Concurrency queries one connector from several callers at once, and every other caller leaves while its query runs. long is a query that
// takes a minute. It is for the race detector: the goroutines are the callers' and the connector's own.
func Concurrency(t *testing.T, c warehouse.Connector, long string) {
	t.Helper()
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			if i%2 == 0 {
				var got Table
				if _, err := c.Query(t.Context(), "SELECT 1 AS n", nil, Wide, &got); err != nil || len(got.Rows) != 1 {
					t.Errorf("caller %d: %v, %v", i, got.Rows, err)
				}
				return
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
			if _, err := c.Query(ctx, long, nil, Wide, &Table{}); !errors.Is(err, context.Canceled) {
				t.Errorf("caller %d, who left: %v", i, err)
			}
		})
	}
	callers.Wait()
}
