-- +goose Up

-- The bin. A deleted dashboard is kept for some days: its row stays in any_dashboard, with its versions, rows and history. The view
-- dashboard has those that are not deleted, so that no statement can forget the difference. A later migration that adds a column adds
-- it to any_dashboard and makes the view again by the same statement, CREATE OR REPLACE.
ALTER TABLE dashboard RENAME TO any_dashboard;
ALTER TABLE any_dashboard
  ADD COLUMN deleted_at      timestamptz,
  ADD COLUMN deleted_by      uuid REFERENCES account ON DELETE SET NULL,
  ADD COLUMN former_aliases  text[], -- of a deleted one, whose slugs others may have by now
  ADD COLUMN former_schedule text,   -- of a deleted one; null: it had none
  ADD COLUMN former_timezone text,
  ADD COLUMN live boolean GENERATED ALWAYS AS (deleted_at IS NULL) STORED,
  ADD COLUMN held text    GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN slug END) STORED, -- the slug, which a deleted one does not hold
  ADD CHECK ((deleted_at IS NULL) = (former_aliases IS NULL)),
  ADD CHECK (deleted_at IS NOT NULL OR deleted_by IS NULL AND former_schedule IS NULL),
  ADD CHECK ((former_schedule IS NULL) = (former_timezone IS NULL)),
  ADD UNIQUE (workspace_id, id, live),
  DROP CONSTRAINT dashboard_slug,
  ADD CONSTRAINT dashboard_slug FOREIGN KEY (workspace_id, id, held) REFERENCES slug (workspace_id, dashboard_id, slug)
    DEFERRABLE INITIALLY DEFERRED;

CREATE VIEW dashboard AS SELECT * FROM any_dashboard WHERE deleted_at IS NULL;

-- A deleted dashboard has no slug, schedule, alert or subscription: their rows refer to a live one.
ALTER TABLE slug
  ADD COLUMN live boolean NOT NULL DEFAULT true CHECK (live),
  DROP CONSTRAINT slug_workspace_id_dashboard_id_fkey,
  ADD FOREIGN KEY (workspace_id, dashboard_id, live) REFERENCES any_dashboard (workspace_id, id, live) ON DELETE CASCADE;
ALTER TABLE schedule
  ADD COLUMN live boolean NOT NULL DEFAULT true CHECK (live),
  DROP CONSTRAINT schedule_workspace_id_dashboard_id_fkey,
  ADD FOREIGN KEY (workspace_id, dashboard_id, live) REFERENCES any_dashboard (workspace_id, id, live) ON DELETE CASCADE;
ALTER TABLE alert
  ADD COLUMN live boolean NOT NULL DEFAULT true CHECK (live),
  DROP CONSTRAINT alert_workspace_id_dashboard_id_fkey,
  ADD FOREIGN KEY (workspace_id, dashboard_id, live) REFERENCES any_dashboard (workspace_id, id, live) ON DELETE CASCADE;
ALTER TABLE subscription
  ADD COLUMN live boolean NOT NULL DEFAULT true CHECK (live),
  DROP CONSTRAINT subscription_workspace_id_dashboard_id_fkey,
  ADD FOREIGN KEY (workspace_id, dashboard_id, live) REFERENCES any_dashboard (workspace_id, id, live) ON DELETE CASCADE;

-- Listings read only live dashboards, and the bin only the others.
DROP INDEX dashboard_name, dashboard_updated, dashboard_stale, dashboard_owner;
CREATE INDEX dashboard_live    ON any_dashboard (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX dashboard_name    ON any_dashboard (workspace_id, lower(name), id) WHERE deleted_at IS NULL;
CREATE INDEX dashboard_updated ON any_dashboard (workspace_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX dashboard_stale   ON any_dashboard (workspace_id, coalesce(refreshed_at, '-infinity'), id) WHERE deleted_at IS NULL;
CREATE INDEX dashboard_owner   ON any_dashboard (workspace_id, created_by, id) WHERE deleted_at IS NULL;
CREATE INDEX dashboard_bin     ON any_dashboard (workspace_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX dashboard_erase   ON any_dashboard (deleted_at) WHERE deleted_at IS NOT NULL;

-- "me" in a spec is whoever published it. The version keeps for whom it stands: {alerts: {id: account}, deliver: [{index, of, account}]}.
ALTER TABLE version ADD COLUMN me jsonb CHECK (jsonb_typeof(me) = 'object');
ALTER TABLE alert ADD COLUMN me uuid REFERENCES account ON DELETE SET NULL; -- whom "me" in channels stands for
CREATE INDEX alert_me ON alert (me) WHERE me IS NOT NULL;

-- A channel cannot be called me. One that is gets another slug, which its owners see.
UPDATE channel c SET slug = 'me-' || left(replace(id::text, '-', ''), 8) WHERE slug = 'me';
UPDATE alert a SET channels = array_replace(a.channels, 'me', (
       SELECT c.slug FROM channel c WHERE c.workspace_id = a.workspace_id AND c.slug LIKE 'me-%' AND c.slug = 'me-' || left(replace(c.id::text, '-', ''), 8)))
 WHERE 'me' = ANY (a.channels);
ALTER TABLE channel ADD CHECK (slug <> 'me');

-- A spec may propose that a member is sent the page, and on a day of the week of each month: 110 to 156, see dashboard.MonthWeekday.
-- +goose StatementBegin
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = 'subscription'::regclass AND contype = 'c'
              AND (pg_get_constraintdef(oid) LIKE '%WHEN ''monthly''%' OR pg_get_constraintdef(oid) LIKE '%proposal IS NULL) OR (channel_id%') LOOP
    EXECUTE format('ALTER TABLE subscription DROP CONSTRAINT %I', c.conname);
  END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE subscription ADD CHECK (CASE every WHEN 'weekly' THEN day BETWEEN 0 AND 6
  WHEN 'monthly' THEN day BETWEEN 1 AND 31 OR day >= 110 AND day <= 156 AND day % 10 <= 6 ELSE day = 0 END);

-- Whoever has ended the mails of an alert that tells them.
CREATE TABLE alert_ended (
  workspace_id uuid NOT NULL,
  dashboard_id uuid NOT NULL,
  alert        text NOT NULL,
  account_id   uuid NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, dashboard_id, alert, account_id),
  FOREIGN KEY (workspace_id, dashboard_id, alert) REFERENCES alert (workspace_id, dashboard_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, workspace_id) REFERENCES membership (account_id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX alert_ended_account ON alert_ended (workspace_id, account_id);
