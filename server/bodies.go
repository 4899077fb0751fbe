package server

import (
	"fmt"
	"sync"

	"github.com/google/uuid"

	"service/store"
)

const (
	maxInFlight  = 8 * maxBody // bytes of large bodies that are in memory
	maxOfAccount = 2 * maxBody // of these, of one account
)

// Bodies count the bytes of large bodies that are in memory, or may come to be, for the process and for each account.
type Bodies struct {
	mu  sync.Mutex
	all int64
	by  map[uuid.UUID]int64
}

// Take reserves room for a body of n bytes, or of the largest when n is unknown (-1) or larger. It does not wait: where there is no
// room, the error is [store.ErrNoPlace]. giveBack frees it.
func (b *Bodies) Take(account uuid.UUID, n int64) (giveBack func(), err error) {
	if n < 0 || n > maxBody {
		n = maxBody
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all+n > maxInFlight || b.by[account]+n > maxOfAccount {
		return nil, fmt.Errorf("%w with a body of %d bytes", store.ErrNoPlace, n)
	}
	b.all += n
	if b.by == nil {
		b.by = map[uuid.UUID]int64{}
	}
	b.by[account] += n
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.all -= n
		if b.by[account] -= n; b.by[account] == 0 {
			delete(b.by, account)
		}
	}, nil
}
