-- +goose Up

-- Where messages may go, as the owners of a workspace allow: a spec and a subscription name a channel by slug.
CREATE TABLE channel (
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  id           uuid NOT NULL,
  slug         text NOT NULL CHECK (slug ~ '^[a-z0-9-]{1,64}$'),
  name         text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 300),
  kind         text NOT NULL CHECK (kind IN ('mail', 'slack', 'teams', 'webhook')),
  secret       bytea,                 -- sealed URL and signing key; the row and column are its associated data
  created_by   uuid REFERENCES account ON DELETE SET NULL,
  created_at   timestamptz NOT NULL,
  tested_at    timestamptz,
  error        text NOT NULL DEFAULT '', -- why the last message did not arrive, safe to show; empty when it did
  muted_until  timestamptz,           -- until then alerts are not sent
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, slug),
  CHECK ((kind = 'mail') = (secret IS NULL))
);

CREATE TABLE channel_member ( -- who gets the mails of a channel
  workspace_id uuid NOT NULL,
  channel_id   uuid NOT NULL,
  account_id   uuid NOT NULL,
  PRIMARY KEY (workspace_id, channel_id, account_id),
  FOREIGN KEY (workspace_id, channel_id) REFERENCES channel (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, workspace_id) REFERENCES membership (account_id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX channel_member_account ON channel_member (workspace_id, account_id);

CREATE TABLE message ( -- what is to be sent, and was
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  id           uuid NOT NULL,         -- the same at each attempt, and told to the receiver
  kind         text NOT NULL CHECK (kind IN ('alert', 'delivery', 'test')),
  dashboard_id uuid,
  channel_id   uuid,
  account_id   uuid,                  -- a member; with channel_id: the mail of a channel to one of its members
  body         jsonb NOT NULL CHECK (jsonb_typeof(body) = 'object'),
  state        text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed')),
  attempts     integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  queued_at    timestamptz NOT NULL,
  sent_at      timestamptz,
  error        text NOT NULL DEFAULT '', -- why the last attempt failed, safe to show
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, channel_id) REFERENCES channel (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, workspace_id) REFERENCES membership (account_id, workspace_id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, channel_id, account_id) REFERENCES channel_member (workspace_id, channel_id, account_id) ON DELETE CASCADE,
  CHECK (num_nonnulls(channel_id, account_id) >= 1),
  CHECK ((kind = 'test') = (dashboard_id IS NULL)),
  CHECK ((state = 'sent') = (sent_at IS NOT NULL)),
  CHECK (state <> 'failed' OR error <> '')
);
CREATE INDEX message_dashboard ON message (workspace_id, dashboard_id);
CREATE INDEX message_channel ON message (workspace_id, channel_id, account_id);
CREATE INDEX message_account ON message (workspace_id, account_id);
CREATE INDEX message_age ON message (queued_at);
CREATE INDEX message_queued ON message (queued_at) WHERE state = 'queued';
