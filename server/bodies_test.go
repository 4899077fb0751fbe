package server

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"service/store"
)

// TestLargeBodiesOfAllAreBounded: accounts that each hold less than they may hold together no more
// than the process may.
func TestLargeBodiesOfAllAreBounded(t *testing.T) {
	t.Parallel()
	var b Bodies
	var giveBack []func()
	for range maxInFlight / maxBody {
		back, err := b.Take(uuid.New(), maxBody)
		if err != nil {
			t.Fatalf("refused with %d bytes in flight: %v", b.all, err)
		}
		giveBack = append(giveBack, back)
	}
	for _, n := range []int64{1, maxBody, -1} {
		if _, err := b.Take(uuid.New(), n); !errors.Is(err, store.ErrNoPlace) {
			t.Errorf("%d bytes more are taken: %v", n, err)
		}
	}
	giveBack[0]()
	if _, err := b.Take(uuid.New(), -1); err != nil {
		t.Errorf("the room that was given back is not free: %v", err)
	}
}
