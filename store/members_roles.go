package store

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/message"
)

// ownersNamed is the maximum number of owners in a refusal.
const ownersNamed = 3

// RefuseViewer returns the *message.Refusal for actions that m's role does not allow. It names the owners whom m can ask.
func (s Members) RefuseViewer(ctx context.Context, m Member) error {
	return refuseViewer(ctx, s.pool, m.workspace, m.role)
}

func refuseViewer(ctx context.Context, q querier, workspace uuid.UUID, role string) error {
	var slug string
	if err := q.QueryRow(ctx, `SELECT slug FROM workspace WHERE id = $1`, workspace).Scan(&slug); err != nil {
		return plain(err)
	}
	owners, err := owners(ctx, q, workspace)
	if err != nil {
		return err
	}
	return message.RoleRefused(role, slug, owners)
}

// Owners lists owners of m's workspace, as members see them: the first three.
func (s Members) Owners(ctx context.Context, m Member) ([]string, error) {
	return owners(ctx, s.pool, m.workspace)
}

func owners(ctx context.Context, q querier, workspace uuid.UUID) ([]string, error) {
	rows, _ := q.Query(ctx, `
		SELECT `+calledSQL+` FROM membership p JOIN account a ON a.id = p.account_id
		 WHERE p.workspace_id = $1 AND p.role = 'owner' ORDER BY p.created_at, a.id LIMIT $2`, workspace, ownersNamed)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// ofViewers reports whether a viewer may perform an action of the audit log, because the action concerns only the viewer.
func ofViewers(action string) bool {
	switch noun, _, _ := strings.Cut(action, "."); noun {
	case "subscription", "grant", "account": // the store checks that they belong to the viewer
		return true
	}
	switch action {
	case "member.join", "member.remove", "channel.leave", "workspace.create":
		return true
	}
	return false
}

// RefuseRemoval returns a *message.Refusal if m may not delete and rename d.
func (s Members) RefuseRemoval(ctx context.Context, m Member, d Dashboard) error {
	if m.MayRemove(d) {
		return nil
	}
	return mayRemove(ctx, s.pool, m, d)
}

// mayRemove refuses to delete or rename d unless m first published it or is an owner now. A client that m allowed counts as m.
func mayRemove(ctx context.Context, q querier, m Member, d Dashboard) error {
	if d.CreatedBy == m.account {
		return nil
	}
	owner, err := isOwner(ctx, q, m.workspace, m.account)
	if m.cap != "" && m.cap != RoleOwner {
		owner = false
	}
	if err != nil || owner {
		return err
	}
	var publisher string
	rows, _ := q.Query(ctx, `SELECT `+calledSQL+` FROM account a WHERE a.id = $1`, d.CreatedBy)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if len(names) > 0 {
		publisher = names[0]
	}
	who, err := owners(ctx, q, m.workspace)
	if err != nil {
		return err
	}
	return message.NotFirstPublisher(d.Slug, publisher, who)
}

// MayRemove reports whether m may delete and rename d.
func (m Member) MayRemove(d Dashboard) bool {
	return m.role == RoleOwner || m.role == RoleEditor && d.CreatedBy == m.account
}
