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
	maxInFlight  = 8 * maxBody     // limit of the bytes of large bodies in memory
	maxOfAccount = 2 * maxBody     // limit for one account
	settling     = 2 * time.Second // before a body can count as slow
	inTime       = time.Minute     // limit for a body to arrive completely
	unsaidPace   = 64 << 10        // bytes a second required of a body of unknown length
)

// Bodies divides memory among large bodies, by account. A client that announces a body and does not send it cannot block
// others.
type Bodies struct{ budget limit.Budget[uuid.UUID] }

// NewBodies returns unused memory for large bodies.
func NewBodies() *Bodies {
	return &Bodies{limit.Budget[uuid.UUID]{Total: maxInFlight, Account: maxOfAccount, Grace: settling}}
}

// incoming is a body that is being received.
type incoming struct {
	io.ReadCloser
	memory *limit.Reservation[uuid.UUID]
}

// Acquire reserves memory for the body of a request: its Content-Length, or the largest size if the length is unknown or larger. It does
// not wait. If not enough memory is free, it takes the memory of slow bodies and of accounts that hold more: see [limit.Budget]. Reading
// such a body then fails with [store.ErrOverloaded]. If that does not free enough, Acquire returns this error. A body is slow if it would
// not be complete within a minute or, if its length is unknown, if it arrives at less than 64 KiB a second. A complete body keeps its
// memory until release.
func (b *Bodies) Acquire(w http.ResponseWriter, r *http.Request, account uuid.UUID) (release func(), err error) {
	size, pace := r.ContentLength, float64(r.ContentLength)/inTime.Seconds()
	if size < 0 {
		size, pace = maxBody, unsaidPace
	}
	size = min(size, maxBody)
	conn := http.NewResponseController(w)
	memory, err := b.budget.Acquire(account, size, pace, func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // ends a waiting Read; if that is not supported, the next Read fails
	})
	if err != nil {
		return nil, fmt.Errorf("%w: a body of %d bytes: %w", store.ErrOverloaded, size, err)
	}
	r.Body = &incoming{r.Body, memory}
	return memory.Release, nil
}

// Read reads the body, or fails if its memory was given to another body.
func (in *incoming) Read(p []byte) (int, error) {
	n, err := in.ReadCloser.Read(p)
	if evicted := in.memory.Arrived(int64(n), err != nil); evicted != nil {
		return 0, fmt.Errorf("%w: a body came slowly: %w", store.ErrOverloaded, evicted)
	}
	return n, err
}
