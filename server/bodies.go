package server

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/limit"
)

const (
	maxInFlight  = 8 * maxBody     // bytes of large bodies that are in memory
	maxOfAccount = 2 * maxBody     // of these, of one account
	settling     = 2 * time.Second // before it is said of a body that it comes slowly
	inTime       = time.Minute     // that a body takes at most which comes as quickly as it should
	unsaidPace   = 64 << 10        // bytes a second of one that does not say its length
)

// Bodies divide memory among large bodies, by account. Whoever announces a body and does not send it does not keep others out.
type Bodies struct{ budget limit.Budget[uuid.UUID] }

// NewBodies returns the memory for large bodies, of which none is used.
func NewBodies() *Bodies {
	return &Bodies{limit.Budget[uuid.UUID]{Total: maxInFlight, Account: maxOfAccount, Grace: settling}}
}

// incoming is a body that comes.
type incoming struct {
	io.ReadCloser
	memory *limit.Reservation[uuid.UUID]
}

// Acquire reserves memory for the body of a request: as much as it says, or as much as the largest takes where it does not say or is
// longer. It does not wait. If not enough is free, bodies that come too slowly lose theirs, and those of an account that has more: see
// [limit.Budget]. Reading them fails with [store.ErrOverloaded]. If that does not free enough, it is the error of Acquire. Too slowly is
// what would not be whole in a minute or, if it does not say its length, less than 64 KiB a second. A body that has come whole keeps what
// it takes until release.
func (b *Bodies) Acquire(w http.ResponseWriter, r *http.Request, account uuid.UUID) (release func(), err error) {
	size, pace := r.ContentLength, float64(r.ContentLength)/inTime.Seconds()
	if size < 0 {
		size, pace = maxBody, unsaidPace
	}
	size = min(size, maxBody)
	conn := http.NewResponseController(w)
	memory, err := b.budget.Acquire(account, size, pace, func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // ends a Read that waits; where that is not supported, the next one fails all the same
	})
	if err != nil {
		return nil, fmt.Errorf("%w: a body of %d bytes: %w", store.ErrOverloaded, size, err)
	}
	r.Body = &incoming{r.Body, memory}
	return memory.Release, nil
}

// Read reads on, unless others have the memory by now.
func (in *incoming) Read(p []byte) (int, error) {
	n, err := in.ReadCloser.Read(p)
	if evicted := in.memory.Arrived(int64(n), err != nil); evicted != nil {
		return 0, fmt.Errorf("%w: a body came slowly: %w", store.ErrOverloaded, evicted)
	}
	return n, err
}
