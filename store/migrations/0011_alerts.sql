-- +goose Up

-- The alerts of a dashboard's current version, and what people have said of them. What a version says replaces
-- them when it is published; that one of the same id was muted stays.
CREATE TABLE alert (
  workspace_id uuid NOT NULL,
  dashboard_id uuid NOT NULL,
  id           text NOT NULL CHECK (id ~ '^[A-Za-z][A-Za-z0-9_-]{0,63}$'),
  place        integer NOT NULL,      -- in the spec, from 0
  title        text NOT NULL,
  severity     text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
  channels     text[] NOT NULL,       -- slugs; none: who published the version is told
  definition   bytea NOT NULL,        -- of the condition: another one begins anew
  stale_after  interval,              -- of one that is about stale data
  due_at       timestamptz,           -- when that is to be judged next, without a refresh; null: at the next refresh
  checked_at   timestamptz,           -- when it was last judged
  unknown      text NOT NULL DEFAULT '', -- why it could not be; empty when it could
  muted_until  timestamptz,           -- until then nobody is told
  muted_by     uuid REFERENCES account ON DELETE SET NULL,
  PRIMARY KEY (workspace_id, dashboard_id, id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE,
  CHECK (due_at IS NULL OR stale_after IS NOT NULL)
);
CREATE INDEX alert_due ON alert (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX alert_muted_by ON alert (muted_by) WHERE muted_by IS NOT NULL;

CREATE TABLE alert_state ( -- the values of which an alert's condition holds
  workspace_id uuid NOT NULL,
  dashboard_id uuid NOT NULL,
  alert        text NOT NULL,
  key          text NOT NULL CHECK (octet_length(key) <= 200), -- the value; empty for the whole
  times        integer NOT NULL CHECK (times > 0), -- refreshes in a row
  firing       boolean NOT NULL,
  since        timestamptz NOT NULL,
  told_at      timestamptz,
  text         text NOT NULL,         -- what was found, in the spec's language
  PRIMARY KEY (workspace_id, dashboard_id, alert, key),
  FOREIGN KEY (workspace_id, dashboard_id, alert) REFERENCES alert (workspace_id, dashboard_id, id) ON DELETE CASCADE,
  CHECK (firing = (told_at IS NOT NULL))
);

CREATE TABLE alert_event ( -- what alerts have told
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  dashboard_id uuid NOT NULL,
  alert        text NOT NULL,
  title        text NOT NULL,
  severity     text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
  event        text NOT NULL CHECK (event IN ('fired', 'again', 'recovered')),
  sentence     text NOT NULL,
  at           timestamptz NOT NULL,
  told         integer NOT NULL CHECK (told >= 0), -- to how many channels and people
  muted        boolean NOT NULL,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE,
  CHECK (NOT (muted AND told > 0))
);
CREATE INDEX alert_event_dashboard ON alert_event (workspace_id, dashboard_id, at);
CREATE INDEX alert_event_age ON alert_event (at);
