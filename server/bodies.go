package server

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"service/store"
)

const (
	maxInFlight  = 8 * maxBody     // bytes of large bodies that are in memory
	maxOfAccount = 2 * maxBody     // of these, of one account
	settling     = 2 * time.Second // before it is said of a body that it comes slowly
	inTime       = time.Minute     // that a body takes at most which comes as quickly as it should
	unsaidPace   = 64 << 10        // bytes a second of one that does not say its length
)

// Bodies count the bytes of large bodies that are in memory, or may come to be, for the process and for each account.
// Whoever announces a body and does not send it does not keep others out: see [Bodies.Take].
type Bodies struct {
	mu      sync.Mutex
	all     int64
	by      map[uuid.UUID]int64
	reading map[*incoming]struct{} // bodies that are not whole yet
}

// incoming is a body that comes.
type incoming struct {
	io.ReadCloser
	of      *Bodies
	account uuid.UUID
	began   time.Time
	due     float64                  // bytes a second at least
	conn    *http.ResponseController // ends a Read that waits

	// Guarded by the mutex of Bodies.
	room  int64 // bytes of memory; once it is whole, those that it has
	got   int64
	ended bool // others have its room
}

// Take reserves room for the body of a request: as much as it says, or as much as the largest takes where it does not say or is longer.
// It does not wait. Where there is no room, bodies make it that come too slowly, and those of an account that has more even without
// them, the slowest first: reading them fails with [store.ErrNoPlace]. If that is not enough, it is Take's error. Too slowly is what would
// not be whole in a minute or, if it does not say its length, less than 64 KiB a second. A body that has come whole keeps what it takes
// until giveBack.
func (b *Bodies) Take(w http.ResponseWriter, r *http.Request, account uuid.UUID) (giveBack func(), err error) {
	in := &incoming{
		ReadCloser: r.Body, of: b, account: account, began: time.Now(), room: r.ContentLength,
		due: float64(r.ContentLength) / inTime.Seconds(), conn: http.NewResponseController(w),
	}
	if in.room < 0 {
		in.room, in.due = maxBody, unsaidPace
	}
	in.room = min(in.room, maxBody)
	b.mu.Lock()
	defer b.mu.Unlock()
	var yield []*incoming
	ok := b.by[account]+in.room <= maxOfAccount
	if ok {
		yield, ok = b.yielding(in)
	}
	if !ok {
		return nil, fmt.Errorf("%w with a body of %d bytes", store.ErrNoPlace, in.room)
	}
	for _, other := range yield {
		b.shrink(other, 0)
		other.ended = true
		_ = other.conn.SetReadDeadline(time.Unix(1, 0)) // where that is not supported, the next Read fails all the same
	}
	if b.by == nil {
		b.by, b.reading = map[uuid.UUID]int64{}, map[*incoming]struct{}{}
	}
	b.all += in.room
	b.by[account] += in.room
	b.reading[in] = struct{}{}
	r.Body = in
	return sync.OnceFunc(in.giveBack), nil
}

// yielding are the bodies that make room for a new one, if there are such or none has to. b.mu is held.
func (b *Bodies) yielding(in *incoming) (yield []*incoming, ok bool) {
	space := maxInFlight - b.all
	if space >= in.room {
		return nil, true
	}
	now := time.Now()
	have := maps.Clone(b.by)
	for _, other := range slices.SortedFunc(maps.Keys(b.reading), func(x, y *incoming) int {
		return cmp.Compare(x.pace(now), y.pace(now))
	}) {
		slow := now.Sub(other.began) >= settling && other.pace(now) < 1
		if !slow && have[other.account]-other.room < have[in.account]+in.room {
			continue
		}
		have[other.account] -= other.room
		yield = append(yield, other)
		if space += other.room; space >= in.room {
			return yield, true
		}
	}
	return nil, false
}

// pace is how quickly a body comes, as a multiple of how quickly it should. The mutex of Bodies is held.
func (in *incoming) pace(now time.Time) float64 {
	return float64(in.got) / in.due / max(now.Sub(in.began), time.Millisecond).Seconds()
}

// shrink leaves so much room to a body of which no more comes. b.mu is held.
func (b *Bodies) shrink(in *incoming, room int64) {
	delete(b.reading, in)
	b.all -= in.room - room
	if b.by[in.account] -= in.room - room; b.by[in.account] == 0 {
		delete(b.by, in.account)
	}
	in.room = room
}

func (in *incoming) giveBack() {
	in.of.mu.Lock()
	defer in.of.mu.Unlock()
	if !in.ended {
		in.of.shrink(in, 0)
	}
}

// Read reads on, unless others have the room by now.
func (in *incoming) Read(p []byte) (int, error) {
	n, err := in.ReadCloser.Read(p)
	in.of.mu.Lock()
	defer in.of.mu.Unlock()
	in.got += int64(n)
	if in.ended {
		return 0, fmt.Errorf("%w for a body that came slowly", store.ErrNoPlace)
	}
	if err != nil || in.got >= in.room {
		in.of.shrink(in, min(in.got, in.room))
	}
	return n, err
}
