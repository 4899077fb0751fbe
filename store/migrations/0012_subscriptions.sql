-- +goose Up

-- Who is sent a dashboard, and when. A member subscribes themselves; channels are subscribed by owners, or by
-- a spec, which waits until an owner allows it.
CREATE TABLE subscription (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  dashboard_id uuid NOT NULL,
  account_id   uuid,                  -- a member, by their own wish
  channel_id   uuid,
  every        text NOT NULL CHECK (every IN ('refresh', 'daily', 'weekly', 'monthly')),
  day          smallint NOT NULL DEFAULT 0, -- of the week, from Sunday, 0; of the month, from 1, where 31 is the last
  minute       smallint NOT NULL DEFAULT 0 CHECK (minute BETWEEN 0 AND 1439), -- of the day
  timezone     text NOT NULL,         -- of the spec, as it is now
  changed      boolean NOT NULL DEFAULT false, -- only when something has changed
  query        text NOT NULL DEFAULT '' CHECK (octet_length(query) <= 4096), -- filters, as in the page's address
  attach       text NOT NULL DEFAULT '' CHECK (attach IN ('', 'csv', 'xlsx')),
  proposal     bytea CHECK (octet_length(proposal) = 32), -- hash of what the spec says; null: people made it
  allowed      boolean NOT NULL,      -- false: an owner has not said yes
  created_by   uuid REFERENCES account ON DELETE SET NULL,
  created_at   timestamptz NOT NULL,
  due_at       timestamptz,           -- the next time, or one that waits for a refresh; null: none is, until the next refresh
  look_at      timestamptz,           -- when the clockwork looks at it
  sent_hash    text NOT NULL DEFAULT '', -- of the spec and its rows, as they were sent, or when it was made
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, workspace_id) REFERENCES membership (account_id, workspace_id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, channel_id) REFERENCES channel (workspace_id, id) ON DELETE CASCADE,
  CHECK (num_nonnulls(account_id, channel_id) = 1),
  CHECK (CASE every WHEN 'weekly' THEN day BETWEEN 0 AND 6 WHEN 'monthly' THEN day BETWEEN 1 AND 31 ELSE day = 0 END),
  CHECK (every <> 'refresh' OR minute = 0),
  CHECK (proposal IS NULL OR channel_id IS NOT NULL),
  CHECK (allowed OR proposal IS NOT NULL AND look_at IS NULL),
  CHECK (look_at IS NULL OR due_at IS NOT NULL)
);
CREATE UNIQUE INDEX subscription_proposal ON subscription (workspace_id, dashboard_id, proposal) WHERE proposal IS NOT NULL;
CREATE UNIQUE INDEX subscription_own ON subscription (workspace_id, dashboard_id, account_id, every, day, minute, md5(query))
  WHERE account_id IS NOT NULL;
CREATE INDEX subscription_account ON subscription (workspace_id, account_id) WHERE account_id IS NOT NULL;
CREATE INDEX subscription_channel ON subscription (workspace_id, channel_id) WHERE channel_id IS NOT NULL;
CREATE INDEX subscription_dashboard ON subscription (workspace_id, dashboard_id);
CREATE INDEX subscription_look ON subscription (look_at) WHERE look_at IS NOT NULL;

CREATE TABLE delivery ( -- what became of each time that was due: one row, so that it is sent once
  workspace_id    uuid NOT NULL,
  subscription_id uuid NOT NULL,
  due_at          timestamptz NOT NULL,
  at              timestamptz NOT NULL,
  outcome         text NOT NULL CHECK (outcome IN ('sent', 'same', 'dropped')), -- given to the outbox; nothing had changed; no refresh in a day
  message_id      uuid,               -- in the outbox, which forgets it first
  PRIMARY KEY (workspace_id, subscription_id, due_at),
  UNIQUE (workspace_id, message_id),
  FOREIGN KEY (workspace_id, subscription_id) REFERENCES subscription (workspace_id, id) ON DELETE CASCADE,
  CHECK ((outcome = 'sent') = (message_id IS NOT NULL))
);
CREATE INDEX delivery_age ON delivery (at);
