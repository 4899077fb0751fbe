package limit

import (
	"context"
	"testing"

	"golang.org/x/sync/semaphore"
)

// BenchmarkAcquire acquires and releases one slot, alone and in competition with others, and compares it with a semaphore.
func BenchmarkAcquire(b *testing.B) {
	const slots = 4
	semaphored := semaphore.NewWeighted(slots)
	var keyed Keyed[int]
	fair := NewFair[int](Config{Slots: slots})
	shares := NewFair[int](Config{Slots: slots, Alone: 3, Beside: 1, QueueOf: 512})
	grouped := NewFair[int](Config{Slots: slots, Alone: 2, Beside: 2, Group: 2})
	for _, bm := range []struct {
		name    string
		acquire func(ctx context.Context, account int) (release func(), err error)
	}{
		{"semaphore", func(ctx context.Context, _ int) (func(), error) {
			return func() { semaphored.Release(1) }, semaphored.Acquire(ctx, 1)
		}},
		{"Keyed", func(ctx context.Context, account int) (func(), error) { return keyed.Acquire(ctx, account, slots) }},
		{"Fair", func(ctx context.Context, account int) (func(), error) {
			return fair.Acquire(ctx, Request[int]{Account: account})
		}},
		{"Fair with shares", func(ctx context.Context, account int) (func(), error) {
			return shares.Acquire(ctx, Request[int]{Account: account, Rank: 2})
		}},
		{"Fair with groups", func(ctx context.Context, account int) (func(), error) {
			return grouped.Acquire(ctx, Request[int]{Account: account, Group: account})
		}},
	} {
		once := func(b *testing.B, account int) {
			release, err := bm.acquire(b.Context(), account)
			if err != nil {
				b.Error(err)
				return
			}
			release()
		}
		b.Run(bm.name+"/alone", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				once(b, 1)
			}
		})
		b.Run(bm.name+"/100 beside", func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(100)
			b.RunParallel(func(pb *testing.PB) {
				for account := 0; pb.Next(); account++ {
					once(b, account%10)
				}
			})
		})
	}
}
