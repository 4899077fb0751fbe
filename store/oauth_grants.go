package store

import (
	"time"

	"github.com/google/uuid"
)

// A Lock names the workspaces that a grant may use (specification, "Authorization grant scope"). The zero Lock allows none.
type Lock string

// The locks.
const (
	LockWorkspace Lock = "workspace" // the one that the person chose
	LockNone      Lock = "none"      // the person chose none
	LockLegacy    Lock = "legacy"    // made before there were locks: each call names a workspace
)

// A Grant is one person's authorization of one client, as a verified access
// token proves it.
type Grant struct {
	ID       uuid.UUID
	Account  uuid.UUID
	ClientID string
	Lock     Lock
	Member   Member // of the locked workspace; valid only with [LockWorkspace]
	Scope    string
	Resource string
	UsedAt   time.Time // last recorded call; zero for none

	DryRunOnly bool // it may read, and try a publish, and nothing else: see [Trust]
}

// Locked reports whether g is locked to a workspace.
func (g Grant) Locked() bool {
	return g.Lock == LockWorkspace && g.Member.workspace != uuid.Nil && g.Member.account == g.Account
}
