-- +goose Up

-- A trust lets the tokens of an issuer of OpenID Connect, such as a CI, act for a member of a workspace. The membership ends it.
CREATE TABLE trust (
  id           uuid PRIMARY KEY,
  issuer       text NOT NULL,
  audience     text NOT NULL,
  subject      text NOT NULL,          -- a pattern: * stands for any text without a colon
  workspace_id uuid NOT NULL,
  account_id   uuid NOT NULL,
  role         text CHECK (role IN ('owner', 'editor', 'viewer')), -- the most that it may be; null: what the member is
  dry_run_only boolean NOT NULL,       -- it reads and tries, and changes nothing
  client_id    text NOT NULL UNIQUE,   -- as which its grants act
  created_at   timestamptz NOT NULL,
  used_at      timestamptz,            -- of the last token; null: there was none
  FOREIGN KEY (account_id, workspace_id) REFERENCES membership (account_id, workspace_id) ON DELETE CASCADE,
  UNIQUE (issuer, subject, workspace_id)
);
CREATE INDEX trust_member ON trust (account_id, workspace_id);

-- Grants of a trust end with it.
ALTER TABLE oauth_grant
  ADD COLUMN trust_id uuid REFERENCES trust ON DELETE CASCADE,
  ADD COLUMN role_cap text CHECK (role_cap IN ('owner', 'editor', 'viewer')),
  ADD COLUMN dry_run_only boolean NOT NULL DEFAULT false;
CREATE INDEX oauth_grant_trust ON oauth_grant (trust_id) WHERE trust_id IS NOT NULL;

CREATE TABLE used_assertion ( -- a token of an issuer counts once
  hash       bytea PRIMARY KEY,        -- of its issuer and its jti
  expires_at timestamptz NOT NULL      -- from when on its age refuses it anyway
);
CREATE INDEX used_assertion_expiry ON used_assertion (expires_at);
