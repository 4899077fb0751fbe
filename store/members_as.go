package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// A Stand is another member of a workspace, as whom a page is drawn: see [Members.As].
type Stand struct {
	Member Member // only to read what a page shows
	Called string // e-mail, or name
}

// MayLookAs reports whether m may look at the page of d as other members: m edits, and gets all its rows anyway.
func (m Member) MayLookAs(d Dashboard) bool { return m.Edits() && m.Cut(d).All }

// ErrMayNotLook is returned to people who would see rows of others.
var ErrMayNotLook = errors.New("the member does not get all rows of the dashboard")

// As returns the member with an account, so that m sees the page of d as that member does. It returns [ErrNotFound] for an account that is
// not a member, and [ErrMayNotLook] unless [Member.MayLookAs].
func (s Members) As(ctx context.Context, m Member, d Dashboard, account uuid.UUID) (Stand, error) {
	if !m.MayLookAs(d) {
		return Stand{}, ErrMayNotLook
	}
	other := Stand{Member: Member{account: account, workspace: m.workspace, slug: m.slug, name: m.name, plan: m.plan}}
	err := s.pool.QueryRow(ctx, `
		SELECT p.role, (p.provided || p.attributes)::text, `+calledSQL+`
		  FROM membership p JOIN account a ON a.id = p.account_id WHERE p.workspace_id = $1 AND p.account_id = $2`,
		m.workspace, account).Scan(&other.Member.role, (*attributes)(&other.Member.attributes), &other.Called)
	return other, plain(err)
}
