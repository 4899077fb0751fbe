package store

import (
	"slices"
	"strings"

	"service/store/message"
)

// Creators are the people who may make workspaces in the web app. The zero value allows everybody whose e-mail address the identity
// provider verified.
type Creators struct {
	Nobody  bool     // only the operator makes workspaces
	Domains []string // only people with an address at one of these, in lower case; empty: any address
}

// Refuse returns the refusal of a new workspace for somebody with a verified address, or nil. The address is empty for none.
func (c Creators) Refuse(email string) error {
	_, domain, _ := strings.Cut(email, "@")
	switch {
	case c.Nobody:
		return message.Refuse("Only the operator of this service makes workspaces: ask them for one, or ask an owner of a workspace to add you.")
	case email == "":
		return message.Refuse("Your identity provider has not verified an e-mail address of yours, so you cannot make a workspace. " +
			"Ask an owner of a workspace to add you.")
	case len(c.Domains) > 0 && !slices.Contains(c.Domains, domain):
		return message.Refuse("Only people with an e-mail address at %s make workspaces here: ask an owner of a workspace to add you.",
			strings.Join(c.Domains, ", "))
	}
	return nil
}

// RefuseWorkspace returns the refusal of a new workspace for an account with this e-mail address, or nil.
func (s Workspaces) RefuseWorkspace(email string) error { return s.opt.Creators.Refuse(email) }
