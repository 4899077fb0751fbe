-- +goose Up

-- What a dashboard is to a member: a favourite, and when they opened it last. It goes with either.
CREATE TABLE dashboard_use (
  workspace_id uuid NOT NULL,
  account_id   uuid NOT NULL,
  dashboard_id uuid NOT NULL,
  starred_at   timestamptz,           -- null: no favourite
  opened_at    timestamptz,           -- null: never
  PRIMARY KEY (workspace_id, account_id, dashboard_id),
  FOREIGN KEY (workspace_id, dashboard_id) REFERENCES dashboard (workspace_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, workspace_id) REFERENCES membership (account_id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX dashboard_use_dashboard ON dashboard_use (workspace_id, dashboard_id);
CREATE INDEX dashboard_use_starred ON dashboard_use (workspace_id, account_id, starred_at) WHERE starred_at IS NOT NULL;
CREATE INDEX dashboard_use_opened ON dashboard_use (workspace_id, account_id, opened_at) WHERE opened_at IS NOT NULL;

-- The dashboards of one person.
CREATE INDEX dashboard_owner ON dashboard (workspace_id, created_by, id);
