package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
	"service/store/message"
)

// renewSubscriptions updates the subscriptions of a dashboard to its new version: to the time zone and the deliveries of its spec. waiting
// are the indexes of deliveries that wait for an owner's approval.
func (s *core) renewSubscriptions(ctx context.Context, tx pgx.Tx, m Member, v newVersion) (waiting []int, err error) {
	if v.kind == KindSpec && v.spec == nil {
		return nil, nil
	}
	var some bool
	if err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM subscription WHERE workspace_id = $1 AND dashboard_id = $2)`, m.workspace, v.dashboard.ID).
		Scan(&some); err != nil {
		return nil, err
	}
	if v.spec == nil { // of a document, which proposes nothing
		v.spec = &dashboard.Spec{}
	}
	switch {
	case !some && len(v.spec.Deliver) == 0:
		return nil, nil
	case v.kind == KindSpec:
		if err := s.followZone(ctx, tx, m.workspace, v.dashboard.ID, v.spec.Location()); err != nil {
			return nil, err
		}
	}
	return s.propose(ctx, tx, m, v)
}

// propose makes the deliveries of a spec the proposals of its dashboard. A new one is allowed if an owner publishes it, and otherwise waits
// until an owner allows it. An existing one stays as it is: a publish does not restart a delivery that an owner has ended. waiting are the
// indexes in the spec of those that wait.
func (s *core) propose(ctx context.Context, tx pgx.Tx, m Member, v newVersion) (waiting []int, err error) {
	hashes := make([][]byte, 0, len(v.spec.Deliver))
	channels := make([]uuid.UUID, 0, len(v.spec.Deliver)) // zero for a member
	people := make([]uuid.UUID, 0, len(v.spec.Deliver))
	kept := make([]int, 0, len(v.spec.Deliver)) // their places
	for i, d := range v.spec.Deliver {
		if d.To == dashboard.Me {
			account := v.me.delivery(i, d)
			var member bool
			if err := tx.QueryRow(ctx, `
				SELECT EXISTS (SELECT FROM membership WHERE workspace_id = $1 AND account_id = $2)`, m.workspace, account).Scan(&member); err != nil {
				return nil, err
			}
			if !member { // former members get nothing
				continue
			}
			hash, err := proposalOf(d, account)
			if err != nil {
				return nil, err
			}
			hashes, channels, people, kept = append(hashes, hash), append(channels, uuid.Nil), append(people, account), append(kept, i)
			continue
		}
		c, err := findChannel(ctx, tx, m, d.To, "")
		switch {
		case errors.Is(err, ErrNotFound) && v.cause == CauseRestore: // it was there when that version was made
			continue
		case errors.Is(err, ErrNotFound):
			return nil, message.Refuse(
				`deliver[%d].to: there is no channel "%s" in the workspace. Owners make channels in the web application.`, i, d.To)
		case err != nil:
			return nil, err
		}
		hash, err := proposalOf(d, c.ID)
		if err != nil {
			return nil, err
		}
		hashes, channels, people, kept = append(hashes, hash), append(channels, c.ID), append(people, uuid.Nil), append(kept, i)
	}
	if _, err := tx.Exec(ctx, `
		DELETE FROM subscription WHERE workspace_id = $1 AND dashboard_id = $2 AND proposal IS NOT NULL AND proposal <> ALL ($3::bytea[])`,
		m.workspace, v.dashboard.ID, hashes); err != nil || len(hashes) == 0 {
		return nil, err
	}
	allowed := map[string]bool{} // of existing proposals, by their hash
	var hash []byte
	var yes bool
	rows, _ := tx.Query(ctx, `
		SELECT proposal, allowed FROM subscription WHERE workspace_id = $1 AND dashboard_id = $2 AND proposal IS NOT NULL`,
		m.workspace, v.dashboard.ID)
	if _, err := pgx.ForEachRow(rows, []any{&hash, &yes}, func() error {
		allowed[string(hash)] = yes
		return nil
	}); err != nil {
		return nil, err
	}
	may := mayDeliver(ctx, tx, m)
	if _, refused := message.As(may); may != nil && !refused {
		return nil, may
	}
	for k, i := range kept {
		d := v.spec.Deliver[i]
		yes, known := allowed[string(hashes[k])]
		if !known {
			yes = (may == nil || people[k] != uuid.Nil) && !v.revived
			if err := s.addSubscription(ctx, tx, subscriber{
				account:   people[k],
				workspace: m.workspace, dashboard: v.dashboard, by: m.account, zone: v.spec.Location(), proposal: hashes[k], allowed: yes,
				wish: Wish{Rhythm: d.Rhythm, Changed: d.Changed, Attach: d.Attach, Channel: channels[k]},
			}); err != nil {
				return nil, err
			}
		}
		if !yes && people[k] == uuid.Nil {
			waiting = append(waiting, i)
		}
	}
	return waiting, nil
}

// proposalOf returns a hash that identifies a proposal of a spec: a delivery, and the id of the channel or member.
func proposalOf(d dashboard.Delivery, to uuid.UUID) ([]byte, error) {
	text, err := json.Marshal([]any{d, to})
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(text)
	return hash[:], nil
}
