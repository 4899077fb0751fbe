package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"service/store/dashboard"
)

// A stand names the members whom "me" means in the alerts and deliveries of a version. It is zero if the spec does not name "me".
type stand struct {
	Alerts  map[string]uuid.UUID `json:"alerts,omitempty"` // by alert
	Deliver []standing           `json:"deliver,omitempty"`
}

// A standing names the member whom "me" means in one delivery. A delivery has no id: it is found by its contents, or else by its index.
type standing struct {
	Index   int       `json:"index"`
	Of      string    `json:"of"` // the delivery, as JSON
	Account uuid.UUID `json:"account"`
}

// delivery returns the member whom "me" means in delivery i of a spec; zero for nobody.
func (s stand) delivery(i int, d dashboard.Delivery) uuid.UUID {
	of := deliveryText(d)
	if at := slices.IndexFunc(s.Deliver, func(b standing) bool { return b.Of == of }); at >= 0 {
		return s.Deliver[at].Account
	}
	if at := slices.IndexFunc(s.Deliver, func(b standing) bool { return b.Index == i }); at >= 0 {
		return s.Deliver[at].Account
	}
	return uuid.Nil
}

func deliveryText(d dashboard.Delivery) string {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // cannot fail: strings and integers
	}
	return string(text)
}

// standFor returns the members whom "me" means in a spec that m publishes: m, or in an edit of the version before, the members whom it
// meant there, as long as they are still members.
func (s *core) standFor(ctx context.Context, tx pgx.Tx, m Member, spec *dashboard.Spec, before uuid.UUID, edit bool) (stand, error) {
	var out stand
	if spec == nil || !spec.NamesMe() {
		return out, nil
	}
	var kept stand
	if edit {
		var err error
		if kept, err = findStand(ctx, tx, m.workspace, before); err != nil {
			return out, err
		}
	}
	rows, _ := tx.Query(ctx, `SELECT account_id FROM membership WHERE workspace_id = $1`, m.workspace)
	members, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return out, err
	}
	who := func(account uuid.UUID) uuid.UUID {
		if slices.Contains(members, account) {
			return account
		}
		return m.account
	}
	for _, a := range spec.Alerts {
		if slices.Contains(a.To, dashboard.Me) {
			if out.Alerts == nil {
				out.Alerts = map[string]uuid.UUID{}
			}
			out.Alerts[a.ID] = who(kept.Alerts[a.ID])
		}
	}
	for i, d := range spec.Deliver {
		if d.To == dashboard.Me {
			out.Deliver = append(out.Deliver, standing{i, deliveryText(d), who(kept.delivery(i, d))})
		}
	}
	return out, nil
}

// findStand returns the members whom "me" means in a version.
func findStand(ctx context.Context, q querier, workspace, version uuid.UUID) (out stand, err error) {
	var text []byte
	err = q.QueryRow(ctx, `SELECT me FROM version WHERE workspace_id = $1 AND id = $2`, workspace, version).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && text == nil {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(text, &out)
}

// stored is the column version.me.
func (s stand) stored() []byte {
	if len(s.Alerts)+len(s.Deliver) == 0 {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot fail
	}
	return text
}

// A Told lists the recipients of an alert or a delivery of a dashboard's spec.
type Told struct {
	Alert    string   // id; empty for a delivery
	To       []string // slugs of channels, and e-mail addresses of members
	Rhythm   dashboard.Rhythm
	Timezone string
	Waits    bool // a delivery waits for an owner's approval
	Next     *string
}

// told lists the recipients of the alerts and deliveries of a dashboard's spec: alerts in the order of the spec, then deliveries.
func told(ctx context.Context, q querier, workspace, id uuid.UUID) ([]Told, error) {
	rows, _ := q.Query(ctx, `
		SELECT a.id, CASE WHEN cardinality(a.channels) = 0
		                  THEN ARRAY (SELECT `+addressOf+` FROM membership p JOIN account u ON u.id = p.account_id
		                               WHERE p.workspace_id = a.workspace_id AND p.account_id = v.created_by)
		                  ELSE ARRAY (SELECT CASE WHEN c <> 'me' THEN c
		                                      ELSE coalesce((SELECT `+addressOf+` FROM account u WHERE u.id = a.me), 'nobody') END
		                                FROM unnest(a.channels) WITH ORDINALITY t (c, n) ORDER BY n) END,
		       '', 0, 0, '', false, NULL::text, a.place AS place
		  FROM alert a JOIN dashboard d ON d.workspace_id = a.workspace_id AND d.id = a.dashboard_id
		  JOIN version v ON v.workspace_id = d.workspace_id AND v.id = d.version_id
		 WHERE a.workspace_id = $1 AND a.dashboard_id = $2
		 UNION ALL
		SELECT '', ARRAY[coalesce(c.slug, (SELECT `+addressOf+` FROM account u WHERE u.id = s.account_id))], s.every, s.day, s.minute, s.timezone,
		       NOT s.allowed, to_char(s.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 1000
		  FROM subscription s LEFT JOIN channel c ON c.workspace_id = s.workspace_id AND c.id = s.channel_id
		 WHERE s.workspace_id = $1 AND s.dashboard_id = $2 AND s.proposal IS NOT NULL
		 ORDER BY place, 2, 3, 4, 5`, workspace, id)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Told, err error) {
		var place int
		return t, row.Scan(&t.Alert, &t.To, &t.Rhythm.Every, &t.Rhythm.Day, &t.Rhythm.Minute, &t.Timezone, &t.Waits, &t.Next, &place)
	})
}

// addressOf is the verified address of an account u, or words for a missing one.
const addressOf = `CASE WHEN u.email = '' THEN 'a member without a verified e-mail address' ELSE u.email END`
