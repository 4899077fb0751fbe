package notify

import (
	"time"

	"github.com/google/uuid"

	"service/store"
	"service/store/limit"
)

// How many messages a process sends at once, of the [Workers] for all. A receiver that accepts a connection and never answers holds a slot
// for as long as a message may take, and receivers are chosen by people with accounts.
const (
	perChannel   = 2
	perWorkspace = 4           // to all its channels and members
	perAccount   = Workers / 2 // of all workspaces that one account is responsible for
	// forMails is the number of slots of a workspace and of an account that are reserved for mails, because the mail server is the
	// installation's own.
	forMails = 1
)

const (
	// minDelay is the least time for which a message without a slot is put back.
	minDelay = time.Second
	// delayStep is the time between two messages that were put back: thousands that wait for one slot must not keep workers from messages that
	// have a slot.
	delayStep = 20 * time.Millisecond
)

// A limitKey is a channel, workspace or account with a limit of messages.
type limitKey struct {
	of string
	id uuid.UUID
}

const (
	ofChannel   = "channel"
	ofWorkspace = "workspace"
	ofAccount   = "account"
)

// slotsOf returns the slots that a message needs.
func slotsOf(m store.OutMessage) []limit.Slot[limitKey] {
	slots := []limit.Slot[limitKey]{
		{Key: limitKey{ofWorkspace, m.Workspace}, Limit: perWorkspace}, {Key: limitKey{ofAccount, m.Account}, Limit: perAccount},
	}
	if !m.Posted() {
		return slots
	}
	slots[0].Spare, slots[1].Spare = forMails, forMails
	return append(slots, limit.Slot[limitKey]{Key: limitKey{ofChannel, m.Channel.ID}, Limit: perChannel})
}

// A delayKey identifies messages that wait for the same slots. Mails have a key of their own, because they have reserved slots: thousands
// of posts may wait.
type delayKey struct {
	limitKey
	posted bool
}
