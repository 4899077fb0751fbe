package refresh

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurnsEnd: a turn of the clockwork that waits for ever is ended, and the next one begins.
func TestTurnsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended []time.Duration
		start := time.Now()
		w := &Worker{cfg: Config{Log: slog.New(slog.DiscardHandler), Ran: func(_ string, err error) {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			ended = append(ended, time.Since(start))
		}}}
		ctx, stop := context.WithCancel(t.Context())
		w.every(ctx, 5*time.Second, "nothing", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		time.Sleep(2*turnWithin + 10*time.Second)
		stop()
		w.loops.Wait()
		if len(ended) != 2 || ended[0] != turnWithin {
			t.Errorf("turns ended after %v", ended)
		}
	})
}
