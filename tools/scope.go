package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/uuid"

	"service/store"
	"service/store/message"
)

// A scope decides where a call acts, from the grant and the raw arguments, or
// refuses it (specification, "Authorization grant scope" and "Scope refusals").
type scope func(context.Context, *store.Store, store.Grant, arguments) (store.Member, error)

// dashboardScope is the scope of every dashboard tool: a locked grant acts in its workspace,
// and the workspace argument may only repeat that. An unknown lock gives no access.
func dashboardScope(ctx context.Context, st *store.Store, g store.Grant, args arguments) (store.Member, error) {
	given := args.value("workspace")
	switch {
	case g.Locked():
		if given != nil && text(given) != g.Member.Workspace() {
			return store.Member{}, message.LockedElsewhere(g.Member.Workspace(), clip(shown(given), 200))
		}
		return g.Member, nil
	case g.Lock == store.LockLegacy:
		m, err := legacyMember(ctx, st, g.Account, given)
		return m.Through(g), err
	}
	return store.Member{}, message.LockedToNone()
}

// legacyMember finds the workspace that a call under a legacy grant names.
func legacyMember(ctx context.Context, st *store.Store, account uuid.UUID, given json.RawMessage) (store.Member, error) {
	if given == nil {
		return store.Member{}, message.LegacyWithoutWorkspace()
	}
	slug := text(given)
	if slug == "" {
		return store.Member{}, message.WorkspaceArgument()
	}
	if strings.ContainsRune(slug, 0) { // the database cannot hold it
		return store.Member{}, message.WorkspaceNotFound(shown(given))
	}
	m, err := st.Members.Member(ctx, account, slug)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return m, message.WorkspaceNotFound(slug)
	case errors.Is(err, store.ErrNotMember):
		return m, message.NotAMember(slug)
	}
	return m, err
}

// connectionScope is the scope of the tools for connections: they act in the workspace of
// the grant's lock.
func connectionScope(_ context.Context, _ *store.Store, g store.Grant, _ arguments) (store.Member, error) {
	if !g.Locked() {
		return store.Member{}, message.NoConnectionScope()
	}
	return g.Member, nil
}

// readinessScope is the scope of check_readiness.
func readinessScope(_ context.Context, _ *store.Store, g store.Grant, _ arguments) (store.Member, error) {
	if !g.Locked() {
		return store.Member{}, message.NotReady()
	}
	return g.Member, nil
}

// text returns the string in raw, or "".
func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s) // not a string: ""
	return s
}

// shown returns an argument as a refusal quotes it: a string unchanged, other values as
// JSON.
func shown(raw json.RawMessage) string {
	if s := text(raw); s != "" || string(raw) == `""` {
		return s
	}
	return string(raw)
}
