package notify

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"service/store"
)

// How many messages a process sends at once, of the [Workers] for all. A receiver that accepts and never answers holds a
// place for as long as one may take, and receivers are chosen by those who have accounts.
const (
	perChannel   = 2
	perWorkspace = 4           // to all its channels and members
	perAccount   = Workers / 2 // of all workspaces that one account answers for
	// forMails is how many of the places of a workspace and of an account are for mails alone, whose server is the installation's.
	forMails = 1
)

const (
	// lineWait is how long a message waits at least that finds no place.
	lineWait = time.Second
	// lineStep is the time between two that come again: thousands that wait for one place must not keep the workers from those that have one.
	lineStep = 20 * time.Millisecond
)

// A lane has messages of one channel, workspace or account.
type lane struct {
	of string
	id uuid.UUID
}

const (
	laneOfChannel   = "channel"
	laneOfWorkspace = "workspace"
	laneOfAccount   = "account"
)

// A place is one in a lane, for so many at most.
type place struct {
	lane
	most int
}

// placesOf are the places that a message needs.
func placesOf(m store.OutMessage) []place {
	workspace, account := lane{laneOfWorkspace, m.Workspace}, lane{laneOfAccount, m.Account}
	if !m.Posted() {
		return []place{{workspace, perWorkspace}, {account, perAccount}}
	}
	return []place{
		{workspace, perWorkspace - forMails}, {account, perAccount - forMails}, {lane{laneOfChannel, m.Channel.ID}, perChannel},
	}
}

// lanes count the messages that are on their way, and know how many wait for a place.
type lanes struct {
	mu    sync.Mutex
	under map[lane]int
	lines map[line]time.Time // when the next that finds no place comes again, where that is after lineWait
}

// A line is of messages that wait for the same places. Mails have one of their own, as they have places: thousands of posts may wait.
type line struct {
	lane
	posted bool
}

// enter takes the places that a message needs. If one of them is missing, it takes none and names its lane.
func (l *lanes) enter(m store.OutMessage) (full lane, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	places := placesOf(m)
	for _, p := range places {
		if l.under[p.lane] >= p.most {
			return p.lane, false
		}
	}
	if l.under == nil {
		l.under = map[lane]int{}
	}
	for _, p := range places {
		l.under[p.lane]++
	}
	return lane{}, true
}

func (l *lanes) leave(m store.OutMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range placesOf(m) {
		if l.under[p.lane]--; l.under[p.lane] == 0 {
			delete(l.under, p.lane)
		}
	}
}

// line has n more messages wait, and returns after how long the first of them is to come again.
func (l *lanes) line(in line, n int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for other, end := range l.lines {
		if end.Before(now) {
			delete(l.lines, other)
		}
	}
	first := now.Add(lineWait)
	if end := l.lines[in]; end.After(first) {
		first = end
	}
	if l.lines == nil {
		l.lines = map[line]time.Time{}
	}
	l.lines[in] = first.Add(time.Duration(n) * lineStep)
	return first.Sub(now)
}
