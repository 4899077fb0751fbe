-- +goose Up

-- People and workspaces

CREATE TABLE account (
  id         uuid PRIMARY KEY,
  issuer     text NOT NULL,
  subject    text NOT NULL,
  email      text NOT NULL,          -- as the provider last said, lower case
  name       text NOT NULL DEFAULT '',
  timezone   text NOT NULL DEFAULT '', -- until the person, or their browser, names one
  theme      text NOT NULL DEFAULT 'auto' CHECK (theme IN ('auto', 'light', 'dark')),
  shortcuts  boolean NOT NULL DEFAULT true, -- single keys do something in the web app
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (issuer, subject)
);
CREATE INDEX account_email ON account (email);

CREATE TABLE workspace (
  id         uuid PRIMARY KEY,
  slug       text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'), -- a DNS label
  name       text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 300),
  plan       text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'paid')),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE membership (
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  role         text NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'member')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, workspace_id)
);
CREATE INDEX membership_workspace ON membership (workspace_id);

CREATE TABLE invitation ( -- a membership that waits for the first verified sign-in with its e-mail
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  email        text NOT NULL CHECK (email = lower(email) AND position('@' IN email) > 1),
  role         text NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'member')),
  token_hash   bytea UNIQUE,         -- of the link, when it was sent as one
  created_by   uuid REFERENCES account ON DELETE SET NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, email)
);
CREATE INDEX invitation_email ON invitation (email);

CREATE TABLE audit (
  id           uuid PRIMARY KEY,      -- UUIDv7: sorts by time
  workspace_id uuid REFERENCES workspace ON DELETE CASCADE, -- null: about an account only
  account_id   uuid REFERENCES account ON DELETE SET NULL,  -- who did it; null: nobody with an account, or one that is gone
  operator     boolean NOT NULL DEFAULT false CHECK (NOT operator OR account_id IS NULL), -- the operator did it, or the service itself
  action       text NOT NULL,         -- noun.verb, such as dashboard.publish
  subject      text NOT NULL,         -- slug, e-mail or id of what it was done to
  detail       jsonb NOT NULL DEFAULT '{}',
  at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_workspace ON audit (workspace_id, at DESC, id DESC);
CREATE INDEX audit_noun ON audit (workspace_id, split_part(action, '.', 1), at DESC, id DESC);
CREATE INDEX audit_account ON audit (workspace_id, account_id, at DESC, id DESC);

-- Content: immutable, addressed by hash, never shared between workspaces. References
-- to it are checked at commit, so that a workspace can go with all in it.

CREATE TABLE blob (
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  sha256       bytea NOT NULL CHECK (octet_length(sha256) = 32), -- of the plain bytes
  size         integer NOT NULL CHECK (size BETWEEN 0 AND 67108864),
  body         bytea NOT NULL,        -- gzip of the plain bytes
  touched_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, sha256)
);
ALTER TABLE blob ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX blob_touched ON blob (touched_at);

-- Connections

CREATE TABLE connection (
  workspace_id  uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  id            uuid NOT NULL UNIQUE,
  owner_id      uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  kind          text NOT NULL CHECK (kind IN ('upload', 'postgres', 'mysql', 'clickhouse')),
  label         text NOT NULL CHECK (btrim(label) <> '' AND char_length(label) <= 300),
  status        text NOT NULL DEFAULT 'untested' CHECK (status IN ('untested', 'active', 'failing', 'disabled')),
  status_reason text NOT NULL DEFAULT '',
  status_at     timestamptz NOT NULL DEFAULT now(),
  failures      integer NOT NULL DEFAULT 0, -- refreshes in a row that could not connect; 0 when a test gave the status
  looked_at     timestamptz,          -- when it was last asked whether it is there again
  secret        bytea,                -- sealed address and credentials; the row and column are its associated data
  last_used_at  timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  CHECK ((kind = 'upload') = (secret IS NULL))
);
CREATE UNIQUE INDEX connection_upload ON connection (workspace_id, owner_id) WHERE kind = 'upload';
CREATE INDEX connection_owner ON connection (owner_id, workspace_id);
CREATE INDEX connection_failing ON connection (status_at) WHERE status = 'failing';

-- +goose StatementBegin
CREATE FUNCTION connection_scope_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the scope of a connection is fixed';
END $$;
-- +goose StatementEnd
CREATE TRIGGER connection_scope_fixed BEFORE UPDATE OF workspace_id, owner_id ON connection
  FOR EACH ROW WHEN ((OLD.workspace_id, OLD.owner_id) IS DISTINCT FROM (NEW.workspace_id, NEW.owner_id))
  EXECUTE FUNCTION connection_scope_fixed();

CREATE TABLE upload (
  workspace_id  uuid NOT NULL,
  id            uuid NOT NULL,
  connection_id uuid NOT NULL,
  filename      text NOT NULL,
  size          integer NOT NULL,     -- of the file as it was uploaded
  row_count     integer NOT NULL,
  columns       jsonb NOT NULL,       -- [{name, type}]
  report        jsonb NOT NULL DEFAULT '{}', -- how it was read: what became of values and columns
  preview       jsonb NOT NULL DEFAULT '[]', -- its first rows as text: [[cell]], NULL is null
  sha256        bytea NOT NULL,       -- of the converted data file (Parquet)
  created_by    uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  created_at    timestamptz NOT NULL DEFAULT now(),
  replaced_at   timestamptz,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, connection_id) REFERENCES connection (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, sha256) REFERENCES blob (workspace_id, sha256) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX upload_connection ON upload (workspace_id, connection_id, id DESC);
CREATE INDEX upload_blob ON upload (workspace_id, sha256);

-- Dashboards

CREATE TABLE dashboard (
  workspace_id  uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  id            uuid NOT NULL,
  slug          text NOT NULL CHECK (slug ~ '^[a-z0-9-]{1,64}$'),
  name          text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 300),
  tags          text[] NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 50),
  chart         text NOT NULL CHECK (chart <> '' AND char_length(chart) <= 100),
  version_id    uuid,                 -- the current version; null: from before versions, so that nothing is stored
  failing_since timestamptz,          -- first failed refresh after the last good one
  refreshed_at  timestamptz,          -- last good refresh of any version
  created_by    uuid REFERENCES account ON DELETE SET NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE slug ( -- current slugs and the aliases of earlier renames: one namespace
  workspace_id uuid NOT NULL,
  slug         text NOT NULL CHECK (slug ~ '^[a-z0-9-]{1,64}$'),
  dashboard_id uuid NOT NULL,
  PRIMARY KEY (workspace_id, slug),
  UNIQUE (workspace_id, dashboard_id, slug),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE
);
ALTER TABLE dashboard ADD CONSTRAINT dashboard_slug
  FOREIGN KEY (workspace_id, id, slug) REFERENCES slug (workspace_id, dashboard_id, slug) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE version (
  workspace_id  uuid NOT NULL,
  id            uuid NOT NULL,        -- UUIDv7: sorts by time
  dashboard_id  uuid NOT NULL,
  name          text CHECK (btrim(name) <> '' AND char_length(name) <= 300), -- named versions are not pruned
  cause         text NOT NULL CHECK (cause IN ('publish', 'restore')),
  kind          text NOT NULL CHECK (kind IN ('spec', 'body')),
  filename      text NOT NULL CHECK (filename ~ '^[a-z0-9._-]+$'),
  content_type  text NOT NULL,
  sha256        bytea NOT NULL,       -- of the spec or the body
  size          integer NOT NULL,
  panels        integer NOT NULL DEFAULT 0,
  datasets      integer NOT NULL DEFAULT 0,
  meta          jsonb NOT NULL,       -- {name, tags, chart} as they were
  connection_id uuid,                 -- of a spec; null: self. No foreign key: one of another workspace publishes, and never refreshes
  upload_id     uuid,
  changes       text[] NOT NULL DEFAULT '{}', -- what is new against the version it replaced, in words
  created_by    uuid REFERENCES account ON DELETE SET NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, dashboard_id, id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, sha256) REFERENCES blob (workspace_id, sha256) DEFERRABLE INITIALLY DEFERRED,
  CHECK (kind = 'spec' OR (connection_id IS NULL AND upload_id IS NULL)),
  CHECK (upload_id IS NULL OR connection_id IS NOT NULL)
);
CREATE INDEX version_blob ON version (workspace_id, sha256);
CREATE INDEX version_connection ON version (connection_id) WHERE connection_id IS NOT NULL;
CREATE INDEX version_upload ON version (workspace_id, upload_id) WHERE upload_id IS NOT NULL;
ALTER TABLE dashboard ADD CONSTRAINT dashboard_version
  FOREIGN KEY (workspace_id, id, version_id) REFERENCES version (workspace_id, dashboard_id, id) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE dataset ( -- the rows that a version's datasets last had
  workspace_id uuid NOT NULL,
  version_id   uuid NOT NULL,
  dataset      text NOT NULL,
  definition   bytea NOT NULL,        -- hash of what the rows depend on: SQL, parameters, source, limits
  sha256       bytea NOT NULL,        -- of the encoded cube
  columns      jsonb NOT NULL,
  row_count    integer NOT NULL,
  truncated    boolean NOT NULL,
  refreshed_at timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, version_id, dataset),
  FOREIGN KEY (workspace_id, version_id) REFERENCES version (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, sha256) REFERENCES blob (workspace_id, sha256) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX dataset_blob ON dataset (workspace_id, sha256);

-- +goose StatementBegin
-- rename_dashboard gives the dashboard called old_slug the slug new_slug and
-- keeps the old one as an alias. Its refusals are the sentences a caller reads.
CREATE FUNCTION rename_dashboard(workspace uuid, old_slug text, new_slug text) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  target uuid;
  holder uuid;
BEGIN
  SELECT s.dashboard_id INTO target FROM slug s JOIN dashboard d ON d.workspace_id = s.workspace_id AND d.id = s.dashboard_id
   WHERE s.workspace_id = workspace AND s.slug = old_slug FOR UPDATE OF d;
  IF target IS NULL THEN
    RAISE EXCEPTION 'dashboard not found for slug "%"', old_slug USING ERRCODE = 'SV404';
  END IF;
  INSERT INTO slug (workspace_id, slug, dashboard_id) VALUES (workspace, new_slug, target)
    ON CONFLICT (workspace_id, slug) DO NOTHING;
  SELECT s.dashboard_id INTO holder FROM slug s WHERE s.workspace_id = workspace AND s.slug = new_slug;
  IF holder <> target THEN
    RAISE EXCEPTION 'slug "%" is already taken', new_slug USING ERRCODE = 'SV409';
  END IF;
  UPDATE dashboard d SET slug = new_slug WHERE d.workspace_id = workspace AND d.id = target AND d.slug <> new_slug;
  RETURN target;
END $$;
-- +goose StatementEnd

-- Refreshes

CREATE TABLE schedule (
  workspace_id uuid NOT NULL,
  dashboard_id uuid NOT NULL,
  expression   text NOT NULL,         -- as it was given: 1h, daily 09:00, a cron expression
  timezone     text NOT NULL DEFAULT 'UTC',
  next_run_at  timestamptz NOT NULL,
  updated_by   uuid REFERENCES account ON DELETE SET NULL,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (workspace_id, dashboard_id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX schedule_due ON schedule (next_run_at);

CREATE TABLE refresh_run ( -- our history; river_job is only the queue
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,         -- UUIDv7: sorts by time
  dashboard_id uuid NOT NULL,
  version_id   uuid NOT NULL,
  cause        text NOT NULL CHECK (cause IN ('publish', 'restore', 'trigger', 'schedule', 'upload')),
  state        text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled')),
  requested_by uuid REFERENCES account ON DELETE SET NULL,
  queued_at    timestamptz NOT NULL DEFAULT now(),
  started_at   timestamptz,
  finished_at  timestamptz,
  error        text NOT NULL DEFAULT '', -- a sentence that is safe to show
  datasets     jsonb NOT NULL DEFAULT '[]', -- [{id, state, rows, elapsed_ms, truncated, error}]
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id, version_id) REFERENCES version (workspace_id, id) ON DELETE CASCADE,
  CHECK ((finished_at IS NULL) = (state IN ('queued', 'running'))),
  CHECK (state <> 'running' OR started_at IS NOT NULL)
);
CREATE UNIQUE INDEX refresh_active ON refresh_run (workspace_id, version_id) WHERE state IN ('queued', 'running');
CREATE INDEX refresh_history ON refresh_run (workspace_id, dashboard_id, id DESC);
CREATE INDEX refresh_version ON refresh_run (workspace_id, version_id, id DESC);
CREATE INDEX refresh_running ON refresh_run (workspace_id) WHERE state = 'running';

-- Authorization: only hashes of secrets are stored

CREATE TABLE oauth_client (
  id            text PRIMARY KEY,
  name          text NOT NULL,
  redirect_uris text[] NOT NULL,
  grant_types   text[] NOT NULL,
  auth_method   text NOT NULL CHECK (auth_method IN ('none', 'client_secret_post', 'client_secret_basic')),
  secret_hash   bytea,
  created_at    timestamptz NOT NULL DEFAULT now(),
  authorized_at timestamptz,          -- first time a person allowed it; such a registration is never purged
  CHECK ((auth_method = 'none') = (secret_hash IS NULL))
);
CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE authorized_at IS NULL;

CREATE TABLE oauth_request ( -- an authorization request that waits for consent
  hash         bytea PRIMARY KEY,     -- of the handle in the browser
  client_id    text NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
  redirect_uri text NOT NULL,         -- exactly as the client sent it
  scope        text NOT NULL,
  state        text,                  -- null: the client sent none
  challenge    text NOT NULL,
  resource     text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  consumed_at  timestamptz,
  grant_id     uuid                   -- what allowing it came to; null: it waits, or was refused
);
CREATE INDEX oauth_request_expiry ON oauth_request (expires_at);

CREATE TABLE oauth_grant (
  id           uuid PRIMARY KEY,
  client_id    text NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
  account_id   uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  lock         text NOT NULL CHECK (lock IN ('workspace', 'none', 'legacy')),
  workspace_id uuid REFERENCES workspace ON DELETE CASCADE, -- never SET NULL: that would be another lock
  scope        text NOT NULL,
  resource     text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,  -- end of the grant's own session; access tokens end before it
  ends_at      timestamptz NOT NULL,  -- absolute end, however much it is used
  used_at      timestamptz,           -- last call let in under it, to the minute; null: it never called
  revoked_at   timestamptz,
  CHECK ((lock = 'workspace') = (workspace_id IS NOT NULL))
);
ALTER TABLE oauth_request ADD FOREIGN KEY (grant_id) REFERENCES oauth_grant ON DELETE CASCADE, ADD CHECK (grant_id IS NULL OR consumed_at IS NOT NULL);
CREATE INDEX oauth_request_grant ON oauth_request (grant_id) WHERE grant_id IS NOT NULL;
-- +goose StatementBegin
-- A grant whose lock is taken away, by the operator, keeps no workspace.
CREATE FUNCTION oauth_grant_unlock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.workspace_id := NULL;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER oauth_grant_unlock BEFORE UPDATE OF lock ON oauth_grant
  FOR EACH ROW WHEN (NEW.lock <> 'workspace') EXECUTE FUNCTION oauth_grant_unlock();
CREATE INDEX oauth_grant_account ON oauth_grant (account_id, id DESC) WHERE revoked_at IS NULL;
CREATE INDEX oauth_grant_workspace ON oauth_grant (workspace_id) WHERE revoked_at IS NULL;
CREATE INDEX oauth_grant_client ON oauth_grant (client_id);
CREATE INDEX oauth_grant_expiry ON oauth_grant (expires_at);

CREATE TABLE oauth_token (
  hash         bytea PRIMARY KEY,
  grant_id     uuid NOT NULL REFERENCES oauth_grant ON DELETE CASCADE,
  kind         text NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  challenge    text,                  -- of a code
  redirect_uri text,                  -- of a code
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  used_at      timestamptz,           -- a code or refresh token used again revokes the grant
  successor    bytea,                 -- of a used refresh token: hash of the next one
  sealed       bytea,                 -- of a used refresh token: the answer it gave, readable with the token alone
  CHECK ((kind = 'code') = (challenge IS NOT NULL)),
  CHECK (used_at IS NULL OR kind <> 'access')
);
CREATE INDEX oauth_token_grant ON oauth_token (grant_id);
CREATE INDEX oauth_token_expiry ON oauth_token (expires_at);

CREATE TABLE sign_in ( -- a sign-in under way at the identity provider
  state_hash   bytea PRIMARY KEY,
  browser_hash bytea NOT NULL,        -- of the cookie that ties it to one browser
  nonce        text NOT NULL,
  verifier     text NOT NULL,
  return_to    text NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX sign_in_expiry ON sign_in (expires_at);

CREATE TABLE web_session ( -- a browser signed in at the app host
  hash       bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  user_agent text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at    timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX web_session_account ON web_session (account_id);
CREATE INDEX web_session_expiry ON web_session (expires_at);

CREATE TABLE host_ticket ( -- carries a session from the app host to one workspace host, once
  hash         bytea PRIMARY KEY,
  session_hash bytea NOT NULL REFERENCES web_session ON DELETE CASCADE,
  host         text NOT NULL,
  nonce_hash   bytea NOT NULL,
  return_to    text NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX host_ticket_expiry ON host_ticket (expires_at);
CREATE INDEX host_ticket_session ON host_ticket (session_hash);

CREATE TABLE host_session ( -- a browser signed in at one workspace host; ends with its app session
  hash         bytea PRIMARY KEY,
  session_hash bytea NOT NULL REFERENCES web_session ON DELETE CASCADE,
  host         text NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX host_session_session ON host_session (session_hash);
CREATE INDEX host_session_expiry ON host_session (expires_at);

-- Counters and operations

CREATE UNLOGGED TABLE rate_counter (
  key        text PRIMARY KEY,        -- surface:subject
  started_at timestamptz NOT NULL,
  used       integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE activity ( -- what `self` shows: no person in it
  workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
  dashboard_id uuid NOT NULL,
  day          date NOT NULL,
  event        text NOT NULL CHECK (event IN ('view', 'publish', 'refresh', 'refresh_failed')),
  count        bigint NOT NULL,
  duration_ms  bigint NOT NULL DEFAULT 0, -- sum
  buckets      bigint[] NOT NULL DEFAULT '{}', -- counts of durations, bucket i: less than 2^i ms
  bytes        bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, dashboard_id, day, event),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE instance ( -- one row: what this installation is
  single          boolean PRIMARY KEY DEFAULT true CHECK (single),
  key_fingerprint text,               -- of the key that seals secrets
  demo_seeded_at  timestamptz
);
INSERT INTO instance DEFAULT VALUES;
