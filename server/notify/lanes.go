package notify

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// perLane is how many messages a process sends to one channel at once, of the [Workers] for all: one whose receiver is
	// slow holds up itself.
	perLane = 2
	// laneWait is how long a message waits at least when there are so many.
	laneWait = time.Second
)

// lanes count the messages that are on their way to each channel.
type lanes struct {
	mu    sync.Mutex
	under map[uuid.UUID]int
}

// enter reports whether one more may be sent to a channel, and counts it.
func (l *lanes) enter(id uuid.UUID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.under[id] >= perLane {
		return false
	}
	if l.under == nil {
		l.under = map[uuid.UUID]int{}
	}
	l.under[id]++
	return true
}

func (l *lanes) leave(id uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.under[id]--; l.under[id] == 0 {
		delete(l.under, id)
	}
}
